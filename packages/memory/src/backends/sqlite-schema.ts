/** The tables of a file, how they are created, and how those of an older format are replaced. */
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { MemoryError } from '../errors.ts';
import type { Statements } from './sqlite-statements.ts';

/** Marks the file as a memory: "Cair". */
const APPLICATION_ID = 0x43616972;
export const SCHEMA_VERSION = 2;

/** The size of the log after a checkpoint. */
const LOG_BYTES = 4 * 1024 * 1024;

/**
 * `keys` counts its entries, so that nothing is counted by reading them. An entry is a record of a list or a row of a table. Its id
 * is that of its key and its sequence, 32 bits each, so that the entries of a key are together and need no index by sequence. The
 * order of a list is (anchor, placed, id), see `sqlite-lists.ts`. `state` has one row.
 */
const tables = `
CREATE TABLE state (
  trusted_ms INTEGER,
  jumped_to_ms INTEGER,
  erasure TEXT
);
INSERT INTO state DEFAULT VALUES;
CREATE TABLE keys (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  expires_at INTEGER,
  epoch TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  records INTEGER NOT NULL,
  temporary INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  value TEXT
);
CREATE TABLE entries (
  id INTEGER PRIMARY KEY,
  key_id INTEGER NOT NULL,
  anchor INTEGER,
  placed INTEGER,
  time INTEGER,
  temporary INTEGER NOT NULL,
  name TEXT,
  identity TEXT,
  body TEXT NOT NULL
);
`;

/** Created after the entries of an older format are copied, which is faster. */
const indexes = `
CREATE INDEX keys_by_expiry ON keys (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX entries_by_place ON entries (key_id, anchor, placed, id, time) WHERE anchor IS NOT NULL;
CREATE INDEX entries_by_time ON entries (key_id, temporary, time) WHERE time IS NOT NULL;
CREATE UNIQUE INDEX entries_by_name ON entries (key_id, name) WHERE name IS NOT NULL;
CREATE UNIQUE INDEX entries_by_identity ON entries (key_id, identity) WHERE identity IS NOT NULL;
`;

/** Copies the tables of format 1. */
function copyOfFormat1(oldKeys: string, oldRecords: string): string {
  const ofKey = (what: string): string => `(SELECT ${what} FROM ${oldRecords} WHERE key_id = k.id)`;
  return `
INSERT INTO keys (id, key, kind, expires_at, epoch, sequence, records, temporary, bytes, value)
  SELECT id, key, 'document', expires_at, lower(hex(randomblob(8))), 0, 1, 0, octet_length(value), value
    FROM ${oldKeys} WHERE value IS NOT NULL
  UNION ALL
  SELECT id, key, 'list', expires_at, lower(hex(randomblob(8))), ${ofKey('max(position)')}, ${ofKey('count(*)')},
      ${ofKey('sum(temporary)')}, ${ofKey('sum(octet_length(body))')}, NULL
    FROM ${oldKeys} AS k WHERE value IS NULL AND ${ofKey('count(*)')} > 0;
INSERT INTO entries (id, key_id, anchor, placed, time, temporary, body)
  SELECT (key_id << 32) | position, key_id, position, 0, time, temporary, body FROM ${oldRecords}
    WHERE key_id IN (SELECT id FROM keys) ORDER BY key_id, position;
UPDATE state SET trusted_ms = (SELECT min(max(time), CAST(unixepoch('subsec') * 1000 AS INTEGER)) FROM entries);
`;
}

/** Old pages have text that was removed, so that the new file is written again as a whole. */
const migration = `
ALTER TABLE keys RENAME TO old_keys;
DROP INDEX keys_by_expiry;
${tables}
${copyOfFormat1('old_keys', 'records')}
DROP TABLE old_keys;
DROP TABLE records;
${indexes}
UPDATE state SET erasure = 'text';
`;

/** Returns the value of a pragma. */
export function pragma(database: DatabaseSync, name: string): SQLOutputValue | undefined {
  return Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
}

/** The row of `state`. */
export type State = Readonly<Record<string, unknown>>;

/** Reads the state of the file. A file without one is damaged. */
export function stateOf(on: Statements): State {
  const state = on.get('SELECT trusted_ms, jumped_to_ms, erasure FROM state');
  if (state === undefined) throw Object.assign(new Error('the state is missing'), { errcode: 11 });
  return state;
}

function isEmpty(database: DatabaseSync): boolean {
  return database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;
}

function unusable(path: string, problem: string, hint: string): MemoryError {
  return new MemoryError('CORRUPT_STORE', [`[memory:sqlite] ${path} ${problem}`, `The file was not changed: ${hint}`], {
    path,
  });
}

/**
 * Returns the format of an open file, 0 for an empty one.
 *
 * @throws {MemoryError} `CORRUPT_STORE` for the database of another program or of a newer version.
 */
export function formatOf(database: DatabaseSync, path: string): number {
  // One transaction reads all, because another process may be creating the tables.
  database.exec('BEGIN');
  const version = Number(pragma(database, 'user_version'));
  const isForeign = pragma(database, 'application_id') !== APPLICATION_ID && !isEmpty(database);
  database.exec('COMMIT');
  if (isForeign) throw unusable(path, 'is the database of another program', 'use another file.');
  if (version > SCHEMA_VERSION) {
    throw unusable(path, `was written by a newer Cairn (format ${version})`, 'use that version, or another file.');
  }
  return version;
}

/**
 * Creates the tables of an open file, or brings them to the current format. It can be repeated when another process held a lock.
 *
 * @returns the current format.
 */
export function setUp(database: DatabaseSync, path: string): number {
  const format = formatOf(database, path);
  // SQLite accepts this only in an empty file.
  if (format === 0) database.exec('PRAGMA auto_vacuum = INCREMENTAL');
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = ${LOG_BYTES};
    PRAGMA secure_delete = ON`);
  if (format === SCHEMA_VERSION) return format;
  database.exec('BEGIN IMMEDIATE');
  // Another process may have done it first.
  const version = Number(pragma(database, 'user_version'));
  if (version < SCHEMA_VERSION) {
    database.exec(version === 1 ? migration : `${tables}${indexes}`);
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION}`);
  }
  database.exec('COMMIT');
  return SCHEMA_VERSION;
}

/** Copies a file of an older format, or an empty one, into a database in memory. It can be repeated like {@link setUp}. */
export function copyOldFile(database: DatabaseSync, file: { readonly name: string; readonly format: number }): void {
  if (database.isTransaction) database.exec('ROLLBACK');
  if (file.format === 1 && !isAttached(database)) database.prepare('ATTACH ? AS file').run(file.name);
  const copy = file.format === 1 ? copyOfFormat1('file.keys', 'file.records') : '';
  database.exec(`BEGIN; ${tables}${copy}${indexes} COMMIT`);
}

function isAttached(database: DatabaseSync): boolean {
  return database
    .prepare('PRAGMA database_list')
    .all()
    .some(({ name }) => name === 'file');
}
