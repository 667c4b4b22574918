import { ContextManager, openContexts } from '@cairn/context';
import type { UnifiedMessage } from '@cairn/context';
import { createMemory, MemoryError } from '@cairn/memory';
import { listsOf } from '@cairn/memory/testing';
import { memory as inProcess } from '@cairn/memory/memory';
import { describe, expect, test } from 'vitest';
import { backendKinds, openMemory, START_MS, useBackends } from '../memory/backends.ts';
import {
  assistant,
  contentOf,
  DAY,
  intercepted,
  openSession,
  storedMessages,
  turnOf,
  user,
  withFile,
} from './contexts.ts';

useBackends();

describe.each(backendKinds)('histories on $name', (kind) => {
  test.skipIf(kind.isSkipped)('survive a restart, under their project and session', async () => {
    const { memory } = await openMemory(kind);
    const first = await openContexts({ store: memory, session: 'one' });
    await first.appendTurn('coder', turnOf('a'));
    await first.addMessage('coder', user('main'), 'shared');
    await first.close();

    const again = await openContexts({ store: memory, session: 'one' });
    expect(again.getContext('coder').conversationHistory).toEqual(turnOf('a'));
    expect(again.getContext('coder', 'shared').conversationHistory).toEqual([user('main')]);
    expect((await openContexts({ store: memory, session: 'two' })).main.conversationHistory).toEqual([]);
    const other = await openContexts({ store: memory, session: 'one', project: '/other' });
    expect(other.main.conversationHistory).toEqual([]);
    // Each new session has a name of its own.
    const [one, two] = await Promise.all([openContexts({ store: memory }), openContexts({ store: memory })]);
    expect(one.session).toMatch(/^session_\d+_[0-9a-f]{8}$/u);
    expect(one.session).not.toBe(two.session);
    expect(one.main.conversationHistory).toEqual([]);
  });

  test.skipIf(kind.isSkipped)('have names with any character, and do not mix', async () => {
    const { memory } = await openMemory(kind);
    const names = ['a:b', 'a', 'b', 'a%3Ab', 'a%', '表', 'é', 'e\u0301', '*', '[a]?', ' ', '../x', '__main'];
    const projects = ['/p', '/p:a', '', `/${'long/'.repeat(80)}`].map((project) => project || undefined);
    for (const project of projects) {
      for (const session of ['s', 's:a', '会话']) {
        const manager = await openContexts({ store: memory, project, session });
        await Promise.all(names.map((name) => manager.addMessage(name, user(`${project} ${session} ${name}`))));
        await manager.addMessage('a', user(`${project} ${session} main`), 'shared');
      }
    }
    for (const project of projects) {
      const manager = await openContexts({ store: memory, project, session: 's:a' });
      for (const name of names) {
        expect(manager.getContext(name).conversationHistory).toEqual([user(`${project} s:a ${name}`)]);
      }
      expect(manager.main.conversationHistory).toEqual([user(`${project} s:a main`)]);
    }
  });

  test.skipIf(kind.isSkipped)('show what another manager added and cleared, after a refresh', async () => {
    const { memory } = await openMemory(kind);
    const [one, two] = [await openSession(memory), await openSession(memory)];
    await one.appendTurn('coder', turnOf('1'));
    await two.appendTurn('coder', turnOf('2'));
    const { conversationHistory: before } = one.getContext('coder');
    await Promise.all([one.refresh(), two.refresh(['coder'])]);
    expect(one.getContext('coder').conversationHistory).toEqual([...turnOf('1'), ...turnOf('2')]);
    // Messages were only added: it is the same array.
    expect(one.getContext('coder').conversationHistory).toBe(before);
    expect(two.getContext('coder').conversationHistory).toEqual([...turnOf('1'), ...turnOf('2')]);
    await two.addMessage('coder', user('main'), 'shared');
    await two.clearHistory('coder');
    expect(one.getContext('coder').conversationHistory).toHaveLength(8);
    await one.addMessage('coder', user('3'));
    await Promise.all([one.refresh(), two.refresh()]);
    for (const manager of [one, two, await openSession(memory)]) {
      expect(manager.getContext('coder').conversationHistory).toEqual([user('3')]);
      expect(manager.main.conversationHistory).toEqual([user('main')]);
    }
    expect(before).toHaveLength(9);
  });

  test.skipIf(kind.isSkipped)('are cleared for the agent alone, and main only in the mode shared', async () => {
    const { memory } = await openMemory(kind);
    const manager = await openSession(memory);
    for (const mode of ['isolated', 'shared'] as const) {
      for (const agent of ['a', 'b']) await manager.addMessage(agent, user(`${agent} ${mode}`), mode);
    }
    const context = manager.getContext('a');
    for (const mode of ['isolated', 'fork', 'handback', 'selective', 'summarized', undefined] as const) {
      await manager.clearHistory('a', mode);
    }
    expect([context.conversationHistory, context.metadata.messageCount]).toEqual([[], 0]);
    expect(manager.getContext('a')).toBe(context);
    expect(await storedMessages(memory, 'a')).toEqual([]);
    expect(await storedMessages(memory, 'b')).toEqual([user('b isolated')]);
    expect(await storedMessages(memory, '__main__')).toEqual([user('a shared'), user('b shared')]);
    await manager.clearHistory('a', 'shared');
    expect(await storedMessages(memory, '__main__')).toEqual([]);
    expect(await storedMessages(memory, 'b')).toEqual([user('b isolated')]);
  });

  test.skipIf(kind.isSkipped)('have the turns of 50 concurrent calls whole, in the order of the calls', async () => {
    const { memory } = await openMemory(kind);
    const manager = await openSession(memory);
    const names = Array.from({ length: 50 }, (_, index) => `turn ${index}`);
    const all = names.flatMap(turnOf);
    const calls = names.map((name) => manager.appendTurn(`agent ${name}`, turnOf(name), 'shared'));
    expect(manager.main.conversationHistory).toEqual(all);
    await Promise.all(calls);
    expect(await storedMessages(memory, '__main__')).toEqual(all);
    await manager.refresh();
    expect(manager.main.conversationHistory).toEqual(all);
    // Of several managers each turn is whole, and those of one are in its order.
    const managers = await Promise.all(names.slice(0, 5).map(() => openSession(memory)));
    await Promise.all(
      managers.flatMap((one, own) => names.map((name) => one.appendTurn('x', turnOf(`${own} ${name}`), 'shared'))),
    );
    const texts = (await storedMessages(memory, '__main__')).slice(all.length);
    const found: string[] = [];
    for (let index = 0; index < texts.length; index += 4) {
      const name = contentOf(texts[index]);
      expect(texts.slice(index, index + 4)).toEqual(turnOf(name));
      found.push(name);
    }
    expect(found).toHaveLength(250);
    for (let own = 0; own < 5; own++) {
      expect(found.filter((name) => name.startsWith(`${own} `))).toEqual(names.map((name) => `${own} ${name}`));
    }
    await Promise.all(managers.map((one) => one.refresh()));
    for (const one of managers) expect(one.main.conversationHistory.slice(all.length)).toEqual(texts);
  });

  test.skipIf(kind.isSkipped)('keep messages for 90 days, without a limit of their number', async () => {
    const { memory, advance } = await openMemory(kind, { retention: { maxMessages: 1, messageLifetimeMs: 1000 } });
    const manager = await openSession(memory);
    for (let index = 0; index < 300; index++) await manager.addMessage('a', user(`old ${index}`));
    await manager.addMessage('a', withFile(300_000));
    expect(manager.getContext('a').metadata.createdAt).toBeGreaterThan(START_MS);
    await advance(60 * DAY);
    await manager.appendTurn('a', turnOf('new'));
    expect(await storedMessages(memory, 'a')).toHaveLength(305);
    expect((await openSession(memory)).getContext('a').metadata.createdAt).toBe(START_MS);
    await advance(29 * DAY);
    await manager.refresh();
    expect(manager.getContext('a').conversationHistory).toHaveLength(305);
    await advance(DAY);
    expect(await storedMessages(memory, 'a')).toEqual(turnOf('new'));
    await manager.refresh();
    expect(manager.getContext('a').conversationHistory).toEqual(turnOf('new'));
    await manager.addMessage('a', user('last'));
    await manager.refresh();
    expect(manager.getContext('a').conversationHistory).toEqual([...turnOf('new'), user('last')]);
    expect((await memory.stats()).keysWithoutEnd).toBe(0);
    await advance(91 * DAY);
    await manager.refresh();
    expect(manager.getContext('a').conversationHistory).toEqual([]);
    expect(await memory.namespace('contexts').keys()).toEqual([]);
    expect(manager.problems).toEqual([]);
  });

  test.skipIf(kind.isSkipped)('leave out a turn with a part that no view could read', async () => {
    const { memory } = await openMemory(kind);
    const manager = await openSession(memory);
    await manager.appendTurn('a', turnOf('1'));
    const namespace = memory.namespace('contexts');
    const [key = ''] = (await namespace.keys()).map((info) => info.key);
    const message = { role: 'user', content: [{ type: 'text', text: 5 }] };
    await namespace.append(key, [{ turn: 'other', index: 0, count: 1, message }]);
    await manager.refresh();
    expect(manager.getContext('a').conversationHistory).toEqual(turnOf('1'));
    expect(manager.problems.map((problem) => problem.message)).toEqual([
      expect.stringContaining('message 1 is not readable: a part of the type text has no text text'),
    ]);
  });

  test.skipIf(kind.isSkipped)('leave out a turn with an unreadable record, and report it', async () => {
    const { backend } = await openMemory(kind);
    const unreadable: string[] = [];
    const memory = createMemory({ backend, onUnreadable: ({ record }) => unreadable.push(record) });
    const manager = await openSession(memory);
    for (const name of ['1', '2', '3']) await manager.appendTurn('a', turnOf(name));
    const namespace = memory.namespace('contexts');
    const [key = ''] = (await namespace.keys()).map((info) => info.key);
    const records = await namespace.list(key);
    // The result of the second turn becomes a record of another program.
    const [broken] = records.filter(({ value }) =>
      /"tool-result".*call 2|call 2.*"tool-result"/u.test(JSON.stringify(value)),
    );
    if (broken === undefined) throw new Error('there is no such record');
    await namespace.remove(key, [broken]);
    const rule = { maxRecords: 1e9, maxTemporaryRecords: 1e9, lifetimeMs: 90 * DAY, temporaryLifetimeMs: 90 * DAY };
    await listsOf(backend).append(namespace.storeKey(key), [{ before: '{"torn":', after: '' }], { rule });
    await namespace.append(key, [{ turn: 5 }]);

    const again = await openSession(memory);
    expect(again.getContext('a').conversationHistory).toEqual([...turnOf('1'), ...turnOf('3')]);
    const place = { project: 'default', session: 's', agent: 'a', key: namespace.storeKey(key) };
    expect(again.problems).toEqual([
      { ...place, message: `A record is not readable: {"torn":${START_MS}` },
      { ...place, message: `A record is not readable: {"turn":5,"time":${START_MS}}` },
      {
        ...place,
        message:
          'The turn of 2023-12-21T01:50:56.789Z (4 messages) is left out: message 3 is not readable: its record is missing or not readable',
      },
    ]);
    expect(unreadable).toContain(`{"torn":${START_MS}`);
    // Nothing is lost: the store still has it, and the history goes on. A problem is listed once.
    await again.appendTurn('a', turnOf('4'));
    await again.refresh();
    expect(again.getContext('a').conversationHistory).toEqual([...turnOf('1'), ...turnOf('3'), ...turnOf('4')]);
    expect(again.problems).toHaveLength(3);
    expect(await namespace.list(key)).toHaveLength(16);
    await again.clearHistory('a');
    expect([again.problems, await namespace.keys()]).toEqual([[], []]);
  });

  test.skipIf(kind.isSkipped)('keep a summary until the messages that it is of are gone', async () => {
    const { memory } = await openMemory(kind);
    const manager = await openSession(memory);
    const [summary, other] = [
      { text: 'A summary.', messages: 3 },
      { text: 'Another.', messages: 5 },
    ];
    await expect(manager.writeSummary('a', summary, 'shared')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    for (const name of ['1', '2']) await manager.appendTurn('a', turnOf(name), 'shared');
    expect(await manager.readSummary('a', 'shared')).toBeUndefined();
    await manager.writeSummary('a', summary, 'shared');
    expect(await manager.readSummary('a', 'shared')).toEqual(summary);
    expect(await manager.readSummary('a')).toBeUndefined();
    await manager.writeSummary('a', other, 'shared');
    const again = await openSession(memory);
    expect(await again.readSummary('b', 'shared')).toEqual(other);
    expect((await memory.stats()).keysWithoutEnd).toBe(0);
    // Another process clears, and says the same again.
    await again.clearHistory('a', 'shared');
    for (const name of ['1', '2']) await again.appendTurn('a', turnOf(name), 'shared');
    expect(await again.readSummary('a', 'shared')).toBeUndefined();
    // A summary of what is cleared meanwhile is not kept.
    await manager.writeSummary('a', summary, 'shared');
    expect(await manager.readSummary('a', 'shared')).toBeUndefined();
    expect((await memory.namespace('contexts').keys()).map(({ key, records }) => [key, records])).toEqual([
      [expect.stringMatching(/^history:/u), 8],
    ]);
  });
});

test('a context has one object per key, with its metadata', async () => {
  let nowMs = 5;
  const manager = await openContexts({ store: inProcess(), clock: () => nowMs });
  const own = manager.getContext('a');
  expect(own).toEqual({
    agentName: 'a',
    conversationHistory: [],
    metadata: { createdAt: 5, lastAccessedAt: 5, messageCount: 0 },
  });
  nowMs = 9;
  for (const mode of ['isolated', 'fork', 'handback', 'selective', 'summarized', undefined] as const) {
    expect(manager.getContext('a', mode)).toBe(own);
  }
  expect(own.metadata).toEqual({ createdAt: 5, lastAccessedAt: 9, messageCount: 0 });
  expect(manager.getContext('a', 'shared')).toBe(manager.main);
  expect(manager.getContext('b', 'shared')).toBe(manager.main);
  expect(manager.main.agentName).toBe('__main__');
  const { conversationHistory } = own;
  void manager.addMessage('a', user('x'));
  expect([own.metadata.messageCount, own.conversationHistory]).toEqual([1, [user('x')]]);
  expect(own.conversationHistory).toBe(conversationHistory);
  await manager.close();
});

test('a clear is not undone by a refresh that began before it', async () => {
  const reading = Promise.withResolvers<void>();
  const read = Promise.withResolvers<void>();
  let isSlow = false;
  const backend = intercepted(inProcess(), ({ page: pageOf }) => ({
    page: async (...call) => {
      const page = await pageOf(...call);
      if (isSlow) reading.resolve();
      if (isSlow) await read.promise;
      return page;
    },
  }));
  const manager = await openSession(backend);
  const other = await openSession(backend);
  await other.appendTurn('a', turnOf('1'));
  isSlow = true;
  const refreshed = manager.refresh(['a']);
  await reading.promise;
  const cleared = manager.clearHistory('a');
  const added = manager.addMessage('a', user('2'));
  read.resolve();
  await refreshed;
  expect(manager.getContext('a').conversationHistory).toEqual([user('2')]);
  await Promise.all([cleared, added]);
  expect(await storedMessages(backend, 'a')).toEqual([user('2')]);
});

test('modes alternate from call to call', async () => {
  const manager = new ContextManager();
  await manager.addMessage('agent1', user('task1'));
  await manager.addMessage('agent2', user('task2'), 'shared');
  await manager.addMessage('agent1', user('task3'));
  expect(manager.getContext('agent1').conversationHistory).toEqual([user('task1'), user('task3')]);
  expect(manager.getContext('agent2').conversationHistory).toEqual([]);
  expect(manager.getContext('agent1', 'shared').conversationHistory).toEqual([user('task2')]);
  await manager.clearHistory('agent1');
  await manager.refresh();
  expect(manager.getContext('agent1').conversationHistory).toEqual([]);
  expect(manager.main.conversationHistory).toEqual([user('task2')]);
  await manager.appendTurn('agent1', []);
  expect(manager.getContext('agent1').conversationHistory).toEqual([]);
  await manager.close();
});

test.each([
  ['', 'The name of the agent is empty. Use another name.'],
  ['__main__', 'An agent cannot be named __main__. Use another name.'],
  ['a\nb', 'The name of the agent "a\\nb" has control characters. Use another name.'],
  ['\ud800', 'The name of the agent "\\ud800" is not well-formed Unicode. Use another name.'],
  ['a'.repeat(121), `The name of the agent "${'a'.repeat(60)}…" is longer than 120 bytes. Use another name.`],
  [5, 'The name of the agent is not a string. Use another name.'],
])('the name %j of an agent is rejected', async (name, message) => {
  const manager = new ContextManager();
  for (const mode of ['isolated', 'shared'] as const) {
    expect(() => manager.getContext(name as string, mode)).toThrow(
      expect.objectContaining({ code: 'INVALID_NAME', message }),
    );
  }
  const calls = [
    manager.addMessage(name as string, user('x')),
    manager.clearHistory(name as string),
    ...(name === '__main__' ? [] : [manager.refresh([name as string])]),
  ];
  for (const call of calls) await expect(call).rejects.toMatchObject({ code: 'INVALID_NAME' });
  if (name === '__main__') return;
  const opened = openContexts({ store: inProcess(), session: name as string });
  await expect(opened).rejects.toMatchObject({ code: 'INVALID_NAME' });
});

test('a turn that is not an array is rejected', async () => {
  const call = new ContextManager().appendTurn('a', user('x') as never);
  await expect(call).rejects.toMatchObject({ code: 'INVALID_INPUT' });
});

test('an unknown mode is rejected', () => {
  expect(() => new ContextManager().getContext('a', 'forked' as never)).toThrow(
    expect.objectContaining({ code: 'INVALID_MODE' }),
  );
});

describe('a message', () => {
  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = [cyclic];
  let deep: unknown = 'x';
  for (let level = 0; level < 600; level++) deep = [deep];
  const odd: readonly (readonly [value: unknown, what: string])[] = [
    [new Map(), 'a value of the class Map'],
    [new Error('x'), 'a value of the class Error'],
    [new Uint16Array(1), 'a value of the class Uint16Array'],
    [() => undefined, 'a function'],
    [5n, 'a bigint'],
    [Symbol('x'), 'a symbol'],
    [{ [Symbol('x')]: 1 }, 'an object with a class'],
    [Object.assign(Object.create(null), { [Symbol('x')]: 1 }), 'an object with a class'],
    [new (class Own {})(), 'a value of the class Own'],
  ];
  const refused: readonly (readonly [value: unknown, message: string])[] = [
    [undefined, 'Invalid role undefined of a message'],
    [{ role: 'system', content: 'x' }, 'Invalid role "system" of a message'],
    [{ role: 'user' }, 'The content of a message with the role user is invalid'],
    [{ role: 'tool', content: 'x' }, 'The content of a message with the role tool is invalid'],
    [{ role: 'user', content: ['x'] }, 'The content of a message with the role user is invalid'],
    [{ role: 'user', content: [{}] }, 'The content of a message with the role user is invalid'],
    ...odd.map(([data, what]): [unknown, string] => {
      const content = [
        { type: 'text', text: '' },
        { type: 'file', data: { odd: data } },
      ];
      return [{ role: 'user', content }, `message.content[1].data.odd is ${what}, which cannot be stored`];
    }),
    [{ role: 'user', content: [{ type: 'text' }] }, 'message.content[0] of the type text has no text text'],
    [
      { role: 'assistant', content: [{ type: 'text', text: 5 }] },
      'message.content[0] of the type text has no text text',
    ],
    [{ role: 'assistant', content: [{ type: 'tool-call' }] }, 'of the type tool-call has no text toolCallId'],
    [
      { role: 'user', content: [{ type: 'tool-call', toolCallId: '1', toolName: 'a' }] },
      'of the type tool-call is not one of a message with the role user',
    ],
    [
      { role: 'tool', content: [{ type: 'tool-result', toolCallId: '1', toolName: 'a' }] },
      'of the type tool-result has no output with a type',
    ],
    [
      {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: '1', toolName: 'a', output: { type: 'content', value: [null] } }],
      },
      'of the type tool-result has no output with a type',
    ],
    [{ role: 'user', content: 'x', providerOptions: cyclic }, 'message.providerOptions.self[0] contains itself'],
    [{ role: 'user', content: 'x', providerOptions: { x: { deep } } }, 'is nested too deeply'],
  ];

  test.each(refused)('that has no form in the store is rejected: %#', async (message, problem) => {
    const manager = new ContextManager();
    const call = manager.appendTurn('a', [user('x'), message as UnifiedMessage]);
    await expect(call).rejects.toMatchObject({ code: 'INVALID_INPUT', message: expect.stringContaining(problem) });
    expect(manager.getContext('a').conversationHistory).toEqual([]);
  });

  test('of up to 20 MiB is stored, and a larger one rejected', async () => {
    const memory = createMemory({ backend: inProcess() });
    const manager = await openSession(memory);
    const largest = withFile(20 * 1024 * 1024 - 32);
    await manager.addMessage('a', largest);
    const [stored] = await storedMessages(memory, 'a');
    const dataOf = (message: UnifiedMessage | undefined): Uint8Array =>
      (message as { content: { data: Uint8Array }[] }).content[0]?.data ?? new Uint8Array();
    // An assertion on its bytes would take half a minute.
    expect(Buffer.compare(dataOf(stored), dataOf(largest))).toBe(0);
    for (const message of [withFile(20 * 1024 * 1024), user('表'.repeat(7_000_000))]) {
      await expect(manager.addMessage('a', message)).rejects.toMatchObject({ code: 'TOO_LARGE' });
    }
    expect(manager.getContext('a').metadata.messageCount).toBe(1);
  });

  test('is a copy that never changes', async () => {
    const manager = new ContextManager();
    const bytes = new Uint8Array([1, 2]);
    const message = { role: 'user' as const, content: [{ type: 'file' as const, data: bytes, filename: 'a' }] };
    await manager.addMessage('a', message);
    bytes[0] = 9;
    message.content.push({ type: 'file', data: bytes, filename: 'b' });
    const [kept] = manager.getContext('a').conversationHistory;
    expect(kept).toEqual({ role: 'user', content: [{ type: 'file', data: new Uint8Array([1, 2]), filename: 'a' }] });
    expect(() => ((kept as { role: string }).role = 'assistant')).toThrow(TypeError);
    expect(() => (kept as { content: unknown[] }).content.push('x')).toThrow(TypeError);
  });
});

