/** The parts of messages in the store: that they come back as they are, and what becomes of large ones. */
import assert from 'node:assert/strict';
import type { UnifiedMessage } from '@cairn/context';
import { createMemory } from '@cairn/memory';
import type { Memory } from '@cairn/memory';
import { memory as inProcess } from '@cairn/memory/memory';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { backendKinds, openMemory, useBackends } from '../memory/backends.ts';
import { contentOf, DAY, intercepted, openSession, storedMessages, turnOf, user, withFile } from './contexts.ts';

useBackends();

const KIB = 1024;

/** One message with every kind of part of the AI SDK. */
const every: UnifiedMessage[] = [
  {
    role: 'user',
    content: [
      {
        type: 'text',
        text: 'zero \0, half \ud800, 表 😀',
        providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } },
      },
      { type: 'image', image: 'aGVsbG8=', mediaType: 'image/png' },
      { type: 'image', image: new URL('https://example.org/a%20b?c#d') },
      { type: 'file', data: new Uint8Array([0, 255, 128]), mediaType: 'application/pdf', filename: 'ü.pdf' },
      { type: 'file', data: Buffer.from('bytes'), mediaType: 'text/plain' },
      { type: 'file', data: new Uint8Array([1, 2]).buffer, mediaType: 'text/plain' },
      { type: 'file', data: { type: 'reference', reference: { openai: 'file-1' } } },
    ],
  },
  {
    role: 'assistant',
    content: [
      { type: 'reasoning', text: 'hm', providerOptions: { openai: { itemId: 'rs_1', encrypted: undefined } } },
      {
        type: 'tool-call',
        toolCallId: 'c1',
        toolName: 'read',
        input: { path: 'a', deep: [{ at: new Date(5) }, null] },
      },
      { type: 'tool-call', toolCallId: 'c2', toolName: 'search', input: undefined, providerExecuted: true },
      {
        type: 'tool-result',
        toolCallId: 'c2',
        toolName: 'search',
        output: { type: 'json', value: [1, { $cairn: 'x' }] },
      },
      { type: 'tool-approval-request' },
      { type: 'custom' },
      { type: 'reasoning-file', data: new Uint8Array([7]), mediaType: 'image/png' },
    ],
    providerOptions: { cairn: { agent: 'a', run: 'run_1' } },
  },
  {
    role: 'tool',
    content: [
      { type: 'tool-result', toolCallId: 'c1', toolName: 'read', output: { type: 'execution-denied', reason: 'no' } },
      {
        type: 'tool-result',
        toolCallId: 'c1',
        toolName: 'read',
        output: {
          type: 'content',
          value: [
            { type: 'text', text: 't' },
            { type: 'file-data', data: 'eA==', mediaType: 'image/png' },
          ],
        },
      },
      { type: 'tool-approval-response' },
    ],
  },
  { role: 'assistant', content: '' },
];

async function sizesOf(memory: Memory): Promise<{ blobs: number; bytes: number }> {
  const keys = await memory.namespace('contexts').keys({ prefix: 'blobs:' });
  return { blobs: keys.length, bytes: keys.reduce((sum, { bytes = 0 }) => sum + bytes, 0) };
}

