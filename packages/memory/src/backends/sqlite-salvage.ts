/**
 * Copies the readable records of a damaged file to a new one. The pages are read one by one, so that every record on a sound page is
 * found, even if the pages that lead to it, the names of the keys or the header of the file are damaged.
 */
import { copyFile, open, rm, stat } from 'node:fs/promises';
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import type { Damage } from '../records/backend.ts';
import { isList } from './sqlite-check.ts';
import { checksumOf } from './sqlite-table.ts';
import { Pages, type RawEntry } from './sqlite-pages.ts';
import { createTables } from './sqlite-schema.ts';
import { statementsOf, type Statements } from './sqlite-statements.ts';
import { runInWorker } from './sqlite-worker.ts';

/** SQLite's code for a file of another kind. */
const NOT_A_DATABASE = 26;
/** The sequences of a key, as in `sqlite-table.ts`. */
const SPAN: number = 2 ** 27;
const PAGES_PER_TURN = 32;
/** The ids of lost records that a message names. */
const MAX_NAMED = 20;
/** Keys whose names are lost get this one, and their id. */
const LOST_KEY = 'ai:lost:';

/** The entries of the pages, before the last statements put them in order. */
const COLLECTED = `
  CREATE TABLE found_names (id INTEGER, key TEXT);
  CREATE TABLE found_keys (id INTEGER, is_dropped INTEGER, sequence INTEGER, place INTEGER, records INTEGER, removed INTEGER);
  CREATE TABLE found_ids (key_id INTEGER, id TEXT, sequence INTEGER);
  CREATE TABLE found_rows (sequence INTEGER, key_id INTEGER, id TEXT, place INTEGER, expires_at INTEGER, identity TEXT, terms TEXT,
    labels TEXT, checksum INTEGER, body TEXT);
  CREATE TABLE found_postings (key_id INTEGER, term TEXT, block INTEGER, body TEXT);
`;

const NAMES = '(SELECT id, max(key) AS key FROM found_names GROUP BY id)';

/** The numbers of the postings that are found. */
const NUMBERS = `found_postings,
  json_each(CASE WHEN json_valid('[' || substr(body, 2) || ']') THEN '[' || substr(body, 2) || ']' ELSE '[]' END)`;

