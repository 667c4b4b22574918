import { checkArguments, MemoryError } from '../errors.ts';
import type {
  CallOptions,
  Changes,
  ChangesQuery,
  Clock,
  Draft,
  KeyInfo,
  ListQuery,
  ListRule,
  MemoryBackend,
  Swap,
  TableChange,
  TableResult,
} from '../records/backend.ts';
import { isLive } from '../records/record.ts';
import { visitRecords } from '../records/turns.ts';
import { changesScript, fetchScript, infoScript, removeAllScript, sequencesScript } from './redis-change-scripts.ts';
import { redisClient } from './redis-client.ts';
import type { RedisClient, RedisDriver } from './redis-client.ts';
import { RedisConnection } from './redis-connection.ts';
import { appendScript } from './redis-append-script.ts';
import { NUMBERING_START } from './redis-list-numbering.ts';
import { listScript, removeScript } from './redis-list-scripts.ts';
import { scanKeys } from './redis-scan.ts';
import { clockScript, readScript, swapScript } from './redis-scripts.ts';
import type { Script } from './redis-scripts.ts';
import { changeScript, rowsScript } from './redis-table-scripts.ts';

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

const CHANGES_LIMIT = 1000;
/** Of a longer list the rest is read by a command: a script copies each record, which holds Redis several times longer. */
const RECORDS_PER_SCRIPT = 1000;

/** The number of concurrent requests about keys. The timeout applies to each, so a request must not wait for thousands. */
const KEYS_AT_ONCE = 500;

function bound(value: number): string {
  return value === Infinity ? '' : String(Math.trunc(value));
}

function flag(value: boolean): string {
  return value ? '1' : '0';
}

/** A value that may be missing, as two arguments. */
function given(value: string | undefined): string[] {
  return [flag(value !== undefined), value ?? ''];
}

/** Returns the parts of a script's reply. */
function parts(reply: unknown): unknown[] {
  return Array.isArray(reply) ? (reply as unknown[]) : [];
}

/** Returns the texts of a script's reply. */
function texts(reply: unknown): string[] {
  return parts(reply).map(String);
}

