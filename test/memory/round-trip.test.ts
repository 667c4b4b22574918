/** An export says everything that a memory has: imported anywhere, it is exported again as the same lines. */
import { statSync } from 'node:fs';
import { createMemory, MemoryError } from '@cairn/memory';
import { listsOf } from '@cairn/memory/testing';
import type { Memory, MemoryBackend } from '@cairn/memory';
import { memory as inProcess } from '@cairn/memory/memory';
import { sqlite } from '@cairn/memory/sqlite';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../support/tree.ts';
import { backendKinds, openMemory, START_MS, useBackends } from './backends.ts';
import { forever } from './records.ts';

useBackends();

const retention = { maxMessages: Infinity, maxNotes: Infinity, maxTemporaryNotes: Infinity };

/** Redis counts the lifetime of a key in real time. */
async function exported(memory: Memory): Promise<string[]> {
  return Array.fromAsync(memory.export(), (line) =>
    line.replace(/"expiresAt":(\d+)/u, (_, time: string) => `"expiresAt":"${Math.round(Number(time) / 60_000)}"`),
  );
}

async function raw(memory: Memory): Promise<string[]> {
  return Array.fromAsync(memory.export());
}

const word = fc.oneof(
  fc.constantFrom('a', 'b', 'tea', '表格', 'x:y', '%25', '{}'),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).filter((text) => !/[\p{Cc}\p{Cs}]/u.test(text)),
);
const json = fc.dictionary(fc.string({ maxLength: 6 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 });

/** One change of a memory. Each says what it needs. */
const step = fc.oneof(
  fc.record({ kind: fc.constant('message' as const), stream: word, group: word, content: word, author: word }),
  fc.record({ kind: fc.constant('note' as const), id: word, content: word, temporary: fc.boolean() }),
  fc.record({ kind: fc.constant('workflow' as const), goal: word, todos: fc.array(word, { maxLength: 3 }) }),
  fc.record({ kind: fc.constant('entity' as const), graph: word, name: word, observation: word }),
  fc.record({ kind: fc.constant('relation' as const), graph: word, from: word, to: word }),
  fc.record({ kind: fc.constant('fact' as const), text: word, next: word, isUser: fc.boolean(), isOld: fc.boolean() }),
  fc.record({ kind: fc.constant('record' as const), namespace: word, key: word, value: json }),
  fc.record({ kind: fc.constant('document' as const), namespace: word, key: word, text: word }),
  fc.record({ kind: fc.constant('stream' as const), main: word, secondary: word }),
  fc.record({
    kind: fc.constant('raw' as const),
    key: fc.constantFrom('ai:memory:s:g', 'ai:notes:w', 'ai:quarantine'),
    text: word,
  }),
  fc.record({
    kind: fc.constant('rawRow' as const),
    key: fc.constantFrom('ai:graph:default', 'ai:facts:user'),
    text: word,
  }),
  fc.record({ kind: fc.constant('foreign' as const), fields: json }),
  fc.record({ kind: fc.constant('newer' as const), fields: json }),
);

type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

async function apply(memory: Memory, one: Step): Promise<void> {
  const { backend } = memory;
  switch (one.kind) {
    case 'message': {
      const { stream, group, content, author } = one;
      await memory.messages.add({ stream, group }, { content, author });
      return;
    }
    case 'note':
      await memory.storeNote(one.id, one.content, 'todo_0', one.temporary);
      return;
    case 'workflow':
      await memory.workflows.create({ goal: one.goal, todos: one.todos, streamName: 's' });
      return;
    case 'entity': {
      const graph = memory.graph(one.graph);
      await graph.createEntities([{ name: one.name, entityType: 't', observations: [] }]);
      await graph.addObservations([{ entityName: one.name, contents: [one.observation] }]);
      return;
    }
    case 'relation':
      await memory.graph(one.graph).createRelations([{ from: one.from, to: one.to, relationType: 'r' }]);
      return;
    case 'fact': {
      const { fact, isNew } = await memory.facts.remember(one.text, { scope: one.isUser ? 'user' : 'project' });
      if (!isNew) return;
      // Another fact may have the text.
      await memory.facts.update(fact.id, { text: one.next, tags: ['t'] }).catch(() => undefined);
      if (one.isOld) await memory.facts.archive(fact.id);
      return;
    }
    case 'record':
      // The store sets the time.
      if ('time' in one.value || 'toJSON' in one.value) return;
      await memory.namespace(`list ${one.namespace}`, { lifetimeMs: 86_400_000 }).append(one.key, [one.value]);
      return;
    case 'document':
      await memory.namespace(`document ${one.namespace}`).swap(one.key, { expected: undefined, next: one.text });
      return;
    case 'stream':
      if (one.main === one.secondary) return;
      for (const name of [one.main, one.secondary]) {
        if (!memory.streamNames().includes(name)) memory.defineStream({ name });
      }
      await memory
        .mergeStreams({ name: `merge of ${one.main} ${one.secondary}`, main: one.main, secondary: [one.secondary] })
        .addMessage('g', { content: 'x' });
      return;
    case 'raw':
      await listsOf(backend).append(one.key, [{ before: `{${JSON.stringify(one.text)}:`, after: '' }], {
        rule: forever,
      });
      return;
    case 'rawRow':
      await backend.change(one.key, { rows: [{ id: one.text, expected: undefined, next: `{${one.text}` }] });
      return;
    case 'foreign': {
      // A record of a newer version, or of another program.
      const { time: _, role: __, content: ___, id: ____, ...fields } = one.fields;
      const record = JSON.stringify({ id: 'm', role: 'robot', content: 'c', ...fields }).slice(0, -1);
      await listsOf(backend).append('ai:memory:s:g', [{ before: `${record},"time":`, after: '}' }], { rule: forever });
      return;
    }
    case 'newer':
      await memory.import([JSON.stringify({ ...one.fields, kind: 'a newer kind' })]);
  }
}

/** Makes a memory with any contents. Each step has its own time. */
async function fill(
  backend: MemoryBackend,
  advance: (ms: number) => Promise<void>,
  steps: readonly Step[],
): Promise<Memory> {
  const memory = createMemory({ backend, retention, project: 'p' });
  for (const one of steps) {
    await apply(memory, one);
    await advance(1);
  }
  return memory;
}

const available = backendKinds.filter(({ isSkipped }) => !isSkipped);

describe.each(available)('an export from $name', (from) => {
  test.each(available)('into $name is exported as the same lines', async (to) => {
    // A store of one kind is emptied when it is opened, so that the lines are kept between.
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), async (steps) => {
        const source = await from.open();
        const memory = await fill(source.backend, source.advance, steps);
        const [lines, compared] = [await raw(memory), await exported(memory)];
        // Imported where it comes from, it changes nothing.
        const again = await memory.import(lines);
        expect(again).toMatchObject({ added: 0, dropped: 0, problems: [] });
        expect(again.present).toBe(again.lines);
        expect(await exported(memory)).toEqual(compared);
        await memory.close();
        const target = await to.open();
        const other = createMemory({ backend: target.backend, retention, project: 'p' });
        await target.advance(steps.length);
        const result = await other.import(lines);
        expect(result).toMatchObject({ present: 0, dropped: 0, problems: [] });
        expect(await exported(other)).toEqual(compared);
        expect(await other.import(lines)).toMatchObject({ added: 0, dropped: 0, problems: [] });
        expect(await exported(other)).toEqual(compared);
        await other.close();
      }),
      { numRuns: 12 },
    );
  });
});

