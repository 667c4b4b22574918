/** Forgotten text is gone: from every call, and from the files of the store. */
import { readdirSync, readFileSync } from 'node:fs';
import { createMemory, MemoryError } from '@cairn/memory';
import { notesKey } from '@cairn/memory/internal';
import { listsOf } from '@cairn/memory/testing';
import type { Memory } from '@cairn/memory';
import { sqlite } from '@cairn/memory/sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../support/tree.ts';
import { backendKinds, openMemory, useBackends } from './backends.ts';
import { forever } from './records.ts';

useBackends();

/** A log of a server may keep removed text. */
const ERASED: Readonly<Record<string, string>> = { memory: 'done', sqlite: 'done', redis: 'log' };

/** Fills a memory with one thing of each kind. Each has the word. */
async function fill(memory: Memory, word: string): Promise<{ readonly workflow: string }> {
  await memory.messages.add({ stream: 's', group: 'g' }, { content: `${word} message` });
  await memory.messages.add({ stream: 's', group: 'h' }, { content: `${word} message` });
  await memory.messages.add({ stream: 't', group: 'g' }, { content: `${word} message` });
  const { id } = await memory.workflows.create({ goal: `${word} goal`, todos: ['a'], streamName: 's' });
  await memory.storeNote(id, `${word} note`, 'todo_0');
  await memory.storeNote('other', `${word} note`, 'todo_0');
  await memory.graph().createEntities([{ name: `${word} entity`, entityType: 't', observations: [] }]);
  await memory.graph('other').createEntities([{ name: `${word} entity`, entityType: 't', observations: [] }]);
  const { fact } = await memory.facts.remember(`${word} of the project`, { scope: 'project' });
  await memory.facts.update(fact.id, { text: `${word} changed` });
  await memory.facts.remember(`${word} of another project`, { scope: 'project', project: 'q' });
  await memory.facts.remember(`${word} of the user`, { scope: 'user' });
  await memory.namespace('n').append('list', [{ text: word }]);
  await memory.namespace('n').swap('document', { expected: undefined, next: word });
  return { workflow: id };
}

async function keysOf(memory: Memory): Promise<string[]> {
  return (await memory.backend.keys('')).map(({ key }) => key).toSorted();
}

