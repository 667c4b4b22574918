import type {
  CallOptions,
  Clock,
  Draft,
  KeyInfo,
  ListQuery,
  ListRule,
  MemoryBackend,
  Swap,
} from '../records/backend.ts';
import { MemoryError } from '../errors.ts';
import { unfinished } from './unfinished.ts';
import { isLive } from '../records/record.ts';
import { redisClient } from './redis-client.ts';
import type { RedisClient, RedisDriver } from './redis-client.ts';
import { RedisConnection } from './redis-connection.ts';
import {
  appendScript,
  clockScript,
  infoScript,
  listScript,
  readScript,
  removeScript,
  swapScript,
} from './redis-scripts.ts';
import { scanKeys } from './redis-scan.ts';

export interface RedisOptions {
  /** `redis://user:password@host:port/database`, or `rediss:` for TLS. @default redis://127.0.0.1:6379 */
  readonly url?: string | undefined;
  /** A client of `@redis/client` to use instead, also of a cluster. The caller closes it. */
  readonly client?: RedisClient | undefined;
  /** The maximum time of a call, in milliseconds. @default 2_000 */
  readonly timeoutMs?: number | undefined;
  /** @default the server's clock */
  readonly clock?: Clock | undefined;
  /** Loads the driver. @default @redis/client */
  readonly driver?: RedisDriver | undefined;
}

/** The number of concurrent requests about keys. The timeout applies to each, so a request must not wait for thousands. */
const KEYS_AT_ONCE = 500;

function bound(value: number): string {
  return value === Infinity ? '' : String(Math.trunc(value));
}

/** Returns the texts of a script's reply. */
function texts(reply: unknown): string[] {
  return Array.isArray(reply) ? reply.map(String) : [];
}

/**
 * Creates a backend in Redis (6.2 or newer, Valkey, KeyDB, Dragonfly), for many machines. Uses core commands only. Connects
 * on first use.
 *
 * @throws {MemoryError} `INVALID_OPTION`.
 */
export function redis(options: RedisOptions = {}): MemoryBackend {
  const { url = 'redis://127.0.0.1:6379', client, timeoutMs = 2000, clock, driver = redisClient } = options;
  if (!(timeoutMs > 0)) {
    const summary = `[memory:redis] timeoutMs must be above 0, not ${timeoutMs}`;
    throw new MemoryError('INVALID_OPTION', [summary, 'Omit it for 2,000.'], { option: 'timeoutMs' });
  }
  const connection = new RedisConnection({ url, client, timeoutMs, driver });
  const time = (): string => (clock === undefined ? '' : String(Math.trunc(clock())));

  return {
    ...unfinished('redis'),
    name: 'redis',
    now: async (call?: CallOptions) =>
      Number(await connection.run(clockScript, { key: 'ai:clock', args: [time()], writes: false, ...call })),
    append: async (
      key: string,
      drafts: readonly Draft[],
      { rule, signal }: CallOptions & { readonly rule: ListRule },
    ) => {
      const bounds = [rule.maxRecords, rule.lifetimeMs, rule.temporaryLifetimeMs].map(bound);
      const added = drafts.flatMap(({ before, after, timeMs }) => [
        before,
        after,
        timeMs === undefined ? '' : String(Math.trunc(timeMs)),
      ]);
      return texts(
        await connection.run(appendScript, { key, args: [time(), ...bounds, ...added], writes: true, signal }),
      );
    },
    list: async (key: string, { rule, limit = Infinity, signal }: ListQuery & CallOptions) => {
      if (limit <= 0) return [];
      const read = async (last: number): Promise<{ readonly all: number; readonly live: string[] }> => {
        const reply = await connection.run(listScript, { key, args: [time(), String(last)], writes: false, signal });
        const [nowMs, records] = Array.isArray(reply) ? (reply as unknown[]) : [];
        const found = texts(records);
        return { all: found.length, live: found.filter((record) => isLive(record, rule, Number(nowMs))) };
      };
      if (limit === Infinity) return (await read(-1)).live;
      const { all, live } = await read(limit - 1);
      // Some records have expired, so that later ones count. This is rare: each write removes expired records.
      return live.length === all || all < limit ? live : (await read(-1)).live.slice(0, limit);
    },
    remove: async (key: string, records: readonly string[] | 'all', call?: CallOptions) => {
      if (records !== 'all' && records.length === 0) return 0;
      const args = records === 'all' ? [] : records;
      return Number(await connection.run(removeScript, { key, args, writes: true, ...call }));
    },
    read: async (key: string, call?: CallOptions) => {
      const value = await connection.run(readScript, { key, args: [], writes: false, ...call });
      return typeof value === 'string' ? value : undefined;
    },
    swap: async (key: string, { expected, next, ttlMs }: Swap, call?: CallOptions) => {
      const given = (value: string | undefined): string[] => (value === undefined ? ['0', ''] : ['1', value]);
      const args = [...given(expected), ...given(next), bound(Math.max(ttlMs, 1))];
      return Number(await connection.run(swapScript, { key, args, writes: true, ...call })) === 1;
    },
    keys: async (prefix: string, call?: CallOptions) => {
      const keys = await scanKeys(connection, prefix, call);
      const infoOf = async (key: string): Promise<KeyInfo[]> => {
        const reply = await connection.run(infoScript, { key, args: [], writes: false, ...call });
        if (!Array.isArray(reply)) return [];
        const [type, ...numbers] = reply as unknown[];
        const [records = 0, bytes = -1, ttl = -1] = numbers.map(Number);
        const kind = type === 'list' ? 'list' : type === 'string' ? 'document' : 'other';
        return [{ key, kind, records, bytes: bytes < 0 ? undefined : bytes, expiresInMs: ttl < 0 ? undefined : ttl }];
      };
      const infos: KeyInfo[] = [];
      for (let start = 0; start < keys.length; start += KEYS_AT_ONCE) {
        const some = await Promise.all(keys.slice(start, start + KEYS_AT_ONCE).map(infoOf));
        infos.push(...some.flat());
      }
      return infos;
    },
    close: async () => connection.close(),
  };
}