/** Newer rows come first, so that an older row with the same id or identity is left out. */
const ARRANGED = [
  `CREATE TEMP TABLE all_keys AS SELECT ids.id, names.key, max(found.is_dropped) AS is_dropped, coalesce(max(found.sequence), 0) AS sequence,
     coalesce(max(found.place), 0) AS place, coalesce(max(found.removed), 0) + 1 AS removed
   FROM (SELECT id FROM found_keys UNION SELECT id FROM found_names UNION SELECT key_id FROM found_rows
     UNION SELECT key_id FROM found_ids) AS ids
   LEFT JOIN ${NAMES} AS names ON names.id = ids.id LEFT JOIN found_keys AS found ON found.id = ids.id GROUP BY ids.id`,
  `INSERT OR IGNORE INTO keys (id, key, is_dropped, sequence, place, records, bytes, removed)
   SELECT id, key, coalesce(is_dropped, key LIKE 'dropped %'), sequence, place, 0, 0, removed FROM all_keys
   WHERE key IS NOT NULL ORDER BY id DESC`,
  `INSERT INTO keys (id, key, is_dropped, sequence, place, records, bytes, removed)
   SELECT id, '${LOST_KEY}' || id, coalesce(is_dropped, 0), sequence, place, 0, 0, removed FROM all_keys
   WHERE id NOT IN (SELECT id FROM keys)`,
  `INSERT OR IGNORE INTO entries (sequence, key_id, id, place, expires_at, identity, terms, labels, checksum, body)
   SELECT sequence, key_id, id, place, expires_at, identity, terms, labels, checksum, body FROM found_rows ORDER BY sequence DESC`,
  // Lists that are damaged are read back from the index of terms.
  `UPDATE entries SET terms = (SELECT json_group_array(DISTINCT term) FROM ${NUMBERS} WHERE key_id = entries.key_id
     AND block = entries.sequence / 512 AND value % 512 = entries.sequence % 512)
   WHERE terms IS NOT NULL AND NOT ${isList('terms')}`,
  `UPDATE entries SET labels = NULL WHERE labels IS NOT NULL AND NOT ${isList('labels')}`,
  // The labels of a row are in the row, too.
  `INSERT OR IGNORE INTO labels (owner, label, at, entry) SELECT key_id, names.value, place, sequence
   FROM entries, json_each(CASE WHEN json_valid(labels) THEN labels ELSE '[]' END) AS names`,
  `INSERT INTO label_counts (owner, label, records) SELECT owner, label, count(*) FROM labels GROUP BY owner, label`,
  `UPDATE keys SET sequence = max(sequence, found.last), place = max(keys.place, found.place), records = found.rows, bytes = found.bytes
   FROM (SELECT key_id, max(sequence) AS last, max(place) AS place, count(*) AS rows, sum(octet_length(body)) AS bytes
     FROM entries GROUP BY key_id) AS found WHERE found.key_id = keys.id`,
  // The postings of all rows. A term whose postings are lost counts once, which only weakens the rank of its row.
  `INSERT INTO postings (key_id, term, block, body)
   WITH named AS (SELECT DISTINCT entries.key_id, names.value AS term, entries.sequence
       FROM entries, json_each(CASE WHEN json_valid(entries.terms) THEN entries.terms ELSE '[]' END) AS names),
     numbers AS (SELECT key_id, term, block * 512 + value % 512 AS sequence, max(value) AS number FROM ${NUMBERS}
       GROUP BY 1, 2, 3)
   SELECT key_id, term, sequence / 512, group_concat(',' || coalesce(number, 512 + sequence % 512), '' ORDER BY sequence)
   FROM named LEFT JOIN numbers USING (key_id, term, sequence) GROUP BY 1, 2, 3`,
];

/** Lost records: entries of the index of ids without a row, and rows that a key counts. */
const LOST = [
  `SELECT DISTINCT key, found_ids.id FROM found_ids JOIN keys ON keys.id = found_ids.key_id
   WHERE is_dropped = 0 AND found_ids.sequence NOT IN (SELECT sequence FROM entries) ORDER BY key, found_ids.id`,
  `SELECT key, max(found_keys.records) AS counted, keys.records FROM found_keys JOIN keys USING (id)
   WHERE keys.is_dropped = 0 GROUP BY keys.id HAVING counted > keys.records ORDER BY key`,
];

const COUNT = 'SELECT count(*) AS rows FROM entries';

const FINISHED = [
  'DELETE FROM entries WHERE key_id IN (SELECT id FROM keys WHERE is_dropped = 1)',
  'DELETE FROM postings WHERE key_id IN (SELECT id FROM keys WHERE is_dropped = 1)',
  'DELETE FROM labels WHERE owner IN (SELECT id FROM keys WHERE is_dropped = 1)',
  'DELETE FROM label_counts WHERE owner IN (SELECT id FROM keys WHERE is_dropped = 1)',
  'DELETE FROM keys WHERE is_dropped = 1 OR records = 0',
  ...['names', 'keys', 'ids', 'rows', 'postings'].map((name) => `DROP TABLE found_${name}`),
  'VACUUM',
  'PRAGMA journal_mode = WAL',
];

/** Recognizes entries by their form: see the tables in `sqlite-schema.ts`. */
class Collector {
  readonly #on: Statements;
  /** The highest id that a key had. */
  lastKeyId = 0;

  constructor(on: Statements) {
    this.#on = on;
  }

