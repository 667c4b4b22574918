/** The rows of one key of a file, with their postings. */
import { crc32 } from 'node:zlib';
import { MemoryError } from '../errors.ts';
import type { Keep, PageQuery, Row, RowChange, TableChange, TableResult } from '../records/backend.ts';
import type { Time } from '../records/clock-guard.ts';
import { blockOf, withoutPostings } from '../records/postings.ts';
import { randomName } from '../records/random-name.ts';
import { conflictIn, writtenText, type Conflict } from './changes.ts';
import { PostingsChange, readable } from './sqlite-postings.ts';
import type { Statements } from './sqlite-statements.ts';

/** The sequences of a key: its id times this, and the numbers after it. */
const SPAN: number = 2 ** 27;
const MAX = Number.MAX_SAFE_INTEGER;
/** The expired rows that each write removes. */
const ROWS_PER_SWEEP = 16;
/** The rows of a removed key that go in one step, and their bytes. */
const ROWS_PER_STEP = 2048;
const BYTES_PER_STEP = 1024 * 1024;

/** A row of another program may be binary; it is read as SQLite writes it: `X'00FF'`. */
const BODY = "CASE typeof(body) WHEN 'text' THEN body ELSE quote(body) END AS body";
/** What {@link rowOf} reads. */
export const COLUMNS: string = `sequence, id, place, expires_at, checksum, ${BODY}`;
const IS_LIVE = '(expires_at IS NULL OR expires_at >';
/** The end of all texts that start with the parameter: no text has the byte 0xFF. */
export const endOf = (parameter: string): string => `CAST(CAST(${parameter} AS BLOB) || x'FF' AS TEXT)`;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns the checksum of a row. SQLite itself does not notice when the later pages of a long text are overwritten.
 *
 * @param body as it is read back.
 */
export function checksumOf(id: string, body: string): number {
  return crc32(body, crc32(id));
}

/** Returns whether the text of a row is not what was written. */
export function isDamaged({ id, checksum, body }: Fields): boolean {
  // A row of another program has none.
  return checksum !== null && checksum !== checksumOf(String(id), String(body));
}

