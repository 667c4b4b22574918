/** The tables of a file, and how they are created. */
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { MemoryError } from '../errors.ts';
import type { Statements } from './sqlite-statements.ts';

/** Marks the file as a memory: "Cair". */
const APPLICATION_ID = 0x43616972;
const SCHEMA_VERSION = 5;

/** The size of the log after a checkpoint. */
const LOG_BYTES = 4 * 1024 * 1024;

/**
 * `keys` counts its rows, so that nothing is counted by reading them; the id of a key is never given twice. The rest of a
 * removed key is dropped in steps. The sequence of a row has the id of its key, see `sqlite-table.ts`, so that the rows of a
 * key are together. `terms` of a row are the names of its postings, `labels` those of its entries in `labels`, in the order of their
 * places; `checksum` is the one of its id and body. `state` has one row.
 */
const tables = `
CREATE TABLE state (
  trusted_ms INTEGER,
  jumped_to_ms INTEGER,
  erasure TEXT,
  created_ms INTEGER NOT NULL DEFAULT (CAST(unixepoch('subsec') * 1000 AS INTEGER)),
  forgotten TEXT NOT NULL DEFAULT '[]'
);
INSERT INTO state DEFAULT VALUES;
CREATE TABLE keys (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL UNIQUE,
  is_dropped INTEGER NOT NULL DEFAULT 0,
  sequence INTEGER NOT NULL,
  place INTEGER NOT NULL,
  records INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  removed INTEGER NOT NULL
);
CREATE TABLE entries (
  sequence INTEGER PRIMARY KEY,
  key_id INTEGER NOT NULL,
  id TEXT NOT NULL,
  place INTEGER NOT NULL,
  expires_at INTEGER,
  identity TEXT,
  terms TEXT,
  labels TEXT,
  checksum INTEGER,
  body TEXT NOT NULL
);
CREATE TABLE labels (
  owner INTEGER NOT NULL,
  label TEXT NOT NULL,
  at INTEGER NOT NULL,
  entry INTEGER NOT NULL,
  PRIMARY KEY (owner, label, at, entry)
) WITHOUT ROWID;
CREATE TABLE label_counts (
  owner INTEGER NOT NULL,
  label TEXT NOT NULL,
  records INTEGER NOT NULL,
  PRIMARY KEY (owner, label)
) WITHOUT ROWID;
CREATE TABLE postings (
  id INTEGER PRIMARY KEY,
  key_id INTEGER NOT NULL,
  term TEXT NOT NULL,
  block INTEGER NOT NULL,
  body TEXT NOT NULL
);
CREATE INDEX dropped_keys ON keys (id) WHERE is_dropped = 1;
CREATE UNIQUE INDEX entries_by_id ON entries (key_id, id);
CREATE INDEX entries_by_place ON entries (key_id, place, sequence);
CREATE INDEX entries_by_key_and_expiry ON entries (key_id, expires_at);
CREATE INDEX entries_by_expiry ON entries (expires_at) WHERE expires_at IS NOT NULL;
CREATE UNIQUE INDEX entries_by_identity ON entries (identity, key_id) WHERE identity IS NOT NULL;
CREATE UNIQUE INDEX postings_by_term ON postings (key_id, term, block);
`;

export function pragma(database: DatabaseSync, name: string): SQLOutputValue | undefined {
  return Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
}

/** The row of `state`. */
export type State = Readonly<Record<string, unknown>>;

/**
 * Reads the state of the file. A file without one is damaged.
 *
 * @throws {MemoryError} `CORRUPT_STORE` when a newer version changed the format of the open file.
 */
export function stateOf(on: Statements): State {
  const state = on.get('SELECT state.*, user_version FROM state, pragma_user_version');
  if (state === undefined) throw Object.assign(new Error('the state is missing'), { errcode: 11 });
  if (state['user_version'] === SCHEMA_VERSION) return state;
  throw unusable('The open file', `has another format now (${String(state['user_version'])})`, 'open it again.');
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
 * @throws {MemoryError} `CORRUPT_STORE` for the database of another program, or of a newer or an earlier version.
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
  if (version > 0 && version < SCHEMA_VERSION) {
    const hint =
      "export it with the build of Cairn that wrote it ('cairn memory export'), move it away, and import what was exported.";
    throw unusable(path, `has the format ${version} of an earlier Cairn`, hint);
  }
  return version;
}

/** Creates the tables of an open file of a format unless it has them. It can be repeated when another process held a lock. */
export function setUp(database: DatabaseSync, format: number): void {
  // SQLite accepts this only in an empty file.
  if (format === 0) database.exec('PRAGMA auto_vacuum = INCREMENTAL');
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = ${LOG_BYTES};
    PRAGMA secure_delete = ON`);
  if (format === SCHEMA_VERSION) return;
  database.exec('BEGIN IMMEDIATE');
  // Another process may have done it first.
  if (Number(pragma(database, 'user_version')) === 0) createTables(database);
  database.exec('COMMIT');
}

export function createTables(database: DatabaseSync): void {
  database.exec(`${tables} PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION}`);
}