  add({ rowid, values }: RawEntry): void {
    if (rowid === undefined) this.#addIndexEntry(values);
    else if (values.length === 10) this.#addRow(rowid, values);
    else if (values.length === 8) this.#addKey(rowid, values);
    else if (values.length === 5) this.#addPostings(values);
    else if (values[0] === 'keys' && isWhole(values[1])) this.lastKeyId = Math.max(this.lastKeyId, values[1]);
  }

  #addRow(
    sequence: number,
    [
      ,
      keyId,
      id,
      place,
      expiresAt = null,
      identity = null,
      terms = null,
      labels = null,
      checksum = null,
      body,
    ]: RawEntry['values'],
  ): void {
    if (!isWhole(keyId) || Math.floor(sequence / SPAN) !== keyId || typeof id !== 'string' || !isWhole(place)) return;
    if (body === undefined || body === null) return;
    if (checksum !== null && (typeof body !== 'string' || checksum !== checksumOf(id, body))) {
      this.#addId(keyId, id, sequence);
      return;
    }
    const all = [sequence, keyId, id, place, expiresAt, identity, terms, labels, checksum, body];
    this.#on.run('INSERT INTO found_rows VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)', ...all);
  }

  #addKey(id: number, [, key, isDropped, sequence, place, records, , removed]: RawEntry['values']): void {
    if (typeof key !== 'string' || !isWhole(isDropped) || !isWhole(sequence) || !isWhole(place)) return;
    if (!isWhole(records) || !isWhole(removed)) return;
    this.#addName(id, key);
    this.#on.run('INSERT INTO found_keys VALUES (?, ?, ?, ?, ?, ?)', id, isDropped, sequence, place, records, removed);
  }

  #addName(id: number, key: string): void {
    this.#on.run('INSERT INTO found_names VALUES (?, ?)', id, key);
  }

  #addPostings([, keyId, term, block, body]: RawEntry['values']): void {
    if (!isWhole(keyId) || typeof term !== 'string' || !isWhole(block) || typeof body !== 'string') return;
    if (Math.floor((block * 512) / SPAN) !== keyId) return;
    this.#on.run('INSERT INTO found_postings VALUES (?, ?, ?, ?)', keyId, term, block, body);
  }

  /** An entry of the index of names is `[key, id]`, of the index of ids `[key_id, id, sequence]`. */
  #addIndexEntry(values: RawEntry['values']): void {
    const [first, second, third] = values;
    if (values.length === 2 && typeof first === 'string' && isWhole(second)) this.#addName(second, first);
    if (values.length !== 3 || !isWhole(first) || typeof second !== 'string' || !isWhole(third)) return;
    if (Math.floor(third / SPAN) === first) this.#addId(first, second, third);
  }

  #addId(keyId: number, id: string, sequence: number): void {
    this.#on.run('INSERT INTO found_ids VALUES (?, ?, ?)', keyId, id, sequence);
  }
}

function isWhole(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value);
}

/** Copies a file without a log to another one, even if it has no readable header. */
async function copyRaw(path: string, copy: string): Promise<void> {
  await copyFile(path, copy);
  if (((await stat(`${path}-wal`).catch(() => undefined))?.size ?? 0) === 0) return;
  await copyFile(`${path}-wal`, `${copy}-wal`);
  // SQLite writes the log to a file only if the file has a header. Its root pages do not matter here.
  const model = `${copy}.model`;
  const { DatabaseSync: Database } = await import('node:sqlite');
  const fresh = new Database(model);
  fresh.exec('PRAGMA auto_vacuum = INCREMENTAL');
  createTables(fresh);
  fresh.exec('PRAGMA journal_mode = WAL');
  fresh.close();
  const [from, to] = [await open(model), await open(copy, 'r+')];
  try {
    const { size } = await to.stat();
    const page = Buffer.alloc(4096);
    await from.read(page, 0, page.length, 0);
    page.writeUInt32BE(Math.ceil(size / page.length), 28);
    await to.write(page, 0, page.length, 0);
  } finally {
    await Promise.all([from.close(), to.close()]);
    await rm(model);
  }
  const database = new Database(copy);
  try {
    database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
  } catch {
    // Then the records of the log are lost, which the caller reports with the damage of the file.
  } finally {
    database.close();
  }
}

