/** Cases about the data in Redis: its form, its size, users with few permissions, replicas, and restarts. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createClient } from '@redis/client';
import { createMemory, MemoryError } from '@cairn/memory';
import { listsOf } from '@cairn/memory/testing';
import type { Draft, ListRule, MemoryBackend } from '@cairn/memory';
import { redis } from '@cairn/memory/redis';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hasRedis, startRedis } from '../support/redis-server.ts';
import type { RedisServer } from '../support/redis-server.ts';
import { forever } from './records.ts';

type Client = Awaited<ReturnType<typeof connect>>;

async function server(more: readonly string[] = []): Promise<RedisServer> {
  const started = await startRedis(more);
  onTestFinished(() => started.stop());
  return started;
}

async function connect(url: string): Promise<ReturnType<typeof createClient>> {
  const client = createClient({ url });
  client.on('error', () => undefined);
  await client.connect();
  onTestFinished(() => client.destroy());
  return client as ReturnType<typeof createClient>;
}

function open(url: string): MemoryBackend {
  const backend = redis({ url, timeoutMs: 20_000 });
  onTestFinished(() => backend.close());
  return backend;
}

const DAY = 24 * 3_600_000;
const monthly: ListRule = { ...forever, lifetimeMs: 30 * DAY, temporaryLifetimeMs: 30 * DAY };
const place = { stream: 's', group: 'g' };
const k = 'ai:memory:s:g';

const draft = (text: string, timeMs?: number): Draft => ({
  before: `{"content":"${text}","time":`,
  after: '}',
  timeMs,
});
const drafts = (count: number, timeOf: (index: number) => number | undefined = () => undefined): Draft[] =>
  Array.from({ length: count }, (_, index) => draft(`${index} ${'lorem ipsum '.repeat(8)}`, timeOf(index)));

async function codeOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => 'done',
    (error: unknown) => (MemoryError.isInstance(error) ? error.code : error),
  );
}

const isNumbering = (record: string): boolean => record.startsWith('{"cairn:sequences":');

describe.skipIf(!hasRedis)('the data in Redis', () => {
  test('notes and short lists are just their records, newest first', async () => {
    const one = await server();
    const client = await connect(one.url);
    const memory = createMemory({ backend: redis({ url: one.url }) });
    onTestFinished(() => memory.close());
    for (let index = 0; index < 220; index++) await memory.storeNote('w', `note ${index}`, 'todo_0', true);
    await memory.storeNote('w', 'kept', 'todo_0', false);
    const notes = await client.lRange('ai:notes:w', 0, -1);
    expect(notes).toHaveLength(101);
    expect(notes.map((note) => (JSON.parse(note) as { content: unknown }).content).slice(0, 2)).toEqual([
      'kept',
      'note 219',
    ]);
    for (let index = 0; index < 60; index++) await memory.messages.add(place, { content: `${index}` });
    const messages = await client.lRange(k, 0, -1);
    expect(messages).toHaveLength(50);
    expect(messages.filter((record) => isNumbering(record))).toEqual([]);
    expect(await client.keys('*')).toHaveLength(2);
  });

  test('a record that another program pushes is read, and gives a long list another epoch', async () => {
    const one = await server();
    const [backend, client] = [open(one.url), await connect(one.url)];
    await listsOf(backend).append(k, drafts(400), { rule: monthly });
    expect((await client.lRange(k, 0, -1)).filter((record) => isNumbering(record))).toHaveLength(1);
    const before = await backend.changes(k);
    expect(before.count).toBe(400);
    const foreign = '{"message":"hello","time":1}';
    const changesOf: readonly ((client: Client) => Promise<unknown>)[] = [
      (raw) => raw.lPush(k, foreign),
      (raw) => raw.rPush(k, foreign),
      (raw) => raw.lPop(k),
      (raw) => raw.rPop(k),
      async (raw) => {
        await raw.lPop(k);
        await raw.lPush(k, foreign);
      },
      (raw) => raw.lTrim(k, 0, 380),
      async (raw) => raw.lRem(k, 1, (await raw.lIndex(k, 200)) ?? ''),
    ];
    for (const change of changesOf) {
      const { epoch, sequence: after } = await backend.changes(k);
      await change(client);
      const raw = (await client.lRange(k, 0, -1)).filter((record) => !isNumbering(record));
      const now = await backend.changes(k, { epoch, after, limit: 10_000 });
      expect(now.epoch).not.toBe(epoch);
      expect(await backend.fetch(k, epoch, [1, 200])).toEqual([undefined, undefined]);
      expect(await listsOf(backend).list(k)).toEqual(raw);
      await listsOf(backend).append(k, [draft('ours')], { rule: forever });
      const later = await backend.changes(k, { limit: 10_000 });
      expect([epoch, now.epoch]).not.toContain(later.epoch);
      expect(later.records.map(({ record }) => record).toReversed()).toEqual(await listsOf(backend).list(k));
    }
  });

  test('records of a long list that a clock wrote too early expire in the middle, and cost no other record its place', async () => {
    let now = 1_703_123_456_789;
    const hour = 3_600_000;
    const backend = redis({ url: (await server()).url, clock: () => now });
    onTestFinished(() => backend.close());
    const rule = { ...forever, maxRecords: 300, lifetimeMs: 2 * hour, temporaryLifetimeMs: 2 * hour };
    await listsOf(backend).append(k, drafts(300), { rule });
    now -= hour;
    await listsOf(backend).append(k, drafts(10), { rule });
    expect((await backend.changes(k)).count).toBe(300);
    now += 2 * hour + 60_000;
    expect(await listsOf(backend).list(k)).toHaveLength(290);
    await listsOf(backend).append(k, drafts(5), { rule });
    expect(await listsOf(backend).list(k)).toHaveLength(295);
    expect((await backend.changes(k)).count).toBe(295);
  });

  test('a record cannot look like the numbering of a list', async () => {
    const backend = open((await server()).url);
    const record = { before: '{"cairn:sequences":"x","time":', after: '}' };
    expect(await codeOf(listsOf(backend).append(k, [record], { rule: forever }))).toBe('INVALID_INPUT');
    expect(await backend.keys('')).toEqual([]);
  });

  test('an import of 10,000 older messages between 10,000 never holds the server for long', async () => {
    const one = await server();
    const [backend, client] = [open(one.url), await connect(one.url)];
    const now = await backend.now();
    const timeOf = (index: number): number => now - 20 * DAY + index * 100_000;
    const add = async (all: readonly Draft[]): Promise<void> => {
      for (let start = 0; start < all.length; start += 200) {
        await listsOf(backend).append(k, all.slice(start, start + 200), { rule: monthly });
      }
    };
    await add(drafts(10_000, timeOf));
    await client.configResetStat();
    await add(drafts(10_000, (index) => timeOf(index) + 50_000));
    // The number of commands in the scripts stands for their time: a call looks up its times, and writes in arrays of 1,000.
    const calls = [...(await client.info('commandstats')).matchAll(/^cmdstat_(\w+):calls=(\d+)/gmu)];
    const counts = Object.fromEntries(calls.map(([, name, count]) => [name, Number(count)]));
    expect(counts['evalsha']).toBe(50);
    expect(counts['lindex']).toBeLessThan(50 * 200 * 20);
    expect((counts['lpush'] ?? 0) + (counts['rpush'] ?? 0)).toBeLessThan(50 * 30);
    expect(counts['lrange']).toBeLessThan(50 * 30);
    await listsOf(backend).append(k, [draft('a', timeOf(5000) + 1), draft('b', timeOf(5000) + 2), draft('c', timeOf(4000))], {
      rule: monthly,
    });
    const times = (await listsOf(backend).list(k)).map((one) => (JSON.parse(one) as { time: number }).time);
    expect(times).toHaveLength(20_003);
    expect(times).toEqual(times.toSorted((a, b) => b - a));
  });

  test('keys of every type, also large ones, are listed, and none of them is an error', async () => {
    const one = await server();
    const [backend, client] = [open(one.url), await connect(one.url)];
    await client.set('ai:string', 'x');
    await client.hSet('ai:hash', 'cairn', 'not a table');
    await client.sAdd('ai:set', 'a');
    await client.zAdd('ai:sorted', { score: 1, value: 'a' });
    await client.xAdd('ai:stream', '*', { a: 'b' });
    await client.setBit('ai:bits', 100_000_000, 1);
    await client.eval("for index = 1, 200000 do redis.call('HSET', 'ai:large', index, index) end");
    await client.rPush('ai:list', ['{"cairn:sequences":', '{"cairn:sequences":"x"}']);
    await backend.change('ai:table', { rows: [{ id: 'a', expected: undefined, next: '1' }] });
    const kinds = (await backend.keys('ai:')).map(({ key, kind }) => [key, kind]);
    expect(Object.fromEntries(kinds)).toEqual({
      'ai:string': 'document',
      'ai:bits': 'document',
      'ai:hash': 'other',
      'ai:set': 'other',
      'ai:sorted': 'other',
      'ai:stream': 'other',
      'ai:large': 'other',
      'ai:list': 'list',
      'ai:table': 'table',
    });
    const calls = (key: string): Promise<unknown>[] => [
      backend.changes(key),
      backend.fetch(key, 'x', [1]),
      backend.sequences(key),
      backend.rows(key, ['a']),
      backend.change(key, { rows: [{ id: 'a', expected: undefined, next: '1' }] }),
      listsOf(backend).append(key, [draft('x')], { rule: forever }),
      listsOf(backend).remove(key, 'all'),
      listsOf(backend).read(key),
    ];
    for (const key of ['ai:hash', 'ai:set', 'ai:sorted', 'ai:stream', 'ai:large']) {
      expect(new Set(await Promise.all(calls(key).map((call) => codeOf(call)))), key).toEqual(
        new Set(['CORRUPT_RECORD']),
      );
    }
    expect(await client.hLen('ai:large')).toBe(200_000);
  });

  test('a table that is changed often stays small, and a follower misses no change', async () => {
    const backend = open((await server()).url);
    const key = 'ai:facts:user';
    const rows = new Map<string, string>();
    const known = new Map<string, string>();
    let [epoch, after] = ['', 0];
    await backend.change(key, { rows: [{ id: 'never changed', expected: undefined, next: 'first' }] });
    rows.set('never changed', 'first');
    for (let round = 0; round < 150; round++) {
      const changes = Array.from({ length: 200 }, (_, index) => {
        const id = `${(round * 7 + index) % 5 === 0 ? index : (round * 31 + index) % 40}`;
        return { id, next: (round + index) % 9 === 0 ? undefined : `${round}:${index}` };
      });
      const last = new Map(changes.map(({ id, next }) => [id, next]));
      const write = [...last].map(([id, next]) => ({ id, next, expected: rows.get(id), unique: `hash of ${id}` }));
      const result = await backend.change(key, { rows: write });
      expect(result.isDone).toBe(true);
      for (const [id, next] of last)
        if (next === undefined) rows.delete(id);
        else rows.set(id, next);
      for (;;) {
        const page = await backend.changes(key, { epoch, after, limit: 50 });
        ({ epoch } = page);
        for (const { id = '', record, sequence } of page.records) {
          known.set(id, record);
          after = sequence;
        }
        if (page.records.length < 50) break;
      }
      for (const [id, record] of rows) expect(known.get(id), id).toBe(record);
    }
    expect((await backend.changes(key)).count).toBe(rows.size);
    const { sequences } = await backend.sequences(key);
    expect(sequences).toHaveLength(rows.size);
    // Without the moves there would be a gap for each of the changes.
    expect((sequences.at(-1) ?? 0) - (sequences[0] ?? 0)).toBeLessThan(5000 + 4 * rows.size);
    expect(await backend.rows(key, [...rows.keys()])).toMatchObject([...rows].map(([id, record]) => ({ id, record })));
  });
});

describe.skipIf(!hasRedis)('a user with the permissions of the hint', () => {
  test('can do everything, and without one of them the error shows the hint', async () => {
    const one = await server();
    const admin = await connect(one.url);
    const few = redis({ url: one.url.replace('//', '//few:p@') });
    onTestFinished(() => few.close());
    await admin.sendCommand(['ACL', 'SETUSER', 'few', 'on', '>p', '~ai:*', '+eval', '+evalsha', '+scan']);
    const error: unknown = await few.append(k, [draft('x')], { rule: forever }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'STORE_DENIED', isDone: false });
    const rules = /ACL SETUSER <user> (?<rules>.*)\.$/u.exec(String((error as MemoryError).message))?.groups?.['rules'];
    expect(rules).toBeDefined();
    await admin.sendCommand(['ACL', 'SETUSER', 'most', 'on', '>p', ...(rules ?? '').split(' ')]);
    const backend = open(`${one.url.replace('//', '//most:p@')}/1`);
    await listsOf(backend).append(k, drafts(300), { rule: monthly });
    await listsOf(backend).append(k, [draft('old', (await backend.now()) - 1000)], { rule: monthly });
    const [newest = ''] = await listsOf(backend).list(k, { limit: 1 });
    expect(await listsOf(backend).remove(k, [newest])).toBe(1);
    const { epoch } = await backend.changes(k);
    expect(await backend.fetch(k, epoch, [1])).toHaveLength(1);
    await listsOf(backend).swap('ai:workflow:w', { expected: undefined, next: 'x', ttlMs: DAY });
    await backend.change('ai:facts:user', { rows: [{ id: 'a', expected: undefined, next: '1', unique: 'u' }] });
    await backend.change('ai:facts:user', { rows: [{ id: 'a', expected: '1', next: '2' }] });
    expect((await backend.keys('ai:')).map(({ bytes }) => (bytes ?? 0) > 0)).toEqual([true, true, true]);
    expect(await listsOf(backend).remove(k, 'all')).toBe(300);
    expect(await backend.erase()).toBe('log');
    expect(await codeOf(listsOf(backend).read('other:key'))).toBe('STORE_DENIED');
  });
});

describe.skipIf(!hasRedis)('a read-only replica', () => {
  test('answers every call that reads, and rejects writes', async () => {
    const primary = await server(['--repl-diskless-sync-delay', '0']);
    const replica = await server(['--replicaof', '127.0.0.1', `${primary.port}`]);
    const [writing, reading] = [open(primary.url), open(replica.url)];
    await writing.append(k, drafts(400), { rule: monthly });
    await writing.append('ai:memory:s:short', drafts(3), { rule: monthly });
    await writing.change('ai:facts:user', { rows: [{ id: 'a', expected: undefined, next: '1' }] });
    const raw = await connect(primary.url);
    await raw.lPush(
      'ai:memory:s:foreign',
      Array.from({ length: 400 }, (_, index) => `{"message":"${index}","time":5}`),
    );
    await expect.poll(async () => reading.keys('ai:').catch(() => [])).toHaveLength(4);
    for (const key of [k, 'ai:memory:s:short', 'ai:memory:s:foreign', 'ai:facts:user']) {
      const page = await reading.changes(key, { limit: 10_000 });
      const { epoch, sequences } = await reading.sequences(key);
      expect([epoch, sequences]).toEqual([page.epoch, page.records.map(({ sequence }) => sequence)]);
      expect(await reading.fetch(key, epoch, sequences)).toEqual(page.records.map(({ record }) => record));
    }
    expect((await reading.changes(k)).epoch).toBe((await writing.changes(k)).epoch);
    expect(await reading.rows('ai:facts:user', ['a'])).toMatchObject([{ record: '1' }]);
    const memory = createMemory({ backend: reading });
    expect(await memory.recall({ stream: 's', group: 'foreign', query: '399' })).toBeDefined();
    const writes = [
      reading.append(k, [draft('x')], { rule: monthly }),
      reading.remove(k, 'all'),
      reading.change('ai:facts:user', { rows: [{ id: 'a', expected: '1', next: '2' }] }),
      reading.swap('ai:workflow:w', { expected: undefined, next: 'x', ttlMs: DAY }),
    ];
    for (const write of writes) expect(await codeOf(write)).toBe('STORE_DENIED');
    expect((await writing.changes(k)).count).toBe(400);
  });
});

describe.skipIf(!hasRedis)('a server that ends', () => {
  test('after a restart that lost writes, no sequence has another record', async () => {
    const one = await server();
    const [backend, client] = [open(one.url), await connect(one.url)];
    const table = 'ai:facts:user';
    await listsOf(backend).append(k, drafts(300), { rule: forever });
    await backend.change(table, { rows: [{ id: 'a', expected: undefined, next: 'kept' }] });
    await client.sendCommand(['SAVE']);
    await listsOf(backend).append(k, [draft('lost')], { rule: forever });
    await backend.change(table, { rows: [{ id: 'b', expected: undefined, next: 'lost' }] });
    const lists = await backend.changes(k, { limit: 10_000 });
    const rows = await backend.changes(table);
    await one.restart();
    const again = async (): Promise<unknown> => listsOf(backend).append(k, [draft('other')], { rule: forever });
    await expect.poll(async () => codeOf(again())).toBe('done');
    await backend.change(table, { rows: [{ id: 'b', expected: undefined, next: 'other' }] });
    for (const [key, { epoch, sequence }] of [
      [k, lists],
      [table, rows],
    ] as const) {
      expect([undefined]).toEqual(await backend.fetch(key, epoch, [sequence]));
      const { records } = await backend.changes(key, { epoch, after: sequence, limit: 10_000 });
      expect(records.some(({ record }) => record.includes('other'))).toBe(true);
      expect(records.some(({ record }) => record.includes('lost'))).toBe(false);
    }
    // A change that requires the sequence of before is rejected.
    const change = { rows: [{ id: 'c', expected: undefined, next: 'x' }], sequence: rows.sequence };
    expect(await backend.change(table, change)).toMatchObject({ isDone: false });
  });

  test('killed during any call: only coded errors, acknowledged writes are present, and each key has its expiry', async () => {
    const one = await server(['--appendonly', 'yes', '--appendfsync', 'always']);
    const backend = redis({ url: one.url, timeoutMs: 5000 });
    onTestFinished(() => backend.close());
    const now = await backend.now();
    await listsOf(backend).append(
      k,
      drafts(300, (index) => now - DAY + index * 1000),
      { rule: monthly },
    );
    const acknowledged = new Set<string>();
    const codes = new Set<unknown>();
    const attempt = async (name: string, call: () => Promise<unknown>): Promise<void> => {
      const code = await codeOf(call());
      codes.add(code);
      if (code === 'done') acknowledged.add(name);
    };
    for (let round = 0; round < 4; round++) {
      let index = 0;
      let restarting: Promise<void> | undefined;
      let isUp = false;
      const target = acknowledged.size + 60;
      // Several callers, so that a call is under way on each of the kinds when the server is killed.
      const caller = async (): Promise<void> => {
        while (!isUp) {
          const name = `${round}-${index++}`;
          const kinds: readonly (() => Promise<unknown>)[] = [
            () => listsOf(backend).append(k, [draft(name)], { rule: monthly }),
            () => listsOf(backend).append(k, [draft(name, now - DAY / 2 + index)], { rule: monthly }),
            () =>
              backend.change('ai:facts:user', { rows: [{ id: name, expected: undefined, next: name, unique: name }] }),
            () => listsOf(backend).swap(`ai:workflow:${name}`, { expected: undefined, next: name, ttlMs: DAY }),
            () => backend.keys('ai:memory'),
            () => backend.changes(k, { limit: 50 }),
          ];
          await attempt(name, kinds[(index - 1) % kinds.length] as () => Promise<unknown>);
          if (acknowledged.size < target || restarting) continue;
          restarting = one.restart().then(() => {
            isUp = true;
          });
        }
      };
      await Promise.all(Array.from({ length: 12 }, caller));
      await restarting;
      await expect.poll(async () => codeOf(backend.now())).toBe('done');
    }
    expect([...codes].filter((code) => code !== 'done' && code !== 'STORE_UNAVAILABLE')).toEqual([]);
    const records = (await listsOf(backend).list(k)).map(
      (one) => (JSON.parse(one) as { content: string }).content,
    );
    const infos = await backend.keys('ai:');
    const isPresent = async (name: string): Promise<boolean> => {
      const kind = Number(name.split('-')[1]) % 6;
      if (kind < 2) return records.includes(name);
      if (kind === 2) return (await backend.rows('ai:facts:user', [name]))[0]?.record === name;
      return kind > 3 || (await listsOf(backend).read(`ai:workflow:${name}`)) === name;
    };
    for (const name of acknowledged) expect(await isPresent(name), name).toBe(true);
    expect(acknowledged.size).toBeGreaterThanOrEqual(240);
    expect(codes).toContain('STORE_UNAVAILABLE');
    for (const { key, expiresInMs } of infos) expect(expiresInMs === undefined, key).toBe(key === 'ai:facts:user');
    const { sequences } = await backend.sequences(k);
    expect(sequences).toHaveLength(records.length);
  });

  test('a client that is killed leaves every list whole', async () => {
    const one = await server();
    const backend = open(one.url);
    const code = `
      const { redis } = await import(${JSON.stringify(import.meta.resolve('@cairn/memory/redis'))});
      const backend = redis({ url: ${JSON.stringify(one.url)} });
      const rule = { maxRecords: 300, maxTemporaryRecords: Infinity, lifetimeMs: 1e9, temporaryLifetimeMs: 1e9 };
      for (let index = 0; ; index++) {
        const own = index % 3 === 0 ? Date.now() - 1000 * (index % 50) : undefined;
        await listsOf(backend).append('${k}', [{ before: '{"content":"' + index + '","time":', after: '}', timeMs: own }], { rule });
        await backend.change('ai:facts:user', { rows: [{ id: String(index % 30), expected: index < 30 ? undefined : String(index - 30), next: String(index) }] });
        if (index === 400) process.stdout.write('running');
      }`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    const listed = await listsOf(backend).list(k);
    const page = await backend.changes(k, { limit: 1000 });
    expect([listed.length, page.count]).toEqual([300, 300]);
    expect(new Set(page.records.map(({ record }) => record))).toEqual(new Set(listed));
    expect((await backend.keys(k))[0]?.expiresInMs).toBeGreaterThan(0);
    const table = await backend.changes('ai:facts:user');
    expect([table.count, table.records.length]).toEqual([30, 30]);
    expect(await backend.changes('ai:facts:user', { epoch: table.epoch, after: table.sequence })).toMatchObject({
      records: [],
    });
  });
});
