/** The rows of `keys`, which count their entries. */
import { randomName } from '../records/random-name.ts';
import type { Statements } from './sqlite-statements.ts';

/** The expired keys that each write removes. */
const KEYS_PER_SWEEP = 8;
/** The entries of a key that are removed in one step, and their bytes. */
const ENTRIES_PER_STEP = 2048;
const BYTES_PER_STEP = 1024 * 1024;
/** When a key without a name expired: before all times, so that a clock that goes back does not show it. */
const REMOVED_MS = Number.MIN_SAFE_INTEGER;

export type Kind = 'list' | 'table' | 'document';

/** A row of `keys`. {@link saveKey} writes the fields that are not read-only. */
export interface KeyRow {
  readonly id: number;
  readonly kind: Kind;
  readonly epoch: string;
  /** The text of a document. */
  readonly value: string | undefined;
  /** `Infinity` for never. */
  expiresMs: number;
  /** The highest sequence so far. */
  sequence: number;
  /** The number of entries. */
  records: number;
  /** How many of them are temporary. */
  temporary: number;
  /** The bytes of their texts. */
  bytes: number;
}

/** A record of another program may be binary; it is read as SQLite writes it: `X'00FF'`. */
export const BODY = "CASE typeof(body) WHEN 'text' THEN body ELSE quote(body) END AS body";

/** The highest sequence of an entry. */
export const MAX_SEQUENCE: number = 0xff_ff_ff_ff;
/** The sequence of an entry, from its id. */
export const SEQUENCE: string = `id & ${MAX_SEQUENCE} AS sequence`;
/** The condition of the entries of a key. The id of the key is the first value. */
export const IS_OF_KEY = 'id > (?1 << 32) AND id < (?1 + 1 << 32)';
/** The end of all texts that start with the parameter: no text has the byte 0xFF. */
export const endOf = (parameter: string): string => `CAST(CAST(${parameter} AS BLOB) || x'FF' AS TEXT)`;
const ID_OF_KEY = '(SELECT id FROM keys WHERE key = ?1)';

/** Limits a time to the whole numbers that can be read back from SQLite; `null` for never. */
function storedTime(timeMs: number): number | null {
  return timeMs === Infinity ? null : Math.min(timeMs, Number.MAX_SAFE_INTEGER);
}

/** Finds a key. An expired key is not found. */
export function findKey(on: Statements, key: string, nowMs: number): KeyRow | undefined {
  const sql = `SELECT id, kind, epoch, expires_at, sequence, records, temporary, bytes, value FROM keys WHERE key = ?`;
  const found = on.get(sql, key);
  if (found === undefined) return undefined;
  const expiresMs = found['expires_at'] === null ? Infinity : Number(found['expires_at']);
  if (expiresMs <= nowMs) return undefined;
  return {
    id: Number(found['id']),
    kind: String(found['kind']) as Kind,
    epoch: String(found['epoch']),
    value: found['value'] === null ? undefined : String(found['value']),
    expiresMs,
    sequence: Number(found['sequence']),
    records: Number(found['records']),
    temporary: Number(found['temporary']),
    bytes: Number(found['bytes']),
  };
}

/** Adds a key without entries. An expired key of that name is removed. */
export function addKey(on: Statements, key: string, kind: 'list' | 'table'): KeyRow {
  removeKey(on, key);
  const epoch = randomName();
  const sql = `INSERT INTO keys (key, kind, epoch, sequence, records, temporary, bytes) VALUES (?, ?, ?, 0, 0, 0, 0)
    RETURNING id`;
  const id = Number(on.get(sql, key, kind, epoch)?.['id']);
  return {
    id,
    kind,
    epoch,
    value: undefined,
    expiresMs: Infinity,
    sequence: 0,
    records: 0,
    temporary: 0,
    bytes: 0,
  };
}

/** Writes what changed in a key. A key without entries is removed. */
export function saveKey(on: Statements, row: KeyRow): void {
  if (row.records === 0) {
    on.run('DELETE FROM keys WHERE id = ?', row.id);
    return;
  }
  const sql = 'UPDATE keys SET expires_at = ?, sequence = ?, records = ?, temporary = ?, bytes = ? WHERE id = ?';
  on.run(sql, storedTime(row.expiresMs), row.sequence, row.records, row.temporary, row.bytes, row.id);
}

