import { checkArguments, MemoryError } from '../errors.ts';
import type {
  CallOptions,
  Clock,
  KeyInfo,
  MemoryBackend,
  PostingsOfBlock,
  Row,
  RowChange,
} from '../records/backend.ts';
import { NOTES_PREFIX } from '../records/keys.ts';
import { blockOf } from '../records/postings.ts';
import { limitOf, PAGE_BYTES } from './changes.ts';
import { redisClient, type RedisClient, type RedisDriver } from './redis-client.ts';
import { RedisConnection } from './redis-connection.ts';
import { changeScript, clockScript, infoScript, pageScript, postingsScript, rowsScript } from './redis-scripts.ts';
import type { Script } from './redis-scripts.ts';

/** A client of one node. */
interface ScanningClient {
  scan(cursor: string, options: { MATCH: string; COUNT: number }): Promise<{ cursor: string; keys: string[] }>;
}

/** A client of a cluster. */
interface ClusterClient {
  readonly masters: readonly unknown[];
  nodeClient(node: unknown): ScanningClient | Promise<ScanningClient>;
}

const KEYS_PER_STEP = 1000;

function isCluster(client: RedisClient): client is RedisClient & ClusterClient {
  return 'masters' in client && 'nodeClient' in client;
}

/** Escapes text for a pattern of Redis. */
function literal(text: string): string {
  return text.replace(/[\\*?[\]^]/gu, (sign) => `\\${sign}`);
}

/** Returns the keys with a prefix and a suffix, from every node. */
async function scanKeys(
  connection: RedisConnection,
  { prefix, suffix, signal }: CallOptions & { readonly prefix: string; readonly suffix: string },
): Promise<string[]> {
  const pattern = `${literal(prefix)}*${literal(suffix)}`;
  const call = { key: pattern, signal };
  const nodes = await connection.read(
    async (client) =>
      isCluster(client)
        ? Promise.all(client.masters.map(async (node) => client.nodeClient(node)))
        : [client as RedisClient & ScanningClient],
    call,
  );
  const keys = new Set<string>();
  for (const node of nodes) {
    let cursor = '0';
    do {
      const from = cursor;
      const step = await connection.read(() => node.scan(from, { MATCH: pattern, COUNT: KEYS_PER_STEP }), call);
      for (const key of step.keys) keys.add(key);
      ({ cursor } = step);
    } while (cursor !== '0');
  }
  return [...keys];
}

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
/** The fields of postings of a page, which have up to some kilobytes each. */
const FIELDS_PER_PAGE = 500;
const FIELDS_PER_ROW = 3;

/** The keys of Redis start with it and the version of their format. The rest is a hash tag, so that those of a table are together. */
const PREFIX = 'cairn:5:{';

function encoded(key: string): string {
  return key.replaceAll('{', '%7B').replaceAll('}', '%7D');
}

function decoded(key: string): string {
  return key.replaceAll('%7B', '{').replaceAll('%7D', '}');
}

/** Returns the keys of a table, see `redis-scripts.ts`; the last one is the list that other programs read notes from. */
function keysOf(key: string): string[] {
  const first = `${PREFIX}${encoded(key)}}`;
  const own = ['', ':written', ':placed', ':expiry', ':terms', ':labels'].map((suffix) => `${first}${suffix}`);
  // A key with braces would be on another node of a cluster.
  return key.startsWith(NOTES_PREFIX) && encoded(key) === key ? [...own, key] : own;
}

function parts(reply: unknown): string[] {
  return Array.isArray(reply) ? reply.map(String) : [];
}

/** Returns the rows of a reply: for each its id, `<sequence> <place> <expiry> …`, and its text. */
function rowsIn(reply: readonly string[]): Row[] {
  const rows: Row[] = [];
  for (let at = 0; at < reply.length; at += FIELDS_PER_ROW) {
    const [id = '', meta = '', text = ''] = reply.slice(at, at + FIELDS_PER_ROW);
    const [sequence, place, expiresAt = ''] = meta.split(' ', 3);
    const numbers = { sequence: Number(sequence), place: Number(place) };
    rows.push({ id, ...numbers, ...(expiresAt !== '' && { expiresAt: Number(expiresAt) }), text });
  }
  return rows;
}

/** Returns a row as the script reads it. */
function changeOf({
  id,
  expected,
  next,
  timeMs,
  lifetimeMs = Infinity,
  unique,
  terms,
  labels = [],
}: RowChange): object {
  const texts = typeof next === 'string' ? { text: next } : { before: next?.[0], after: next?.[1] };
  return {
    id,
    expected,
    ...(next === undefined ? { isRemoval: true } : texts),
    time: timeMs,
    lifetime: lifetimeMs === Infinity ? undefined : lifetimeMs,
    unique,
    terms: terms && [...terms].flat(),
    ...(labels.length > 0 && { labels }),
  };
}

class RedisStore implements MemoryBackend {
  readonly name = 'redis';
  readonly #connection: RedisConnection;
  readonly #clock: Clock | undefined;

  constructor(connection: RedisConnection, clock: Clock | undefined) {
    this.#connection = connection;
    this.#clock = clock;
  }

