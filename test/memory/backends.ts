import { createClient } from '@redis/client';
import { createMemory } from '@cairn/memory';
import type { Memory, MemoryOptions } from '@cairn/memory';
import type { BackendHarness } from '@cairn/memory/testing';
import { memory } from '@cairn/memory/memory';
import { redis } from '@cairn/memory/redis';
import { sqlite } from '@cairn/memory/sqlite';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { newDirectory, removeTree } from '../support/tree.ts';
import { hasRedis, startRedis } from '../support/redis-server.ts';
import type { RedisServer } from '../support/redis-server.ts';

/** An arbitrary day in 2023. */
export const START_MS = 1_703_123_456_789;

/** A clock that stands still until it is moved. */
export interface ManualClock {
  readonly now: () => number;
  readonly add: (ms: number) => void;
}

export function manualClock(): ManualClock {
  let nowMs = START_MS;
  return {
    now: () => nowMs,
    add: (ms) => {
      nowMs += ms;
    },
  };
}

/** A kind of store; each `open` gives an empty one. */
export interface BackendKind {
  readonly name: string;
  readonly isSkipped: boolean;
  readonly open: () => Promise<BackendHarness>;
}

let server: RedisServer | undefined;
let directory: string | undefined;

/** Starts the servers of all kinds for the calling test file. */
export function useBackends(): void {
  beforeAll(async () => {
    directory = newDirectory();
    if (hasRedis) server = await startRedis();
  });
  afterAll(async () => {
    await server?.stop();
    if (directory !== undefined) removeTree(directory);
  });
}

/** Returns the server of this test file. */
export function sharedRedis(): RedisServer {
  if (server === undefined) throw new Error('useBackends() was not called');
  return server;
}

async function openRedis(): Promise<BackendHarness> {
  const { url } = sharedRedis();
  const client = createClient({ url });
  client.on('error', () => undefined);
  await client.connect();
  await client.flushAll();
  const clock = manualClock();
  const backend = redis({ url, clock: clock.now });
  return {
    backend: {
      ...backend,
      close: async () => {
        await backend.close();
        if (client.isOpen) await client.close();
      },
    },
    // The server expires keys by its own clock, so that their lifetimes are shortened here.
    advance: async (ms) => {
      clock.add(ms);
      for (const key of await client.keys('*')) {
        const left = await client.pTTL(key);
        if (left < 0) continue;
        if (left <= ms) await client.del(key);
        else await client.pExpire(key, left - ms);
      }
    },
  };
}

let opened = 0;

export const backendKinds: readonly BackendKind[] = [
  {
    name: 'memory',
    isSkipped: false,
    open: async () => {
      const clock = manualClock();
      return { backend: memory({ clock: clock.now }), advance: async (ms) => clock.add(ms) };
    },
  },
  {
    name: 'sqlite',
    isSkipped: false,
    open: async () => {
      const clock = manualClock();
      opened += 1;
      const backend = sqlite({ path: `${directory ?? ''}/${opened}/memory.db`, clock: clock.now });
      return { backend, advance: async (ms) => clock.add(ms) };
    },
  },
  { name: 'redis', isSkipped: !hasRedis, open: openRedis },
];

/** A memory in an empty store, closed when the test is over. */
export async function openMemory(
  { open }: BackendKind,
  options: Omit<MemoryOptions, 'backend'> = {},
): Promise<BackendHarness & { readonly memory: Memory }> {
  const harness = await open();
  const made = createMemory({ ...options, backend: harness.backend });
  onTestFinished(() => made.close());
  return { ...harness, memory: made };
}