describe.each(backendKinds)('an import on $name', (kind) => {
  const message = { kind: 'message', stream: 's', group: 'g', id: 'i', role: 'user', content: 'c', time: START_MS };

  test.skipIf(kind.isSkipped)('reads an export of the first version, which has no line with it', async () => {
    const { memory } = await openMemory(kind);
    const lines = [
      message,
      {
        kind: 'graph',
        graph: 'default',
        line: { type: 'entity', name: 'Ann', entityType: 'person', observations: [] },
      },
      { kind: 'note', workflowId: 'w', content: 'n', source: 's', time: START_MS, temporary: true },
      { kind: 'workflow', id: 'w', goal: 'g', todos: [], streamName: 's' },
      { kind: 'record', namespace: 'n', key: 'k', value: {}, time: START_MS },
      { kind: 'document', namespace: 'n', key: 'd', document: 'x' },
    ].map((line) => JSON.stringify(line));
    expect(await memory.import(lines)).toEqual({
      lines: 6,
      added: 6,
      present: 0,
      dropped: 0,
      unknown: 0,
      problems: [],
    });
  });

  test.skipIf(kind.isSkipped)('keeps what a newer version wrote, and the next export has it', async () => {
    const { memory } = await openMemory(kind);
    const kept = [
      '{"kind":"hologram","a":1}',
      // A known kind in another form.
      '{"kind":"message","stream":"s","group":"g","parts":[1]}',
      // A field of a line that its record cannot have.
      '{"kind":"graph","graph":"g","line":{"type":"relation","from":"a","to":"b","relationType":"r"},"weight":2}',
    ];
    const lines = [
      '{"kind":"export","version":3}',
      JSON.stringify({ ...message, role: 'robot', mood: 'calm', fields: { old: true } }),
      '{"kind":"graph","graph":"g","line":{"type":"entity","name":"n","entityType":"t","observations":[],"rank":1}}',
      ...kept,
    ];
    expect(await memory.import(lines)).toEqual({
      lines: 6,
      added: 6,
      present: 0,
      dropped: 0,
      unknown: 3,
      problems: [],
    });
    const after = await Array.fromAsync(memory.export());
    for (const line of kept) expect(after).toContain(line);
    expect(after.join('\n')).toContain('"fields":{"old":true,"mood":"calm"}');
    expect(after.join('\n')).toContain('"rank":1');
    expect(await memory.import([...lines, ...after])).toMatchObject({ added: 0, dropped: 0 });
    expect(await Array.fromAsync(memory.export())).toEqual(after);
    // Without the version, a known kind in another form is an error.
    await expect(memory.import([kept[1] ?? ''])).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(await memory.import([kept[0] ?? ''])).toMatchObject({ present: 1, unknown: 0 });
  });

  test.skipIf(kind.isSkipped)('goes on at a key that cannot be written, and reports it', async () => {
    const { backend } = await openMemory(kind);
    const isBad = (key: string): boolean => key === 'ai:memory:s:g' || key === 'ai:graph:g';
    const rejecting: MemoryBackend = {
      ...backend,
      change: async (key, ...rest) => {
        if (!isBad(key)) return backend.change(key, ...rest);
        throw new MemoryError('CORRUPT_RECORD', [`another program wrote ${key}`, 'Delete it.'], { key });
      },
    };
    const memory = createMemory({ backend: rejecting, retention });
    for (const name of ['a', 'b', 'c']) memory.defineStream({ name });
    await memory.mergeStreams({ name: 'm', main: 'a', secondary: ['b'] }).addMessage('g', { content: 'x' });
    const lines = [
      message,
      { ...message, group: 'h' },
      { kind: 'graph', graph: 'g', line: { type: 'relation', from: 'a', to: 'b', relationType: 'r' } },
      { kind: 'stream', name: 'm', parents: ['a', 'c'] },
      { kind: 'note', workflowId: 'w', content: 'n', source: 's', time: START_MS, temporary: true },
    ].map((line) => JSON.stringify(line));
    const result = await memory.import(lines);
    expect(result).toMatchObject({ lines: 5, added: 2, present: 0, dropped: 3 });
    expect(result.problems.map(({ key, code }) => `${key} ${code}`).toSorted()).toEqual([
      'ai:graph:g CORRUPT_RECORD',
      'ai:memory:s:g CORRUPT_RECORD',
      'ai:stream:m STREAM_EXISTS',
    ]);
  });

  test.skipIf(kind.isSkipped)(
    'of many older messages reads the group twice, and writes them in few steps',
    async () => {
      const { backend } = await openMemory(kind);
      const calls = { reads: 0, changes: 0 };
      const counting: MemoryBackend = {
        ...backend,
        page: (key, query, ...rest) => {
          if (query.order === 'newest' && query.before === undefined) calls.reads += 1;
          return backend.page(key, query, ...rest);
        },
        change: (...all) => {
          calls.changes += 1;
          return backend.change(...all);
        },
      };
      const memory = createMemory({ backend: counting, retention });
      const lines = (count: number, offset: number): string[] =>
        Array.from({ length: count }, (_, index) =>
          JSON.stringify({
            ...message,
            id: `m${index + offset}`,
            content: `${index}`,
            time: START_MS - 1e6 - offset + index,
          }),
        );
      expect(await memory.import(lines(2000, 0))).toMatchObject({ added: 2000 });
      Object.assign(calls, { reads: 0, changes: 0 });
      expect(await memory.import(lines(2000, 100_000))).toMatchObject({ added: 2000, dropped: 0 });
      expect(calls).toEqual({ reads: 2, changes: 10 });
      const times = (await memory.messages.history({ stream: 's', group: 'g' })).map(({ time }) => time);
      expect(times).toEqual(times.toSorted((a, b) => b - a));
    },
  );

  test.skipIf(kind.isSkipped)('takes what another program wrote with other times and fields', async () => {
    const endless = { ...retention, messageLifetimeMs: Infinity, noteLifetimeMs: Infinity };
    const { memory, backend } = await openMemory(kind, { retention: endless });
    const write = (key: string, before: string, after: string): Promise<unknown> =>
      listsOf(backend).append(key, [{ before, after }], { rule: forever });
    await write('ai:memory:s:g', '{"message":"before 1970","time":-', '}');
    await write('ai:memory:s:g', '{"message":"a fraction","time":', '.5}');
    await write('ai:notes:w', '{"content":"a fraction","time":', '.25,"temporary":false}');
    await write('ai:namespace:n:l', '{"a":1,"time":', '.75}');
    const question = { time: START_MS, text: 'q', urgency: 3 };
    const workflow = { id: 'w', goal: 'g', todos: [], streamName: 's', status: 'waiting', question };
    await listsOf(backend).swap('ai:workflow:w', { expected: undefined, next: JSON.stringify(workflow), ttlMs: 1e9 });
    const lines = await exported(memory);
    expect(lines).toHaveLength(6);
    expect(lines.at(-2)).toContain('"urgency":3');
    const other = createMemory({ backend: inProcess({ clock: () => START_MS }), retention: endless });
    expect(await other.import(await raw(memory))).toMatchObject({ added: 5, dropped: 0 });
    expect(await exported(other)).toEqual(lines);
    expect(await memory.import(await raw(other))).toMatchObject({ added: 0, present: 5 });
  });

  test.skipIf(kind.isSkipped)('is found by its words at once', async () => {
    const { memory } = await openMemory(kind, { retention, project: 'p' });
    const textOf = (index: number): string => Array.from({ length: 20 }, (_, word) => `w${index}x${word}`).join(' ');
    const messages = Array.from({ length: 3000 }, (_, index) =>
      JSON.stringify({ ...message, id: `m${index}`, content: textOf(index), time: START_MS - 5000 + index }),
    );
    const facts = Array.from({ length: 3000 }, (_, index) =>
      JSON.stringify({
        kind: 'fact',
        scope: 'user',
        fact: { id: `f${index}`, text: textOf(index), createdAt: START_MS },
      }),
    );
    await memory.import([...messages, ...facts]);
    expect((await memory.recall({ stream: 's', group: 'g', query: 'w7x1' })).contexts[0]).toMatchObject({ id: 'm7' });
    expect((await memory.facts.recall({ query: 'w7x1' })).facts[0]).toMatchObject({ id: 'f7' });
  });

  test.skipIf(kind.isSkipped)('with a larger limit is not cut by a writer with the defaults', async () => {
    const { backend } = await openMemory(kind);
    const lines = Array.from({ length: 300 }, (_, index) =>
      JSON.stringify({ ...message, id: `m${index}`, time: START_MS - 1000 + index }),
    );
    const large = createMemory({ backend, retention: { maxMessages: 1000 } });
    expect(await large.import(lines)).toMatchObject({ added: 300 });
    const memory = createMemory({ backend });
    const place = { stream: 's', group: 'g' };
    await memory.messages.add(place, { content: 'newest' });
    const all = await memory.messages.history(place);
    // As many as before: the newest came, the oldest went.
    expect([all.length, all[0]?.content, all.at(-1)?.id]).toEqual([300, 'newest', 'm1']);
    await createMemory({ backend, retention: { maxMessages: 20 } }).messages.add(place, { content: 'asked' });
    expect(await memory.messages.history(place)).toHaveLength(20);
  });
});

