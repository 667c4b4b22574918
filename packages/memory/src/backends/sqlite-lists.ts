/** The rows of lists: how records are added, trimmed and expired. */
import type { ListRule } from '../records/backend.ts';
import { arrange, lifeOf } from '../records/record.ts';
import type { Added } from '../records/record.ts';
import { isTime } from '../records/time.ts';
import type { Statements } from './sqlite-database.ts';

/** The expired keys that each write removes. */
const KEYS_PER_SWEEP = 8;

/** A row of `keys`. */
export interface KeyRow {
  readonly id: number;
  /** `undefined` for never. */
  readonly expiresMs: number | undefined;
}

/** Finds a key with the document under it. An expired key is removed and not found. */
export function findKey(
  on: Statements,
  key: string,
  nowMs: number,
): { readonly row?: KeyRow; readonly value?: string } {
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

/** Removes a key with its records. */
export function removeKey(on: Statements, id: number): void {
  on.run('DELETE FROM records WHERE key_id = ?', id);
  on.run('DELETE FROM keys WHERE id = ?', id);
}

/** Removes some expired keys. */
export function sweep(on: Statements, nowMs: number): void {
  for (const { id } of on.all('SELECT id FROM keys WHERE expires_at <= ? LIMIT ?', nowMs, KEYS_PER_SWEEP)) {
    removeKey(on, Number(id));
  }
}

function insert(on: Statements, id: number, position: number, record: string): void {
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

/** Adds records to a key. Nearly always they are the newest; otherwise all records are written again in their order. */
export function addRecords(on: Statements, id: number, added: readonly Added[]): void {
  const newest = on.get('SELECT position, time FROM records WHERE key_id = ? ORDER BY position DESC LIMIT 1', id);
  let timeMs = newest === undefined ? -Infinity : Number(newest['time'] ?? Infinity);
  const isNewest = added.every(({ draft, record }) => {
    const fits = draft.timeMs === undefined || draft.timeMs >= timeMs;
    timeMs = lifeOf(record)?.timeMs ?? Infinity;
    return fits;
  });
  let position = Number(newest?.['position'] ?? 0);
  if (isNewest) {
    for (const { record } of added) insert(on, id, ++position, record);
    return;
  }
  const before = on.all(`SELECT ${BODY} FROM records WHERE key_id = ? ORDER BY position DESC`, id);
  const everything: ListRule = {
    maxRecords: Infinity,
    maxTemporaryRecords: Infinity,
    lifetimeMs: Infinity,
    temporaryLifetimeMs: Infinity,
  };
  const records = arrange(before.map(bodyOf), added, everything, 0);
  on.run('DELETE FROM records WHERE key_id = ?', id);
  position = 0;
  for (const record of records.toReversed()) insert(on, id, ++position, record);
}

/** A record of another program may be binary; it is read as SQLite writes it: `X'00FF'`. */
export const BODY = "CASE typeof(body) WHEN 'text' THEN body ELSE quote(body) END AS body";

export function bodyOf(row: Readonly<Record<string, unknown>>): string {
  return String(row['body']);
}

/** Returns whether records may expire in another order than they were written. */
function isMixed({ lifetimeMs, temporaryLifetimeMs }: ListRule): boolean {
  return lifetimeMs !== temporaryLifetimeMs;
}

/** Removes the records that the rule does not keep. */
export function trim(on: Statements, id: number, rule: ListRule, nowMs: number): void {
  if (isMixed(rule)) {
    const oldest = (lifetimeMs: number): number => Math.max(nowMs - lifetimeMs, Number.MIN_SAFE_INTEGER);
    on.run(
      'DELETE FROM records WHERE key_id = ? AND time <= CASE temporary WHEN 1 THEN ? ELSE ? END',
      id,
      oldest(rule.temporaryLifetimeMs),
      oldest(rule.lifetimeMs),
    );
  } else if (rule.lifetimeMs !== Infinity) {
    // From the oldest up to the first live record.
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

/** Returns when the longest-lived record of a key expires; `null` for never, `undefined` when no record has a time. */
function lastExpiryIn(on: Statements, id: number, rule: ListRule): number | null | undefined {
  const sql = 'SELECT max(time) AS time FROM records WHERE key_id = ? AND temporary = ?';
  const ends = [0, 1].map((temporary) => {
    const time = on.get(sql, id, temporary)?.['time'] ?? null;
    return time === null ? -Infinity : Number(time) + (temporary ? rule.temporaryLifetimeMs : rule.lifetimeMs);
  });
  const last = Math.max(...ends);
  if (last === -Infinity) return undefined;
  return last === Infinity ? null : readable(last);
}

/** Limits a time to the whole numbers that can be read back from SQLite. */
export function readable(timeMs: number): number {
  return Math.min(timeMs, Number.MAX_SAFE_INTEGER);
}

/** Returns when a key expires after records were added. */
export function expiryOf(on: Statements, row: KeyRow, added: readonly Added[], rule: ListRule): number | null {
  const before = row.expiresMs ?? null;
  // With one lifetime, only the previous expiry and the added records matter.
  if (!isMixed(rule) && (rule.lifetimeMs === Infinity || before !== null)) {
    if (rule.lifetimeMs === Infinity) return null;
    const times = added.map(({ record }) => (lifeOf(record)?.timeMs ?? -Infinity) + rule.lifetimeMs);
    return readable(Math.max(before ?? 0, ...times));
  }
  const last = lastExpiryIn(on, row.id, rule);
  return last === undefined ? before : last;
}