export interface SalvageOptions {
  /** The damaged file. */
  readonly path: string;
  /** Copies the file, with its log, page by page. Fails for a file without a readable header. */
  readonly copy: (to: string) => Promise<unknown>;
  /** The new file, which is missing or empty. */
  readonly target: string;
  readonly signal: AbortSignal | undefined;
}

/** Writes the readable records of a file to a new store. @returns what is lost, by key. */
export async function salvageFile({ path, copy, target, signal }: SalvageOptions): Promise<Damage[]> {
  const flat = `${target}.pages`;
  const suffixes = ['', '-wal', '-shm', '-journal'];
  const removeFlat = (): Promise<unknown> =>
    Promise.all(suffixes.map((suffix) => rm(`${flat}${suffix}`, { force: true })));
  const { DatabaseSync: Database } = await import('node:sqlite');
  const database = new Database(target);
  try {
    await copy(flat).catch(async () => {
      signal?.throwIfAborted();
      await removeFlat();
      await copyRaw(path, flat);
    });
    database.exec('PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF');
    createTables(database);
    database.exec(COLLECTED);
    const collector = new Collector(statementsOf(database));
    await collect(flat, collector, { database, signal });
    await removeFlat();
    database.prepare("INSERT INTO sqlite_sequence SELECT 'keys', ?").run(collector.lastKeyId);
    database.close();
    const statements = ['PRAGMA journal_mode = MEMORY', ...ARRANGED, ...LOST, COUNT, ...FINISHED];
    const results = await runInWorker(target, { statements, timeoutMs: 0 });
    signal?.throwIfAborted();
    const [names = [], counts = [], [total] = []] = results.slice(1 + ARRANGED.length);
    if (total?.['rows'] === 0 && names.length === 0 && counts.length === 0) {
      throw Object.assign(new Error('no page has a record'), { errcode: NOT_A_DATABASE });
    }
    return lostOf(names, counts);
  } finally {
    if (database.isOpen) database.close();
    await removeFlat();
  }
}

async function collect(
  flat: string,
  collector: Collector,
  { database, signal }: { readonly database: DatabaseSync; readonly signal: AbortSignal | undefined },
): Promise<void> {
  const file = await open(flat);
  try {
    const pages = await Pages.of(file);
    database.exec('BEGIN');
    for (let number = 1; number <= pages.count; number++) {
      for (const entry of await pages.entriesOf(number)) collector.add(entry);
      if (number % PAGES_PER_TURN !== 0) continue;
      await setImmediate();
      signal?.throwIfAborted();
    }
    database.exec('COMMIT');
  } finally {
    await file.close();
  }
}

type Fields = Readonly<Record<string, unknown>>;

function lostOf(names: readonly Fields[], counts: readonly Fields[]): Damage[] {
  const lost = new Map<string, { ids: string[]; count: number }>();
  const of = (key: string): { ids: string[]; count: number } => {
    const known = lost.get(key) ?? { ids: [], count: 0 };
    lost.set(key, known);
    return known;
  };
  for (const { key, id } of names) of(String(key)).ids.push(String(id));
  for (const { key, counted, records } of counts) of(String(key)).count = Number(counted) - Number(records);
  return [...lost].map(([key, { ids, count }]) => {
    const total = Math.max(ids.length, count);
    const named = ids.slice(0, MAX_NAMED).map((id) => JSON.stringify(id));
    const rest = total - named.length;
    const list = [...named, ...(rest === 0 ? [] : [named.length === 0 ? 'their ids are lost too' : `${rest} more`])];
    return { key, message: `Lost ${total} of the records of ${key}: ${list.join(', ')}.` };
  });
}
