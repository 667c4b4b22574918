import { fileURLToPath } from 'node:url';
import { createClient } from '@redis/client';
import { createMemory } from '@cairn/memory';
import type { Memory } from '@cairn/memory';
import { redis } from '@cairn/memory/redis';
import { sqlite } from '@cairn/memory/sqlite';
import { temporaryDirectory } from '../support/tree.ts';
import { sharedRedis } from './backends.ts';
import { childEnv, startScript } from './child-process.ts';
import type { RunningProcess } from './child-process.ts';
import { hasRedis } from '../support/redis-server.ts';

const child = fileURLToPath(new URL('writer-child.ts', import.meta.url));

/** A store that outlives a process, with a check of its state. */
export interface Persistent {
  readonly name: 'sqlite' | 'redis';
  readonly isSkipped: boolean;
  /** Creates an empty store. @returns its path or URL */
  readonly create: () => Promise<string>;
  readonly open: (place: string) => Memory;
  /** Returns the problems of the store and of the lifetimes of its keys. */
  readonly problems: (place: string) => Promise<string[]>;
}

const retention = { maxMessages: Infinity, maxNotes: 1000 };

export const persistents: readonly Persistent[] = [
  {
    name: 'sqlite',
    isSkipped: false,
    create: async () => `${temporaryDirectory()}/memory.db`,
    open: (place) => createMemory({ backend: sqlite({ path: place }), retention }),
    problems: async (place) => {
      const { DatabaseSync } = await import('node:sqlite');
      const database = new DatabaseSync(place);
      const checks = database
        .prepare('PRAGMA integrity_check')
        .all()
        .map((row) => String(row['integrity_check']));
      const endless = database
        .prepare('SELECT DISTINCT key FROM keys JOIN entries ON key_id = keys.id WHERE expires_at IS NULL')
        .all();
      const lost = database.prepare('SELECT id FROM entries WHERE key_id NOT IN (SELECT id FROM keys)').all();
      database.close();
      return [
        ...checks.filter((line) => line !== 'ok'),
        ...endless.map((row) => `${String(row['key'])} does not expire`),
        ...lost.map(String),
      ];
    },
  },
  {
    name: 'redis',
    isSkipped: !hasRedis,
    create: async () => {
      const { url } = sharedRedis();
      const client = await createClient({ url }).connect();
      await client.flushAll();
      await client.close();
      return url;
    },
    open: (place) => createMemory({ backend: redis({ url: place }), retention }),
    problems: async (place) => {
      const client = await createClient({ url: place }).connect();
      const keys = await client.keys('*');
      const ends = await Promise.all(keys.map(async (key) => [key, await client.ttl(key)] as const));
      await client.close();
      return ends.filter(([, ttl]) => ttl < 0).map(([key]) => `${key} does not expire`);
    },
  },
];

/** Starts a script that writes to a store. */
export function startWriter(args: readonly string[], waits: boolean = false, script: string = child): RunningProcess {
  return startScript(script, args, waits ? { env: { ...childEnv, CAIRN_WAIT: '1' } } : {});
}
