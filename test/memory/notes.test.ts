import { createClient } from '@redis/client';
import { createMemory, formatNotes } from '@cairn/memory';
import { listsOf } from '@cairn/memory/testing';
import { redis } from '@cairn/memory/redis';
import { describe, expect, onTestFinished, test } from 'vitest';
import { backendKinds, openMemory, sharedRedis, START_MS, useBackends } from './backends.ts';
import { hasRedis } from '../support/redis-server.ts';

useBackends();

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

describe.each(backendKinds)('notes on $name', (kind) => {
  test.skipIf(kind.isSkipped)('a note has content, source, time and temporary; the newest comes first', async () => {
    const { memory, advance } = await openMemory(kind);
    const first = await memory.storeNote('w', '用户需要创建表格', 'todo_0', { temporary: true });
    expect(first).toEqual({ content: '用户需要创建表格', source: 'todo_0', time: START_MS, temporary: true });
    await advance(1101);
    await memory.storeNote('w', 'asked the user', 'todo_1', { temporary: false });
    expect(await memory.getNotes('w')).toEqual([
      { content: 'asked the user', source: 'todo_1', time: START_MS + 1101, temporary: false },
      first,
    ]);
    expect(formatNotes(await memory.getNotes('w'))).toBe('1. asked the user\n2. 用户需要创建表格');
  });

  test.skipIf(kind.isSkipped)(
    'at most 100 of each kind are kept, so that temporary notes never push out a permanent one',
    async () => {
      const { memory } = await openMemory(kind);
      await memory.storeNote('w', 'permanent', 'todo_0', { temporary: false });
      for (let index = 0; index < 105; index++) await memory.storeNote('w', `${index}`, 'todo_0', { temporary: true });
      const contents = (await memory.getNotes('w')).map(({ content }) => content);
      expect(contents).toEqual([...Array.from({ length: 100 }, (_, index) => `${104 - index}`), 'permanent']);
    },
  );

  test.skipIf(kind.isSkipped)('a temporary note expires after 30 minutes, a permanent one after 3 days', async () => {
    const { memory, advance } = await openMemory(kind);
    await memory.storeNote('w', 'early', 'todo_0');
    await advance(20 * MINUTE);
    await memory.storeNote('w', 'long', 'todo_1', { temporary: false });
    await memory.storeNote('w', 'late', 'todo_1');
    const contents = async (): Promise<string[]> => (await memory.getNotes('w')).map(({ content }) => content);
    await advance(10 * MINUTE - 5000);
    expect(await contents()).toEqual(['late', 'long', 'early']);
    await advance(5000);
    expect(await contents()).toEqual(['late', 'long']);
    await advance(20 * MINUTE);
    expect(await contents()).toEqual(['long']);
    // A later temporary note does not shorten it.
    await memory.storeNote('w', 'latest', 'todo_2');
    await advance(30 * MINUTE);
    expect(await contents()).toEqual(['long']);
    await advance(3 * DAY - 60 * MINUTE - 5000);
    expect(await contents()).toEqual(['long']);
    await advance(5000);
    expect(await contents()).toEqual([]);
    expect(await memory.listNotes()).toEqual([]);
  });

  test.skipIf(kind.isSkipped)('the key expires with its longest-lived note', async () => {
    const { memory, advance } = await openMemory(kind);
    const left = async (): Promise<number> => (await memory.listNotes())[0]?.expiresInMs ?? -1;
    const near = (expected: number): unknown =>
      expect.toSatisfy((actual: number) => actual <= expected && actual > expected - 5000);
    await memory.storeNote('w', 'a', 'todo_0');
    expect(await left()).toEqual(near(1_800_000));
    await memory.storeNote('w', 'b', 'todo_0', { temporary: false });
    expect(await left()).toEqual(near(3 * DAY));
    await advance(MINUTE);
    await memory.storeNote('w', 'c', 'todo_0');
    expect(await left()).toEqual(near(3 * DAY - MINUTE));
  });

  test.skipIf(kind.isSkipped)('notes of one workflow are invisible to others and to conversations', async () => {
    const { memory } = await openMemory(kind);
    const stream = memory.defineStream({ name: 'chat' });
    await stream.storeNote('w1', 'the secret of one', 'todo_0');
    expect(await stream.getNotes('w2')).toEqual([]);
    expect(await stream.history('w1')).toEqual([]);
    const found = await stream.retrieveRelevantContexts({
      group: 'g',
      query: 'secret',
      includeNotes: true,
      workflowId: 'w2',
    });
    expect(found).toEqual([]);
    expect(await stream.retrieveRelevantContexts({ group: 'g', query: 'secret' })).toEqual([]);
  });

  test.skipIf(kind.isSkipped)('the last argument may be just whether the note is temporary', async () => {
    const { memory, advance } = await openMemory(kind);
    const stream = memory.defineStream({ name: 'chat' });
    expect(await stream.storeNote('w', 'short', 'todo_0', true)).toMatchObject({ temporary: true });
    expect(await stream.storeNote('w', 'long', 'todo_0', false)).toMatchObject({ temporary: false });
    expect(await stream.storeNote('w', 'default', 'todo_0')).toMatchObject({ temporary: true });
    await advance(30 * MINUTE);
    expect((await stream.getNotes('w')).map(({ content }) => content)).toEqual(['long']);
  });

  test.skipIf(kind.isSkipped)('a note with a secret is stored, and the kind of the secret is reported', async () => {
    const { memory } = await openMemory(kind);
    const content = 'the key is AKIAQ7BQ4ZK2M5XWTDEV';
    expect(await memory.storeNote('w', content, 'todo_0')).toMatchObject({ content, secrets: ['AWS access key'] });
    expect(await memory.getNotes('w')).toEqual([expect.not.objectContaining({ secrets: expect.anything() })]);
    expect(await memory.storeNote('w', 'nothing', 'todo_0')).not.toHaveProperty('secrets');
  });

  test.skipIf(kind.isSkipped)('notes of other programs and of newer versions are read with their fields', async () => {
    const { memory } = await openMemory(kind);
    const { backend } = memory;
    const rule = { maxRecords: 9, maxTemporaryRecords: 9, lifetimeMs: DAY, temporaryLifetimeMs: DAY };
    const drafts = ['{"content":"bare","time":', '{"tags":["a"],"content":"newer","source":"s","time":'];
    await listsOf(backend).append(
      'ai:notes:w',
      drafts.map((before) => ({ before, after: '}' })),
      { rule },
    );
    const time = await backend.now();
    expect(await memory.getNotes('w')).toEqual([
      { content: 'newer', source: 's', time: expect.any(Number), temporary: false, fields: { tags: ['a'] } },
      { content: 'bare', source: '', time: expect.toSatisfy((at: number) => at <= time), temporary: false },
    ]);
  });

  test.skipIf(kind.isSkipped)('invalid notes are rejected, and nothing is stored', async () => {
    const { memory } = await openMemory(kind);
    await expect(memory.storeNote('', 'a', 's')).rejects.toMatchObject({ code: 'INVALID_NAME' });
    await expect(memory.storeNote('w', '', 's')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    for (const temporary of ['no', null, 0] as unknown as boolean[])
      await expect(memory.storeNote('w', 'a', 's', { temporary })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    for (const temporary of ['no', null, 0] as unknown as boolean[])
      await expect(memory.storeNote('w', 'a', 's', temporary)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(memory.storeNote('w', 'a', '')).rejects.toMatchObject({ code: 'INVALID_NAME' });
    await expect(memory.storeNote('w', 'x'.repeat(10 * 1024 * 1024), 's')).rejects.toMatchObject({
      code: 'TOO_LARGE',
      message: expect.stringContaining('10485760 bytes, more than 1048576'),
    });
    expect(await memory.listNotes()).toEqual([]);
  });
});

describe.skipIf(!hasRedis)('the keys in Redis', () => {
  test('LRANGE shows only the JSON of the notes, and TTL their lifetime, by the clock of the server', async () => {
    const client = await createClient({ url: sharedRedis().url }).connect();
    onTestFinished(() => client.close());
    await client.flushAll();
    const memory = createMemory({ backend: redis({ url: sharedRedis().url }) });
    onTestFinished(() => memory.close());
    const before = Number(await client.sendCommand(['TIME']).then((time) => (time as unknown as string[])[0]));
    await memory.storeNote('workflow_1234567890_abc123', '用户需要创建表格，但具体内容未确定', 'todo_0', {
      temporary: true,
    });
    const raw = await client.lRange('ai:notes:workflow_1234567890_abc123', 0, -1);
    const time = (JSON.parse(raw[0] ?? '') as { time: number }).time;
    expect(raw).toEqual([
      JSON.stringify({ content: '用户需要创建表格，但具体内容未确定', source: 'todo_0', time, temporary: true }),
    ]);
    expect(Math.abs(time / 1000 - before)).toBeLessThan(60);
    expect(await client.ttl('ai:notes:workflow_1234567890_abc123')).toBeGreaterThan(1790);
    expect(await client.ttl('ai:notes:workflow_1234567890_abc123')).toBeLessThanOrEqual(1800);
  });
});
