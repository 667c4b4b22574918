import { createMemory, MemoryError } from '@cairn/memory';
import { listsOf } from '@cairn/memory/testing';
import type { Memory, Stream } from '@cairn/memory';
import { memory as inProcess } from '@cairn/memory/memory';
import { describe, expect, test } from 'vitest';
import { backendKinds, openMemory, useBackends } from './backends.ts';

useBackends();

const chat = {
  name: 'chat',
  persona: 'You are a friendly helper.',
  functions: { reply: { description: 'answers the user', parameters: { text: 'what to say' } } },
};
const desktop = {
  name: 'desktop',
  persona: 'You are a desktop.',
  functions: {
    create_excel_document: {
      description: 'makes a table',
      execute: (params: Readonly<Record<string, unknown>>, context: unknown) => ({ params, context }),
    },
  },
};

describe.each(backendKinds)('streams on $name', (kind) => {
  test.skipIf(kind.isSkipped)('chat never sees the messages of desktop', async () => {
    const { memory } = await openMemory(kind);
    const [one, other] = [memory.defineStream(chat), memory.defineStream(desktop)];
    await other.addMessage('group_123', { content: 'call me master' });
    expect(await one.history('group_123')).toEqual([]);
    expect(await one.retrieveRelevantContexts({ group: 'group_123', query: 'master' })).toEqual([]);
    expect(await other.history('group_124')).toEqual([]);
    expect(await other.history('group_123')).toMatchObject([{ role: 'user', content: 'call me master' }]);
  });

  test.skipIf(kind.isSkipped)(
    'a merged stream has a third memory: it does not see its parents, and they do not see it',
    async () => {
      const { memory } = await openMemory(kind);
      const parents = [memory.defineStream(chat), memory.defineStream(desktop)];
      const merged = memory.mergeStreams({ main: 'chat', secondary: ['desktop'] });
      expect(merged.name).toBe('chat-desktop');
      await merged.addMessage('group_123', { content: 'merged' });
      for (const parent of parents) await parent.addMessage('group_123', { content: parent.name });
      for (const stream of [merged, ...parents]) {
        const contents = (await stream.history('group_123')).map(({ content }) => content);
        expect(contents).toEqual([stream === merged ? 'merged' : stream.name]);
      }
      expect((await memory.listGroups()).map(({ key }) => key)).toEqual([
        'ai:memory:chat-desktop:group_123',
        'ai:memory:chat:group_123',
        'ai:memory:desktop:group_123',
      ]);
    },
  );

  test.skipIf(kind.isSkipped)('the newest 50 messages of a group are kept, for 30 days', async () => {
    const { memory, advance } = await openMemory(kind);
    const stream = memory.defineStream(chat);
    for (let index = 0; index < 60; index++)
      await stream.addMessage('group', { role: 'assistant', content: `${index}` });
    const history = await stream.history('group');
    expect(history.map(({ content }) => content)).toEqual(Array.from({ length: 50 }, (_, index) => `${59 - index}`));
    expect(history[0]).toEqual({
      id: expect.stringMatching(/^message_\w{12}$/u),
      role: 'assistant',
      content: '59',
      time: 1_703_123_456_789,
    });
    expect(await stream.history('group', { limit: 2 })).toEqual(history.slice(0, 2));
    await advance(30 * 86_400_000 - 10_000);
    expect(await stream.history('group')).toHaveLength(50);
    await advance(10_000);
    expect(await stream.history('group')).toEqual([]);
  });

  test.skipIf(kind.isSkipped)('the number and the lifetime of messages are options', async () => {
    const { memory, advance } = await openMemory(kind, { retention: { maxMessages: 2, messageLifetimeMs: 60_000 } });
    const stream = memory.defineStream(chat);
    for (const content of 'abc') await stream.addMessage('group', { content });
    expect((await stream.history('group')).map(({ content }) => content)).toEqual(['c', 'b']);
    await advance(60_000);
    expect(await stream.history('group')).toEqual([]);
  });

  test.skipIf(kind.isSkipped)('without limits everything is kept, and the key does not expire', async () => {
    const retention = { maxMessages: Infinity, messageLifetimeMs: Infinity };
    const { memory, advance } = await openMemory(kind, { retention });
    const stream = memory.defineStream(chat);
    for (let index = 0; index < 120; index++) await stream.addMessage('group', { content: `${index}` });
    await advance(1000 * 86_400_000);
    expect(await stream.history('group')).toHaveLength(120);
    expect(await memory.listGroups()).toMatchObject([{ messages: 120, expiresInMs: undefined }]);
  });
});

