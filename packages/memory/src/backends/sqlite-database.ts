import { closeSync, mkdirSync, openSync, statSync, writeFileSync } from 'node:fs';
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { MemoryError } from '../errors.ts';
import { explainSqliteError, isBusy } from './sqlite-errors.ts';

/** Versions before it can corrupt a database in WAL mode that several connections write. */
const OLDEST_SQLITE = '3.51.3';

/** Marks the file as ours: "Cair". */
const APPLICATION_ID = 0x43616972;
const SCHEMA_VERSION = 1;

/** SQLite itself waits so long, with this thread; the rest of the patience is spent without blocking it. */
const BLOCKING_MS = 100;
/** What is left of the log after a checkpoint. */
const LOG_BYTES = 4 * 1024 * 1024;
/** A log that grew beyond this, because readers were in the way, is written back by force. */
const MAX_LOG_BYTES = 16 * 1024 * 1024;
/** The size of the log is looked at, and free pages are given back, every so many writes. */
const WRITES_BETWEEN_CARE = 64;
/** So many free pages are given back at once. */
const VACUUM_PAGES = 256;

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

/** Whether a version of SQLite can be trusted with several writers. */
function isSupportedSqlite(version: string): boolean {
  const [have, need] = [version, OLDEST_SQLITE].map((text) => text.split('.').map(Number));
  for (let index = 0; index < 3; index++) {
    const difference = (have?.[index] ?? 0) - (need?.[index] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

/** Where SQLite comes from; a test gives another. */
export type SqliteDriver = () => Promise<{
  readonly DatabaseSync: typeof DatabaseSync;
  readonly version: string | undefined;
}>;

export const nodeSqlite: SqliteDriver = async () => {
  const { DatabaseSync: Database } = await import('node:sqlite');
  return { DatabaseSync: Database, version: process.versions['sqlite'] };
};

async function load(driver: SqliteDriver): Promise<typeof DatabaseSync> {
  const upgrade = 'Use Node 22.22.3, 24.15.0 or newer, or the redis backend.';
  let loaded: Awaited<ReturnType<SqliteDriver>>;
  try {
    loaded = await driver();
  } catch (error) {
    const summary = `[memory:sqlite] Node ${process.versions.node} has no node:sqlite`;
    throw new MemoryError('STORE_UNSUPPORTED', [summary, upgrade], { cause: error });
  }
  const { version } = loaded;
  if (version === undefined || !isSupportedSqlite(version)) {
    const has = `Node ${process.versions.node} has SQLite ${version ?? 'of an unknown version'}`;
    const why = `versions before ${OLDEST_SQLITE} can corrupt a file that several processes write`;
    throw new MemoryError('STORE_UNSUPPORTED', [`[memory:sqlite] ${has}, and ${why}`, upgrade]);
  }
  return loaded.DatabaseSync;
}

/**
 * Makes a directory with those above it. `recursive` would do so too, but goes round for ever where the system says of a
 * directory that it does not exist and cannot be made, as below `/proc`.
 *
 * @returns whether it was not there before.
 */
function makeDirectory(directory: string): boolean {
  const make = (): boolean => {
    try {
      mkdirSync(directory, { mode: 0o700 });
      return true;
    } catch (error) {
      if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() === true) return false;
      throw error;
    }
  };
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() === true) return false;
  if (dirname(directory) !== directory) makeDirectory(dirname(directory));
  return make();
}

/** Makes the file with its directory, readable by its owner alone. A directory in a project is kept out of git. */
function prepareFile(path: string): void {
  const directory = dirname(path);
  const isMade = makeDirectory(directory);
  if (isMade && basename(directory) === '.cairn') writeFileSync(join(directory, '.gitignore'), '*\n');
  // Its log takes over its mode.
  closeSync(openSync(path, 'a', 0o600));
}

/** What tells a file from another that has its name later. */
function fileAt(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && `${found.dev} ${found.ino}`;
}

function isEmpty(database: DatabaseSync): boolean {
  return database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;
}

function pragma(database: DatabaseSync, name: string): SQLOutputValue | undefined {
  return Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
}

function foreign(path: string, what: string, hint: string): MemoryError {
  return new MemoryError('CORRUPT_STORE', [`[memory:sqlite] ${path} ${what}`, `It was left as it is: ${hint}`], {
    path,
  });
}

/** Opens a file of ours and brings it to the schema. Each step can be done again when another process was in the way. */
function setUp(database: DatabaseSync, path: string): void {
  // As of one moment: another process may be making the tables.
  database.exec('BEGIN');
  const version = Number(pragma(database, 'user_version'));
  const isOurs = pragma(database, 'application_id') === APPLICATION_ID;
  const isForeign = !isOurs && !isEmpty(database);
  database.exec('COMMIT');
  if (isForeign) throw foreign(path, 'is the database of another program', 'name another file.');
  if (version > SCHEMA_VERSION) {
    throw foreign(path, `was written by a newer Cairn (format ${version})`, 'use that one, or name another file.');
  }
  // Only an empty file takes it.
  if (version === 0) database.exec('PRAGMA auto_vacuum = INCREMENTAL');
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = ${LOG_BYTES}`);
  if (version === SCHEMA_VERSION) return;
  database.exec('BEGIN IMMEDIATE');
  // Another process may have been first.
  if (isEmpty(database)) {
    database.exec(schema);
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION}`);
  }
  database.exec('COMMIT');
}

