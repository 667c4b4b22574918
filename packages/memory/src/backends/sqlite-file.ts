import { closeSync, mkdirSync, openSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { MemoryError } from '../errors.ts';

/** Marks the file as a memory: "Cair". */
const APPLICATION_ID = 0x43616972;
const SCHEMA_VERSION = 1;

/** The size of the log after a checkpoint. */
const LOG_BYTES = 4 * 1024 * 1024;

const schema = `
CREATE TABLE keys (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, expires_at INTEGER, value TEXT);
CREATE INDEX keys_by_expiry ON keys (expires_at) WHERE expires_at IS NOT NULL;
CREATE TABLE records (
  id INTEGER PRIMARY KEY,
  key_id INTEGER NOT NULL,
  position INTEGER NOT NULL,
  time INTEGER,
  temporary INTEGER NOT NULL,
  body TEXT NOT NULL
);
CREATE UNIQUE INDEX records_by_position ON records (key_id, position);
`;

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/**
 * Creates a directory with its parents. `recursive` of Node never ends where the system reports that a directory does not
 * exist and cannot be created, as below `/proc`.
 *
 * @returns whether the directory is new.
 */
function makeDirectory(directory: string): boolean {
  if (isDirectory(directory)) return false;
  if (dirname(directory) !== directory) makeDirectory(dirname(directory));
  try {
    mkdirSync(directory, { mode: 0o700 });
    return true;
  } catch (error) {
    // Another process created it first.
    if (isDirectory(directory)) return false;
    throw error;
  }
}

/** Creates the file and its directory, readable only for the owner. A new `.cairn` directory is ignored by git. */
export function prepareFile(path: string): void {
  const directory = dirname(path);
  const isNew = makeDirectory(directory);
  if (isNew && basename(directory) === '.cairn') writeFileSync(join(directory, '.gitignore'), '*\n');
  // SQLite creates the log with the same mode.
  closeSync(openSync(path, 'a', 0o600));
}

/** Returns an identity of the file at a path, to notice that another file replaced it. */
export function identityOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats && `${stats.dev} ${stats.ino}`;
}

/** Returns the value of a pragma. */
export function pragma(database: DatabaseSync, name: string): SQLOutputValue | undefined {
  return Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
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
 * Creates or checks the tables of an open file. It can be repeated when another process held a lock.
 *
 * @throws {MemoryError} `CORRUPT_STORE` for the database of another program or of a newer version.
 */
export function setUp(database: DatabaseSync, path: string): void {
  // One transaction reads both, because another process may be creating the tables.
  database.exec('BEGIN');
  const version = Number(pragma(database, 'user_version'));
  const isMemory = pragma(database, 'application_id') === APPLICATION_ID;
  const isForeign = !isMemory && !isEmpty(database);
  database.exec('COMMIT');
  if (isForeign) throw unusable(path, 'is the database of another program', 'use another file.');
  if (version > SCHEMA_VERSION) {
    throw unusable(path, `was written by a newer Cairn (format ${version})`, 'use that version, or another file.');
  }
  // SQLite accepts this only in an empty file.
  if (version === 0) database.exec('PRAGMA auto_vacuum = INCREMENTAL');
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = ${LOG_BYTES}`);
  if (version === SCHEMA_VERSION) return;
  database.exec('BEGIN IMMEDIATE');
  // Another process may have created the tables first.
  if (isEmpty(database)) {
    database.exec(schema);
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION}`);
  }
  database.exec('COMMIT');
}
