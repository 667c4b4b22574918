/** Cases that only Redis has: servers that are unavailable, locked, paused or full, and clusters. */
import { spawnSync } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient, createCluster } from '@redis/client';
import { createMemory, MemoryError } from '@cairn/memory';
import type { Memory } from '@cairn/memory';
import { redis } from '@cairn/memory/redis';
import type { RedisOptions } from '@cairn/memory/redis';
import { describe, expect, onTestFinished, test } from 'vitest';
import { freePort, hasRedis, startRedis } from '../support/redis-server.ts';
import type { RedisServer } from '../support/redis-server.ts';

async function server(more: readonly string[] = []): Promise<RedisServer> {
  const started = await startRedis(more);
  onTestFinished(() => started.stop());
  return started;
}

function open(url: string, timeoutMs?: number): Memory {
  const memory = createMemory({ backend: redis({ url, timeoutMs }) });
  onTestFinished(() => memory.close());
  return memory;
}

const place = { stream: 's', group: 'g' };

/** The error of a call, with its duration. */
async function failure(call: Promise<unknown>): Promise<{ readonly error: MemoryError; readonly ms: number }> {
  const began = performance.now();
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!MemoryError.isInstance(error)) throw new Error('the call did not fail with a MemoryError', { cause: error });
  return { error, ms: performance.now() - began };
}

/** Repeats a call until it succeeds: a busy machine may not answer within a short timeout. */
async function untilDone(call: () => Promise<unknown>): Promise<void> {
  await expect.poll(async () => codeOf(call())).toBe('done');
}

/** The contents in the list, the newest first. A call that was repeated may have written one twice. */
async function contentsIn({ url }: RedisServer): Promise<string[]> {
  const messages = await open(url).messages.history(place);
  return [...new Set(messages.map(({ content }) => content))];
}

async function codeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'done',
    (error: unknown) => (MemoryError.isInstance(error) ? error.code : String(error)),
  );
}

/** Longer than every timeout here. */
const NOT_FOR_EVER_MS = 20_000;