describe.each(backendKinds)('forget on $name', (kind) => {
  test.skipIf(kind.isSkipped)('knowledge in the same store is neither removed nor a problem', async () => {
    const { memory } = await openMemory(kind, { project: 'p' });
    await fill(memory, 'word');
    await memory.backend.change('ai:knowledge:assets', { rows: [{ id: 'a', expected: undefined, next: '{}' }] });
    const lines: string[] = [];
    for await (const line of memory.export()) lines.push(line);
    expect(lines.join('')).not.toContain('ai:knowledge');
    expect([(await memory.stats()).problems, await memory.unreadable()]).toEqual([[], []]);
    const { problems } = await memory.forget({ everything: true });
    expect([problems, await keysOf(memory)]).toEqual([[], ['ai:knowledge:assets']]);
  });

  test.skipIf(kind.isSkipped)('removes exactly what is selected', async () => {
    const { memory } = await openMemory(kind, { project: 'p' });
    const { workflow } = await fill(memory, 'word');
    const all = await keysOf(memory);
    const gone = async (selection: Parameters<Memory['forget']>[0]): Promise<unknown> => {
      const before = await keysOf(memory);
      const { removed, erased, problems } = await memory.forget(selection);
      expect([erased, problems]).toEqual([ERASED[kind.name], []]);
      const after = await keysOf(memory);
      expect(await memory.forget(selection)).toEqual({ removed: 0, erased, problems: [] });
      expect(await keysOf(memory)).toEqual(after);
      return [removed, ...before.filter((key) => !after.includes(key))];
    };
    expect(await gone({ stream: 's', group: 'g' })).toEqual([1, 'ai:memory:s:g']);
    expect(await gone({ stream: 's' })).toEqual([1, 'ai:memory:s:h']);
    expect(await gone({ notes: 'other' })).toEqual([1, 'ai:notes:other']);
    expect(await gone({ workflow })).toEqual([2, `ai:notes:${workflow}`, `ai:workflow:${workflow}`]);
    expect(await gone({ graph: 'other' })).toEqual([1, 'ai:graph:other']);
    expect(await gone({ scope: 'project' })).toEqual([1, 'ai:facts:project:p']);
    expect(await gone({ scope: 'project', project: 'q' })).toEqual([1, 'ai:facts:project:q']);
    expect(await gone({ namespace: 'n', key: 'list' })).toEqual([1, 'ai:namespace:n:list']);
    expect(await gone({ everything: true })).toEqual([
      4,
      'ai:facts:user',
      'ai:graph:default',
      'ai:memory:t:g',
      'ai:namespace:n:document',
    ]);
    expect(all).toHaveLength(13);
    expect(await keysOf(memory)).toEqual([]);
  });

  test.skipIf(kind.isSkipped)('of a stream releases its name', async () => {
    const { memory } = await openMemory(kind);
    for (const name of ['a', 'b', 'c']) memory.defineStream({ name });
    const merged = memory.mergeStreams({ name: 'm', main: 'a', secondary: ['b'] });
    await merged.addMessage('g', { content: 'x' });
    const other = createMemory({ backend: memory.backend });
    const claim = async (): Promise<unknown> => other.stream('m').addMessage('g', { content: 'y' });
    other.defineStream({ name: 'm' });
    await expect(claim()).rejects.toMatchObject({ code: 'STREAM_EXISTS' });
    expect(await memory.forget({ stream: 'm' })).toMatchObject({ removed: 1 });
    await expect(claim()).resolves.toMatchObject({ content: 'y' });
  });

  test.skipIf(kind.isSkipped)('of unreadable records leaves the readable ones', async () => {
    const { memory } = await openMemory(kind, { project: 'p' });
    const torn = { before: '{"torn', after: '' };
    await memory.messages.add({ stream: 's', group: 'g' }, { content: 'good' });
    await listsOf(memory.backend).append('ai:memory:s:g', [torn], { rule: forever });
    await listsOf(memory.backend).append('ai:notes:w', [torn], { rule: forever });
    await listsOf(memory.backend).swap('ai:workflow:bad', { expected: undefined, next: '{', ttlMs: 60_000 });
    await memory.graph().createEntities([{ name: 'good', entityType: 't', observations: [] }]);
    await memory.backend.change('ai:graph:default', { rows: [{ id: 'x', expected: undefined, next: 'torn' }] });
    await memory.facts.remember('good', { scope: 'user' });
    await memory.backend.change('ai:facts:user', { rows: [{ id: 'x', expected: undefined, next: 'torn' }] });
    await memory.import(['{"kind":"newer","a":1}']);
    expect(await memory.unreadable()).toHaveLength(5);
    expect(await memory.forget({ unreadable: true, key: 'ai:notes:w' })).toMatchObject({ removed: 1, problems: [] });
    expect(await memory.unreadable()).toHaveLength(4);
    expect(await memory.forget({ unreadable: true })).toMatchObject({ removed: 5, problems: [] });
    expect(await memory.unreadable()).toEqual([]);
    expect(await memory.messages.history({ stream: 's', group: 'g' })).toHaveLength(1);
    expect((await memory.graph().read()).entities).toHaveLength(1);
    expect((await memory.facts.list({ scope: 'user' })).facts).toHaveLength(1);
    expect(await keysOf(memory)).toEqual(['ai:facts:user', 'ai:graph:default', 'ai:memory:s:g']);
  });

  test.skipIf(kind.isSkipped)(
    'goes on at a key that it cannot remove, and reports keys that it does not know',
    async () => {
      const { memory } = await openMemory(kind);
      await memory.messages.add({ stream: 's', group: 'g' }, { content: 'x' });
      const { backend } = memory;
      const rejecting = createMemory({
        backend: {
          ...backend,
          change: async (key, ...rest) => {
            if (key !== 'ai:memory:s:bad') return backend.change(key, ...rest);
            throw new MemoryError('CORRUPT_RECORD', [`another program wrote ${key}`, 'Delete it.'], { key });
          },
        },
      });
      await listsOf(backend).swap('ai:memory:s:bad', { expected: undefined, next: 'text' });
      await listsOf(backend).swap('ai:newer:x', { expected: undefined, next: 'text' });
      const result = await rejecting.forget({ stream: 's' });
      expect(result).toMatchObject({ removed: 1, problems: [{ key: 'ai:memory:s:bad', code: 'CORRUPT_RECORD' }] });
      expect(await memory.forget({ everything: true })).toMatchObject({
        removed: 1,
        problems: [{ key: 'ai:newer:x', code: 'CORRUPT_RECORD', message: expect.stringContaining('does not know') }],
      });
      expect(await keysOf(memory)).toEqual(['ai:newer:x']);
    },
  );

  test.skipIf(kind.isSkipped)('rejects an empty selection, and removes nothing', async () => {
    const { memory } = await openMemory(kind);
    await memory.messages.add({ stream: 's', group: 'g' }, { content: 'x' });
    for (const selection of [{}, { stream: '' }, { stream: 's', message: 'm' }, { scope: 'project' }, { graph: '' }]) {
      await expect(memory.forget(selection as never)).rejects.toMatchObject({
        code: expect.stringMatching(/^INVALID_(?:NAME|INPUT)$/u),
      });
    }
    expect(await keysOf(memory)).toEqual(['ai:memory:s:g']);
  });

  test.skipIf(kind.isSkipped)('rejects what may select more than was meant, and removes nothing', async () => {
    const { memory } = await openMemory(kind, { project: 'p' });
    await fill(memory, 'word');
    const all = await keysOf(memory);
    for (const selection of [
      { everything: false },
      { unreadable: false },
      { everything: 'no' },
      { scope: 'user', stream: 's' },
      { stream: 's', everything: true },
    ]) {
      await expect(memory.forget(selection as never)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    }
    expect(await keysOf(memory)).toEqual(all);
    const one = { stream: 's', group: 'g', everything: undefined, unreadable: undefined };
    expect(await memory.forget(one as never)).toMatchObject({ removed: 1 });
    expect(await keysOf(memory)).toEqual(all.filter((key) => key !== 'ai:memory:s:g'));
  });

  test.skipIf(kind.isSkipped)('leaves no word of notes in an index, including those that have expired', async () => {
    // Notes that all live equally long have an index when there are many.
    const lifetime = 3_600_000;
    const retention = { maxNotes: Infinity, noteLifetimeMs: lifetime, temporaryNoteLifetimeMs: lifetime };
    const { memory, backend, advance } = await openMemory(kind, { retention });
    const { id } = await memory.workflows.create({ goal: 'g', todos: [], streamName: 's' });
    const write = async (workflowId: string): Promise<void> => {
      const time = await backend.now();
      const lines = Array.from({ length: 700 }, (_, index) => {
        const content = Array.from({ length: 60 }, (__, at) => `w${(index * 60 + at).toString(36)}x`).join(' ');
        return JSON.stringify({ kind: 'note', workflowId, content, source: 't', time, temporary: false });
      });
      await memory.import(lines);
      await memory.recall({ stream: 's', group: 'g', query: 'w1x', includeNotes: true, workflowId });
    };
    const isIndexed = async (): Promise<boolean> =>
      (await backend.postings(notesKey(id), ['w1x'])).postings.flat().length > 0;
    for (const end of [
      () => memory.forget({ notes: id }),
      () => memory.removeNotes(id),
      () => memory.forget({ workflow: id }),
      async () => {
        await advance(2 * lifetime);
        await memory.forget({ notes: id });
      },
    ]) {
      await write(id);
      expect(await isIndexed()).toBe(true);
      await end();
      expect(await isIndexed()).toBe(false);
    }
  });

  test.skipIf(kind.isSkipped)('leaves nothing of what an import kept elsewhere', async () => {
    const { memory } = await openMemory(kind, { project: 'p' });
    const { backend } = memory;
    const time = await backend.now();
    const fact = { id: 'fact_a', text: 'word', createdAt: time };
    const lines = [
      // A field that this version does not know, whose line is kept next to its record.
      { kind: 'fact', scope: 'user', weight: 1, fact },
      { kind: 'fact', scope: 'user', weight: 1, fact: { ...fact, id: 'fact_b', text: 'word of another fact' } },
      {
        kind: 'graph',
        graph: 'g',
        weight: 1,
        line: { type: 'entity', name: 'word', entityType: 't', observations: [] },
      },
      { kind: 'document', namespace: 'n', key: 'k', weight: 1, document: 'word' },
      // Records that were not readable where they come from.
      { kind: 'unreadable', key: 'ai:facts:project:p', id: 'fact_a', record: '{word' },
      { kind: 'unreadable', key: 'ai:memory:s:g', record: '{"id":"m","word' },
      { kind: 'unreadable', key: 'ai:memory:s:h', record: '{"id":"m","text":"word"}' },
      { kind: 'unreadable', key: 'ai:notes:w', record: '{word' },
      // Another form of a newer version.
      { kind: 'export', version: 99 },
      { kind: 'workflow', id: 7, goal: 'word' },
      { kind: 'message', stream: 's', group: 'h', id: 'n', text: 'word' },
    ];
    await memory.import(lines.map((line) => JSON.stringify(line)));
    const left = async (): Promise<number> => {
      const texts = await listsOf(backend).list('ai:unknown');
      return texts.filter((text) => text.includes('word')).length;
    };
    expect(await left()).toBe(10);
    await memory.facts.forget('fact_a');
    expect(await left()).toBe(8);
    const all = await Array.fromAsync(memory.export());
    expect(all.filter((line) => line.includes('fact_a'))).toEqual([]);
    await memory.forget({ scope: 'user' });
    expect(await left()).toBe(7);
    await memory.forget({ graph: 'g' });
    expect(await left()).toBe(6);
    await memory.forget({ namespace: 'n', key: 'k' });
    expect(await left()).toBe(5);
    await memory.forget({ stream: 's', group: 'h', message: 'm' });
    expect(await left()).toBe(4);
    await memory.forget({ notes: 'w' });
    expect(await left()).toBe(3);
    await memory.forget({ stream: 's' });
    // The workflow has no id that this version knows.
    expect(await left()).toBe(1);
    await memory.forget({ unreadable: true });
    expect(await keysOf(memory)).toEqual([]);
  });
});

describe('the files of a SQLite store', () => {
  /** The bytes of all files of a store. */
  const bytesOf = (directory: string): Buffer =>
    Buffer.concat(readdirSync(directory).map((name) => readFileSync(`${directory}/${name}`)));
  const open = (directory: string): Memory => {
    const backend = sqlite({ path: `${directory}/memory.db` });
    const memory = createMemory({ backend, project: 'p', retention: { maxMessages: Infinity } });
    onTestFinished(() => memory.close());
    return memory;
  };
  // Letters that occur nowhere else. An index cuts words into parts, and into overlapping pairs.
  const WORD = 'zyxqwvut';

  const selections: readonly (readonly [string, Parameters<Memory['forget']>[0]])[] = [
    ['messages', { stream: 's' }],
    ['notes', { notes: 'w' }],
    ['a knowledge graph', { graph: 'g' }],
    ['the facts of a project', { scope: 'project' }],
    ['a namespace', { namespace: 'n' }],
    ['unreadable records', { unreadable: true }],
    ['everything', { everything: true }],
  ];
  const write: Readonly<Record<string, (memory: Memory) => Promise<unknown>>> = {
    messages: async (memory) => {
      const time = Date.now();
      const messages = Array.from({ length: 600 }, (_, index) => {
        // An index is kept of many terms only.
        const others = Array.from({ length: 60 }, (__, word) => `w${index}x${word}`).join(' ');
        return { id: `m${index}`, content: `${WORD}${index % 2} ${others}`, time: time + index };
      });
      await memory.messages.addAll({ stream: 's', group: 'g' }, messages);
      const { contexts } = await memory.recall({ stream: 's', group: 'g', query: `${WORD}1` });
      expect(contexts).not.toEqual([]);
    },
    notes: (memory) => memory.storeNote('w', WORD, 'todo_0'),
    'a knowledge graph': async (memory) => {
      await memory.graph('g').createEntities([{ name: WORD, entityType: 't', observations: [] }]);
      await memory.graph('g').addObservations([{ entityName: WORD, contents: [WORD.repeat(500)] }]);
    },
    'the facts of a project': async (memory) => {
      const { fact } = await memory.facts.remember(`${WORD} one`);
      await memory.facts.update(fact.id, { text: `${WORD} two`, tags: [WORD] });
      await memory.facts.supersede(fact.id, `${WORD} three`);
      await memory.facts.recall({ query: WORD });
    },
    'a namespace': (memory) => memory.namespace('n').append('list', [{ text: WORD }, { text: WORD.repeat(3000) }]),
    'unreadable records': (memory) =>
      listsOf(memory.backend).append('ai:notes:w', [{ before: `{"${WORD}`, after: '' }], { rule: forever }),
    everything: async (memory) => {
      for (const [what, one] of Object.entries(write)) if (what !== 'everything') await one(memory);
    },
  };

  test.each(selections)('have no byte of forgotten text: %s', async (what, selection) => {
    const directory = temporaryDirectory();
    const memory = open(directory);
    await memory.messages.add({ stream: 'kept', group: 'g' }, { content: 'kept text' });
    await write[what]?.(memory);
    expect(bytesOf(directory).includes(WORD)).toBe(true);
    expect(await memory.forget(selection)).toMatchObject({ erased: 'done', problems: [] });
    expect(bytesOf(directory).includes(WORD)).toBe(false);
    expect(bytesOf(directory).includes('kept text')).toBe(what !== 'everything');
    await memory.close();
    expect(bytesOf(directory).includes(WORD)).toBe(false);
  });

  test('have no byte of one forgotten message, also not in the index that keeps the others', async () => {
    const directory = temporaryDirectory();
    const memory = open(directory);
    await write['messages']?.(memory);
    const place = { stream: 's', group: 'g' };
    expect(bytesOf(directory).includes('w7x3')).toBe(true);
    expect(await memory.forget({ ...place, message: 'm7' })).toMatchObject({ removed: 1, erased: 'done' });
    expect(bytesOf(directory).includes('w7x3')).toBe(false);
    expect(bytesOf(directory).includes('w8x3')).toBe(true);
    expect((await memory.messages.history(place)).map(({ id }) => id)).not.toContain('m7');
    expect((await memory.recall({ ...place, query: 'w8x3' })).contexts[0]).toMatchObject({ id: 'm8' });
  });

  test('have forgotten text until another reader is done, which the answer states', async () => {
    const directory = temporaryDirectory();
    const memory = open(directory);
    await memory.storeNote('w', WORD, 'todo_0');
    const { DatabaseSync } = await import('node:sqlite');
    const reader = new DatabaseSync(`${directory}/memory.db`, { readOnly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM sqlite_schema').get();
    expect(await memory.forget({ notes: 'w' })).toMatchObject({ removed: 1, erased: 'pending' });
    expect(bytesOf(directory).includes(WORD)).toBe(true);
    reader.exec('COMMIT');
    reader.close();
    expect(await memory.forget({ notes: 'w' })).toMatchObject({ removed: 0, erased: 'done' });
    expect(bytesOf(directory).includes(WORD)).toBe(false);
  });
});
