import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { CallOptions, Clock, Draft, KeyInfo, ListQuery, ListRule, MemoryBackend, Swap } from '../records/backend.ts';
import { MemoryError } from '../errors.ts';
import { arrange, isLive, lifeOf, recordOf } from '../records/record.ts';
import type { Added } from '../records/record.ts';
import { userStorePath } from '../store-path.ts';
import { isTime } from '../records/time.ts';
import { createDatabase, nodeSqlite } from './sqlite-database.ts';
import type { SqliteDriver, Work } from './sqlite-database.ts';

export interface SqliteOptions {
  /** @default the user's store: see `userStorePath` */
  readonly path?: string | undefined;
  /** How long a call waits for other processes, in milliseconds. @default 10_000 */
  readonly busyTimeoutMs?: number | undefined;
  /** @default Date.now */
  readonly clock?: Clock | undefined;
  /** Where SQLite comes from. @default node:sqlite */
  readonly driver?: SqliteDriver | undefined;
}

/** With each write, so many expired keys of others are removed. */
const SWEPT_KEYS = 8;

/** The bytes of a key, about, with what its rows take beside their text. */
const ROW_BYTES = 24;

interface KeyRow {
  readonly id: number;
  /** `undefined` for never. */
  readonly expiresMs: number | undefined;
}

/** `keys` is looked at for what is there now: a key that has expired is none. */
function findKey(on: Work, key: string, nowMs: number): { readonly row?: KeyRow; readonly value?: string } {
  const found = on.get('SELECT id, expires_at, value FROM keys WHERE key = ?', key);
  if (found === undefined) return {};
  const expiresMs = found['expires_at'] === null ? undefined : Number(found['expires_at']);
  const row = { id: Number(found['id']), expiresMs };
  if (expiresMs !== undefined && expiresMs <= nowMs) {
    removeKey(on, row.id);
    return {};
  }
  return { row, ...(found['value'] !== null && { value: String(found['value']) }) };
}

function removeKey(on: Work, id: number): void {
  on.run('DELETE FROM records WHERE key_id = ?', id);
  on.run('DELETE FROM keys WHERE id = ?', id);
}

function sweep(on: Work, nowMs: number): void {
  for (const { id } of on.all('SELECT id FROM keys WHERE expires_at <= ? LIMIT ?', nowMs, SWEPT_KEYS)) {
    removeKey(on, Number(id));
  }
}

function insert(on: Work, id: number, position: number, record: string): void {
  const life = lifeOf(record);
  on.run(
    'INSERT INTO records (key_id, position, time, temporary, body) VALUES (?, ?, ?, ?, ?)',
    id,
    position,
    isTime(life?.timeMs) ? life.timeMs : null,
    life?.temporary === true ? 1 : 0,
    record,
  );
}

/** Adds records to those of a key. Nearly always they are the newest; otherwise all are laid anew. */
function place(on: Work, id: number, added: readonly Added[]): void {
  const newest = on.get('SELECT position, time FROM records WHERE key_id = ? ORDER BY position DESC LIMIT 1', id);
  let time = newest === undefined ? -Infinity : Number(newest['time'] ?? Infinity);
  const inOrder = added.every(({ draft: { timeMs }, record }) => {
    const fits = timeMs === undefined || timeMs >= time;
    time = lifeOf(record)?.timeMs ?? Infinity;
    return fits;
  });
  let position = Number(newest?.['position'] ?? 0);
  if (inOrder) {
    for (const { record } of added) insert(on, id, ++position, record);
    return;
  }
  const before = on.all(`SELECT ${BODY} FROM records WHERE key_id = ? ORDER BY position DESC`, id);
  const everything: ListRule = { maxRecords: Infinity, lifetimeMs: Infinity, temporaryLifetimeMs: Infinity };
  const records = arrange(before.map(bodyOf), added, everything, 0);
  on.run('DELETE FROM records WHERE key_id = ?', id);
  position = 0;
  for (const record of records.toReversed()) insert(on, id, ++position, record);
}

/** What somebody else wrote into the file may be no text; then it is shown as SQLite writes it, `X'00FF'`. */
const BODY = "CASE typeof(body) WHEN 'text' THEN body ELSE quote(body) END AS body";

function bodyOf(row: Readonly<Record<string, unknown>>): string {
  return String(row['body']);
}

/** Whether records of a key may end in another order than they were written in. */
function isMixed({ lifetimeMs, temporaryLifetimeMs }: ListRule): boolean {
  return lifetimeMs !== temporaryLifetimeMs;
}