describe.skipIf(!hasRedis)('a Redis that is unavailable', () => {
  test('a port without a server: each call fails in time, with a hint', async () => {
    const port = await freePort();
    const memory = open(`redis://user:secret@127.0.0.1:${port}`, 300);
    for (let call = 0; call < 3; call++) {
      const { error, ms } = await failure(memory.messages.add(place, { content: 'x' }));
      expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE', isDone: false });
      expect(error.message).toMatch(
        /^\[memory:redis\] redis:\/\/127\.0\.0\.1:\d+ did not answer within 300 ms: .*ECONNREFUSED/u,
      );
      expect(error.message).not.toContain('secret');
      expect(ms).toBeLessThan(NOT_FOR_EVER_MS);
    }
    for (const call of [memory.stats(), memory.getNotes('w'), memory.workflows.get('w'), memory.backend.now()]) {
      expect((await failure(call)).error.code).toBe('STORE_UNAVAILABLE');
    }
  });

  test('a server that accepts the connection and never answers', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    onTestFinished(() => void silent.close());
    const memory = open(`redis://127.0.0.1:${(silent.address() as AddressInfo).port}`, 300);
    const { error, ms } = await failure(memory.messages.history(place));
    expect(error.code).toBe('STORE_UNAVAILABLE');
    expect(ms).toBeLessThan(NOT_FOR_EVER_MS);
    await memory.close();
  });

  test('a server that restarts is used again, with its acknowledged writes', async () => {
    const one = await server(['--appendonly', 'yes', '--appendfsync', 'always']);
    await open(one.url).messages.add(place, { content: 'before' });
    const memory = open(one.url, 500);
    await untilDone(() => memory.messages.history(place));
    await one.halt();
    expect((await failure(memory.messages.add(place, { content: 'lost' }))).error.code).toBe('STORE_UNAVAILABLE');
    await one.restart();
    await untilDone(() => memory.messages.history(place));
    expect(await contentsIn(one)).toEqual(['before']);
    await untilDone(() => memory.messages.add(place, { content: 'after' }));
    expect(await contentsIn(one)).toEqual(['after', 'before']);
  });

  test('a write that failed without a connection is not sent later', async () => {
    const one = await server();
    await one.halt();
    const memory = open(one.url, 1000);
    const { error } = await failure(memory.messages.add(place, { content: 'failed' }));
    expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE', isDone: false });
    await one.restart();
    // Waiting calls are sent in their order, so that this one would be the second.
    await untilDone(() => memory.messages.add(place, { content: 'made' }));
    expect(await contentsIn(one)).toEqual(['made']);
  });

  test('writes that the driver had queued when the connection broke are not sent over the next one', async () => {
    const one = await server();
    const sockets = new Set<Socket>();
    let isBlocked = false;
    // A proxy between them stops forwarding.
    const between = createServer((client) => {
      const upstream = connect(one.port, '127.0.0.1');
      for (const socket of [client, upstream]) {
        sockets.add(socket);
        socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
      }
      upstream.pipe(client);
      client.pipe(upstream);
      if (isBlocked) client.unpipe(upstream).pause();
    }).listen(0, '127.0.0.1');
    await once(between, 'listening');
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      between.close();
    });
    const memory = open(`redis://127.0.0.1:${(between.address() as AddressInfo).port}`, 500);
    // The server has cached the script.
    await untilDone(() => memory.messages.add(place, { content: 'before' }));
    isBlocked = true;
    for (const socket of sockets) socket.unpipe().pause();
    // More than the buffers of the sockets, so that a part has not left this process.
    const content = 'x'.repeat(1_000_000);
    const writes = Array.from({ length: 40 }, () => failure(memory.messages.add(place, { content })));
    for (const write of writes) expect((await write).error).toMatchObject({ isDone: 'unknown' });
    isBlocked = false;
    for (const socket of sockets) socket.destroy();
    await untilDone(() => memory.messages.add(place, { content: 'after' }));
    expect(await contentsIn(one)).toEqual(['after', 'before']);
  });

  test('a restart during many writes: acknowledged writes are present, and all others have failed', async () => {
    const one = await server(['--appendonly', 'yes', '--appendfsync', 'always']);
    const memory = createMemory({
      backend: redis({ url: one.url, timeoutMs: 1000 }),
      retention: { maxMessages: Infinity },
    });
    onTestFinished(() => memory.close());
    const acknowledged: string[] = [];
    let failed = 0;
    let restarting: Promise<void> | undefined;
    for (let index = 0; index < 400; index++) {
      if (index === 100) restarting = one.restart();
      const content = `${index}`;
      await memory.messages.add(place, { content }).then(
        () => acknowledged.push(content),
        (error: unknown) => {
          if (!MemoryError.isInstance(error) || error.code !== 'STORE_UNAVAILABLE') throw error;
          failed += 1;
        },
      );
    }
    await restarting;
    expect(acknowledged.length + failed).toBe(400);
    expect(acknowledged.length).toBeGreaterThan(100);
    const present = new Set((await memory.messages.history(place)).map(({ content }) => content));
    expect(acknowledged.filter((content) => !present.has(content))).toEqual([]);
  });

  test('a paused server: calls fail in time and report that a write may have succeeded; later it works again', async () => {
    const one = await server();
    await open(one.url).messages.add(place, { content: 'before' });
    const memory = open(one.url, 300);
    await untilDone(() => memory.messages.history(place));
    one.signal('SIGSTOP');
    const writing = await failure(memory.messages.add(place, { content: 'in doubt' }));
    expect(writing.error).toMatchObject({ code: 'STORE_UNAVAILABLE', isDone: 'unknown' });
    expect(writing.error.message).toContain('may have succeeded');
    expect((await failure(memory.messages.history(place))).error).toMatchObject({
      code: 'STORE_UNAVAILABLE',
      isDone: false,
    });
    one.signal('SIGCONT');
    // The write was done, as the error allows.
    await expect
      .poll(async () => (await memory.messages.history(place).catch(() => [])).map(({ content }) => content))
      .toEqual(['in doubt', 'before']);
  });

  test('a call can be aborted before its timeout', async () => {
    const one = await server();
    const memory = open(one.url, 60_000);
    await memory.backend.now();
    one.signal('SIGSTOP');
    const controller = new AbortController();
    const call = memory.messages.history(place, { signal: controller.signal });
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
    one.signal('SIGCONT');
  });

  test('records have the time of the server, not of the process', async () => {
    const one = await server();
    const client = await createClient({ url: one.url }).connect();
    onTestFinished(() => client.close());
    const before = await client.sendCommand<string[]>(['TIME']);
    const real = Date.now;
    Date.now = () => 5;
    onTestFinished(() => {
      Date.now = real;
    });
    const message = await open(one.url).messages.add(place, { content: 'x' });
    expect(message.time).toBeGreaterThanOrEqual(Number(before[0]) * 1000);
  });
});

