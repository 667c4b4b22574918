/** Whatever happens to the store, each public call succeeds or fails with a coded error, within its time. */
import { copyFileSync, mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { createMemory } from '@cairn/memory';
import type { Memory } from '@cairn/memory';
import { memory as inProcess } from '@cairn/memory/memory';
import { redis } from '@cairn/memory/redis';
import { sqlite } from '@cairn/memory/sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { freePort, hasRedis, startRedis } from '../support/redis-server.ts';
import { temporaryDirectory } from '../support/tree.ts';
import { everyCall, fillMemory, functionsOf, outcomeOf } from './every-call.ts';

const names = Object.keys(everyCall);
const TIMEOUT_MS = 150;
/** The answers of the server before it goes away: more than any call needs at the end. */
const POINTS = [0, 1, 2, 3, 4, 5, 7, 9];

test('the table of calls has every public function of a memory', async () => {
  const memory = createMemory({ backend: inProcess(), project: 'p' });
  expect(await functionsOf(memory)).toEqual(names.toSorted());
});

test('every call works, so that the tests of faults reach the store', async () => {
  const memory = createMemory({ backend: inProcess(), project: 'p' });
  await fillMemory(memory);
  const own = { stream: 'UNKNOWN_STREAM', 'stream().execute': 'UNKNOWN_FUNCTION', backup: 'STORE_UNSUPPORTED' };
  const failed: Record<string, string> = {};
  for (const name of names.filter((one) => one !== 'close')) {
    const each = createMemory({ backend: memory.backend, project: 'p' });
    await fillMemory(each);
    const outcome = await outcomeOf(each, name);
    if (outcome !== 'done') failed[name] = outcome;
  }
  expect(failed).toEqual(own);
});

/** Runs every call on its own memory, and returns the outcomes that have no code. */
async function rawOutcomes(open: () => Promise<Memory> | Memory): Promise<Record<string, string>> {
  const raw: Record<string, string> = {};
  for (const name of names) {
    const memory = await open();
    const outcome = await outcomeOf(memory, name);
    if (outcome.startsWith('raw')) raw[name] = outcome;
    await memory.close();
  }
  return raw;
}

describe.skipIf(!hasRedis)('with Redis', () => {
  const options = { timeoutMs: TIMEOUT_MS };

  test('that is not there, no call fails without a code', async () => {
    const url = `redis://127.0.0.1:${await freePort()}`;
    const outcomes = await Promise.all(
      names.map(async (name) => {
        const memory = createMemory({ backend: redis({ url, ...options }), project: 'p' });
        const outcome = await outcomeOf(memory, name);
        await memory.close();
        return [name, outcome] as const;
      }),
    );
    expect(outcomes.filter(([, outcome]) => outcome.startsWith('raw'))).toEqual([]);
    // No call that needs the store claims that it was done.
    const done = outcomes.filter(([, outcome]) => outcome === 'done').map(([name]) => name);
    expect(done.toSorted()).toEqual(
      [
        'close',
        'defineStream',
        'graph',
        'namespace',
        'namespace().storeKey',
        'stream().buildFunctionsPrompt',
        'stream().buildSystemPrompt',
        'stream().buildTodoPrompt',
        'streamNames',
      ].toSorted(),
    );
  });

  /** A server that goes away after a number of answers of another server. */
  async function cutAfter(port: number, answers: number): Promise<string> {
    const sockets = new Set<Socket>();
    let left = answers;
    const server = createServer((client) => {
      const target = connect(port, '127.0.0.1');
      for (const socket of [client, target]) {
        sockets.add(socket);
        socket.on('error', () => undefined);
      }
      client.pipe(target);
      target.on('data', (data) => {
        left -= 1;
        if (left >= 0) {
          client.write(data);
          return;
        }
        server.close();
        for (const socket of sockets) socket.destroy();
      });
      client.on('close', () => target.destroy());
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.close();
      for (const socket of sockets) socket.destroy();
    });
    return `redis://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  test('that goes away in the middle of a call, after any number of answers, no call fails without a code', async () => {
    const server = await startRedis();
    onTestFinished(() => server.stop());
    const raw: string[] = [];
    const reached = new Set<string>();
    for (const answers of POINTS) {
      const memory = createMemory({ backend: redis({ url: server.url }), project: 'p' });
      await fillMemory(memory);
      await memory.close();
      await Promise.all(
        names.map(async (name) => {
          const url = await cutAfter(server.port, answers);
          const cut = createMemory({ backend: redis({ url, ...options }), project: 'p' });
          const outcome = await outcomeOf(cut, name);
          if (outcome.startsWith('raw')) raw.push(`${name} after ${answers} answers: ${outcome}`);
          if (outcome === 'STORE_UNAVAILABLE') reached.add(`${answers}`);
          await cut.close();
        }),
      );
    }
    expect(raw).toEqual([]);
    // The cut met calls at every point.
    expect(reached.size).toBe(POINTS.length);
  }, 600_000);

  test('with values of other programs under its keys, no call fails without a code', async () => {
    const server = await startRedis();
    onTestFinished(() => server.stop());
    const { createClient } = await import('@redis/client');
    const client = await createClient({ url: server.url }).connect();
    onTestFinished(() => client.close());
    const keys = [
      'ai:memory:s:g',
      'ai:notes:w',
      'ai:workflow:w',
      'ai:graph:default',
      'ai:facts:user',
      'ai:facts:project:p',
      'ai:stream:s',
      'ai:namespace:n:list',
      'ai:namespace:n:document',
      'ai:unknown',
      'ai:quarantine',
      'ai:waiting:s:g',
      'ai:memory',
    ];
    const writes = [
      (key: string) => client.set(key, 'text'),
      (key: string) => client.sAdd(key, 'text'),
      (key: string) => client.hSet(key, 'field', 'text'),
      (key: string) => client.zAdd(key, { score: 1, value: 'text' }),
      (key: string) => client.lPush(key, ['text', '', '\u0000']),
      (key: string) => client.xAdd(key, '*', { field: 'text' }),
    ];
    for (const write of writes) {
      const raw = await rawOutcomes(async () => {
        await client.flushAll();
        for (const key of keys) await write(key);
        return createMemory({ backend: redis({ url: server.url }), project: 'p' });
      });
      expect(raw).toEqual({});
    }
  });
});

describe('with a SQLite file', () => {
  const open = (path: string): Memory => createMemory({ backend: sqlite({ path, busyTimeoutMs: 60 }), project: 'p' });
  const garbage = Buffer.alloc(20_000, 'not a database ');

  const before: readonly (readonly [string, (path: string) => void])[] = [
    ['that is a directory', (path) => mkdirSync(path)],
    ['that is text', (path) => writeFileSync(path, garbage)],
    [
      'of another program',
      (path) => {
        const other = new DatabaseSync(path);
        other.exec('CREATE TABLE theirs (a)');
        other.close();
      },
    ],
    ['in a directory that is a file', (path) => rmSync(path, { force: true })],
  ];
  test.each(before)('%s, no call fails without a code', async (what, damage) => {
    const raw = await rawOutcomes(() => {
      const path = `${temporaryDirectory()}/memory.db`;
      damage(path);
      if (what !== 'in a directory that is a file') return open(path);
      writeFileSync(path, 'x');
      return open(`${path}/memory.db`);
    });
    expect(raw).toEqual({});
  });

  const later: readonly (readonly [string, (path: string) => void])[] = [
    ['is removed', (path) => rmSync(path)],
    ['is emptied', (path) => truncateSync(path, 0)],
    ['is cut', (path) => truncateSync(path, 5000)],
    ['is overwritten', (path) => writeFileSync(path, garbage)],
    [
      'loses its tables',
      (path) => {
        const other = new DatabaseSync(path);
        const tables = other.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'`);
        for (const { name } of tables.all()) other.exec(`DROP TABLE "${String(name)}"`);
        other.close();
      },
    ],
  ];
  test.each(later)('that %s while it is open, no call fails without a code', async (_, damage) => {
    const filled = `${temporaryDirectory()}/memory.db`;
    const first = open(filled);
    await fillMemory(first);
    await first.close();
    const raw = await rawOutcomes(async () => {
      const path = `${temporaryDirectory()}/memory.db`;
      copyFileSync(filled, path);
      const memory = open(path);
      await memory.backend.now();
      await memory.stats();
      damage(path);
      return memory;
    });
    expect(raw).toEqual({});
  });

  test('that another program locks, no call fails without a code', async () => {
    const path = `${temporaryDirectory()}/memory.db`;
    const first = open(path);
    await fillMemory(first);
    await first.close();
    const other = new DatabaseSync(path);
    other.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    const raw = await rawOutcomes(() => open(path));
    other.close();
    expect(raw).toEqual({});
  });
});

test('a closed memory fails every call with a code', async () => {
  const raw = await rawOutcomes(async () => {
    const memory = createMemory({ backend: inProcess(), project: 'p' });
    await memory.close();
    return memory;
  });
  expect(raw).toEqual({});
});