interface DocumentChange {
  readonly key: string;
  /** The row of the document before; `undefined` when the key has none. */
  readonly row: KeyRow | undefined;
  readonly text: string;
  readonly expiresMs: number;
}

/** Writes a document. */
export function writeDocument(on: Statements, { key, row, text, expiresMs }: DocumentChange): void {
  const values = [storedTime(expiresMs), Buffer.byteLength(text), text] as const;
  if (row) {
    on.run('UPDATE keys SET expires_at = ?, bytes = ?, value = ? WHERE id = ?', ...values, row.id);
    return;
  }
  const sql = `INSERT INTO keys (kind, epoch, sequence, records, temporary, key, expires_at, bytes, value)
    VALUES ('document', '', 0, 1, 0, ?, ?, ?, ?)`;
  on.run(sql, key, ...values);
}

/** Removes entries of a key that meet a condition, in which `?1` is the id of the key. @returns their number. */
export function removeEntries(
  on: Statements,
  row: KeyRow,
  [condition, ...values]: readonly [string, ...(number | string | null)[]],
): number {
  const sql = `DELETE FROM entries WHERE key_id = ?1 AND ${condition} RETURNING temporary, octet_length(body) AS bytes`;
  const removed = on.all(sql, row.id, ...values);
  row.records -= removed.length;
  for (const { temporary, bytes } of removed) {
    row.temporary -= Number(temporary);
    row.bytes -= Number(bytes);
  }
  return removed.length;
}

/** Removes a key with its entries. */
export function removeKey(on: Statements, key: string): void {
  on.run(`DELETE FROM entries WHERE id > (${ID_OF_KEY} << 32) AND id < (${ID_OF_KEY} + 1 << 32)`, key);
  on.run('DELETE FROM keys WHERE key = ?', key);
}

type Sized = Pick<KeyRow, 'id' | 'records' | 'bytes'>;

/** Returns the number of entries of a key that are removed in one step, which blocks for some milliseconds. */
function stepOf({ records, bytes }: Sized): number {
  return Math.max(1, Math.min(ENTRIES_PER_STEP, Math.floor((records * BYTES_PER_STEP) / (bytes + 1))));
}

/**
 * Removes a key. Many entries stay without a name, and {@link sweep} removes them in steps.
 *
 * @returns whether entries stay.
 */
export function dropKey(on: Statements, row: Sized): boolean {
  const { id } = row;
  if (row.records > stepOf(row)) {
    on.run('UPDATE keys SET key = ?, expires_at = ? WHERE id = ?', `removed ${randomName()}`, REMOVED_MS, id);
    return true;
  }
  on.run(`DELETE FROM entries WHERE ${IS_OF_KEY}`, id);
  on.run('DELETE FROM keys WHERE id = ?', id);
  return false;
}

/** Removes some keys that expired, or some entries of one. @returns whether there may be more. */
export function sweep(on: Statements, trustedMs: number = REMOVED_MS): boolean {
  const sql = 'SELECT id, records, bytes, expires_at FROM keys WHERE expires_at <= ? ORDER BY expires_at LIMIT ?';
  const expired = on.all(sql, trustedMs, KEYS_PER_SWEEP);
  let removed = 0;
  for (const { id, records, bytes, expires_at: expiresMs } of expired) {
    const row: Sized = { id: Number(id), records: Number(records), bytes: Number(bytes) };
    const step = stepOf(row);
    if (removed > 0 && removed + step > ENTRIES_PER_STEP) return true;
    if (row.records > step && Number(expiresMs) === REMOVED_MS) {
      const first = `SELECT id FROM entries WHERE ${IS_OF_KEY} ORDER BY id LIMIT ?2`;
      on.run(`DELETE FROM entries WHERE id IN (${first})`, row.id, step);
      on.run(
        'UPDATE keys SET records = records - ?1, bytes = bytes - bytes * ?1 / records WHERE id = ?2',
        step,
        row.id,
      );
      return true;
    }
    dropKey(on, row);
    removed += Math.min(row.records, step);
  }
  return expired.length === KEYS_PER_SWEEP;
}