/** Removes what the rule does not keep. */
function trim(on: Work, id: number, rule: ListRule, nowMs: number): void {
  if (isMixed(rule)) {
    const least = (lifetimeMs: number): number => Math.max(nowMs - lifetimeMs, Number.MIN_SAFE_INTEGER);
    on.run(
      'DELETE FROM records WHERE key_id = ? AND time <= CASE temporary WHEN 1 THEN ? ELSE ? END',
      id,
      least(rule.temporaryLifetimeMs),
      least(rule.lifetimeMs),
    );
  } else if (rule.lifetimeMs !== Infinity) {
    // From the oldest on, up to the first that lives.
    const live =
      'SELECT position FROM records WHERE key_id = ? AND (time IS NULL OR time > ?) ORDER BY position LIMIT 1';
    const first = on.get(live, id, nowMs - rule.lifetimeMs);
    if (first === undefined) on.run('DELETE FROM records WHERE key_id = ?', id);
    else on.run('DELETE FROM records WHERE key_id = ? AND position < ?', id, Number(first['position']));
  }
  if (rule.maxRecords === Infinity) return;
  const ends = on.get('SELECT min(position) AS low, max(position) AS high FROM records WHERE key_id = ?', id);
  if (Number(ends?.['high']) - Number(ends?.['low']) < rule.maxRecords) return;
  const last = 'SELECT position FROM records WHERE key_id = ? ORDER BY position DESC LIMIT 1 OFFSET ?';
  const beyond = on.get(last, id, rule.maxRecords);
  if (beyond) on.run('DELETE FROM records WHERE key_id = ? AND position <= ?', id, Number(beyond['position']));
}

/** When the longest-lived record of a key ends; `null` for never, `undefined` when none says it. */
function longestIn(on: Work, id: number, rule: ListRule): number | null | undefined {
  const sql = 'SELECT max(time) AS time FROM records WHERE key_id = ? AND temporary = ?';
  const ends = [0, 1].map((temporary) => {
    const time = on.get(sql, id, temporary)?.['time'] ?? null;
    return time === null ? -Infinity : Number(time) + (temporary ? rule.temporaryLifetimeMs : rule.lifetimeMs);
  });
  const longest = Math.max(...ends);
  if (longest === -Infinity) return undefined;
  return longest === Infinity ? null : readable(longest);
}

/** SQLite keeps larger whole numbers than can be read from it. */
function readable(timeMs: number): number {
  return Math.min(timeMs, Number.MAX_SAFE_INTEGER);
}

/** When a key ends, after records were added to it. */
function endOf(on: Work, row: KeyRow, added: readonly Added[], rule: ListRule): number | null {
  const before = row.expiresMs ?? null;
  // A list of one lifetime lives as long as the longest-lived before or the longest-lived that was added.
  if (!isMixed(rule) && (rule.lifetimeMs === Infinity || before !== null)) {
    if (rule.lifetimeMs === Infinity) return null;
    const times = added.map(({ record }) => (lifeOf(record)?.timeMs ?? -Infinity) + rule.lifetimeMs);
    return readable(Math.max(before ?? 0, ...times));
  }
  const longest = longestIn(on, row.id, rule);
  return longest === undefined ? before : longest;
}

/** Keeps a memory in one SQLite file, which many processes may use at once. */
export function sqlite(options: SqliteOptions = {}): MemoryBackend {
  const { busyTimeoutMs = 10_000, clock = Date.now, driver = nodeSqlite } = options;
  const place_ = { env: process.env, home: homedir(), platform: process.platform };
  const path = resolve(options.path ?? userStorePath(place_));
  const database = createDatabase({ path, busyTimeoutMs, driver });

  const wrongType = (key: string): MemoryError =>
    new MemoryError(
      'CORRUPT_RECORD',
      [`[memory:sqlite] ${key} holds something of another type`, 'It was left as it is.'],
      { key, path },
    );
  const listAt = (on: Work, key: string, nowMs: number): KeyRow | undefined => {
    const { row, value } = findKey(on, key, nowMs);
    if (value !== undefined) throw wrongType(key);
    return row;
  };

  return {
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
        place(on, row.id, added);
        trim(on, row.id, rule, nowMs);
        if (on.get('SELECT 1 FROM records WHERE key_id = ? LIMIT 1', row.id) === undefined) removeKey(on, row.id);
        else on.run('UPDATE keys SET expires_at = ? WHERE id = ?', endOf(on, row, added, rule), row.id);
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
            records,
            bytes: Number(row['size']) + Number(row['bytes']) + records * ROW_BYTES,
            expiresInMs: row['expires_at'] === null ? undefined : Number(row['expires_at']) - nowMs,
          };
        });
      }, call?.signal),
    close: () => database.close(),
  };
}