  readonly now: MemoryBackend['now'] = async (call) => {
    return Number(await this.#run(clockScript, 'ai:clock', [], call));
  };

  readonly change: MemoryBackend['change'] = async (key, change, call) => {
    const { rows = [], removes = [], keep = [], sequence } = change;
    const json = JSON.stringify({
      rows: rows.map(changeOf),
      removes: removes === 'all' ? [] : removes,
      ...(removes === 'all' && { removesAll: true }),
      // A limit that JSON does not have removes nothing.
      keep: keep
        .filter(({ maxRows }) => maxRows !== Infinity)
        .map(({ idPrefix, maxRows, keepsPresent }) => ({ prefix: idPrefix, rows: maxRows, present: keepsPresent })),
      ...(sequence !== undefined && { sequence: String(sequence) }),
    });
    const [outcome, first, removed, ...fields] = parts(
      await this.#run(changeScript, key, [json], { ...call, writes: true }),
    );
    if (outcome === 'done') {
      return { isDone: true, sequence: Number(first), rows: rowsIn(fields), removed: Number(removed) };
    }
    return {
      isDone: false,
      reason: outcome === 'taken' ? 'taken' : 'changed',
      ...(first !== undefined && { id: first }),
    };
  };

  readonly rows: MemoryBackend['rows'] = async (key, ids, call) => {
    const named = ids.flatMap((id) => [typeof id === 'number' ? '1' : '0', String(id)]);
    const rows = rowsIn(parts(await this.#run(rowsScript, key, named, call)));
    const found = new Map<string | number, Row>();
    for (const row of rows) found.set(row.id, row).set(row.sequence, row);
    return ids.map((id) => found.get(id));
  };

  readonly page: MemoryBackend['page'] = async (key, query, call) => {
    const { order } = query;
    const from =
      order === 'written'
        ? [query.after ?? 0]
        : [
            query.before?.place ?? '',
            query.before?.sequence ?? '',
            ...(query.label === undefined ? [] : [query.label]),
          ];
    const args = [order, limitOf(query, Number.MAX_SAFE_INTEGER), PAGE_BYTES, ...from].map(String);
    const [start, sequence, count, more, ...fields] = parts(await this.#run(pageScript, key, args, call));
    return {
      start: Number(start),
      sequence: Number(sequence),
      count: Number(count),
      rows: rowsIn(fields),
      hasMore: more === '1',
    };
  };

  readonly postings: MemoryBackend['postings'] = async (key, terms, { after = [], signal } = {}) => {
    const asked = terms.flatMap((term, index) => [String(blockOf(after[index] ?? 0)), term]);
    const reply = parts(await this.#run(postingsScript, key, asked, { signal }));
    const [sequence, version = '', ...rest] = reply;
    const postings: PostingsOfBlock[][] = [];
    // For each term the number of its blocks, and the block and the numbers of each.
    for (let at = 0; at < rest.length;) {
      const count = Number(rest[at++]);
      const own = rest.slice(at, at + 2 * count);
      postings.push(
        Array.from({ length: count }, (_, index) => ({
          block: Number(own[2 * index]),
          numbers: own[2 * index + 1] ?? '',
        })),
      );
      at += 2 * count;
    }
    return { sequence: Number(sequence), version, postings };
  };

  readonly terms: MemoryBackend['terms'] = (key, call) => this.#pagesOfTerms(key, call);

  async *#pagesOfTerms(key: string, { signal }: CallOptions = {}): AsyncGenerator<readonly string[]> {
    const hash = keysOf(key)[4] ?? '';
    let cursor = '0';
    do {
      const from = cursor;
      const scan = (client: RedisClient): ReturnType<RedisClient['hScan']> =>
        client.hScan(hash, from, { COUNT: FIELDS_PER_PAGE });
      const page = await this.#connection.read(scan, { key, signal });
      yield page.entries.map(({ field }) => field.slice(field.indexOf(' ') + 1));
      ({ cursor } = page);
    } while (cursor !== '0');
  }

  readonly keys: MemoryBackend['keys'] = async (prefix, call) => {
    const found = await scanKeys(this.#connection, { prefix: `${PREFIX}${encoded(prefix)}`, suffix: '}', ...call });
    const keys = found.map((key) => decoded(key.slice(PREFIX.length, -1)));
    const infoOf = async (key: string): Promise<KeyInfo[]> => {
      const reply = await this.#run(infoScript, key, [], call);
      const [records, bytes = -1, ttl = -1] = parts(reply).map(Number);
      if (records === undefined) return [];
      return [{ key, records, bytes: bytes < 0 ? undefined : bytes, expiresInMs: ttl < 0 ? undefined : ttl }];
    };
    const infos: KeyInfo[] = [];
    for (let start = 0; start < keys.length; start += KEYS_AT_ONCE) {
      const some = await Promise.all(keys.slice(start, start + KEYS_AT_ONCE).map(infoOf));
      infos.push(...some.flat());
    }
    return infos;
  };

  // Removed records are gone from the data at once. Redis does not report whether a file or a replica still has it.
  readonly erase: MemoryBackend['erase'] = async (call) => {
    await this.now(call);
    return 'log';
  };

  readonly close: MemoryBackend['close'] = async () => {
    this.#connection.close();
  };

  /** Runs a script on the keys of a table, with the time as the first argument. */
  #run(
    script: Script,
    key: string,
    args: readonly string[],
    call: CallOptions & { readonly writes?: boolean } = {},
  ): Promise<unknown> {
    const time = this.#clock === undefined ? '' : String(Math.trunc(this.#clock()));
    return this.#connection.run(script, { writes: false, ...call, key, keys: keysOf(key), args: [time, ...args] });
  }
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
  return new RedisStore(new RedisConnection({ url, client, timeoutMs, driver }), clock);
}