describe.each(backendKinds)('the names of streams on $name', (kind) => {
  const inUse = (owner: string): unknown =>
    expect.objectContaining({ code: 'STREAM_EXISTS', message: expect.stringContaining(owner) });
  /** Another process with the same store: it shares nothing else. */
  const elsewhere = (memory: Memory, names: readonly string[]): Memory => {
    const other = createMemory({ backend: { ...memory.backend, close: async () => undefined } });
    for (const name of names) other.defineStream({ name });
    return other;
  };

  test.skipIf(kind.isSkipped)('another merge or a plain stream of a name is rejected in every process', async () => {
    const { memory } = await openMemory(kind);
    for (const name of ['a', 'b', 'b-c', 'a-b', 'c']) memory.defineStream({ name });
    const merged = memory.mergeStreams({ main: 'a', secondary: ['b-c'] });
    const before = elsewhere(memory, ['a-b-c']);
    await merged.addMessage('g', { content: 'merged' });
    const calls = [
      (stream: Stream) => stream.history('g'),
      (stream: Stream) => stream.addMessage('g', { content: 'x' }),
      (stream: Stream) => stream.retrieveRelevantContexts('g', 'x'),
    ];
    const others = [
      before.stream('a-b-c'),
      elsewhere(memory, ['a-b-c']).stream('a-b-c'),
      elsewhere(memory, ['a-b', 'c']).mergeStreams({ main: 'a-b', secondary: ['c'] }),
      elsewhere(memory, ['a', 'b', 'c']).mergeStreams({ main: 'a', secondary: ['b', 'c'] }),
    ];
    for (const stream of others) {
      for (const call of calls) await expect(call(stream)).rejects.toEqual(inUse('the merge of a + b-c'));
    }
    const same = elsewhere(memory, ['a', 'b-c']).mergeStreams({ main: 'a', secondary: ['b-c'] });
    expect(await same.history('g')).toMatchObject([{ content: 'merged' }]);
    // A plain stream keeps its name in the same way.
    await memory.stream('a-b').history('g');
    const merge = elsewhere(memory, ['a', 'b']).mergeStreams({ main: 'a', secondary: ['b'] });
    await expect(merge.history('g')).rejects.toEqual(inUse('another stream'));
    // And a merge of a merge is not that of a plain stream with its name.
    const files = elsewhere(memory, ['x', 'y', 'z']);
    files.mergeStreams({ main: 'x', secondary: ['y'] });
    await files.mergeStreams({ main: 'x-y', secondary: ['z'] }).addMessage('g', { content: 'three' });
    const plain = elsewhere(memory, ['x-y', 'z']).mergeStreams({ main: 'x-y', secondary: ['z'] });
    await expect(plain.history('g')).rejects.toEqual(inUse('the merge of x + y'));
  });

  test.skipIf(kind.isSkipped)('of several processes that claim a name at once one gets it', async () => {
    const { memory } = await openMemory(kind);
    const streams = Array.from({ length: 10 }, (_, index) =>
      elsewhere(memory, ['a', `${index}`]).mergeStreams({ name: 'all', main: 'a', secondary: [`${index}`] }),
    );
    const added = await Promise.allSettled(streams.map((stream) => stream.addMessage('g', { content: 'x' })));
    expect(added.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await memory.messages.history({ stream: 'all', group: 'g' })).toHaveLength(1);
  });

  test.skipIf(kind.isSkipped)('a stream that another process forgot, and another stream has, is rejected', async () => {
    const { memory } = await openMemory(kind);
    const plain = memory.defineStream({ name: 'a-b' });
    await plain.addMessage('g', { content: 'plain' });
    const other = createMemory({ backend: memory.backend });
    for (const name of ['a', 'b']) other.defineStream({ name });
    const merged = other.mergeStreams({ main: 'a', secondary: ['b'] });
    await other.forget({ stream: 'a-b' });
    // The first one of them claims the name again.
    await merged.addMessage('g', { content: 'merged' });
    const refused = { code: 'STREAM_EXISTS' };
    await expect(plain.addMessage('g', { content: 'plain again' })).rejects.toMatchObject(refused);
    await expect(plain.history('g')).rejects.toMatchObject(refused);
    await expect(plain.retrieveRelevantContexts('g', 'merged')).rejects.toMatchObject(refused);
    expect((await merged.history('g')).map(({ content }) => content)).toEqual(['merged']);
    await memory.forget({ stream: 'a-b' });
    await plain.addMessage('g', { content: 'plain again' });
    await expect(merged.history('g')).rejects.toMatchObject(refused);
  });

  test.skipIf(kind.isSkipped)('a claim has no end, until the stream is forgotten', async () => {
    const { memory, advance } = await openMemory(kind);
    for (const name of ['a', 'b']) memory.defineStream({ name });
    const merged = memory.mergeStreams({ main: 'a', secondary: ['b'] });
    await merged.addMessage('g', { content: 'x' });
    await advance(1000 * 86_400_000);
    expect(await merged.history('g')).toEqual([]);
    await expect(elsewhere(memory, ['a-b']).stream('a-b').history('g')).rejects.toEqual(inUse('the merge of a + b'));
    const claims = await memory.backend.keys('ai:stream:');
    expect(claims.map(({ key, expiresInMs }) => `${key} ${expiresInMs}`).toSorted()).toEqual([
      'ai:stream:a undefined',
      'ai:stream:a-b undefined',
      'ai:stream:b undefined',
    ]);
    expect(await listsOf(memory.backend).read('ai:stream:a-b')).toBe('{"name":"a-b","parents":["a","b"]}');
    await memory.forget({ stream: 'a-b' });
    await elsewhere(memory, ['a-b']).stream('a-b').addMessage('g', { content: 'plain' });
    await expect(merged.history('g')).rejects.toEqual(inUse('another stream'));
  });

  test.skipIf(kind.isSkipped)('a claim that is not readable is reported, and not replaced', async () => {
    const { memory } = await openMemory(kind);
    const stream = memory.defineStream({ name: 'a' });
    await listsOf(memory.backend).swap('ai:stream:a', { expected: undefined, next: '{"parents":5}', ttlMs: Infinity });
    await expect(stream.history('g')).rejects.toMatchObject({ code: 'CORRUPT_RECORD', key: 'ai:stream:a' });
    expect(await listsOf(memory.backend).read('ai:stream:a')).toBe('{"parents":5}');
  });

  test.skipIf(kind.isSkipped)(
    'a stream of a store that is not writable can be read, unless another one has its name',
    async () => {
      const { memory } = await openMemory(kind);
      await memory.messages.add({ stream: 'a', group: 'g' }, { content: 'x' });
      const denied = (): Promise<never> =>
        Promise.reject(new MemoryError('STORE_DENIED', ['The store is not writable', 'Use another one.']));
      const backend = { ...memory.backend, change: denied, close: async () => undefined };
      const reader = createMemory({ backend });
      const stream = reader.defineStream({ name: 'a' });
      expect(await stream.history('g')).toHaveLength(1);
      await expect(stream.addMessage('g', { content: 'y' })).rejects.toMatchObject({ code: 'STORE_DENIED' });
      // A user who may not read the claims cannot know whose memory it is.
      const blind = createMemory({ backend: { ...backend, rows: denied } }).defineStream({ name: 'a' });
      await expect(blind.history('g')).rejects.toMatchObject({ code: 'STORE_DENIED' });
      // Another process is first, and then the store rejects.
      for (const name of ['d', 'e']) memory.defineStream({ name });
      const first = memory.mergeStreams({ name: 'x', main: 'd', secondary: ['e'] });
      const late = async (): Promise<never> => {
        await first.history('g');
        return denied();
      };
      const loser = createMemory({ backend: { ...backend, change: late } }).defineStream({ name: 'x' });
      await expect(loser.history('g')).rejects.toEqual(inUse('the merge of d + e'));
      for (const name of ['b', 'c']) memory.defineStream({ name });
      await memory.mergeStreams({ name: 'a', main: 'b', secondary: ['c'] }).history('g');
      await expect(stream.history('g')).rejects.toEqual(inUse('the merge of b + c'));
    },
  );
});