function textOrNothing(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function isKind(value: unknown): value is KeyInfo['kind'] {
  return value === 'list' || value === 'document' || value === 'table' || value === 'other';
}

function reserved(key: string): MemoryError {
  const summary = `[memory:redis] A record must not start with ${NUMBERING_START}`;
  return new MemoryError('INVALID_INPUT', [summary, 'Rename the field; nothing was stored.'], { key });
}

/**
 * Creates a backend in Redis (6.2 or newer, Valkey, KeyDB, Dragonfly), for many machines. Uses core commands only. Connects
 * on first use.
 *
 * @throws {MemoryError} `INVALID_OPTION`.
 */
export function redis(options: RedisOptions = {}): MemoryBackend {
  checkArguments.options('redis', options, {
    url: 'optional',
    client: 'optional',
    timeoutMs: 'optional',
    clock: 'optional',
    driver: 'optional',
  });
  const { url = 'redis://127.0.0.1:6379', client, timeoutMs = 2000, clock, driver = redisClient } = options;
  if (!(timeoutMs > 0)) {
    const summary = `[memory:redis] timeoutMs must be above 0, not ${timeoutMs}`;
    throw new MemoryError('INVALID_OPTION', [summary, 'Omit it for 2,000.'], { option: 'timeoutMs' });
  }
  const connection = new RedisConnection({ url, client, timeoutMs, driver });
  const time = (): string => (clock === undefined ? '' : String(Math.trunc(clock())));
  const ask = (script: Script, key: string, args: readonly string[], call?: CallOptions): Promise<unknown> =>
    connection.run(script, { key, args, writes: false, ...call });
  const write = (script: Script, key: string, args: readonly string[], call?: CallOptions): Promise<unknown> =>
    connection.run(script, { key, args, writes: true, ...call });
  const now = async (call?: CallOptions): Promise<number> => Number(await ask(clockScript, 'ai:clock', [time()], call));

  return {
    name: 'redis',
    now,
    trustedNow: now,
    append: async (
      key: string,
      drafts: readonly Draft[],
      { rule, signal }: CallOptions & { readonly rule: ListRule },
    ) => {
      const bounds = [rule.maxRecords, rule.maxTemporaryRecords, rule.lifetimeMs, rule.temporaryLifetimeMs].map(bound);
      const added = drafts.flatMap(({ before, after, timeMs, unlessStart = '' }) => {
        if (before.startsWith(NUMBERING_START)) throw reserved(key);
        return [before, after, timeMs === undefined ? '' : String(Math.trunc(timeMs)), unlessStart];
      });
      const args = [time(), ...bounds, flag(rule.keepsPresent === true), ...added];
      return texts(await write(appendScript, key, args, { signal }));
    },
    list: async (key: string, { rule, limit = Infinity, signal }: ListQuery & CallOptions) => {
      if (limit <= 0) return [];
      const firstCount = Math.min(limit, RECORDS_PER_SCRIPT);
      const [nowMs, first] = parts(await ask(listScript, key, [time(), String(firstCount - 1)], { signal }));
      // When some records have expired, later ones count. This is rare: each write removes expired records.
      for (const count of new Set([firstCount, limit, Infinity])) {
        const last = count === Infinity ? -1 : count - 1;
        const found =
          count === firstCount
            ? texts(first)
            : await connection.read((one) => one.lRange(key, 0, last), { key, signal });
        const live: string[] = [];
        const visit = (record: string): undefined => {
          if (!record.startsWith(NUMBERING_START) && isLive(record, rule, Number(nowMs))) live.push(record);
        };
        await visitRecords(found, visit, { signal });
        if (found.length < count || live.length >= limit) return live.slice(0, limit);
      }
      return [];
    },
    remove: async (key: string, records: readonly string[] | 'all', call?: CallOptions) => {
      if (records === 'all') return Number(await write(removeAllScript, key, [], call));
      if (records.length === 0) return 0;
      return Number(await write(removeScript, key, records, call));
    },
    changes: async (key: string, query: ChangesQuery & CallOptions = {}): Promise<Changes> => {
      const { epoch: known = '', after = 0, upTo = Infinity, limit = CHANGES_LIMIT, signal } = query;
      const args = [known, String(after), bound(upTo), String(limit)];
      const [epoch, sequence, count, sequences, records, ids] = parts(await ask(changesScript, key, args, { signal }));
      const [recordTexts, idTexts] = [texts(records), texts(ids)];
      return {
        epoch: String(epoch),
        sequence: Number(sequence),
        count: Number(count),
        records: parts(sequences).map((one, index) => {
          const id = idTexts[index];
          return { sequence: Number(one), record: recordTexts[index] ?? '', ...(id !== undefined && { id }) };
        }),
      };
    },
    fetch: async (key: string, epoch: string, sequences: readonly number[], call?: CallOptions) => {
      const found = parts(await ask(fetchScript, key, [epoch, ...sequences.map(String)], call));
      return sequences.map((_, index) => textOrNothing(found[index]));
    },
    sequences: async (key: string, call?: CallOptions) => {
      const [epoch, runs] = parts(await ask(sequencesScript, key, [], call));
      const numbers = parts(runs).map(Number);
      const sequences: number[] = [];
      for (let index = 0; index < numbers.length; index += 2) {
        const [first = 0, count = 0] = numbers.slice(index, index + 2);
        for (let sequence = first; sequence < first + count; sequence++) sequences.push(sequence);
      }
      return { epoch: String(epoch), sequences: sequences.toSorted((a, b) => a - b) };
    },
    rows: async (key: string, ids: readonly string[], call?: CallOptions) => {
      const found = parts(await ask(rowsScript, key, ids, call));
      return ids.map((id, index) => {
        const [sequence, record] = parts(found[index]);
        return sequence === undefined ? undefined : { id, sequence: Number(sequence), record: String(record) };
      });
    },
    change: async (
      key: string,
      { rows, sequence, replaces }: TableChange,
      call?: CallOptions,
    ): Promise<TableResult> => {
      const changes = rows.flatMap(({ id, expected, next, unique }) => [
        id,
        ...given(expected),
        ...given(next),
        ...given(unique),
      ]);
      const args = [sequence === undefined ? '' : String(sequence), ...given(replaces), ...changes];
      const reply = await write(changeScript, key, args, call);
      if (!Array.isArray(reply)) return { isDone: true, sequence: Number(reply) };
      const [reason, id] = texts(reply);
      return { isDone: false, reason: reason === 'taken' ? 'taken' : 'changed', ...(id !== undefined && { id }) };
    },
    read: async (key: string, call?: CallOptions) => textOrNothing(await ask(readScript, key, [], call)),
    swap: async (key: string, { expected, next, ttlMs }: Swap, call?: CallOptions) => {
      const args = [...given(expected), ...given(next), bound(Math.max(ttlMs, 1))];
      return Number(await write(swapScript, key, args, call)) === 1;
    },
    keys: async (prefix: string, call?: CallOptions) => {
      const keys = await scanKeys(connection, prefix, call);
      const infoOf = async (key: string): Promise<KeyInfo[]> => {
        const [kind, ...numbers] = parts(await ask(infoScript, key, [], call));
        if (!isKind(kind)) return [];
        const [records = 0, bytes = -1, ttl = -1] = numbers.map(Number);
        return [{ key, kind, records, bytes: bytes < 0 ? undefined : bytes, expiresInMs: ttl < 0 ? undefined : ttl }];
      };
      const infos: KeyInfo[] = [];
      for (let start = 0; start < keys.length; start += KEYS_AT_ONCE) {
        const some = await Promise.all(keys.slice(start, start + KEYS_AT_ONCE).map(infoOf));
        infos.push(...some.flat());
      }
      return infos;
    },
    // Removed records are gone from the data at once. Redis does not report whether a file or a replica still has it.
    erase: async (call?: CallOptions) => {
      await now(call);
      return 'log';
    },
    close: async () => connection.close(),
  };
}