describe.each(backendKinds)('one bad key on $name', (kind) => {
  test.skipIf(kind.isSkipped)('ends neither an export nor a list nor the statistics', async () => {
    const found: string[] = [];
    const { memory } = await openMemory(kind, { onUnreadable: ({ key }) => found.push(key), project: 'p' });
    const { backend } = memory;
    await memory.messages.add({ stream: 's', group: 'good' }, { content: 'x' });
    await memory.storeNote('good', 'x', 's');
    const { id } = await memory.workflows.create({ goal: 'good', todos: [], streamName: 's' });
    await memory.graph('good').createEntities([{ name: 'x', entityType: 't', observations: [] }]);
    await memory.facts.remember('good');
    const document = { expected: undefined, next: 'text', ttlMs: 60_000 };
    const list = [{ before: '{"a":1,"time":', after: '}' }];
    for (const key of [
      'ai:memory:s:bad',
      'ai:memory:s',
      'ai:notes:bad',
      'ai:graph:bad',
      'ai:facts:user',
      'ai:newer:x',
      'ai:workflow:bad',
    ]) {
      await listsOf(backend).swap(key, document);
    }
    for (const key of ['ai:graph:list', 'ai:stream:bad', 'ai:facts:project:q']) {
      await listsOf(backend).append(key, list, { rule: forever });
    }
    const problems: string[] = [];
    const lines = await Array.fromAsync(memory.export({ onProblem: ({ key }) => problems.push(key) }));
    const kinds = lines.map((line) => (JSON.parse(line) as { kind: string }).kind);
    for (const one of ['message', 'note', 'workflow', 'graph', 'fact']) expect(kinds).toContain(one);
    // What another version or program wrote is exported raw, too.
    expect(kinds.filter((one) => one === 'unreadable')).toHaveLength(9);
    expect(problems).toEqual(['ai:newer:x']);
    expect((await memory.stats()).problems.map(({ key }) => key).toSorted()).toEqual(['ai:memory:s', 'ai:newer:x']);
    found.length = 0;
    expect((await memory.listGroups()).map(({ group }) => group)).toEqual(['bad', 'good']);
    expect(found).toEqual(['ai:memory:s']);
    expect(await memory.messages.history({ stream: 's', group: 'bad' })).toEqual([]);
    expect(found).toEqual(['ai:memory:s', 'ai:memory:s:bad']);
    expect((await memory.listNotes()).map(({ workflowId }) => workflowId)).toEqual(['bad', 'good']);
    expect(await memory.getNotes('bad')).toEqual([]);
    const listed = (await memory.workflows.list()).map((one) => `${one.id} ${one.status}`);
    expect(new Set(listed)).toEqual(new Set(['bad corrupt', `${id} running`]));
    expect(await memory.forget({ everything: true })).toMatchObject({ problems: [{ key: 'ai:newer:x' }] });
    expect((await backend.keys('')).map(({ key }) => key)).toEqual(['ai:newer:x']);
  });
});

