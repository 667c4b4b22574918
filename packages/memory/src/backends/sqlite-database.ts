import { statSync } from 'node:fs';
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { MemoryError } from '../errors.ts';
import { loadDriver } from './sqlite-driver.ts';
import type { SqliteDriver } from './sqlite-driver.ts';
import { explainSqliteError, isBusy } from './sqlite-errors.ts';
import { identityOf, pragma, prepareFile, setUp } from './sqlite-file.ts';

/** How long SQLite itself waits for a lock, which blocks the thread. The rest of the waiting does not. */
const BLOCKING_MS = 100;
/** The longest pause before the next attempt. It is random, so that waiting processes do not retry simultaneously. */
const MAX_RETRY_MS = 20;
/** A log that grew beyond this, because of long readers, is truncated by force. */
const MAX_LOG_BYTES = 16 * 1024 * 1024;
/** The writes between two rounds of maintenance. */
const WRITES_PER_MAINTENANCE = 64;
/** The number of free pages that one round returns to the system. */
const VACUUM_PAGES = 256;

export interface DatabaseOptions {
  readonly path: string;
  readonly busyTimeoutMs: number;
  readonly driver: SqliteDriver;
}

type Row = Record<string, SQLOutputValue>;

/** Statements on the open file, prepared once. */
export interface Statements {
  readonly all: (sql: string, ...values: SQLInputValue[]) => Row[];
  readonly get: (sql: string, ...values: SQLInputValue[]) => Row | undefined;
  /** @returns the number of changed rows. */
  readonly run: (sql: string, ...values: SQLInputValue[]) => number;
  readonly iterate: (sql: string, ...values: SQLInputValue[]) => Iterable<Row>;
}

function statementsOf(database: DatabaseSync): Statements {
  const known = new Map<string, StatementSync>();
  const prepared = (sql: string): StatementSync => {
    const statement = known.get(sql) ?? database.prepare(sql);
    known.set(sql, statement);
    return statement;
  };
  return {
    all: (sql, ...values) => prepared(sql).all(...values),
    get: (sql, ...values) => prepared(sql).get(...values),
    run: (sql, ...values) => Number(prepared(sql).run(...values).changes),
    iterate: (sql, ...values) => prepared(sql).iterate(...values),
  };
}

/** An open file. */
interface OpenFile {
  readonly database: DatabaseSync;
  readonly statements: Statements;
  readonly identity: string | undefined;
}

/** One connection to a file, opened on first use. Tasks run in the order of the calls. */
export class SqliteDatabase {
  readonly #options: DatabaseOptions;
  #file: OpenFile | undefined;
  #isClosed = false;
  #writes = 0;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: DatabaseOptions) {
    this.#options = options;
  }

  read<T>(task: (on: Statements) => T, signal?: AbortSignal): Promise<T> {
    return this.#enqueue(async () => {
      const { statements } = await this.#open(signal);
      return this.#retryWhileBusy(() => task(statements), signal);
    });
  }

  /** Runs a task in one transaction: all of its changes are kept, or none. */
  write<T>(task: (on: Statements) => T, signal?: AbortSignal): Promise<T> {
    return this.#enqueue(async () => {
      const { database, statements } = await this.#open(signal);
      const result = await this.#retryWhileBusy(() => {
        database.exec('BEGIN IMMEDIATE');
        try {
          const done = task(statements);
          database.exec('COMMIT');
          return done;
        } catch (error) {
          if (database.isTransaction) database.exec('ROLLBACK');
          throw error;
        }
      }, signal);
      this.#maintain(database);
      return result;
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#queue;
    this.#release();
  }

  #enqueue<T>(task: () => Promise<T>): Promise<T> {
    const turn = this.#queue.then(async () => {
      if (this.#isClosed) {
        throw new MemoryError('STORE_CLOSED', ['[memory:sqlite] The memory was closed', 'Create a new one.']);
      }
      try {
        return await task();
      } catch (error) {
        throw explainSqliteError(error, this.#options.path);
      }
    });
    // The next task waits for this one, also when it fails.
    this.#queue = turn.catch(() => undefined);
    return turn;
  }

  async #open(signal: AbortSignal | undefined): Promise<OpenFile> {
    const { path, driver } = this.#options;
    // Writes into a removed file would be lost.
    if (this.#file && identityOf(path) === this.#file.identity) return this.#file;
    this.#release();
    const Database = await loadDriver(driver);
    prepareFile(path);
    const identity = identityOf(path);
    const database = new Database(path, { timeout: BLOCKING_MS });
    try {
      await this.#retryWhileBusy(() => {
        if (database.isTransaction) database.exec('ROLLBACK');
        setUp(database, path);
      }, signal);
    } catch (error) {
      database.close();
      throw error;
    }
    this.#file = { database, statements: statementsOf(database), identity };
    return this.#file;
  }

  #release(): void {
    this.#file?.database.close();
    this.#file = undefined;
  }

  /** Repeats a task while other processes hold the lock, until the timeout. */
  async #retryWhileBusy<T>(task: () => T, signal: AbortSignal | undefined): Promise<T> {
    const deadline = performance.now() + this.#options.busyTimeoutMs;
    for (;;) {
      signal?.throwIfAborted();
      try {
        return task();
      } catch (error) {
        if (!isBusy(error) || performance.now() >= deadline) throw error;
        await delay(1 + Math.random() * MAX_RETRY_MS, undefined, { signal });
      }
    }
  }

  /** Keeps the file and its log small. */
  #maintain(database: DatabaseSync): void {
    this.#writes += 1;
    if (this.#writes % WRITES_PER_MAINTENANCE !== 0) return;
    try {
      const log = statSync(`${this.#options.path}-wal`, { throwIfNoEntry: false });
      if (log && log.size > MAX_LOG_BYTES) database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
      const [pages = 0, free = 0] = ['page_count', 'freelist_count'].map((name) => Number(pragma(database, name)));
      if (free > pages / 4) database.prepare(`PRAGMA incremental_vacuum(${VACUUM_PAGES})`).all();
    } catch {
      // The write itself succeeded, so the call must not fail. The next call reports a problem of the file.
    }
  }
}