describe.skipIf(!hasRedis)('a Redis that rejects', () => {
  test('a wrong password is reported at once, and a right one works', async () => {
    const one = await server(['--requirepass', 'secret']);
    for (const user of ['', ':wrong@', 'nobody:secret@']) {
      const memory = open(one.url.replace('//', `//${user}`), 10_000);
      for (let call = 0; call < 2; call++) {
        const { error } = await failure(memory.messages.add(place, { content: 'x' }));
        expect(error, user).toMatchObject({ code: 'STORE_DENIED', isDone: false });
        expect(error.message).not.toMatch(/wrong@|secret/u);
      }
    }
    const memory = open(one.url.replace('//', '//:secret@'));
    await memory.messages.add(place, { content: 'x' });
    expect(await memory.messages.history(place)).toHaveLength(1);
  });

  test('a full server rejects whole writes, keeps its data, and can delete data', async () => {
    const one = await server(['--maxmemory', '4mb', '--maxmemory-policy', 'noeviction']);
    const memory = createMemory({ backend: redis({ url: one.url }), retention: { maxMessages: Infinity } });
    onTestFinished(() => memory.close());
    const kept: string[] = [];
    let refused: MemoryError | undefined;
    for (let index = 0; refused === undefined && index < 200; index++) {
      const content = `${index} ${'x'.repeat(100_000)}`;
      await memory.messages.add(place, { content }).then(
        () => kept.push(content),
        (error: unknown) => {
          refused = MemoryError.isInstance(error) ? error : undefined;
          if (refused === undefined) throw error;
        },
      );
    }
    expect(refused).toMatchObject({ code: 'STORE_FULL', message: expect.stringContaining('maxmemory'), isDone: false });
    expect((await memory.messages.history(place)).map(({ content }) => content)).toEqual(kept.toReversed());
    // Small writes might still fit: now nothing does.
    const client = await createClient({ url: one.url }).connect();
    onTestFinished(() => client.close());
    await client.configSet('maxmemory', '1mb');
    await expect(memory.storeNote('w', 'x', 's')).rejects.toMatchObject({ code: 'STORE_FULL' });
    // A record with its own time writes the whole list again.
    const older = { content: 'older', time: (await memory.backend.now()) - 3_600_000 };
    await expect(memory.messages.addAll(place, [older])).rejects.toMatchObject({ code: 'STORE_FULL' });
    expect((await memory.messages.history(place)).map(({ content }) => content)).toEqual(kept.toReversed());
    await expect(memory.workflows.create({ goal: 'g', todos: [], streamName: 's' })).rejects.toMatchObject({
      code: 'STORE_FULL',
    });
    await expect(memory.facts.remember('x', { scope: 'user' })).rejects.toMatchObject({ code: 'STORE_FULL' });
    expect((await memory.facts.list({ scope: 'user' })).total).toBe(0);
    expect(await memory.listGroups()).toHaveLength(1);
    expect(await memory.listNotes()).toEqual([]);
    await memory.forget(place);
    await client.configSet('maxmemory', '4mb');
    // The server frees large values in the background.
    await expect.poll(() => client.info('memory')).toContain('lazyfree_pending_objects:0');
    await memory.storeNote('w', 'x', 's');
    expect(await memory.getNotes('w')).toHaveLength(1);
  });

  test('a value of another type under a key is reported and not changed', async () => {
    const one = await server();
    const client = await createClient({ url: one.url }).connect();
    onTestFinished(() => client.close());
    await client.set('cairn:5:{ai:memory:s:g}', 'a string');
    await client.lPush('cairn:5:{ai:notes:w}', 'a list');
    await client.sAdd('cairn:5:{ai:workflow:w}', 'a set');
    const memory = open(one.url);
    const calls = [
      () => memory.messages.add(place, { content: 'x' }),
      () => memory.messages.history(place),
      () => memory.storeNote('w', 'x', 's'),
      () => memory.getNotes('w'),
      () => memory.workflows.get('w'),
    ];
    for (const call of calls)
      await expect(call()).rejects.toMatchObject({
        code: 'CORRUPT_RECORD',
        message: expect.stringContaining('another type'),
      });
    expect(await memory.forget(place)).toMatchObject({ removed: 0, problems: [{ key: 'ai:memory:s:g' }] });
    expect([
      await client.get('cairn:5:{ai:memory:s:g}'),
      await client.lRange('cairn:5:{ai:notes:w}', 0, -1),
      await client.sMembers('cairn:5:{ai:workflow:w}'),
    ]).toEqual(['a string', ['a list'], ['a set']]);
    expect(await memory.listGroups()).toEqual([]);
    expect((await memory.stats()).problems).toHaveLength(3);
  });

  test('a restart removes the cached scripts, and calls work all the same', async () => {
    const one = await server();
    const memory = open(one.url);
    await memory.storeNote('w', 'a', 's');
    const client = await createClient({ url: one.url }).connect();
    onTestFinished(() => client.close());
    await client.scriptFlush();
    await memory.storeNote('w', 'b', 's');
    expect(await memory.getNotes('w')).toHaveLength(2);
  });

  test.each([
    ['a file', '/tmp/redis.sock'],
    ['another protocol', 'http://127.0.0.1:1'],
    ['nothing', ''],
  ])('%s is not a Redis URL', (_, url) => {
    expect(() => redis({ url })).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
  });

  test('without the driver the error states what to install', async () => {
    const backend = redis({ driver: () => Promise.reject(new Error('Cannot find package')) });
    await expect(backend.now()).rejects.toMatchObject({
      code: 'STORE_UNSUPPORTED',
      message: expect.stringContaining('npm install @redis/client'),
    });
  });

  test.each([
    ['WRONGTYPE Operation against a key', 'CORRUPT_RECORD'],
    ['@user_script: 9: -OOM command not allowed when used memory > maxmemory.', 'STORE_FULL'],
    ["-READONLY You can't write against a read only replica.", 'STORE_DENIED'],
    ['-MISCONF Redis is configured to save RDB snapshots', 'STORE_FULL'],
    ['@user_script: 9: Wrong number of args', 'STORE_FAILED'],
  ])('the older form of an error in a script is understood: %s', async (error, code) => {
    const client = {
      isOpen: true,
      connect: async () => undefined,
      destroy: () => undefined,
      on: () => undefined,
      eval: async () => undefined,
      hScan: async () => ({ cursor: '0', entries: [] }),
      evalSha: async () => {
        throw new Error(
          `ERR Error running script (call to f_a5260dd66ce02462c5b5231c727b3f7772c0bcc5): @user_script:9: ${error}`,
        );
      },
    };
    await expect(redis({ client }).rows('k', ['a'])).rejects.toMatchObject({ code });
  });

  test('calls that wait for a connection share its listeners', async () => {
    const client = Object.assign(new EventEmitter(), {
      isOpen: true,
      isReady: false,
      connect: async () => undefined,
      destroy: () => undefined,
      eval: async () => undefined,
      evalSha: async () => '5',
      hScan: async () => ({ cursor: '0', entries: [] }),
    });
    const backend = redis({ client });
    const calls = Array.from({ length: 20 }, () => backend.now());
    await delay(10);
    expect(client.listenerCount('ready')).toBe(1);
    client.isReady = true;
    client.emit('ready');
    expect(await Promise.all(calls)).toEqual(calls.map(() => 5));
  });

  test('many keys are read in steps, so that no request waits for all others', async () => {
    const one = await server();
    const client = await createClient({ url: one.url }).connect();
    onTestFinished(() => client.close());
    const all = redis({ url: one.url, timeoutMs: 30_000 });
    onTestFinished(() => all.close());
    const write = (index: number): Promise<unknown> =>
      all.change(`ai:memory:s:${index}`, { rows: [{ id: 'a', next: '{}' }] });
    for (let from = 0; from < 3000; from += 500)
      await Promise.all(Array.from({ length: 500 }, (_, at) => write(from + at)));
    let asked = 0;
    let most = 0;
    const counting = new Proxy(client, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        if (name !== 'evalSha') return value.bind(target) as unknown;
        return async (...given: Parameters<typeof client.evalSha>) => {
          asked += 1;
          most = Math.max(most, asked);
          return target.evalSha(...given).finally(() => (asked -= 1));
        };
      },
    });
    expect(await redis({ client: counting as unknown as RedisOptions['client'] }).keys('ai:')).toHaveLength(3000);
    expect(most).toBeLessThanOrEqual(500);
  });

  test('every write sets the expiry of its key in the same step', async () => {
    const one = await server();
    const memory = open(one.url);
    const watcher = await createClient({ url: one.url }).connect();
    onTestFinished(() => watcher.close());
    const { id } = await memory.workflows.create({ goal: 'g', todos: ['a'], streamName: 's' });
    const run = await memory.workflows.acquire(id);
    let endless = 0;
    let checks = 0;
    let isDone = false;
    // Checks all keys in between.
    const checking = (async () => {
      while (!isDone) {
        for (const key of await watcher.keys('*')) if ((await watcher.pTTL(key)) === -1) endless += 1;
        checks += 1;
      }
    })();
    for (let index = 0; index < 150; index++) {
      await memory.messages.add(place, { content: `${index}` });
      await memory.storeNote('w', `${index}`, 's', { temporary: index % 2 === 0 });
      await run.updateTodo('todo_0', { status: 'running', result: index });
    }
    isDone = true;
    await checking;
    await run.release();
    expect(checks).toBeGreaterThan(0);
    expect(endless).toBe(0);
  });
});

