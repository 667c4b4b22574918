import { statSync } from 'node:fs';
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { MemoryError } from '../errors.ts';
import type { Erasure } from '../records/backend.ts';
import { loadDriver } from './sqlite-driver.ts';
import type { SqliteDriver } from './sqlite-driver.ts';
import { eraseNow, markErasure, markOf } from './sqlite-erasure.ts';
import { deniedError, explainSqliteError, isBusy } from './sqlite-errors.ts';
import { identityOf, immutableName, prepareFile, stateOf } from './sqlite-file.ts';
import { copyOldFile, formatOf, pragma, SCHEMA_VERSION, setUp } from './sqlite-schema.ts';

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
  };
}

/** An open file. */
export interface OpenFile {
  readonly database: DatabaseSync;
  readonly statements: Statements;
  readonly isWritable: boolean;
  /** Returns whether this is still the file at the path, and for a file that cannot be locked, whether it has not changed. */
  readonly isCurrent: () => boolean;
}

/** Runs a task in one transaction: it sees one state, and all of its changes are kept, or none. */
function inTransaction<T>({ database, statements }: OpenFile, begin: string, task: (on: Statements) => T): T {
  statements.run(begin);
  try {
    const done = task(statements);
    statements.run('COMMIT');
    return done;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
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
      for (;;) {
        const file = await this.#open(signal);
        try {
          const result = await this.#retryWhileBusy(() => inTransaction(file, 'BEGIN', task), signal);
          if (file.isWritable || file.isCurrent()) return result;
        } catch (error) {
          if (file.isWritable || file.isCurrent()) throw error;
        }
        // A file that cannot be locked changed while it was read.
      }
    });
  }

  /** Runs a task in one transaction: all of its changes are kept, or none. */
  write<T>(task: (on: Statements) => T, signal?: AbortSignal): Promise<T> {
    return this.#enqueue(async () => {
      const file = await this.#openToWrite(signal);
      let mark: string | undefined;
      const result = await this.#retryWhileBusy(
        () =>
          inTransaction(file, 'BEGIN IMMEDIATE', (on) => {
            const done = task(on);
            mark = markOf(on);
            return done;
          }),
        signal,
      );
      this.#maintain(file);
      if (mark !== undefined) await this.#finishErasure(file);
      return result;
    });
  }

  /** Makes sure that removed text is in no file. */
  erase(signal?: AbortSignal): Promise<Erasure> {
    return this.#enqueue(async () => {
      const file = await this.#openToWrite(signal);
      await this.#retryWhileBusy(() => inTransaction(file, 'BEGIN IMMEDIATE', markErasure), signal);
      // Once it has begun it is finished.
      return (await eraseNow(file, (task) => this.#retryWhileBusy(task, undefined))) ? 'done' : 'pending';
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

  /** @throws {MemoryError} `STORE_DENIED` for a file that cannot be written. */
  async #openToWrite(signal: AbortSignal | undefined): Promise<OpenFile> {
    const file = await this.#open(signal);
    if (file.isWritable) return file;
    // The permissions may have changed since.
    this.#release();
    const again = await this.#open(signal);
    if (!again.isWritable) throw deniedError(this.#options.path);
    return again;
  }

  async #open(signal: AbortSignal | undefined): Promise<OpenFile> {
    const { path, driver } = this.#options;
    // Writes into a removed file would be lost.
    if (this.#file?.isCurrent() === true) return this.#file;
    this.#release();
    const Database = await loadDriver(driver);
    const mode = prepareFile(path);
    const identify = mode === 'write' ? identityOf : stateOf;
    const identity = identify(path);
    const isCurrent = (): boolean => identify(path) === identity;
    const isWritable = mode === 'write';
    const name = mode === 'immutable' ? immutableName(path) : path;
    let database = new Database(name, { timeout: BLOCKING_MS, readOnly: !isWritable });
    try {
      await this.#retryWhileBusy(() => {
        if (database.isTransaction) database.exec('ROLLBACK');
        if (isWritable) {
          setUp(database, path);
          return;
        }
        const format = formatOf(database, path);
        if (format === SCHEMA_VERSION) return;
        database.close();
        database = new Database(':memory:', { timeout: BLOCKING_MS });
        database.prepare('ATTACH ? AS file').run(name);
        copyOldFile(database, format);
      }, signal);
    } catch (error) {
      if (database.isOpen) database.close();
      throw error;
    }
    this.#file = { database, statements: statementsOf(database), isWritable, isCurrent };
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

  /** Does what an erasure left to do. A call for another purpose neither waits for it nor fails. */
  async #finishErasure(file: OpenFile): Promise<void> {
    try {
      await eraseNow(file, async (task) => task());
    } catch {
      // The mark is still in the file, so that a later call does it.
    }
  }

  /** Keeps the file and its log small. */
  #maintain({ database }: OpenFile): void {
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