test.each(['messageLifetimeMs', 'noteLifetimeMs', 'temporaryNoteLifetimeMs', 'workflowLifetimeMs'])(
  'a %s that no store can keep is rejected before anything is written',
  (option) => {
    for (const value of [8.64e15 + 2, 1e300, 0, -1, Number.NaN])
      expect(() => createMemory({ backend: inProcess(), retention: { [option]: value } })).toThrow(
        expect.objectContaining({ code: 'INVALID_OPTION', message: expect.stringContaining(option) }),
      );
  },
);

describe('merging', () => {
  const kind = backendKinds[0] as (typeof backendKinds)[0];

  test('functions of the main stream keep their names, those of others start with their stream; parents are not changed', async () => {
    const { memory } = await openMemory(kind);
    const parents = [memory.defineStream(chat), memory.defineStream(desktop)];
    const before = parents.map(({ functions, persona }) => [[...functions.keys()], persona]);
    const merged = memory.mergeStreams({ main: 'chat', secondary: ['desktop'] });
    expect([...merged.functions.keys()]).toEqual(['reply', 'desktop.create_excel_document']);
    expect(merged.persona).toBe(chat.persona);
    expect(parents.map(({ functions, persona }) => [[...functions.keys()], persona])).toEqual(before);
    const context = { user: 'Ann' };
    expect(await merged.execute({ type: 'desktop.create_excel_document', params: { a: 1 } }, context)).toEqual({
      params: { a: 1 },
      context,
    });
    const failure = { code: 'UNKNOWN_FUNCTION', message: expect.stringContaining('desktop.create_excel_document') };
    await expect(merged.execute({ type: 'create_excel_document' })).rejects.toMatchObject(failure);
    await expect(merged.execute({ type: 'reply' })).rejects.toMatchObject(failure);
  });

  test('a root of a stream is in the prompt and in the context of its functions, also in a merge', async () => {
    const { memory } = await openMemory(kind);
    memory.defineStream(chat);
    const rooted = memory.defineStream({ ...desktop, root: '/home/ann/Desktop' });
    const merged = memory.mergeStreams({ main: 'chat', secondary: ['desktop'] });
    expect(merged.buildFunctionsPrompt()).toBe(`- reply(text: what to say): answers the user
With the root /home/ann/Desktop:
- desktop.create_excel_document(): makes a table`);
    const other = memory.mergeStreams({ main: 'desktop', secondary: ['chat'] });
    expect(other.buildFunctionsPrompt({ language: 'zh' })).toBe(`工作目录 /home/ann/Desktop：
- create_excel_document(): makes a table
无工作目录：
- chat.reply(text: what to say): answers the user`);
    const type = 'create_excel_document';
    const context = async (call: Promise<unknown>): Promise<unknown> => ((await call) as { context: unknown }).context;
    expect(await context(rooted.execute({ type }))).toEqual({ root: '/home/ann/Desktop' });
    expect(await context(merged.execute({ type: `desktop.${type}` }, { user: 'Ann' }))).toEqual({
      root: '/home/ann/Desktop',
      user: 'Ann',
    });
    expect(await context(rooted.execute({ type }, { root: '/tmp' }))).toEqual({ root: '/tmp' });
    for (const root of ['', 5 as unknown as string]) {
      expect(() => memory.defineStream({ name: 'x', root })).toThrow(
        expect.objectContaining({ code: 'INVALID_INPUT' }),
      );
    }
  });

  test('a merge of merges keeps the path of its functions', async () => {
    const { memory } = await openMemory(kind);
    for (const definition of [chat, desktop, { ...desktop, name: 'files' }]) memory.defineStream(definition);
    memory.mergeStreams({ main: 'files', secondary: ['desktop'] });
    const merged = memory.mergeStreams({ name: 'all', main: 'chat', secondary: ['files-desktop'] });
    expect([...merged.functions.keys()]).toEqual([
      'reply',
      'files-desktop.create_excel_document',
      'files-desktop.desktop.create_excel_document',
    ]);
  });

  test('two functions with one name are rejected, and nothing is merged', async () => {
    const { memory } = await openMemory(kind);
    memory.defineStream({ name: 'chat', functions: { 'desktop.create_excel_document': { description: 'its own' } } });
    memory.defineStream(desktop);
    expect(() => memory.mergeStreams({ main: 'chat', secondary: ['desktop'] })).toThrow(
      expect.objectContaining({
        code: 'INVALID_INPUT',
        message: expect.stringContaining('"desktop.create_excel_document"'),
      }),
    );
    expect(memory.streamNames()).toEqual(['chat', 'desktop']);
  });

  test('two merges with one name are rejected; repeating a merge returns the same stream', async () => {
    const { memory } = await openMemory(kind);
    for (const name of ['a', 'a-b', 'b', 'b-c', 'c']) memory.defineStream({ name });
    const merged = memory.mergeStreams({ main: 'a', secondary: ['b-c'] });
    expect(memory.mergeStreams({ main: 'a', secondary: ['b-c'] })).toBe(merged);
    const inUse = expect.objectContaining({
      code: 'STREAM_EXISTS',
      message: expect.stringContaining('the merge of a + b-c'),
    });
    expect(() => memory.mergeStreams({ main: 'a-b', secondary: ['c'] })).toThrow(inUse);
    expect(() => memory.mergeStreams({ main: 'a', secondary: ['b', 'c'] })).toThrow(inUse);
    expect(() => memory.defineStream({ name: 'a-b-c' })).toThrow(inUse);
    // A plain stream may already have the name.
    expect(() => memory.mergeStreams({ main: 'a', secondary: ['b'] })).toThrow(
      expect.objectContaining({ code: 'STREAM_EXISTS' }),
    );
    expect(memory.mergeStreams({ name: 'other', main: 'a', secondary: ['b'] }).name).toBe('other');
  });

  test.each([
    ['nothing', { main: 'a', secondary: [] }, 'INVALID_INPUT'],
    ['a stream with itself', { main: 'a', secondary: ['a'] }, 'INVALID_INPUT'],
    ['a stream that is not known', { main: 'a', secondary: ['x'] }, 'UNKNOWN_STREAM'],
    ['streams under no name', { name: '', main: 'a', secondary: ['b'] }, 'INVALID_NAME'],
  ])('%s cannot be merged', async (_, options, code) => {
    const { memory } = await openMemory(kind);
    for (const name of ['a', 'b']) memory.defineStream({ name });
    expect(() => memory.mergeStreams(options)).toThrow(expect.objectContaining({ code }));
    expect(memory.streamNames()).toEqual(['a', 'b']);
  });

  test('an unknown stream is rejected with the list of defined streams', async () => {
    const { memory } = await openMemory(kind);
    memory.defineStream(chat);
    const unknown = { code: 'UNKNOWN_STREAM', message: expect.stringContaining('Defined streams: "chat"') };
    expect(() => memory.stream('chta')).toThrow(expect.objectContaining(unknown));
    const retrieval = memory.retrieveRelevantContexts({ stream: 'chta', group: 'g', query: 'x' });
    await expect(retrieval).rejects.toMatchObject(unknown);
  });
});
