import { homeDirectory } from '@cairn/tool/paths';
import { resolve } from 'node:path';
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
import { isLive, recordOf } from '../records/record.ts';
import { userStorePath } from '../store-path.ts';
import { SqliteDatabase } from './sqlite-database.ts';
import type { Statements } from './sqlite-database.ts';
import { nodeSqlite } from './sqlite-driver.ts';
import type { SqliteDriver } from './sqlite-driver.ts';
import { addRecords, BODY, bodyOf, expiryOf, findKey, readable, removeKey, sweep, trim } from './sqlite-lists.ts';
import type { KeyRow } from './sqlite-lists.ts';

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
const ROW_BYTES = 24;

/** Creates a backend in one SQLite file, which several processes may use simultaneously. Opens the file on first use. */
export function sqlite(options: SqliteOptions = {}): MemoryBackend {
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
  const listAt = (on: Statements, key: string, nowMs: number): KeyRow | undefined => {
    const { row, value } = findKey(on, key, nowMs);
    if (value !== undefined) throw wrongType(key);
    return row;
  };

  return {
    ...unfinished('sqlite'),
    name: 'sqlite',
    now: async (call?: CallOptions) => {
      call?.signal?.throwIfAborted();
      return clock();
    },
    append: (key: string, drafts: readonly Draft[], { rule, signal }: CallOptions & { readonly rule: ListRule }) =>
      database.write((on) => {
        const nowMs = clock();
        const known = listAt(on, key, nowMs);
        const row = known ?? {
          id: Number(on.get('INSERT INTO keys (key, expires_at) VALUES (?, NULL) RETURNING id', key)?.['id']),
          expiresMs: undefined,
        };
        const added = drafts.map((draft) => ({ draft, record: recordOf(draft, nowMs) }));
        addRecords(on, row.id, added);
        trim(on, row.id, rule, nowMs);
        if (on.get('SELECT 1 FROM records WHERE key_id = ? LIMIT 1', row.id) === undefined) removeKey(on, row.id);
        else on.run('UPDATE keys SET expires_at = ? WHERE id = ?', expiryOf(on, row, added, rule), row.id);
        sweep(on, nowMs);
        return added.map(({ record }) => record);
      }, signal),
    list: (key: string, { rule, limit = Infinity, signal }: ListQuery & CallOptions) =>
      database.read((on) => {
        const nowMs = clock();
        const found = on.get('SELECT id, expires_at, value FROM keys WHERE key = ?', key);
        if (found === undefined || (found['expires_at'] !== null && Number(found['expires_at']) <= nowMs)) return [];
        if (found['value'] !== null) throw wrongType(key);
        const records: string[] = [];
        const newest = `SELECT ${BODY} FROM records WHERE key_id = ? ORDER BY position DESC`;
        for (const one of on.iterate(newest, Number(found['id']))) {
          if (records.length >= limit) break;
          const record = bodyOf(one);
          if (isLive(record, rule, nowMs)) records.push(record);
        }
        return records;
      }, signal),
    remove: (key: string, records: readonly string[] | 'all', call?: CallOptions) =>
      database.write((on) => {
        const row = listAt(on, key, clock());
        if (row === undefined) return 0;
        let removed = 0;
        if (records === 'all') removed = on.run('DELETE FROM records WHERE key_id = ?', row.id);
        else {
          for (const record of records) {
            const same = "? IN (body, CASE typeof(body) WHEN 'text' THEN NULL ELSE quote(body) END)";
            const one = `SELECT id FROM records WHERE key_id = ? AND ${same} LIMIT 1`;
            removed += on.run(`DELETE FROM records WHERE id = (${one})`, row.id, record);
          }
        }
        if (on.get('SELECT 1 FROM records WHERE key_id = ? LIMIT 1', row.id) === undefined) removeKey(on, row.id);
        return removed;
      }, call?.signal),
    read: (key: string, call?: CallOptions) =>
      database.read((on) => {
        const found = on.get('SELECT expires_at, value FROM keys WHERE key = ?', key);
        if (found === undefined || (found['expires_at'] !== null && Number(found['expires_at']) <= clock())) return;
        if (found['value'] === null) throw wrongType(key);
        return String(found['value']);
      }, call?.signal),
    swap: (key: string, { expected, next, ttlMs }: Swap, call?: CallOptions) =>
      database.write((on) => {
        const nowMs = clock();
        const { row, value } = findKey(on, key, nowMs);
        if (row !== undefined && value === undefined) throw wrongType(key);
        if (value !== expected) return false;
        if (next === undefined) {
          if (row) removeKey(on, row.id);
        } else {
          const upsert = `INSERT INTO keys (key, expires_at, value) VALUES (?, ?, ?)
            ON CONFLICT (key) DO UPDATE SET expires_at = excluded.expires_at, value = excluded.value`;
          on.run(upsert, key, ttlMs === Infinity ? null : readable(nowMs + ttlMs), next);
        }
        sweep(on, nowMs);
        return true;
      }, call?.signal),
    keys: (prefix: string, call?: CallOptions) =>
      database.read((on) => {
        const nowMs = clock();
        const sql = `SELECT key, expires_at, value IS NOT NULL AS is_document, coalesce(length(CAST(value AS BLOB)), 0) AS size,
            (SELECT count(*) FROM records WHERE key_id = keys.id) AS records,
            (SELECT coalesce(sum(length(CAST(body AS BLOB))), 0) FROM records WHERE key_id = keys.id) AS bytes
          FROM keys WHERE substr(key, 1, ?) = ? AND (expires_at IS NULL OR expires_at > ?)`;
        // SQLite counts characters, not UTF-16 units.
        return on.all(sql, [...prefix].length, prefix, nowMs).map((row): KeyInfo => {
          const records = Number(row['records']) + Number(row['is_document']);
          return {
            key: String(row['key']),
            kind: Number(row['is_document']) === 1 ? 'document' : 'list',
            records,
            bytes: Number(row['size']) + Number(row['bytes']) + records * ROW_BYTES,
            expiresInMs: row['expires_at'] === null ? undefined : Number(row['expires_at']) - nowMs,
          };
        });
      }, call?.signal),
    close: () => database.close(),
  };
}