test('an export as Markdown has the active facts of the user and of each project', async () => {
  const memory = createMemory({ backend: inProcess(), project: 'p' });
  expect(await Array.fromAsync(memory.export({ format: 'markdown' }))).toEqual([]);
  await memory.facts.remember('likes tea', { scope: 'user' });
  await memory.facts.remember('uses pnpm', { tags: ['build'] });
  await memory.facts.remember('uses make', { project: 'q' });
  const { fact } = await memory.facts.remember('gone', { project: 'q' });
  await memory.facts.archive(fact.id, { project: 'q' });
  const text = (await Array.fromAsync(memory.export({ format: 'markdown' }))).join('\n');
  // A key of another form hides no fact.
  const problems: string[] = [];
  await listsOf(memory.backend).swap('ai:facts:bad', { expected: undefined, next: 'text' });
  const again = memory.export({ format: 'markdown', onProblem: ({ key }) => problems.push(key) });
  expect((await Array.fromAsync(again)).join('\n')).toBe(text);
  expect(problems).toEqual(['ai:facts:bad']);
  for (const part of ['likes tea', 'uses pnpm', 'uses make', 'tags: build']) expect(text).toContain(part);
  expect(text).not.toContain('gone');
  await expect(Array.fromAsync(memory.export({ format: 'markdown', group: 'g' }))).rejects.toMatchObject({
    code: 'INVALID_INPUT',
  });
});

test('a backup of a SQLite store is exported as the same lines; a store without files has none', async () => {
  const directory = temporaryDirectory();
  const memory = createMemory({ backend: sqlite({ path: `${directory}/memory.db` }), project: 'p' });
  onTestFinished(() => memory.close());
  await memory.facts.remember('likes tea');
  await memory.messages.add({ stream: 's', group: 'g' }, { content: 'x' });
  await memory.graph().createEntities([{ name: 'x', entityType: 't', observations: [] }]);
  const { bytes, problems } = await memory.backup(`${directory}/copy.db`);
  expect(statSync(`${directory}/copy.db`).size).toBe(bytes);
  expect(problems).toEqual([]);
  const lines = await raw(memory);
  // The copy is a store of its own.
  await memory.forget({ everything: true });
  const copy = createMemory({ backend: sqlite({ path: `${directory}/copy.db` }), project: 'p' });
  onTestFinished(() => copy.close());
  expect(await raw(copy)).toEqual(lines);
  await expect(createMemory({ backend: inProcess() }).backup(`${directory}/none.db`)).rejects.toMatchObject({
    code: 'STORE_UNSUPPORTED',
  });
});