export interface DatabaseOptions {
  readonly path: string;
  readonly busyTimeoutMs: number;
  readonly driver: SqliteDriver;
}

/** What a piece of work may do with the open file. */
export interface Work {
  readonly all: (sql: string, ...values: SQLInputValue[]) => Record<string, SQLOutputValue>[];
  readonly get: (sql: string, ...values: SQLInputValue[]) => Record<string, SQLOutputValue> | undefined;
  readonly run: (sql: string, ...values: SQLInputValue[]) => number;
  readonly iterate: (sql: string, ...values: SQLInputValue[]) => Iterable<Record<string, SQLOutputValue>>;
}

/** One connection to a file, opened on first use. Work is done in the order in which it was asked for. */
export interface Database {
  readonly read: <T>(work: (on: Work) => T, signal?: AbortSignal) => Promise<T>;
  /** In one transaction, all of it or nothing. */
  readonly write: <T>(work: (on: Work) => T, signal?: AbortSignal) => Promise<T>;
  readonly close: () => Promise<void>;
}

export function createDatabase({ path, busyTimeoutMs, driver }: DatabaseOptions): Database {
  let database: DatabaseSync | undefined;
  /** Which file it is. */
  let file: string | undefined;
  let statements = new Map<string, StatementSync>();
  let isClosed = false;
  let writes = 0;
  let queue: Promise<unknown> = Promise.resolve();

  const prepared = (sql: string): StatementSync => {
    let statement = statements.get(sql);
    if (statement === undefined) {
      if (database === undefined) throw new Error('the database is not open');
      statement = database.prepare(sql);
      statements.set(sql, statement);
    }
    return statement;
  };
  const work: Work = {
    all: (sql, ...values) => prepared(sql).all(...values),
    get: (sql, ...values) => prepared(sql).get(...values),
    run: (sql, ...values) => Number(prepared(sql).run(...values).changes),
    iterate: (sql, ...values) => prepared(sql).iterate(...values),
  };

  /** Does something that other processes may stand in the way of, until it is done or the patience ends. */
  const patiently = async <T>(run: () => T, signal: AbortSignal | undefined): Promise<T> => {
    const deadline = performance.now() + busyTimeoutMs;
    for (;;) {
      signal?.throwIfAborted();
      try {
        return run();
      } catch (error) {
        if (!isBusy(error) || performance.now() >= deadline) throw error;
        // Not all at once.
        await delay(1 + Math.random() * 20, undefined, { signal });
      }
    }
  };
  const forget = (): void => {
    statements = new Map();
    database?.close();
    database = undefined;
  };
  const open = async (signal: AbortSignal | undefined): Promise<DatabaseSync> => {
    // What is written to a file that somebody removed is kept by nobody.
    if (database && fileAt(path) === file) return database;
    forget();
    const Database = await load(driver);
    prepareFile(path);
    file = fileAt(path);
    const opened = new Database(path, { timeout: BLOCKING_MS });
    try {
      await patiently(() => {
        if (opened.isTransaction) opened.exec('ROLLBACK');
        setUp(opened, path);
      }, signal);
    } catch (error) {
      opened.close();
      throw error;
    }
    database = opened;
    return opened;
  };
  /** Keeps the file and its log small. What cannot be done now is done later. */
  const takeCare = (on: DatabaseSync): void => {
    writes += 1;
    if (writes % WRITES_BETWEEN_CARE !== 0) return;
    try {
      const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
      if (log && log.size > MAX_LOG_BYTES) on.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
      const [pages, free] = [pragma(on, 'page_count'), pragma(on, 'freelist_count')].map(Number);
      if ((free ?? 0) > (pages ?? 0) / 4) on.prepare(`PRAGMA incremental_vacuum(${VACUUM_PAGES})`).all();
    } catch {
      // The write itself was done, and nobody may be told otherwise. What is wrong with the file the next one says.
    }
  };
  const inTurn = async <T>(task: () => Promise<T>): Promise<T> => {
    const turn = queue.then(async () => {
      if (isClosed) throw new MemoryError('STORE_CLOSED', ['[memory:sqlite] The memory was closed', 'Make a new one.']);
      try {
        return await task();
      } catch (error) {
        throw explainSqliteError(error, path);
      }
    });
    // The next one waits for this one, however it ends.
    queue = turn.catch(() => undefined);
    return turn;
  };

  return {
    read: (run, signal) =>
      inTurn(async () => {
        await open(signal);
        return patiently(() => run(work), signal);
      }),
    write: (run, signal) =>
      inTurn(async () => {
        const on = await open(signal);
        const result = await patiently(() => {
          on.exec('BEGIN IMMEDIATE');
          try {
            const done = run(work);
            on.exec('COMMIT');
            return done;
          } catch (error) {
            if (on.isTransaction) on.exec('ROLLBACK');
            throw error;
          }
        }, signal);
        takeCare(on);
        return result;
      }),
    close: async () => {
      isClosed = true;
      await queue;
      forget();
    },
  };
}
