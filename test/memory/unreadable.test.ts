/** Reading removes, moves and rewrites nothing: a record that cannot be read is reported and stays where it is. */
import { wrapContexts } from '@cairn/memory';
import { listsOf } from '@cairn/memory/testing';
import type { UnreadableRecord } from '@cairn/memory';
import type { ListRule } from '@cairn/memory/testing';
import { describe, expect, test } from 'vitest';
import { backendKinds, openMemory, START_MS, useBackends } from './backends.ts';

useBackends();

const torn = { before: '{"id":"x","role":"user","content":"tor', after: '' };
const rule: ListRule = {
  maxRecords: Infinity,
  maxTemporaryRecords: Infinity,
  lifetimeMs: Infinity,
  temporaryLifetimeMs: Infinity,
};
const place = { stream: 's', group: 'g' };
const key = 'ai:memory:s:g';

describe.each(backendKinds)('unreadable records on $name', (kind) => {
  test.skipIf(kind.isSkipped)('are reported once in each read, and stay; the others are readable', async () => {
    const found: UnreadableRecord[] = [];
    const { memory } = await openMemory(kind, { onUnreadable: (record) => found.push(record) });
    await memory.messages.add(place, { content: 'a' });
    const [record] = await listsOf(memory.backend).append(key, [torn], { rule });
    await memory.messages.add(place, { content: 'b' });
    for (let read = 1; read <= 3; read++) {
      const contents = (await memory.messages.history(place, { limit: 2 })).map(({ content }) => content);
      expect(contents).toEqual(['b', 'a']);
      expect(found).toHaveLength(read);
    }
    expect(found[0]).toEqual({ key, record });
    expect(await memory.unreadable()).toEqual([{ key, record }]);
    for (const query of ['a', '']) {
      const { contexts } = await memory.recall({ stream: 's', query, since: 0, role: 'user' });
      expect(contexts.at(-1)).toMatchObject({ content: 'a' });
    }
    await listsOf(memory.backend).append(
      'ai:notes:w',
      [torn, { before: '{"content":5,"source":"s","time":', after: ',"temporary":true}' }],
      { rule },
    );
    await memory.storeNote('w', 'good', 's');
    expect((await memory.getNotes('w')).map(({ content }) => content)).toEqual(['good']);
    expect((await memory.unreadable()).map((one) => one.key)).toEqual([key, 'ai:notes:w', 'ai:notes:w']);
  });

  test.skipIf(kind.isSkipped)(
    'a key of another form is reported by a recall of its stream, and hides no group',
    async () => {
      const found: UnreadableRecord[] = [];
      const { memory } = await openMemory(kind, { onUnreadable: (record) => found.push(record) });
      await memory.messages.add(place, { content: 'a' });
      await listsOf(memory.backend).append('ai:memory:s:g:x', [torn], { rule });
      const { contexts } = await memory.recall({ stream: 's', query: 'a' });
      expect(contexts).toMatchObject([{ content: 'a' }]);
      expect(found).toEqual([{ key: 'ai:memory:s:g:x', record: '', reason: 'the key has another form' }]);
    },
  );

  test.skipIf(kind.isSkipped)('of 3,000 records 1,500 are all still there after 100 reads', async () => {
    const { memory } = await openMemory(kind, { retention: { maxMessages: Infinity } });
    const drafts = Array.from({ length: 3000 }, (_, index) =>
      index % 2 === 0
        ? { before: `{"torn ${index}":`, after: '' }
        : { before: `{"id":"m${index}","role":"user","content":"${index}","time":`, after: '}' },
    );
    for (let start = 0; start < drafts.length; start += 200) {
      await listsOf(memory.backend).append(key, drafts.slice(start, start + 200), { rule });
    }
    for (let read = 0; read < 100; read++) {
      // Reading everything is slow, and a part of it meets unreadable records too.
      expect(await memory.messages.history(place, { limit: read === 0 ? undefined : 10 })).toHaveLength(
        read === 0 ? 1500 : 10,
      );
    }
    expect(await memory.unreadable()).toHaveLength(1500);
    expect(await listsOf(memory.backend).list(key)).toHaveLength(3000);
  });

  test.skipIf(kind.isSkipped)('include those with a time beyond all dates', async () => {
    const { memory } = await openMemory(kind);
    await memory.messages.add(place, { content: 'good' });
    const far = { before: '{"id":"x","role":"user","content":"good too","time":', after: '0000}', text: 'good too' };
    await listsOf(memory.backend).append(key, [far], { rule });
    await listsOf(memory.backend).append(
      'ai:notes:w',
      [{ before: '{"content":"a","source":"s","time":', after: '0000,"temporary":false}' }],
      { rule },
    );
    await memory.messages.add(place, { content: 'good as well' });
    const { contexts } = await memory.recall({ ...place, query: 'good' });
    expect(contexts.map(({ content }) => content)).toEqual(['good', 'good as well']);
    expect(await wrapContexts(contexts)).toContain('2023-12-21');
    expect(await memory.getNotes('w')).toEqual([]);
    expect(await memory.unreadable()).toHaveLength(2);
  });

  test.skipIf(kind.isSkipped)('include a workflow, which hides no other', async () => {
    const found: UnreadableRecord[] = [];
    const { memory } = await openMemory(kind, { onUnreadable: (record) => found.push(record) });
    const { id } = await memory.workflows.create({ goal: 'g', todos: [], streamName: 'a' });
    const bad = { key: 'ai:workflow:bad', record: `{"id":"bad","torn":${START_MS}` };
    await listsOf(memory.backend).swap(bad.key, { expected: undefined, next: bad.record, ttlMs: 60_000 });
    await expect(memory.workflows.get('bad')).rejects.toMatchObject({ code: 'CORRUPT_RECORD', key: bad.key });
    await expect(memory.workflows.acquire('bad')).rejects.toMatchObject({ code: 'CORRUPT_RECORD' });
    expect((await memory.workflows.list()).map((one) => [one.id, one.status])).toEqual([
      [id, 'running'],
      ['bad', 'corrupt'],
    ]);
    expect(await memory.unreadable()).toEqual([bad]);
    expect(await Array.fromAsync(memory.export(), (line) => (JSON.parse(line) as { kind: string }).kind)).toEqual([
      'export',
      'workflow',
      'unreadable',
    ]);
    expect(found).toMatchObject([{ key: bad.key }]);
    expect(await listsOf(memory.backend).read(bad.key)).toBe(bad.record);
    expect(await memory.workflows.remove('bad')).toBe(true);
  });

  test.skipIf(kind.isSkipped)('include a text under a key for another kind of record', async () => {
    const { memory } = await openMemory(kind);
    await memory.messages.add(place, { content: 'good' });
    await listsOf(memory.backend).swap('ai:memory:s:other', { expected: undefined, next: 'text', ttlMs: 60_000 });
    await listsOf(memory.backend).append('ai:workflow:w', [torn], { rule });
    expect(await memory.unreadable()).toEqual([
      { key: 'ai:memory:s:other', record: 'text' },
      { key: 'ai:workflow:w', record: `${torn.before}${START_MS}` },
    ]);
  });
});