describe.each(backendKinds)('the parts of messages on $name', (kind) => {
  test.skipIf(kind.isSkipped)('are the same after a restart, each of its kind', async () => {
    const { memory } = await openMemory(kind);
    const manager = await openSession(memory);
    await manager.appendTurn('a', every);
    expect(manager.getContext('a').conversationHistory).toStrictEqual(every);
    expect(await storedMessages(memory, 'a')).toStrictEqual(every);
    expect(await sizesOf(memory)).toMatchObject({ blobs: 0 });
  });

  test.skipIf(kind.isSkipped)(
    'are kept apart when they are larger than 256 KiB, each once, and go with their history',
    async () => {
      const { memory } = await openMemory(kind);
      const manager = await openSession(memory);
      const small = withFile(150 * KIB);
      await manager.addMessage('a', small);
      expect(await sizesOf(memory)).toMatchObject({ blobs: 0 });
      const large = withFile(900 * KIB);
      await manager.addMessage('a', large);
      const once = await sizesOf(memory);
      expect(once.blobs).toBe(2);
      expect(once.bytes).toBeGreaterThan(1200 * KIB);
      // In another message, of another tool, or in another process: it is stored once.
      await (await openSession(memory)).addMessage('a', large);
      const data = (large.content as { data: Uint8Array }[])[0]?.data;
      const result: UnifiedMessage = {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 'c', toolName: 'read', output: { type: 'json', value: { data } } },
        ],
      };
      await manager.addMessage('a', result);
      expect((await sizesOf(memory)).blobs).toBe(2);
      // It belongs to one history.
      await manager.addMessage('b', large);
      await manager.addMessage('b', large, 'shared');
      expect((await sizesOf(memory)).blobs).toBe(6);
      expect(await storedMessages(memory, 'a')).toStrictEqual([small, large, large, result]);
      await manager.clearHistory('a');
      expect((await sizesOf(memory)).blobs).toBe(4);
      expect(await storedMessages(memory, 'b')).toStrictEqual([large]);
      await manager.clearHistory('b', 'shared');
      await manager.clearHistory('b');
      expect(await memory.namespace('contexts').keys()).toEqual([]);
    },
  );

  test.skipIf(kind.isSkipped).each([
    ['a part of 256 KiB', 'x', 0, 0],
    ['a part of one byte more', 'x', 1, 1],
    ['a Chinese part of a few bytes more', '表', 3, 1],
  ])('are kept apart when they are larger than 256 KiB: %s', async (_, letter, more, blobs) => {
    const { memory } = await openMemory(kind);
    const partOf = (text: string): object => ({ type: 'text', text });
    const room = 256 * KIB + more - JSON.stringify(partOf('')).length;
    const part = partOf(letter.repeat(Math.floor(room / Buffer.byteLength(letter))));
    const message = { role: 'user', content: [part] } as UnifiedMessage;
    await (await openSession(memory)).addMessage('a', message);
    expect(await sizesOf(memory)).toMatchObject({ blobs });
    expect(await storedMessages(memory, 'a')).toStrictEqual([message]);
  });

  test.skipIf(kind.isSkipped)('fit into the records of a store that allows only small ones', async () => {
    const { memory } = await openMemory(kind, { maxContentBytes: 2000 });
    const messages: UnifiedMessage[] = [
      user('"\\\u0001表😀'.repeat(1000)),
      withFile(10 * KIB),
      // No part is large, the message is.
      {
        role: 'user',
        content: Array.from({ length: 300 }, (_, index) => ({ type: 'text' as const, text: `${index}` })),
      },
      { role: 'assistant', content: 'x', providerOptions: { x: { many: Array.from({ length: 3000 }, () => 'yz') } } },
    ];
    await (await openSession(memory)).appendTurn('a', messages);
    expect(await storedMessages(memory, 'a')).toStrictEqual(messages);
    const other = await openMemory(kind, { maxContentBytes: 100 });
    const manager = await openSession(other.memory);
    await expect(manager.addMessage('a', withFile(10 * KIB))).rejects.toMatchObject({ code: 'TOO_LARGE' });
    expect(manager.getContext('a').conversationHistory).toEqual([]);
  });

  test.skipIf(kind.isSkipped)('do not end before their message, which is stored after them', async () => {
    const { backend, advance } = await openMemory(kind);
    const slow = intercepted(backend, ({ change }) => ({
      change: async (...call) => {
        const added = await change(...call);
        await advance(60_000);
        return added;
      },
    }));
    const large = user(`large ${'x'.repeat(300 * KIB)}`);
    await (await openSession(createMemory({ backend: slow }))).addMessage('a', large);
    await advance(90 * DAY - 100_000);
    const again = await openSession(createMemory({ backend }));
    expect([again.getContext('a').metadata.messageCount, again.problems]).toEqual([1, []]);
  });

  test.skipIf(kind.isSkipped)('live as long as the newest message that has them', async () => {
    const { memory, advance } = await openMemory(kind);
    const large = withFile(300 * KIB);
    await (await openSession(memory)).addMessage('a', large);
    await advance(80 * DAY);
    await (await openSession(memory)).addMessage('a', large);
    await advance(80 * DAY);
    const again = await openSession(memory);
    expect([again.getContext('a').conversationHistory, again.problems]).toStrictEqual([[large], []]);
    await advance(DAY * 11);
    expect(await memory.namespace('contexts').keys()).toEqual([]);
  });

  test.skipIf(kind.isSkipped)(
    'that are missing or damaged are reported, and their turn is left out until they are back',
    async () => {
      const { memory } = await openMemory(kind);
      const manager = await openSession(memory);
      const large = withFile(300 * KIB);
      await manager.appendTurn('a', [user('see'), large]);
      await manager.appendTurn('a', turnOf('after'));
      const blobs = memory.namespace('contexts', { maxRecords: 1 });
      const [{ key } = { key: '' }] = await blobs.keys({ prefix: 'blobs:' });
      const [record] = await blobs.list(key);
      await blobs.append(key, [{ data: 'other' }]);
      const again = await openSession(memory);
      expect(again.getContext('a').conversationHistory).toEqual(turnOf('after'));
      expect(again.problems).toMatchObject([
        { agent: 'a', message: expect.stringMatching(/message 2 is .*: its part [\w-]{8} is damaged$/u) },
      ]);
      await blobs.forget(key);
      await again.refresh();
      expect(again.problems).toMatchObject([{ message: expect.stringContaining('is missing') }]);
      await blobs.append(key, record === undefined ? [] : [record.value]);
      await again.refresh();
      expect(again.getContext('a').conversationHistory).toStrictEqual([user('see'), large, ...turnOf('after')]);
      expect(again.problems).toEqual([]);
    },
  );
});

