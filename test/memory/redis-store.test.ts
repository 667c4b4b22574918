/** Cases about the data in Redis: its form, its size, users with few permissions, replicas, and restarts. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createClient } from '@redis/client';
import { createMemory, MemoryError } from '@cairn/memory';
import type { MemoryBackend } from '@cairn/memory';
import { listsOf } from '@cairn/memory/testing';
import type { Draft, ListRule } from '@cairn/memory/testing';
import { redis } from '@cairn/memory/redis';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hasRedis, startRedis } from '../support/redis-server.ts';
import type { RedisServer } from '../support/redis-server.ts';
import { forever } from './records.ts';

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
  text,
});
const drafts = (count: number, timeOf: (index: number) => number | undefined = () => undefined): Draft[] =>
  Array.from({ length: count }, (_, index) => draft(`${index} ${'lorem ipsum '.repeat(8)}`, timeOf(index)));

async function codeOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => 'done',
    (error: unknown) => (MemoryError.isInstance(error) ? error.code : error),
  );
}

describe.skipIf(!hasRedis)('the data in Redis', () => {
  test('notes are a list of their records too, newest first, and everything else has a prefix of its own', async () => {
    const one = await server();
    const client = await connect(one.url);
    const memory = createMemory({ backend: redis({ url: one.url }) });
    onTestFinished(() => memory.close());
    for (let index = 0; index < 220; index++) await memory.storeNote('w', `note ${index}`, 'todo_0', true);
    await memory.storeNote('w', 'kept', 'todo_0', false);
    const notes = await client.lRange('ai:notes:w', 0, -1);
    expect(notes).toHaveLength(101);
    const contents = notes.map((note) => (JSON.parse(note) as { content: unknown }).content);
    expect(contents.slice(0, 2)).toEqual(['kept', 'note 219']);
    expect(contents).toEqual((await memory.getNotes('w')).map(({ content }) => content));
    expect(await client.pTTL('ai:notes:w')).toBeGreaterThan(2 * DAY);
    for (let index = 0; index < 60; index++) await memory.messages.add(place, { content: `${index}` });
    expect(await memory.messages.history(place)).toHaveLength(50);
    const others = (await client.keys('*')).filter((key) => !key.startsWith('cairn:5:{ai:'));
    expect(others).toEqual(['ai:notes:w']);
    await memory.removeNotes('w');
    expect(await client.exists('ai:notes:w')).toBe(0);
  });

  test('a list of notes that another program wrote is left alone', async () => {
    const one = await server();
    const client = await connect(one.url);
    const memory = createMemory({ backend: redis({ url: one.url }) });
    onTestFinished(() => memory.close());
    await client.lPush('ai:notes:w', 'theirs');
    await memory.storeNote('w', 'ours', 's');
    expect((await memory.getNotes('w')).map(({ content }) => content)).toEqual(['ours']);
    await memory.removeNotes('w');
    expect(await client.lRange('ai:notes:w', 0, -1)).toEqual(['theirs']);
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
    // The number of commands in the scripts stands for their time: some for each row, and two for each of its terms.
    const calls = [...(await client.info('commandstats')).matchAll(/^cmdstat_(\w+):calls=(\d+)/gmu)];
    const counts = Object.fromEntries(calls.map(([, name, count]) => [name, Number(count)]));
    expect(counts['evalsha']).toBe(50);
    expect(counts['zadd']).toBe(3 * 10_000);
    expect((counts['hget'] ?? 0) + (counts['hset'] ?? 0)).toBeLessThan(10_000 * 20);
    await listsOf(backend).append(
      k,
      [draft('a', timeOf(5000) + 1), draft('b', timeOf(5000) + 2), draft('c', timeOf(4000))],
      {
        rule: monthly,
      },
    );
    const times = (await listsOf(backend).list(k)).map((one) => (JSON.parse(one) as { time: number }).time);
    expect(times).toHaveLength(20_003);
    expect(times).toEqual(times.toSorted((a, b) => b - a));
  });

  test('a value of another type under a key of the store is listed, and every call for it is an error', async () => {
    const one = await server();
    const [backend, client] = [open(one.url), await connect(one.url)];
    await client.set('cairn:5:{ai:string}', 'x');
    await client.sAdd('cairn:5:{ai:set}', 'a');
    await client.set('ai:other', 'of another program');
    await backend.change('ai:table', { rows: [{ id: 'a', next: '1' }] });
    const infos = (await backend.keys('ai:')).map(({ key, records }) => [key, records]);
    expect(Object.fromEntries(infos)).toEqual({ 'ai:string': 0, 'ai:set': 0, 'ai:table': 1 });
    for (const key of ['ai:string', 'ai:set']) {
      const calls = [
        backend.page(key, { order: 'written' }),
        backend.rows(key, ['a']),
        backend.postings(key, ['a']),
        backend.change(key, { rows: [{ id: 'a', next: '1' }] }),
        backend.change(key, { removes: ['a'] }),
      ];
      expect(new Set(await Promise.all(calls.map((call) => codeOf(call)))), key).toEqual(new Set(['CORRUPT_RECORD']));
    }
    expect(await client.get('cairn:5:{ai:string}')).toBe('x');
  });

  test('a follower of a table that is changed often misses no change', async () => {
    const backend = open((await server()).url);
    const key = 'ai:facts:user';
    const rows = new Map([['never changed', 'first']]);
    const known = new Map<string, string>();
    let after = 0;
    await backend.change(key, { rows: [{ id: 'never changed', next: 'first' }] });
    for (let round = 0; round < 150; round++) {
      const changes = Array.from({ length: 200 }, (_, index) => {
        const id = `${(round * 7 + index) % 5 === 0 ? index : (round * 31 + index) % 40}`;
        return { id, next: (round + index) % 9 === 0 ? undefined : `${round}:${index}` };
      });
      const last = new Map(changes.map(({ id, next }) => [id, next]));
      const write = [...last].map(([id, next]) => ({ id, next, expected: rows.get(id), unique: `hash of ${id}` }));
      expect((await backend.change(key, { rows: write })).isDone).toBe(true);
      for (const [id, next] of last)
        if (next === undefined) rows.delete(id);
        else rows.set(id, next);
      for (let hasMore = true; hasMore;) {
        const page = await backend.page(key, { order: 'written', after, limit: 50 });
        for (const { id, text, sequence } of page.rows) {
          known.set(id, text);
          after = sequence;
        }
        ({ hasMore } = page);
      }
      for (const [id, text] of rows) expect(known.get(id), id).toBe(text);
    }
    expect((await backend.page(key, { order: 'written' })).count).toBe(rows.size);
    expect(await backend.rows(key, [...rows.keys()])).toMatchObject([...rows].map(([id, text]) => ({ id, text })));
  });
});

describe.skipIf(!hasRedis)('a user with the permissions of the hint', () => {
  test('can do everything, and without one of them the error shows the hint', async () => {
    const one = await server();
    const admin = await connect(one.url);
    const few = redis({ url: one.url.replace('//', '//few:p@') });
    onTestFinished(() => few.close());
    await admin.sendCommand(['ACL', 'SETUSER', 'few', 'on', '>p', '~cairn:*', '+eval', '+evalsha', '+scan']);
    const error: unknown = await listsOf(few)
      .append(k, [draft('x')], { rule: forever })
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'STORE_DENIED', isDone: false });
    const rules = /ACL SETUSER <user> (?<rules>.*)\.$/u.exec(String((error as MemoryError).message))?.groups?.['rules'];
    expect(rules).toBeDefined();
    await admin.sendCommand(['ACL', 'SETUSER', 'most', 'on', '>p', ...(rules ?? '').split(' ')]);
    const backend = open(`${one.url.replace('//', '//most:p@')}/1`);
    await listsOf(backend).append(k, drafts(300), { rule: monthly });
    await listsOf(backend).append(k, [draft('old', (await backend.now()) - 1000)], { rule: monthly });
    const [newest = ''] = await listsOf(backend).list(k, { limit: 1 });
    expect(await listsOf(backend).remove(k, [newest])).toBe(1);
    expect((await backend.postings(k, ['lorem'])).postings[0]).not.toEqual([]);
    expect(await Array.fromAsync(backend.terms(k))).toHaveLength(1);
    await listsOf(backend).swap('ai:workflow:w', { expected: undefined, next: 'x', ttlMs: DAY });
    await backend.change('ai:facts:user', { rows: [{ id: 'a', expected: undefined, next: '1', unique: 'u' }] });
    await backend.change('ai:facts:user', { rows: [{ id: 'a', expected: '1', next: '2' }] });
    expect((await backend.keys('ai:')).map(({ bytes }) => (bytes ?? 0) > 0)).toEqual([true, true, true]);
    expect(await listsOf(backend).remove(k, 'all')).toBe(300);
    expect(await backend.erase()).toBe('log');
    const direct = await connect(`${one.url.replace('//', '//most:p@')}/1`);
    await expect(direct.get('other:key')).rejects.toThrow('NOPERM');
  });
});

describe.skipIf(!hasRedis)('a read-only replica', () => {
  test('answers every call that reads, and rejects writes', async () => {
    const primary = await server(['--repl-diskless-sync-delay', '0']);
    const replica = await server(['--replicaof', '127.0.0.1', `${primary.port}`]);
    const [writing, reading] = [open(primary.url), open(replica.url)];
    await listsOf(writing).append(k, drafts(400), { rule: monthly });
    await listsOf(writing).append('ai:memory:s:short', drafts(3), { rule: monthly });
    await writing.change('ai:facts:user', { rows: [{ id: 'a', next: '1' }] });
    await expect.poll(async () => reading.keys('ai:').catch(() => [])).toHaveLength(3);
    for (const key of [k, 'ai:memory:s:short', 'ai:facts:user']) {
      const page = await writing.page(key, { order: 'written' });
      expect(await reading.page(key, { order: 'written' })).toEqual(page);
      const sequences = page.rows.map(({ sequence }) => sequence);
      expect(await reading.rows(key, sequences)).toEqual(page.rows);
    }
    const memory = createMemory({ backend: reading });
    expect((await memory.recall({ stream: 's', group: 'g', query: '399' })).contexts).toHaveLength(1);
    const writes = [
      listsOf(reading).append(k, [draft('x')], { rule: monthly }),
      listsOf(reading).remove(k, 'all'),
      reading.change('ai:facts:user', { rows: [{ id: 'a', expected: '1', next: '2' }] }),
      listsOf(reading).swap('ai:workflow:w', { expected: undefined, next: 'x', ttlMs: DAY }),
    ];
    for (const write of writes) expect(await codeOf(write)).toBe('STORE_DENIED');
    expect((await writing.page(k, { order: 'written' })).count).toBe(400);
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
    const positions = [await backend.page(k, { order: 'written' }), await backend.page(table, { order: 'written' })];
    await one.restart();
    const again = async (): Promise<unknown> => listsOf(backend).append(k, [draft('other')], { rule: forever });
    await expect.poll(async () => codeOf(again())).toBe('done');
    await backend.change(table, { rows: [{ id: 'b', next: 'other' }] });
    for (const [index, key] of [k, table].entries()) {
      const { sequence: after = 0 } = positions[index] ?? {};
      expect(await backend.rows(key, [after])).toEqual([undefined]);
      const { rows } = await backend.page(key, { order: 'written', after });
      expect(rows.some(({ text }) => text.includes('other'))).toBe(true);
    }
    // A change that requires the sequence of before is rejected.
    const change = { rows: [{ id: 'c', next: 'x' }], sequence: positions[1]?.sequence };
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
            () => backend.page(k, { order: 'written', limit: 50 }),
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
    const records = (await listsOf(backend).list(k)).map((one) => (JSON.parse(one) as { content: string }).content);
    const infos = await backend.keys('ai:');
    const isPresent = async (name: string): Promise<boolean> => {
      const kind = Number(name.split('-')[1]) % 6;
      if (kind < 2) return records.includes(name);
      if (kind === 2) return (await backend.rows('ai:facts:user', [name]))[0]?.text === name;
      return kind > 3 || (await listsOf(backend).read(`ai:workflow:${name}`)) === name;
    };
    for (const name of acknowledged) expect(await isPresent(name), name).toBe(true);
    expect(acknowledged.size).toBeGreaterThanOrEqual(240);
    expect(codes).toContain('STORE_UNAVAILABLE');
    for (const { key, expiresInMs } of infos) expect(expiresInMs === undefined, key).toBe(key === 'ai:facts:user');
    expect((await backend.page(k, { order: 'written' })).count).toBe(records.length);
  });

  test('a client that is killed leaves every list whole', async () => {
    const one = await server();
    const backend = open(one.url);
    const code = `
      const { redis } = await import(${JSON.stringify(import.meta.resolve('@cairn/memory/redis'))});
      const { listsOf } = await import(${JSON.stringify(import.meta.resolve('@cairn/memory/testing'))});
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
    const page = await backend.page(k, { order: 'written' });
    expect([listed.length, page.count]).toEqual([300, 300]);
    expect(new Set(page.rows.map(({ text }) => text))).toEqual(new Set(listed));
    expect((await backend.keys(k))[0]?.expiresInMs).toBeGreaterThan(0);
    const table = await backend.page('ai:facts:user', { order: 'written' });
    expect([table.count, table.rows.length]).toEqual([30, 30]);
  });
});