/** Returns the text of a row. One that is not what was written is left out if it could pass for a record. */
function textOf(fields: Fields): string {
  const text = String(fields['body']);
  return isDamaged(fields) && isJson(text) ? '' : text;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

export function rowOf(fields: Fields): Row {
  const { expires_at: expiresAt } = fields;
  return {
    id: String(fields['id']),
    sequence: Number(fields['sequence']),
    place: Number(fields['place']),
    ...(expiresAt !== null && { expiresAt: Number(expiresAt) }),
    text: textOf(fields),
    ...(isDamaged(fields) && { isDamaged: true }),
  };
}

/** Returns the strings of a list; `undefined` for a damaged one. */
function listOf(json: unknown): string[] | undefined {
  const list = typeof json === 'string' && isJson(json) ? (JSON.parse(json) as unknown) : undefined;
  return Array.isArray(list) && list.every((text) => typeof text === 'string') ? list : undefined;
}

/** Limits a time to the whole numbers that can be read back from SQLite; `null` for never. */
function storedTime(timeMs: number): number | null {
  return timeMs === Infinity ? null : Math.max(-Number.MAX_SAFE_INTEGER, Math.min(timeMs, Number.MAX_SAFE_INTEGER));
}

interface Counts {
  readonly id: number;
  sequence: number;
  place: number;
  records: number;
  bytes: number;
  /** How many rows with terms are gone. */
  removed: number;
}

function countsOf(fields: Fields): Counts {
  return {
    id: Number(fields['id']),
    sequence: Number(fields['sequence']),
    place: Number(fields['place']),
    records: Number(fields['records']),
    bytes: Number(fields['bytes']),
    removed: Number(fields['removed']),
  };
}

export function findKey(on: Statements, key: string): Readonly<Counts> | undefined {
  const found = on.get('SELECT * FROM keys WHERE key = ?', key);
  return found && countsOf(found);
}

/** Reads the rows of a key in an order, one at a time. */
export function pageOf(
  on: Statements,
  keyId: number,
  query: PageQuery & { readonly limit: number; readonly nowMs: number },
): Iterable<Fields> {
  const { limit, nowMs } = query;
  if (query.order === 'written') {
    const [first, end] = [Math.max(query.after ?? 0, keyId * SPAN), (keyId + 1) * SPAN];
    // The sequences of a key are together, so that no index is read.
    const sql = `SELECT ${COLUMNS} FROM entries WHERE sequence > ? AND sequence < ? AND ${IS_LIVE} ?) ORDER BY sequence LIMIT ?`;
    return on.each(sql, first, end, nowMs, limit);
  }
  const { place, sequence } = query.before ?? { place: MAX, sequence: MAX };
  if (query.label !== undefined) {
    // The order of the tables is fixed: the labels are read in their order, and the entries one by one.
    const sql = `SELECT ${COLUMNS} FROM labels CROSS JOIN entries ON entries.sequence = labels.entry
      WHERE owner = ? AND label = ? AND (at, entry) < (?, ?) AND ${IS_LIVE} ?) ORDER BY at DESC, entry DESC LIMIT ?`;
    return on.each(sql, keyId, query.label, place, sequence, nowMs, limit);
  }
  const sql = `SELECT ${COLUMNS} FROM entries WHERE key_id = ? AND (place, sequence) < (?, ?) AND ${IS_LIVE} ?)
    ORDER BY place DESC, sequence DESC LIMIT ?`;
  return on.each(sql, keyId, place, sequence, nowMs, limit);
}

/** Returns the number of rows of a key with a label. */
export function countLabel(on: Statements, keyId: number, label: string): number {
  const found = on.get('SELECT records FROM label_counts WHERE owner = ? AND label = ?', keyId, label);
  return Number(found?.['records'] ?? 0);
}

/** One key in a transaction that writes. {@link SqliteTable.save} ends the change. */
class SqliteTable {
  readonly #on: Statements;
  readonly #counts: Counts;
  readonly #postings: PostingsChange;
  /** By how much the number of rows with a label changed. */
  readonly #labelled = new Map<string, number>();

  constructor(on: Statements, counts: Counts) {
    this.#on = on;
    this.#counts = counts;
    this.#postings = new PostingsChange(on, counts.id);
  }

  get sequence(): number {
    return this.#counts.records === 0 ? 0 : this.#counts.sequence;
  }

  /** Removes rows that meet a condition, in which `?1` is the id of the key. @returns their number. */
  remove(condition: string, ...values: readonly (number | string)[]): number {
    const sql = `DELETE FROM entries WHERE key_id = ?1 AND ${condition}
      RETURNING sequence, place, terms, labels, octet_length(body) AS bytes`;
    const removed = this.#on.all(sql, this.#counts.id, ...values);
    const counts = this.#counts;
    counts.records -= removed.length;
    for (const { sequence, place, terms, labels, bytes } of removed) {
      counts.bytes -= Number(bytes);
      const [at, entry] = [Number(place), Number(sequence)];
      if (labels !== null) this.#unlabel(listOf(labels) ?? this.#labelsOf(at, entry), at, entry);
      if (terms === null) continue;
      counts.removed += 1;
      this.#postings.remove(entry, listOf(terms) ?? this.#termsOf(entry));
    }
    return removed.length;
  }

  /** Returns the labels of a row whose own list is damaged. */
  #labelsOf(place: number, sequence: number): string[] {
    const sql = 'SELECT label FROM labels WHERE owner = ? AND at = ? AND entry = ?';
    return this.#on.all(sql, this.#counts.id, place, sequence).map(({ label }) => String(label));
  }

  /** Returns the terms of a row whose own list is damaged. Otherwise the index would keep words of a removed text. */
  #termsOf(sequence: number): string[] {
    const sql = 'SELECT term, body FROM postings WHERE key_id = ? AND block = ?';
    const found = this.#on.all(sql, this.#counts.id, blockOf(sequence));
    const isOwn = ({ body }: Fields): boolean => {
      const numbers = readable(body);
      return withoutPostings(numbers, [sequence]) !== numbers;
    };
    return found.filter(isOwn).map(({ term }) => String(term));
  }

  #label(labels: readonly string[], place: number, sequence: number): void {
    const sql = 'INSERT INTO labels (owner, label, at, entry) VALUES (?, ?, ?, ?)';
    for (const label of labels) {
      this.#on.run(sql, this.#counts.id, label, place, sequence);
      this.#labelled.set(label, (this.#labelled.get(label) ?? 0) + 1);
    }
  }

  #unlabel(labels: readonly string[], place: number, sequence: number): void {
    const sql = 'DELETE FROM labels WHERE owner = ? AND label = ? AND at = ? AND entry = ?';
    for (const label of labels) {
      this.#on.run(sql, this.#counts.id, label, place, sequence);
      this.#labelled.set(label, (this.#labelled.get(label) ?? 0) - 1);
    }
  }

  /** Takes the next sequence. @throws {MemoryError} `STORE_FULL`. */
  advance(): number {
    this.#counts.sequence += 1;
    if (this.#counts.sequence < (this.#counts.id + 1) * SPAN) return this.#counts.sequence;
    const summary = `[memory:sqlite] A key was changed ${SPAN} times, and has no more sequences`;
    throw new MemoryError('STORE_FULL', [summary, 'Export the store, and import it into a new file.']);
  }

  /** Writes a row. @returns the row, even if it has expired already and is not kept. */
  put(
    { id, next = '', timeMs, lifetimeMs = Infinity, unique, terms, labels }: RowChange,
    { nowMs, trustedMs }: Time,
  ): Row {
    const counts = this.#counts;
    const sequence = this.advance();
    const time = Math.trunc(timeMs ?? nowMs);
    const place = timeMs === undefined ? Math.max(counts.place, time) : time;
    counts.place = Math.max(counts.place, place);
    const expiresMs = time + lifetimeMs;
    const text = writtenText(next, time);
    const row = { id, sequence, place, ...(expiresMs !== Infinity && { expiresAt: expiresMs }), text };
    if (expiresMs <= trustedMs) return row;
    this.#on.run(
      `INSERT INTO entries (sequence, key_id, id, place, expires_at, identity, terms, labels, checksum, body)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      sequence,
      counts.id,
      id,
      place,
      storedTime(expiresMs),
      unique ?? null,
      terms === undefined ? null : JSON.stringify([...terms.keys()]),
      labels === undefined || labels.length === 0 ? null : JSON.stringify(labels),
      checksumOf(id, text),
      text,
    );
    this.#label(labels ?? [], place, sequence);
    counts.records += 1;
    counts.bytes += Buffer.byteLength(text);
    if (terms !== undefined) this.#postings.add(sequence, terms);
    return row;
  }

  countOf(idPrefix: string): number {
    if (idPrefix === '') return this.#counts.records;
    const sql = `SELECT count(*) AS count FROM entries WHERE key_id = ?1 AND id >= ?2 AND id < ${endOf('?2')}`;
    return Number(this.#on.get(sql, this.#counts.id, idPrefix)?.['count']);
  }

  trim({ idPrefix }: Keep, limit: number): void {
    const excess = Math.min(this.countOf(idPrefix) - limit, this.#counts.records);
    if (!(excess > 0)) return;
    const isNamed = idPrefix === '' ? '?2 = ?2' : `id >= ?2 AND id < ${endOf('?2')}`;
    const oldest = `SELECT sequence FROM entries WHERE key_id = ?1 AND ${isNamed} ORDER BY place, sequence LIMIT ?3`;
    this.remove(`sequence IN (${oldest})`, idPrefix, excess);
  }

  /** Ends the change. If it has many terms, other work runs in between. */
  save(): void | Promise<void> {
    this.#saveCounts();
    return this.#postings.save();
  }

  saveNow(): void {
    this.#saveCounts();
    this.#postings.saveNow();
  }

  #saveCounts(): void {
    for (const [label, change] of this.#labelled) this.#saveLabel(label, change);
    const { id, sequence, place, records, bytes, removed } = this.#counts;
    if (records === 0) {
      this.#on.run('DELETE FROM keys WHERE id = ?', id);
      return;
    }
    this.#on.run(
      `UPDATE keys SET sequence = ?, place = ?, records = ?, bytes = ?, removed = ?
       WHERE id = ?`,
      sequence,
      place,
      records,
      bytes,
      removed,
      id,
    );
  }

  #saveLabel(label: string, change: number): void {
    const { id } = this.#counts;
    if (change === 0) return;
    this.#on.run(
      `INSERT INTO label_counts (owner, label, records) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET records = records + excluded.records`,
      id,
      label,
      change,
    );
    if (change < 0) this.#on.run('DELETE FROM label_counts WHERE owner = ? AND label = ? AND records = 0', id, label);
  }
}

function addKey(on: Statements, key: string): Counts {
  const sql = `INSERT INTO keys (key, sequence, place, records, bytes, removed)
    VALUES (?, 0, ?, 0, 0, 0) RETURNING *`;
  const counts = countsOf(on.get(sql, key, -Number.MAX_SAFE_INTEGER) ?? {});
  return { ...counts, sequence: counts.id * SPAN };
}

/** Finds why rows cannot be changed. No key has the id 0. */
function conflictOf(on: Statements, keyId: number, rows: readonly RowChange[], nowMs: number): Conflict | undefined {
  const bodyOf = `SELECT id, checksum, ${BODY} FROM entries WHERE key_id = ? AND id = ? AND ${IS_LIVE} ?)`;
  const idOf = `SELECT id FROM entries WHERE key_id = ? AND identity = ? AND ${IS_LIVE} ?)`;
  return conflictIn(rows, {
    textOf: (id) => {
      const found = on.get(bodyOf, keyId, id, nowMs);
      return found && textOf(found);
    },
    ownerOf: (unique) => {
      const id = on.get(idOf, keyId, unique, nowMs)?.['id'];
      return id === undefined ? undefined : String(id);
    },
  });
}

export function changeTable(
  on: Statements,
  key: string,
  change: TableChange,
  time: Time,
): TableResult | Promise<TableResult> {
  const { rows = [], removes = [], keep = [], sequence } = change;
  const known = findKey(on, key);
  if (sequence !== undefined && sequence !== (known?.sequence ?? 0)) return { isDone: false, reason: 'changed' };
  const conflict = conflictOf(on, known?.id ?? 0, rows, time.nowMs);
  if (conflict) return conflict;
  if (known === undefined && rows.every(({ next }) => next === undefined)) {
    return { isDone: true, sequence: 0, rows: [], removed: 0 };
  }
  const table = new SqliteTable(on, known ?? addKey(on, key));
  // An expired row is not one of the rows that stay.
  if (keep.length > 0) table.remove('expires_at <= ?2', time.trustedMs);
  const limits = keep.map(({ idPrefix, maxRows, keepsPresent = false }) =>
    keepsPresent ? Math.max(maxRows, table.countOf(idPrefix)) : maxRows,
  );
  let removed = 0;
  if (removes === 'all') removed = table.remove('true');
  else for (const id of removes) removed += table.remove('id = ?2', id);
  for (const { id, unique, next } of rows) {
    table.remove('id = ?2', id);
    // An expired row that has it; of others there is a conflict.
    if (unique !== undefined && next !== undefined) table.remove('identity = ?2', unique);
  }
  // A removal too is a change of the table.
  if (removed > 0 || rows.some(({ next }) => next === undefined)) table.advance();
  const written = rows.flatMap((row) => (row.next === undefined ? [] : [table.put(row, time)]));
  for (const [index, one] of keep.entries()) table.trim(one, limits[index] ?? Infinity);
  const finish = (): TableResult => {
    sweep(on, time.trustedMs);
    return { isDone: true, sequence: table.sequence, rows: written, removed };
  };
  const saved = table.save();
  return saved instanceof Promise ? saved.then(finish) : finish();
}

type Sized = Pick<Counts, 'id' | 'records' | 'bytes'>;

/** Returns the number of rows of a key that are removed in one step, which blocks for some milliseconds. */
function stepOf({ records, bytes }: Sized): number {
  return Math.max(1, Math.min(ROWS_PER_STEP, Math.floor((records * BYTES_PER_STEP) / (bytes + 1))));
}

/** Removes a key. Rows and postings stay without a name, and {@link sweep} removes them in steps. @returns the number of rows. */
export function dropKey(on: Statements, key: string): number {
  const known = findKey(on, key);
  if (known === undefined) return 0;
  drop(on, known);
  return known.records;
}

function drop(on: Statements, known: Sized): void {
  on.run('UPDATE keys SET key = ?, is_dropped = 1 WHERE id = ?', `dropped ${randomName()}`, known.id);
  // Mostly, one step is enough.
  removeSome(on, known);
}

/** Removes some rows or postings of a key without a name. @returns whether there are more. */
function removeSome(on: Statements, key: Sized): boolean {
  const step = stepOf(key);
  const rows = `SELECT sequence FROM entries WHERE key_id = ?1 LIMIT ?2`;
  const postings = `SELECT id FROM postings WHERE key_id = ?1 LIMIT ?2`;
  const labels = `SELECT label, at, entry FROM labels WHERE owner = ?1 LIMIT ?2`;
  if (on.run(`DELETE FROM entries WHERE sequence IN (${rows})`, key.id, step) === step) return true;
  if (on.run(`DELETE FROM postings WHERE id IN (${postings})`, key.id, ROWS_PER_STEP) === ROWS_PER_STEP) return true;
  const ofLabels = `DELETE FROM labels WHERE owner = ?1 AND (label, at, entry) IN (${labels})`;
  if (on.run(ofLabels, key.id, ROWS_PER_STEP) === ROWS_PER_STEP) return true;
  on.run('DELETE FROM label_counts WHERE owner = ?', key.id);
  on.run('DELETE FROM keys WHERE id = ?', key.id);
  return false;
}

/** Removes what is left of a removed key, or some expired rows. @returns whether there is more of removed keys. */
export function sweep(on: Statements, trustedMs: number = -Infinity): boolean {
  const gone = on.get('SELECT id, records, bytes FROM keys WHERE is_dropped = 1 LIMIT 1');
  if (gone !== undefined) {
    removeSome(on, { id: Number(gone['id']), records: Number(gone['records']), bytes: Number(gone['bytes']) });
    return true;
  }
  if (trustedMs === -Infinity) return false;
  const byKey = new Map<number, number[]>();
  const sql = 'SELECT key_id, sequence FROM entries WHERE expires_at <= ? ORDER BY expires_at LIMIT ?';
  for (const { key_id: id, sequence } of on.all(sql, trustedMs, ROWS_PER_SWEEP)) {
    byKey.set(Number(id), [...(byKey.get(Number(id)) ?? []), Number(sequence)]);
  }
  const isOver = `SELECT NOT EXISTS (SELECT 1 FROM entries WHERE key_id = ?1 AND expires_at IS NULL)
    AND (SELECT max(expires_at) FROM entries WHERE key_id = ?1) <= ?2 AS is_over`;
  for (const [id, sequences] of byKey) {
    const counts = countsOf(on.get('SELECT * FROM keys WHERE id = ?', id) ?? {});
    if (sequences.length === ROWS_PER_SWEEP && on.get(isOver, id, trustedMs)?.['is_over'] === 1) {
      drop(on, counts);
      return true;
    }
    const table = new SqliteTable(on, counts);
    table.remove('sequence IN (SELECT value FROM json_each(?2))', JSON.stringify(sequences));
    table.saveNow();
  }
  return false;
}