/** A place where the test holds a call until it lets it go on. */
function gate(): { readonly reached: Promise<void>; readonly open: () => void; readonly pass: () => Promise<void> } {
  const reached = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  return {
    reached: reached.promise,
    open: opened.resolve,
    pass: () => {
      reached.resolve();
      return opened.promise;
    },
  };
}

describe('a turn with a large part', () => {
  const large = user(`large ${'x'.repeat(300 * KIB)}`);
  const textsIn = (messages: readonly UnifiedMessage[]): string[] =>
    messages.map((message) => contentOf(message).slice(0, 10));

  test('is never in the store without it', async () => {
    const seen: unknown[] = [];
    const inner = inProcess();
    const backend = intercepted(inner, ({ change }) => ({
      change: async (...call) => {
        const added = await change(...call);
        seen.push(textsIn(await storedMessages(createMemory({ backend: inner }), 'a')));
        return added;
      },
    }));
    await (await openSession(backend)).appendTurn('a', [user('see'), large]);
    expect(seen).toEqual([[], ['see', 'large xxxx']]);
  });

  test.each(['before the turn', 'while the parts are removed', 'after a part was read'] as const)(
    'is whole when another process clears the history, %s',
    async (moment) => {
      const backend = inProcess();
      const store = createMemory({ backend });
      await (await openSession(store)).appendTurn('a', [user('old'), large]);
      // The writer stops between its part and its turn.
      const writing = gate();
      const writer = intercepted(backend, ({ change }) => ({
        change: async (...call) => {
          if (call[0].includes('history')) await writing.pass();
          return change(...call);
        },
      }));
      // The clearer stops where the moment says.
      const clearing = gate();
      const clearer = intercepted(backend, ({ change, page }) => ({
        page: async (...call) => {
          const records = await page(...call);
          const isList = call[1].order === 'newest' && call[0].includes('history');
          if (moment === 'after a part was read' && isList) await clearing.pass();
          return records;
        },
        change: async (...call) => {
          const isRemoval = call[1].removes !== undefined;
          if (moment === 'while the parts are removed' && isRemoval && call[0].includes('blobs')) await clearing.pass();
          return change(...call);
        },
      }));
      const turn = (await openSession(createMemory({ backend: writer }))).appendTurn('a', [user('new'), large]);
      await writing.reached;
      const cleared = (await openSession(createMemory({ backend: clearer }))).clearHistory('a');
      if (moment !== 'before the turn') await clearing.reached;
      else await cleared;
      writing.open();
      await turn;
      clearing.open();
      await cleared;
      const manager = await openSession(store);
      expect(manager.problems).toEqual([]);
      expect(textsIn(manager.getContext('a').conversationHistory)).toEqual(['new', 'large xxxx']);
    },
  );
});

