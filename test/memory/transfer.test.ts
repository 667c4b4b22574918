import { createMemory } from '@cairn/memory';
import { memory as inProcess } from '@cairn/memory/memory';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { backendKinds, openMemory, START_MS, useBackends } from './backends.ts';

useBackends();

/** A log of a server may keep removed text. */
const ERASED: Readonly<Record<string, string>> = { memory: 'done', sqlite: 'done', redis: 'log' };

async function linesOf(lines: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const line of lines) all.push(line);
  return all;
}

describe.each(backendKinds)('import and export on $name', (kind) => {
  test.skipIf(kind.isSkipped)('an export has everything, and an import restores it, once', async () => {
    const { memory, advance } = await openMemory(kind);
    const chat = memory.defineStream({ name: 'chat:x' });
    await chat.addMessage('g%1', { content: 'one', author: 'Ann' });
    await advance(10);
    await chat.addMessage('g%1', { role: 'assistant', content: 'two\n表' });
    await chat.addMessage('g2', { content: 'elsewhere' });
    const { id } = await memory.workflows.create({ goal: 'goal', todos: ['a'], streamName: 'chat:x', groupId: 'g2' });
    await memory.storeNote(id, 'note', 'todo_0');
    await memory.storeNote(id, 'later', 'todo_0', { temporary: false });
    const exported = await linesOf(memory.export());
    expect(exported).toHaveLength(8);
    expect(JSON.parse(exported[0] ?? '')).toEqual({ kind: 'export', version: 2 });
    expect(JSON.parse(exported[1] ?? '')).toEqual({ kind: 'stream', name: 'chat:x', parents: [] });
    expect(JSON.parse(exported[2] ?? '')).toEqual({
      kind: 'message',
      stream: 'chat:x',
      group: 'g%1',
      id: expect.any(String),
      role: 'user',
      content: 'one',
      author: 'Ann',
      time: START_MS,
    });

    const clock = (): number => START_MS + 60_000;
    const other = createMemory({ backend: inProcess({ clock }) });
    expect(await other.import(exported)).toEqual({
      lines: 7,
      added: 7,
      present: 0,
      dropped: 0,
      unknown: 0,
      problems: [],
    });
    expect(await linesOf(other.export())).toEqual(exported);
    expect(await other.import([...exported, ''])).toEqual({
      lines: 7,
      added: 0,
      present: 7,
      dropped: 0,
      unknown: 0,
      problems: [],
    });
    expect(await linesOf(other.export())).toEqual(exported);
    expect(await memory.import(exported)).toEqual({
      lines: 7,
      added: 0,
      present: 7,
      dropped: 0,
      unknown: 0,
      problems: [],
    });
    expect(await linesOf(memory.export())).toEqual(exported);
    expect(await linesOf(memory.export({ stream: 'chat:x', group: 'g2' }))).toHaveLength(2);
  });

  test.skipIf(kind.isSkipped)('imported messages are placed by their time, and dropped ones are counted', async () => {
    const { memory } = await openMemory(kind, { retention: { maxMessages: 3 } });
    await memory.messages.add({ stream: 's', group: 'g' }, { content: 'now' });
    const line = (content: string, time: number): string =>
      JSON.stringify({ kind: 'message', stream: 's', group: 'g', id: content, role: 'user', content, time });
    const lines = [
      line('b', START_MS - 10),
      line('old', START_MS - 40 * 86_400_000),
      line('a', START_MS - 20),
      line('too many', START_MS - 30),
    ];
    expect(await memory.import(lines)).toEqual({
      lines: 4,
      added: 2,
      present: 0,
      dropped: 2,
      unknown: 0,
      problems: [],
    });
    expect((await memory.messages.history({ stream: 's', group: 'g' })).map(({ content }) => content)).toEqual([
      'now',
      'b',
      'a',
    ]);
  });

  test.skipIf(kind.isSkipped)('messages with one id and different contents are imported, each once', async () => {
    const { memory } = await openMemory(kind);
    const line = (content: string, time: number): string =>
      JSON.stringify({ kind: 'message', stream: 's', group: 'g', id: '1', role: 'user', content, time });
    const lines = [line('a', START_MS - 2), line('b', START_MS - 1), line('b', START_MS - 1)];
    expect(await memory.import(lines)).toEqual({
      lines: 3,
      added: 2,
      present: 1,
      dropped: 0,
      unknown: 0,
      problems: [],
    });
    expect(await memory.import([...lines, line('c', START_MS)])).toEqual({
      lines: 4,
      added: 1,
      present: 3,
      dropped: 0,
      unknown: 0,
      problems: [],
    });
    const contents = (await memory.messages.history({ stream: 's', group: 'g' })).map(({ content }) => content);
    expect(contents).toEqual(['c', 'b', 'a']);
  });

  test.skipIf(kind.isSkipped)('of too many notes the newest are imported', async () => {
    const { memory } = await openMemory(kind);
    const lines = Array.from({ length: 1000 }, (_, index) =>
      JSON.stringify({
        kind: 'note',
        workflowId: 'w',
        content: `${index}`,
        source: 's',
        time: START_MS - 1000 + index,
        temporary: false,
      }),
    );
    expect(await memory.import(lines)).toEqual({
      lines: 1000,
      added: 100,
      present: 0,
      dropped: 900,
      unknown: 0,
      problems: [],
    });
    expect((await memory.getNotes('w'))[99]).toMatchObject({ content: '900' });
  });

  test.skipIf(kind.isSkipped)('an imported workflow has no lease, even if its line has one', async () => {
    const { memory } = await openMemory(kind);
    const lease = { owner: 'gone', expiresAt: START_MS + 1e12 };
    const line = { kind: 'workflow', id: 'w', goal: 'g', todos: [], streamName: 's', lease };
    expect(await memory.import([JSON.stringify(line)])).toMatchObject({ added: 1 });
    const run = await memory.workflows.acquire('w');
    await run.release();
  });

  const good = JSON.stringify({
    kind: 'message',
    stream: 's',
    group: 'g',
    id: 'i',
    role: 'user',
    content: 'c',
    time: START_MS,
  });
  const factLine = (fields: object, line: object = {}): string => {
    const fact = { id: 'f', text: 't', createdAt: START_MS, ...fields };
    return JSON.stringify({ kind: 'fact', scope: 'user', ...line, fact });
  };
  test.skipIf(kind.isSkipped).each([
    ['invalid JSON', '{', /^Line 2 of the import is not valid JSON/u],
    ['a line without a kind', '{"other":1}', /^Line 2 of the import is invalid/u],
    ['a line that is not an object', '[]', /^Line 2 of the import is not valid JSON/u],
    ['a message without a time', good.replace(`,"time":${START_MS}`, ''), /^Line 2 .*time/u],
    [
      'a message with a time beyond all dates',
      good.replace(`"time":${START_MS}`, '"time":9007199254740991'),
      /^Line 2 .*time/u,
    ],
    ['an empty name', good.replace('"s"', '""'), /^Line 2 .*stream "" is empty/u],
    ['an incomplete workflow', '{"kind":"workflow","id":"w"}', /workflow "w" of the import is not a valid record/u],
    [
      'a workflow with a time beyond all dates',
      '{"kind":"workflow","id":"w","goal":"g","todos":[],"streamName":"s","updatedAt":1e300}',
      /workflow "w" of the import is not a valid record/u,
    ],
    ['an oversized content', good.replace('"c"', JSON.stringify('x'.repeat(2_000_000))), /^Line 2 .*2000000 bytes/u],
    ['a second content', good.replace('}', ',"fields":{"content":"d"}}'), /^Line 2 .*"content", which the line/u],
    ['a second author', good.replace('}', ',"author":"a","fields":{"author":5}}'), /^Line 2 .*"author"/u],
    [
      'a note that is temporary twice',
      `{"kind":"note","workflowId":"w","content":"c","source":"s","time":1,"temporary":true,"fields":{"temporary":false}}`,
      /^Line 2 .*"temporary"/u,
    ],
    ['a fact without an id', factLine({ id: '' }), /^Line 2 .*id of a fact "" is empty/u],
    ['a fact with an endless id', factLine({ id: 'i'.repeat(2000) }), /^Line 2 .*2000 bytes/u],
    ['an oversized fact', factLine({ text: 'x'.repeat(2_000_000) }), /^Line 2 .*2000000 bytes/u],
    ['a fact of no project', factLine({}, { scope: 'project' }), /^Line 2 .*identity of the project/u],
  ])('an import with %s is rejected as a whole', async (_, bad, message) => {
    const { memory } = await openMemory(kind);
    await expect(memory.import([good, bad])).rejects.toMatchObject({ message: expect.stringMatching(message) });
    expect(await memory.listGroups()).toEqual([]);
    expect(await memory.import([good])).toMatchObject({ added: 1 });
  });

  test.skipIf(kind.isSkipped)('forget removes a message, a group or a stream, and nothing else', async () => {
    const { memory } = await openMemory(kind);
    const add = (stream: string, group: string, content: string): Promise<{ id: string }> =>
      memory.messages.add({ stream, group }, { content });
    const { id } = await add('a', '1', 'x');
    for (const [stream, group] of [
      ['a', '1'],
      ['a', '2'],
      ['a-b', '1'],
      ['a%', '1'],
      ['b', '1'],
    ] as const)
      await add(stream, group, 'y');
    const left = async (): Promise<string[]> =>
      (await memory.listGroups()).map(({ key, messages }) => `${key.slice(10)} ${messages}`);
    expect(await memory.forget({ stream: 'a', group: '1', message: id })).toEqual({
      removed: 1,
      erased: ERASED[kind.name],
      problems: [],
    });
    expect(await memory.forget({ stream: 'a', group: '1', message: id })).toEqual({
      removed: 0,
      erased: ERASED[kind.name],
      problems: [],
    });
    expect(await left()).toEqual(['a%25:1 1', 'a-b:1 1', 'a:1 1', 'a:2 1', 'b:1 1']);
    expect(await memory.forget({ stream: 'a', group: '1' })).toEqual({
      removed: 1,
      erased: ERASED[kind.name],
      problems: [],
    });
    expect(await left()).toEqual(['a%25:1 1', 'a-b:1 1', 'a:2 1', 'b:1 1']);
    expect(await memory.forget({ stream: 'a' })).toEqual({ removed: 1, erased: ERASED[kind.name], problems: [] });
    expect(await memory.forget({ stream: 'a' })).toEqual({ removed: 0, erased: ERASED[kind.name], problems: [] });
    expect(await left()).toEqual(['a%25:1 1', 'a-b:1 1', 'b:1 1']);
    await expect(memory.forget({ stream: 'a', message: id })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  test.skipIf(kind.isSkipped)('the statistics count everything', async () => {
    const { memory } = await openMemory(kind);
    await memory.messages.add({ stream: 'a', group: '1' }, { content: 'x' });
    await memory.messages.add({ stream: 'a', group: '2' }, { content: 'x' });
    await memory.storeNote('w', 'note', 's');
    await memory.workflows.create({ goal: 'g', todos: [], streamName: 'a' });
    expect(await memory.stats()).toEqual({
      backend: kind.name,
      streams: 1,
      groups: 2,
      messages: 2,
      notes: 1,
      workflows: 1,
      facts: 0,
      graphs: 0,
      namespaces: [],
      bytes: expect.any(Number),
      keysWithoutEnd: 0,
      problems: [],
    });
    expect((await memory.stats()).bytes).toBeGreaterThan(100);
  });

  test.skipIf(kind.isSkipped)('the last time of a date, and a lifetime of that length, are kept', async () => {
    const { memory } = await openMemory(kind, {
      retention: { messageLifetimeMs: 8.64e15, workflowLifetimeMs: 8.64e15 },
    });
    const place = { stream: 's', group: 'g' };
    await memory.messages.addAll(place, [{ id: 'i', content: 'far', time: 8.64e15 }]);
    await memory.messages.add(place, { content: 'now' });
    expect((await memory.messages.history(place)).map(({ content }) => content)).toEqual(['now', 'far']);
    const { id } = await memory.workflows.create({ goal: 'g', todos: [], streamName: 's' });
    expect(await memory.workflows.get(id)).toMatchObject({ goal: 'g' });
    expect(await memory.listGroups()).toHaveLength(1);
  });

  test.skipIf(kind.isSkipped)('invalid messages are rejected, and nothing is stored', async () => {
    const { memory } = await openMemory(kind);
    const stream = memory.defineStream({ name: 's' });
    const cases = [
      ['', { content: 'x' }, 'INVALID_NAME'],
      ['x'.repeat(10_240), { content: 'x' }, 'INVALID_NAME'],
      ['g', { content: '' }, 'INVALID_INPUT'],
      ['g', { content: 'x', role: 'boss' as 'user' }, 'INVALID_INPUT'],
      ['g', { content: 'x'.repeat(10 * 1024 * 1024) }, 'TOO_LARGE'],
      ['g', { content: 'x', author: '' }, 'INVALID_NAME'],
    ] as const;
    for (const time of [Number.NaN, -1, 1e21, '5' as unknown as number])
      await expect(memory.messages.addAll({ stream: 's', group: 'g' }, [{ content: 'x', time }])).rejects.toMatchObject(
        {
          code: 'INVALID_INPUT',
        },
      );
    for (const [group, message, code] of cases)
      await expect(stream.addMessage(group, message)).rejects.toMatchObject({ code });
    expect(await memory.listGroups()).toEqual([]);
  });
});

test('any message is returned unchanged, and never under another name', async () => {
  const kind = backendKinds[1] as (typeof backendKinds)[0];
  const { memory } = await openMemory(kind, { retention: { maxMessages: Infinity } });
  const name = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 10 })
    .filter((text) => !/\p{Cc}|\p{Cs}/u.test(text));
  const written = new Map<string, string[]>();
  await fc.assert(
    fc.asyncProperty(name, name, fc.string({ unit: 'binary', minLength: 1 }), async (stream, group, content) => {
      await memory.messages.add({ stream, group }, { content });
      const key = JSON.stringify([stream, group]);
      const all = [content, ...(written.get(key) ?? [])];
      written.set(key, all);
      expect((await memory.messages.history({ stream, group })).map((message) => message.content)).toEqual(all);
    }),
    { numRuns: 200 },
  );
});