describe('a store that fails', () => {
  const full = (): never => {
    throw new MemoryError('STORE_FULL', ['The disk is full', 'Free some space.']);
  };

  test('does not leave a turn in the history that it does not have', async () => {
    let isFull = false;
    const backend = intercepted(inProcess(), ({ change }) => ({
      change: async (...call) => (isFull ? full() : change(...call)),
    }));
    const manager = await openSession(backend);
    const context = manager.getContext('a');
    await manager.appendTurn('a', turnOf('1'));
    isFull = true;
    const calls = [manager.appendTurn('a', turnOf('2')), manager.addMessage('a', user('3'))];
    expect(context.metadata.messageCount).toBe(9);
    for (const call of calls) await expect(call).rejects.toMatchObject({ code: 'STORE_FULL' });
    expect(context.conversationHistory).toEqual(turnOf('1'));
    isFull = false;
    await manager.appendTurn('a', turnOf('4'));
    expect(context.conversationHistory).toEqual([...turnOf('1'), ...turnOf('4')]);
    await manager.refresh();
    expect(context.conversationHistory).toEqual([...turnOf('1'), ...turnOf('4')]);
    expect(await storedMessages(backend, 'a')).toEqual([...turnOf('1'), ...turnOf('4')]);
  });

  test('shows a turn at the next refresh that it has without having answered', async () => {
    let isSilent = true;
    const backend = intercepted(inProcess(), ({ change }) => ({
      change: async (...call) => {
        const added = await change(...call);
        if (isSilent) throw new MemoryError('STORE_UNAVAILABLE', ['No answer', 'Try again.'], { isDone: 'unknown' });
        return added;
      },
    }));
    const manager = await openSession(backend);
    await expect(manager.appendTurn('a', turnOf('1'))).rejects.toMatchObject({ isDone: 'unknown' });
    expect(manager.getContext('a').conversationHistory).toEqual([]);
    isSilent = false;
    await manager.refresh();
    expect(manager.getContext('a').conversationHistory).toEqual(turnOf('1'));
  });

  test('shows at the next refresh what it did not clear', async () => {
    let isDenied = true;
    const backend = intercepted(inProcess(), ({ change }) => ({
      change: async (...call) => {
        const isRemoval = call[1].removes !== undefined;
        if (isDenied && isRemoval) throw new MemoryError('STORE_DENIED', ['The store is read-only', 'Get permission.']);
        return change(...call);
      },
    }));
    const manager = await openSession(backend);
    await manager.appendTurn('a', turnOf('1'));
    await expect(manager.clearHistory('a')).rejects.toMatchObject({ code: 'STORE_DENIED' });
    await manager.refresh();
    expect(manager.getContext('a').conversationHistory).toEqual(turnOf('1'));
    isDenied = false;
    await manager.clearHistory('a');
    await manager.refresh();
    expect(manager.getContext('a').conversationHistory).toEqual([]);
  });

  test('is closed with the manager that opened it, after its writes', async () => {
    const backend = inProcess();
    const manager = await openSession(backend);
    const call = manager.appendTurn('a', turnOf('1'));
    await manager.close();
    await call;
    await expect(backend.now()).rejects.toMatchObject({ code: 'STORE_CLOSED' });
    await expect(manager.appendTurn('a', turnOf('2'))).rejects.toMatchObject({ code: 'STORE_CLOSED' });
    const memory = createMemory({ backend: inProcess() });
    await (await openSession(memory)).close();
    expect(await memory.namespace('contexts').keys()).toEqual([]);
  });
});