describe('a clear', () => {
  const large = user(`large ${'x'.repeat(300 * KIB)}`);

  test('removes no part that a turn needs which was added meanwhile', async () => {
    const backend = inProcess();
    const writer = await openSession(createMemory({ backend }));
    await writer.appendTurn('a', [user('old'), large]);
    const removed: string[] = [];
    const clearer = intercepted(backend, ({ keys, change }) => ({
      keys: async (...call) => {
        if (call[0].includes('blobs')) await writer.appendTurn('a', [user('new'), large]);
        return keys(...call);
      },
      change: async (...call) => {
        if (call[1].removes !== undefined) removed.push(call[0]);
        return change(...call);
      },
    }));
    await (await openSession(createMemory({ backend: clearer }))).clearHistory('a');
    expect(removed.filter((key) => key.includes('blobs'))).toEqual([]);
    expect(await storedMessages(backend, 'a')).toEqual([user('new'), large]);
  });

  test('leaves a part that was written again since it was read, including a writer that is killed', async () => {
    const backend = inProcess();
    await (await openSession(createMemory({ backend }))).appendTurn('a', [user('old'), large]);
    const writing = gate();
    const writer = intercepted(backend, ({ change }) => ({
      change: async (...call) => {
        if (call[0].includes('history')) await writing.pass();
        return change(...call);
      },
    }));
    const clearer = intercepted(backend, ({ change }) => ({
      change: async (...call) => {
        if (call[1].removes !== undefined && call[0].includes('blobs')) {
          void (await openSession(createMemory({ backend: writer }))).appendTurn('a', [user('new'), large]);
          await writing.reached;
        }
        return change(...call);
      },
    }));
    const memory = createMemory({ backend: clearer });
    await (await openSession(memory)).clearHistory('a');
    expect(await sizesOf(memory)).toMatchObject({ blobs: 1 });
  });
});

test('parts that differ in half a surrogate pair are not the same part', async () => {
  const memory = createMemory({ backend: inProcess() });
  const messages = ['\ud800', '\udbff', '\ufffd'].map((half) => user(half + 'x'.repeat(300 * KIB)));
  await (await openSession(memory)).appendTurn('a', messages);
  expect(await storedMessages(memory, 'a')).toStrictEqual(messages);
});

test('a message of any size fits into a record next to the names of its parts', async () => {
  const memory = createMemory({ backend: inProcess(), maxContentBytes: 4000 });
  const manager = await openSession(memory);
  for (let length = 2000; length < 4000; length += 40) {
    const content = [
      { type: 'file' as const, data: new Uint8Array(20 * KIB).fill(length % 256) },
      { type: 'text' as const, text: 'x'.repeat(length / 2) },
      { type: 'text' as const, text: 'y'.repeat(length / 2) },
    ];
    await manager.addMessage('a', { role: 'user', content });
  }
  expect(await storedMessages(memory, 'a')).toStrictEqual(manager.getContext('a').conversationHistory);
});

const texts = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  // Also halves of surrogate pairs, in texts that are split.
  fc.array(fc.integer({ min: 0, max: 0xff_ff }), { maxLength: 20 }).map((codes) => String.fromCharCode(...codes)),
  fc.integer({ min: 1, max: 3000 }).map((length) => '😀"'.repeat(length)),
);
const bytes = fc.uint8Array({ maxLength: 600 });
const values = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    texts,
    fc.double(),
    fc.integer(),
    fc.constantFrom(null, undefined, true, false, -0, Number.NaN, Infinity),
    bytes.map((data) => new Uint8Array(data)),
    bytes.map((data) => Buffer.from(data)),
    bytes.map((data) => new Uint8Array(data).buffer),
    fc.date({ noInvalidDate: false }),
    fc.webUrl().map((url) => new URL(url)),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(
      fc.oneof(fc.constantFrom('$cairn', '__proto__', 'data', 'chunks', 'time', 'toJSON'), texts),
      tie('value'),
      {
        maxKeys: 3,
        noNullPrototype: true,
      },
    ),
  ),
})).value;

test('any message is the same after it was stored, in records of any size', async () => {
  const property = fc.asyncProperty(
    fc.array(fc.array(values, { maxLength: 3 }), { minLength: 1, maxLength: 3 }),
    fc.constantFrom(6000, 20_000, undefined),
    async (contents, maxContentBytes) => {
      const turn = contents.map((parts): UnifiedMessage => {
        return { role: 'user', content: parts.map((data) => ({ type: 'file', data })) };
      });
      const memory = createMemory({ backend: inProcess(), maxContentBytes });
      const manager = await openSession(memory);
      await manager.appendTurn('a', turn);
      const again = await openSession(memory);
      assert.deepEqual(again.problems, []);
      assert.deepStrictEqual(again.getContext('a').conversationHistory, turn);
      assert.deepStrictEqual(manager.getContext('a').conversationHistory, turn);
    },
  );
  await fc.assert(property, { numRuns: 300 });
});