describe.skipIf(!hasRedis)('a cluster of three', () => {
  test('every call works, on whichever node its key is', async (context) => {
    const modes = ['--cluster-enabled', 'yes', '--cluster-node-timeout', '2000', '--appendonly', 'no'];
    const nodes = [await server(modes), await server(modes), await server(modes)];
    const addresses = nodes.map(({ port }) => `127.0.0.1:${port}`);
    const made = spawnSync(
      'redis-cli',
      ['--cluster', 'create', ...addresses, '--cluster-replicas', '0', '--cluster-yes'],
      {
        encoding: 'utf8',
        timeout: 60_000,
      },
    );
    // The cluster also uses the ports 10,000 above, which may be in use.
    if (made.status !== 0)
      return context.skip(`no cluster could be made: ${made.stdout}${made.stderr}${String(made.error ?? '')}`);
    const first = await createClient({ url: nodes[0]?.url ?? '' }).connect();
    await expect.poll(async () => first.sendCommand<string>(['CLUSTER', 'INFO'])).toContain('cluster_state:ok');
    await first.close();
    const cluster = createCluster({ rootNodes: nodes.map(({ url }) => ({ url })) });
    cluster.on('error', () => undefined);
    const memory = createMemory({ backend: redis({ client: cluster, timeoutMs: 20_000 }) });
    onTestFinished(async () => {
      await memory.close();
      cluster.destroy();
    });
    const groups = Array.from({ length: 30 }, (_, index) => `group_${index}`);
    for (const group of groups) await memory.messages.add({ stream: 's', group }, { content: group });
    expect((await memory.listGroups()).map(({ group }) => group).toSorted()).toEqual(groups.toSorted());
    const { id } = await memory.workflows.create({ goal: 'g', todos: ['a'], streamName: 's' });
    await memory.storeNote(id, 'note', 'todo_0');
    const run = await memory.workflows.acquire(id);
    await run.updateTodo('todo_0', { status: 'done' });
    expect((await memory.workflows.get(id)).notes).toHaveLength(1);
    await run.finish();
    const sizes = await Promise.all(
      nodes.map(async ({ url }) => {
        const node = await createClient({ url }).connect();
        const size = await node.dbSize();
        await node.close();
        return size;
      }),
    );
    // The keys are on several nodes, and each call touched one key.
    expect(Math.min(...sizes)).toBeGreaterThan(0);
    const { contexts } = await memory.recall({ stream: 's', group: 'group_7', query: 'group_7' });
    expect(contexts).toHaveLength(1);
    expect(await memory.forget({ stream: 's' })).toMatchObject({ removed: 30 });
    return undefined;
  });
});