test('labels of messages are stored with them', async () => {
  const memory = createMemory({ backend: inProcess() });
  const label = { cairn: { agent: 'a', run: 'run_1', ended: 'aborted' } };
  const turn: UnifiedMessage[] = [user('x'), { ...assistant('y'), providerOptions: label }];
  await (await openSession(memory)).appendTurn('a', turn, 'shared');
  expect(await storedMessages(memory, '__main__')).toStrictEqual(turn);
});

describe('the turn path', () => {
  /** Counts the calls of a store, and the records that they return. */
  function counted(backend = inProcess()): { store: typeof backend; counts: () => Record<string, number> } {
    let counts: Record<string, number> = {};
    const add = (name: string, count: number): void => void (counts[name] = (counts[name] ?? 0) + count);
    const store = intercepted(backend, ({ change, page, rows, keys, now }) => ({
      change: async (...call) => {
        add('change', call[1].rows?.length ?? 0);
        return change(...call);
      },
      page: async (...call) => {
        const result = await page(...call);
        add(call[1].order, result.rows.length);
        return result;
      },
      rows: async (...call) => {
        add('rows', call[1].length);
        return rows(...call);
      },
      keys: async (...call) => {
        add('keys', 1);
        return keys(...call);
      },
      now: async (...call) => {
        add('now', 1);
        return now(...call);
      },
    }));
    return {
      store,
      counts: () => {
        const before = counts;
        counts = {};
        return before;
      },
    };
  }

  test('reads and writes no more of the store for a long history than for a short one', async () => {
    const { store, counts } = counted();
    const manager = await openSession(store);
    const step = async (name: string): Promise<Record<string, number>> => {
      counts();
      await manager.refresh(['a', '__main__']);
      await manager.appendTurn('a', turnOf(name));
      await manager.appendTurn('b', turnOf(name), 'shared');
      await manager.refresh(['a', '__main__']);
      return counts();
    };
    await step('first');
    const short = await step('second');
    for (let turn = 0; turn < 500; turn++) await manager.appendTurn('a', turnOf(`${turn}`));
    await step('again');
    expect(manager.getContext('a').metadata.messageCount).toBe(2012);
    expect(await step('last')).toEqual(short);
    expect(short).toEqual({ change: 8, written: 8 });
    // A new manager reads each record once.
    await openSession(store);
    expect(counts()).toMatchObject({ written: 2016 + 16, keys: 1 });
  });
});
