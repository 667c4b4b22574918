import { homeDirectory } from '@cairn/tool/paths';
import { resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type {
  CallOptions,
  Changed,
  Changes,
  ChangesQuery,
  Clock,
  Draft,
  KeyInfo,
  ListQuery,
  ListRule,
  MemoryBackend,
  Row,
  Swap,
  TableChange,
  TableResult,
} from '../records/backend.ts';
import { checkArguments, MemoryError } from '../errors.ts';
import { userStorePath } from '../store-path.ts';
import { readTime, trustedTime } from './sqlite-clock.ts';
import type { Time } from './sqlite-clock.ts';
import { SqliteDatabase } from './sqlite-database.ts';
import type { WriteOptions } from './sqlite-database.ts';
import type { Statements } from './sqlite-statements.ts';
import { nodeSqlite } from './sqlite-driver.ts';
import type { SqliteDriver } from './sqlite-driver.ts';
import {
  addKey,
  BODY,
  dropKey,
  endOf,
  findKey,
  IS_OF_KEY,
  MAX_SEQUENCE,
  SEQUENCE,
  removeKey,
  saveKey,
  sweep,
  writeDocument,
} from './sqlite-keys.ts';
import type { KeyRow, Kind } from './sqlite-keys.ts';
import { appendRecords, recordsOf, removeRecords } from './sqlite-lists.ts';
import { stateOf } from './sqlite-schema.ts';
import { changeTable } from './sqlite-tables.ts';

export interface SqliteOptions {
  /** @default the store of the user, see `userStorePath` */
  readonly path?: string | undefined;
  /** How long a call waits while other processes write, in milliseconds. @default 10_000 */
  readonly busyTimeoutMs?: number | undefined;
  /** @default Date.now */
  readonly clock?: Clock | undefined;
  /** Loads SQLite. @default node:sqlite */
  readonly driver?: SqliteDriver | undefined;
}

/** Approximate bytes of a row without its text. */
const ROW_BYTES = 48;
const CHANGES_LIMIT = 1000;
/** They are read in a few milliseconds. */
const SEQUENCES_PER_PAGE = 16_384;

function textOf(row: Readonly<Record<string, unknown>>): string {
  return String(row['body']);
}

/** Creates a backend in one SQLite file, which several processes may use simultaneously. Opens the file on first use. */
export function sqlite(options: SqliteOptions = {}): MemoryBackend {
  checkArguments.options('sqlite', options, {
    path: 'optional',
    busyTimeoutMs: 'optional',
    clock: 'optional',
    driver: 'optional',
  });
  const { busyTimeoutMs = 10_000, clock = Date.now, driver = nodeSqlite } = options;
  const place = { env: process.env, home: homeDirectory(), platform: process.platform };
  const path = resolve(options.path ?? userStorePath(place));
  const database = new SqliteDatabase({ path, busyTimeoutMs, driver });

  const wrongType = (key: string): MemoryError =>
    new MemoryError(
      'CORRUPT_RECORD',
      [
        `[memory:sqlite] ${key} has a value of another type`,
        'The value was not changed; delete it or use another name.',
      ],
      { key, path },
    );
  /** Finds a key that has not expired at a time. @throws {MemoryError} `CORRUPT_RECORD` when its value is of another kind. */
  const keyAt = (on: Statements, key: string, nowMs: number, ...kinds: readonly Kind[]): KeyRow | undefined => {
    const row = findKey(on, key, nowMs);
    if (row !== undefined && !kinds.includes(row.kind)) throw wrongType(key);
    return row;
  };
  const write = <T>(task: (on: Statements, time: Time) => T, options: WriteOptions = {}): Promise<T> =>
    database.write((on, state) => task(on, readTime(on, state, clock())), options);

  return {
    name: 'sqlite',
    now: async (call?: CallOptions) => {
      call?.signal?.throwIfAborted();
      return clock();
    },
    trustedNow: (call?: CallOptions) => database.read((on) => trustedTime(stateOf(on), clock()), call?.signal),
    append: (key: string, drafts: readonly Draft[], { rule, signal }: CallOptions & { readonly rule: ListRule }) =>
      write(
        (on, time) => {
          const row = keyAt(on, key, time.trustedMs, 'list') ?? addKey(on, key, 'list');
          const added = appendRecords(on, row, { drafts, rule, time });
          saveKey(on, row);
          sweep(on, time.trustedMs);
          return added;
        },
        { signal },
      ),
    list: (key: string, { rule, limit = Infinity, signal }: ListQuery & CallOptions) =>
      database.read((on) => {
        const nowMs = clock();
        const row = keyAt(on, key, nowMs, 'list');
        return row === undefined ? [] : recordsOf(on, row.id, { rule, limit, nowMs, signal });
      }, signal),
    remove: async (key: string, records: readonly string[] | 'all', call?: CallOptions) => {
      let isLeft = false;
      const removed = await write((on, { trustedMs }) => {
        const row = keyAt(on, key, trustedMs, 'list', 'table');
        if (row === undefined) return 0;
        if (records === 'all') {
          isLeft = dropKey(on, row);
          return row.records;
        }
        if (row.kind !== 'list') throw wrongType(key);
        const before = row.records;
        removeRecords(on, row, records);
        saveKey(on, row);
        return before - row.records;
      }, call);
      try {
        while (isLeft) {
          await setImmediate();
          isLeft = await database.write((on) => sweep(on));
        }
      } catch {
        // The key is removed. The next writes remove what is left of its entries.
      }
      return removed;
    },
    changes: (key: string, query: ChangesQuery & CallOptions = {}) =>
      database.read((on): Changes => {
        const row = keyAt(on, key, clock(), 'list', 'table');
        if (row === undefined) return { epoch: '', sequence: 0, count: 0, records: [] };
        const { epoch, sequence, records: count } = row;
        const isKnown = query.epoch === undefined || query.epoch === epoch;
        const { after = 0, upTo = Infinity } = isKnown ? query : {};
        const sql = `SELECT ${SEQUENCE}, name, ${BODY} FROM entries
          WHERE id > ((?1 << 32) | ?2) AND id <= ((?1 << 32) | ?3) ORDER BY id LIMIT ?4`;
        const [low, high] = [after, upTo].map((bound) => Math.max(0, Math.min(bound, MAX_SEQUENCE)));
        const limit = Math.min(query.limit ?? CHANGES_LIMIT, MAX_SEQUENCE);
        const found = on.all(sql, row.id, low ?? 0, high ?? 0, limit);
        const records = found.map((one): Changed => {
          const record = { sequence: Number(one['sequence']), record: textOf(one) };
          return one['name'] === null ? record : { ...record, id: String(one['name']) };
        });
        return { epoch, sequence, count, records };
      }, query.signal),
    fetch: (key: string, epoch: string, sequences: readonly number[], call?: CallOptions) =>
      database.read((on) => {
        const row = keyAt(on, key, clock(), 'list', 'table');
        const sql = `SELECT ${BODY} FROM entries WHERE id = ((?1 << 32) | ?2)`;
        return sequences.map((sequence) => {
          const isPossible = row?.epoch === epoch && sequence > 0 && sequence <= MAX_SEQUENCE;
          const found = isPossible ? on.get(sql, row.id, sequence) : undefined;
          return found && textOf(found);
        });
      }, call?.signal),
    sequences: (key: string, call?: CallOptions) =>
      database.read(async (on) => {
        const row = keyAt(on, key, clock(), 'list', 'table');
        if (row === undefined) return { epoch: '', sequences: [] };
        // One text is several times faster than one row for each of 100,000 numbers.
        const sql = `SELECT json_group_array(sequence) AS sequences
          FROM (SELECT ${SEQUENCE} FROM entries WHERE ${IS_OF_KEY} AND id > ((?1 << 32) | ?2) ORDER BY id LIMIT ?3)`;
        const pages: number[][] = [];
        for (;;) {
          const found = on.get(sql, row.id, pages.at(-1)?.at(-1) ?? 0, SEQUENCES_PER_PAGE);
          const page = JSON.parse(String(found?.['sequences'])) as number[];
          pages.push(page);
          if (page.length < SEQUENCES_PER_PAGE) return { epoch: row.epoch, sequences: pages.flat() };
          await setImmediate();
          call?.signal?.throwIfAborted();
        }
      }, call?.signal),
    rows: (key: string, ids: readonly string[], call?: CallOptions) =>
      database.read((on) => {
        const row = keyAt(on, key, clock(), 'table');
        const sql = `SELECT ${SEQUENCE}, ${BODY} FROM entries WHERE key_id = ? AND name = ?`;
        return ids.map((id): Row | undefined => {
          const found = row && on.get(sql, row.id, id);
          return found && { id, sequence: Number(found['sequence']), record: textOf(found) };
        });
      }, call?.signal),
    change: (key: string, change: TableChange, call?: CallOptions) => {
      const run = (on: Statements, { nowMs }: Time): TableResult => {
        if (change.replaces === undefined) {
          return changeTable(on, key, { known: keyAt(on, key, nowMs, 'table'), change });
        }
        if (keyAt(on, key, nowMs, 'document')?.value !== change.replaces) return { isDone: false, reason: 'changed' };
        return changeTable(on, key, { known: undefined, change });
      };
      return write(run, { ...call, isDerived: change.isDerived });
    },
    read: (key: string, call?: CallOptions) =>
      database.read((on) => keyAt(on, key, clock(), 'document')?.value, call?.signal),
    swap: (key: string, { expected, next, ttlMs }: Swap, call?: CallOptions) =>
      write((on, { nowMs, trustedMs }) => {
        const row = keyAt(on, key, nowMs, 'document');
        if (row?.value !== expected) return false;
        if (row === undefined || next === undefined) removeKey(on, key);
        if (next !== undefined) writeDocument(on, { key, row, text: next, expiresMs: nowMs + ttlMs });
        sweep(on, trustedMs);
        return true;
      }, call),
    keys: (prefix: string, call?: CallOptions) =>
      database.read((on) => {
        const nowMs = clock();
        const sql = `SELECT key, kind, expires_at, records, bytes FROM keys
          WHERE key >= ?1 AND key < ${endOf('?1')} AND (expires_at IS NULL OR expires_at > ?2)`;
        return on.all(sql, prefix, nowMs).map((row): KeyInfo => {
          const records = Number(row['records']);
          return {
            key: String(row['key']),
            kind: String(row['kind']) as Kind,
            records,
            bytes: Number(row['bytes']) + records * ROW_BYTES,
            expiresInMs: row['expires_at'] === null ? undefined : Number(row['expires_at']) - nowMs,
          };
        });
      }, call?.signal),
    erase: (call?: CallOptions) => database.erase(call?.signal),
    backup: (to: string, call?: CallOptions) => database.backup(resolve(to), call?.signal),
    close: () => database.close(),
  };
}
