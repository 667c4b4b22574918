import { lstatSync, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { MemoryError } from '../errors.ts';
import type { BackupResult, CallOptions, Damage, Erasure, StoreNotice } from '../records/backend.ts';
import { backUp, backUpDamaged, copyPages } from './sqlite-backup.ts';
import {
  backupDirectory,
  backupStateOf,
  damageNote,
  hasBackupDirectory,
  isBackup,
  isBackupDue,
  keptUntil,
  noteDamage,
} from './sqlite-backups.ts';
import { checkFile, damageMessage, problemAtOpening } from './sqlite-check.ts';
import { startDailyBackup } from './sqlite-daily-start.ts';
import type { SqliteDriver } from './sqlite-driver.ts';
import { Eraser, markErasure, returnFreePages, truncateLog, withoutSync } from './sqlite-erasure.ts';
import {
  brokenError,
  changedError,
  deniedError,
  explainSqliteError,
  isBusy,
  isCorrupt,
  isFull,
  isOfSqlite,
} from './sqlite-errors.ts';
import { realStorePath } from './sqlite-file.ts';
import { openFile, type OpenFile } from './sqlite-open.ts';
import { fillReserve, releaseReserve } from './sqlite-reserve.ts';
import { inTransaction, type Statements } from './sqlite-statements.ts';
import { stateOf, type State } from './sqlite-schema.ts';

/** The longest pause before the next attempt. It is random, so that waiting processes do not retry simultaneously. */
const MAX_RETRY_MS = 20;
/** A log that grew beyond this, because of long readers, is truncated by force. */
const MAX_LOG_BYTES = 16 * 1024 * 1024;
const WRITES_PER_MAINTENANCE = 64;

export interface DatabaseOptions {
  readonly path: string;
  readonly busyTimeoutMs: number;
  readonly driver: SqliteDriver;
  /** Whether to make a backup each day, in another process. @default false */
  readonly backups?: boolean | undefined;
  /** Whether nothing is written, even if the user may. @default false */
  readonly readOnly?: boolean | undefined;
}

/** How often a connection that stays open asks whether a backup is due. */
const BACKUP_CHECK_MS = 3_600_000;

/** Another file was put at the path while a call waited for the lock. */
class ReplacedFile extends Error {}

/** One connection to a file, opened on first use. Tasks run in the order of the calls. */
export class SqliteDatabase {
  readonly #options: DatabaseOptions;
  #file: OpenFile | undefined;
  /** How many files were opened: another file may have replaced the one before. */
  opened = 0;
  #isClosed = false;
  #writes = 0;
  #eraser = new Eraser();
  #queue: Promise<unknown> = Promise.resolve();
  /** Tasks on connections of their own, which closing waits for. */
  readonly #others = new Set<Promise<unknown>>();
  /** The problem of a damaged file. */
  #problem: string | undefined;
  /** Whether the pages of the file are damaged, so that it is not written. */
  #isBroken = false;
  /** Why the last daily backup failed. */
  #backupProblem: string | undefined;
  #nextBackupCheckMs = 0;

  constructor(options: DatabaseOptions) {
    this.#options = options;
  }

  /** The file itself, next to which its log, its reserve and its backups are. */
  get #path(): string {
    return realStorePath(this.#options.path);
  }

  /** Runs a task that sees one state. It may let other work run. */
  read<T>(task: (on: Statements) => T | Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#enqueue(async () => {
      const deadline = performance.now() + this.#options.busyTimeoutMs;
      for (;;) {
        const file = await this.#open(signal);
        try {
          const result = await this.#retryWhileBusy(() => inTransaction(file, 'BEGIN', task), signal);
          if (file.isWritable || file.isCurrent()) return result;
        } catch (error) {
          if (file.isWritable || file.isCurrent()) throw error;
        }
        // A file without locks changed while it was read.
        if (performance.now() >= deadline) throw changedError(this.#options.path);
      }
    }, signal);
  }

  /**
   * Runs a task in one transaction: all of its changes are kept, or none. They are synced to the disk.
   *
   * @param options `isRemoval`: whether the task only removes, and so succeeds on a full disk.
   */
  write<T>(
    task: (on: Statements, state: State) => T | Promise<T>,
    { isRemoval = false, signal }: CallOptions & { readonly isRemoval?: boolean } = {},
  ): Promise<T> {
    return this.#enqueue(async () => {
      for (;;) {
        try {
          return await (isRemoval ? this.#withReserve(() => this.#write(task, signal)) : this.#write(task, signal));
        } catch (error) {
          if (!(error instanceof ReplacedFile)) throw error;
        }
      }
    }, signal);
  }

  /** Repeats a task in the space of the reserve when the disk is full. */
  async #withReserve<T>(task: () => Promise<T>): Promise<T> {
    const path = this.#path;
    try {
      return await task();
    } catch (error) {
      if (!isFull(error) || !releaseReserve(path)) throw error;
    }
    try {
      return await task();
    } finally {
      fillReserve(path);
    }
  }

  async #write<T>(task: (on: Statements, state: State) => T | Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const file = await this.#openToWrite(signal);
    let mark: unknown = null;
    const transaction = (): T | Promise<T> =>
      inTransaction(file, 'BEGIN IMMEDIATE', (on) => {
        // A write to a file that is elsewhere now would be lost.
        if (!file.isCurrent()) throw new ReplacedFile();
        const state = stateOf(on);
        mark = state['erasure'];
        return task(on, state);
      });
    const result = await this.#retryWhileBusy(transaction, signal);
    this.#maintain(file);
    if (mark !== null) await this.#finishErasure(file);
    return result;
  }

  erase(signal?: AbortSignal): Promise<Erasure> {
    return this.#enqueue(async () => {
      const file = await this.#openToWrite(signal);
      const path = this.#path;
      const mark = (): Promise<void> =>
        withoutSync(file.database, () =>
          this.#retryWhileBusy(() => inTransaction(file, 'BEGIN IMMEDIATE', (on) => markErasure(on, path)), signal),
        );
      await this.#withReserve(mark);
      const { busyTimeoutMs: waitMs } = this.#options;
      // Once it has begun it is finished.
      const retry = <T>(task: () => T): Promise<T> => this.#retryWhileBusy(task, undefined);
      const erasing = { ...file, path, waitMs, retry };
      if (this.#problem !== undefined) {
        // To write a damaged file again would lose the pages that no tree has anymore, which a salvage reads.
        await truncateLog(erasing);
        return 'pending';
      }
      try {
        return (await this.#withReserve(() => this.#eraser.eraseNow(erasing))) ? 'done' : 'pending';
      } catch (error) {
        if (!isFull(error)) throw error;
        // As far as it fits, the removed rows are overwritten in the file. The rest is erased when there is space.
        await truncateLog(erasing).catch((failure: unknown) => {
          if (!isFull(failure)) throw failure;
        });
        fillReserve(path);
        return 'pending';
      }
    }, signal);
  }

  /** Copies the file to a new one, and verifies the copy. Other calls do not wait for it. @throws for a damaged file. */
  copy(path: string, signal?: AbortSignal): Promise<BackupResult> {
    return this.#beside(() => this.#copy(path, signal), signal);
  }

  async #copy(path: string, signal: AbortSignal | undefined): Promise<BackupResult> {
    const file = await this.#connect(signal);
    const options = { source: this.#options.path, path, signal };
    return backUp(file, options).finally(() => file.database.close());
  }

  /** Copies the file like `copy`. Of a damaged file, every readable record is copied. */
  backup(path: string, signal?: AbortSignal): Promise<BackupResult> {
    return this.#beside(async () => {
      try {
        return await this.#copy(path, signal);
      } catch (error) {
        const isDamaged = isCorrupt(error) || (MemoryError.isInstance(error) && error.code === 'CORRUPT_STORE');
        const damage = isDamaged ? await this.#check(signal) : [];
        if (damage.length === 0) throw error;
        return backUpDamaged({ path, damage, salvage: (target) => this.#salvage(target, signal) });
      }
    }, signal);
  }

  /** Reads everything, and returns what is damaged. @throws {MemoryError} `CORRUPT_STORE` for a file that is not a store. */
  check(signal?: AbortSignal): Promise<Damage[]> {
    return this.#beside(() => this.#check(signal), signal);
  }

  async #check(signal: AbortSignal | undefined): Promise<Damage[]> {
    const { path, busyTimeoutMs: timeoutMs, readOnly = false } = this.#options;
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      let found: Damage[];
      let isCurrent = (): boolean => true;
      try {
        const { database, name, isWritable, isCurrent: isSame } = await this.#connect(signal);
        database.close();
        if (!isWritable) isCurrent = isSame;
        found = await checkFile(path, { name, readOnly: !isWritable, timeoutMs });
      } catch (error) {
        if (!isCorrupt(error) || !(error instanceof Error)) throw error;
        found = [{ key: '', message: error.message }];
      }
      if (isCurrent()) {
        this.#problem = found[0]?.message;
        if (found.length === 0 && !readOnly) noteDamage(this.#path, false);
        return found;
      }
      // A file without locks changed while it was read, which looks like damage.
      if (performance.now() >= deadline) throw changedError(path);
    }
  }

  /** Copies the readable records of a damaged file to a new one. @returns what is lost. */
  salvage(target: string, signal?: AbortSignal): Promise<Damage[]> {
    return this.#beside(() => this.#salvage(target, signal), signal);
  }

  async #salvage(target: string, signal: AbortSignal | undefined): Promise<Damage[]> {
    // Few stores are ever damaged.
    const { salvageFile } = await import('./sqlite-salvage.ts');
    const copy = async (to: string): Promise<void> => {
      const { database } = await this.#connect(signal);
      await copyPages(database, to, { signal }).finally(() => database.close());
    };
    return salvageFile({ path: this.#path, copy, target, signal });
  }

  /** Returns what answers must say about the file. A failed backup is reported once. */
  notices(): readonly StoreNotice[] {
    const { path } = this.#options;
    const notices: StoreNotice[] = [];
    if (this.#problem !== undefined) notices.push({ code: 'DAMAGED', message: damageMessage(path, this.#problem) });
    if (this.#backupProblem !== undefined) notices.push({ code: 'BACKUP_FAILED', message: this.#backupProblem });
    this.#backupProblem = undefined;
    return notices;
  }

  /** Returns how long backups keep forgotten text; `undefined` when none does. */
  async keptUntil(signal?: AbortSignal): Promise<string | undefined> {
    const path = this.#path;
    const untilMs = await this.read((on) => keptUntil(path, backupStateOf(path, stateOf(on))), signal);
    return untilMs === undefined ? undefined : `until ${new Date(untilMs).toISOString().slice(0, 10)}`;
  }

  /**
   * Starts the daily backup. The call that opened the file does not wait for it.
   *
   * @param file `undefined` for a damaged one that cannot be opened: its backups go when they must, too.
   */
  #backUpWhenDue(file: Pick<OpenFile, 'statements' | 'isWritable'> | undefined): void {
    const { backups = false, readOnly = false } = this.#options;
    if (!backups || readOnly || file?.isWritable === false || performance.now() < this.#nextBackupCheckMs) return;
    this.#nextBackupCheckMs = performance.now() + BACKUP_CHECK_MS;
    const path = this.#path;
    if (isBackup(path)) return;
    let state: State | undefined;
    try {
      state = file && stateOf(file.statements);
    } catch {
      // The call itself reports a problem of the file.
    }
    if (!isBackupDue(path, backupStateOf(path, state), Date.now())) return;
    startDailyBackup(path, (reason) => {
      if (reason === 'damaged') this.noteProblem(damageNote(path)?.problem ?? 'the daily backup found damage');
      else this.#backupProblem = failedBackup(path, reason);
    });
  }

  noteProblem(problem: string): void {
    this.#problem ??= problem;
  }

  /** Runs a task on a connection of its own. Other calls do not wait for it, and closing does. */
  #beside<T>(task: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    return this.#enqueue(async () => {
      const { path } = this.#options;
      const running = task().catch((error: unknown) => {
        throw explainSqliteError(error, { path, signal });
      });
      this.#others.add(running);
      const end = (): boolean => this.#others.delete(running);
      running.then(end, end);
      return { running };
    }, signal).then(({ running }) => running);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#queue;
    await Promise.allSettled(this.#others);
    const file = this.#file?.isWritable === true && this.#file.isCurrent() ? this.#file : undefined;
    if (file !== undefined) await this.#finishErasure(file);
    this.#release();
    // Now the file has its size. A store that was only read gets no reserve.
    if (file !== undefined && this.#writes > 0 && !isBackup(this.#path)) fillReserve(this.#path);
  }

  #enqueue<T>(task: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const turn = this.#queue.then(async () => {
      if (this.#isClosed) {
        throw new MemoryError('STORE_CLOSED', ['[memory:sqlite] The memory was closed', 'Create a new one.']);
      }
      try {
        return await task();
      } catch (error) {
        if (isCorrupt(error)) this.noteProblem(error instanceof Error ? error.message : String(error));
        // Not of a value that was found damaged, but of SQLite itself.
        if (isCorrupt(error) && isOfSqlite(error)) this.#isBroken = true;
        throw explainSqliteError(error, { path: this.#options.path, signal });
      }
    });
    // The next task waits for this one, also when it fails.
    this.#queue = turn.catch(() => undefined);
    return turn;
  }

  /** @throws {MemoryError} `STORE_DENIED` for a file that cannot be written. */
  async #openToWrite(signal: AbortSignal | undefined): Promise<OpenFile> {
    const file = await this.#open(signal);
    if (file.isWritable) return this.#sound(file);
    // The permissions may have changed since.
    this.#release();
    const again = await this.#open(signal);
    if (!again.isWritable) throw deniedError(this.#options.path);
    return this.#sound(again);
  }

  /** @throws {MemoryError} `CORRUPT_STORE` for a file that must not be written. */
  #sound(file: OpenFile): OpenFile {
    if (this.#isBroken) throw brokenError(this.#options.path);
    return file;
  }

  async #open(signal: AbortSignal | undefined): Promise<OpenFile> {
    // Writes into a removed file would be lost.
    if (this.#file?.isCurrent() === true) {
      this.#backUpWhenDue(this.#file);
      return this.#file;
    }
    this.#release();
    this.#file = await this.#withReserve(() => this.#connect(signal)).catch((error: unknown) => {
      if (isCorrupt(error)) this.#backUpWhenDue(undefined);
      throw error;
    });
    this.opened += 1;
    const found = problemAtOpening(this.#file);
    this.#isBroken = found?.isBroken === true;
    this.#problem = found?.problem ?? damageNote(this.#path)?.problem;
    // Another process may have left an erasure.
    if (this.#file.isWritable) await this.#finishErasure(this.#file);
    this.#backUpWhenDue(this.#file);
    return this.#file;
  }

  #connect(signal: AbortSignal | undefined): Promise<OpenFile> {
    return openFile({ ...this.#options, retry: (task) => this.#retryWhileBusy(task, signal) });
  }

  #release(): void {
    this.#file?.database.close();
    this.#file = undefined;
    this.#eraser = new Eraser();
  }

  /** Repeats a task while other processes hold the lock, until the timeout. */
  async #retryWhileBusy<T>(task: () => T | Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const deadline = performance.now() + this.#options.busyTimeoutMs;
    for (;;) {
      signal?.throwIfAborted();
      try {
        return await task();
      } catch (error) {
        if (!isBusy(error) || performance.now() >= deadline) throw error;
        await delay(1 + Math.random() * MAX_RETRY_MS, undefined, { signal }).catch(() => signal?.throwIfAborted());
      }
    }
  }

  /** Does what an erasure left to do. A call for another purpose does not wait for other processes, and does not fail. */
  async #finishErasure(file: OpenFile): Promise<void> {
    if (this.#problem !== undefined) return;
    try {
      await this.#eraser.eraseNow({ ...file, path: this.#path, waitMs: 0, retry: async (task) => task() });
    } catch {
      // The mark is still in the file, so that a later call does it.
    }
  }

  /** Keeps the file and its log small. */
  #maintain({ database }: OpenFile): void {
    this.#writes += 1;
    if (this.#writes % WRITES_PER_MAINTENANCE === 1 && !isBackup(this.#path)) fillReserve(this.#path);
    if (this.#writes % WRITES_PER_MAINTENANCE !== 0 || this.#problem !== undefined) return;
    try {
      const log = statSync(`${this.#path}-wal`, { throwIfNoEntry: false });
      if (log && log.size > MAX_LOG_BYTES) database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
      returnFreePages(database);
    } catch {
      // The write itself succeeded, so the call must not fail. The next call reports a problem of the file.
    }
  }
}

function failedBackup(path: string, reason: 'full' | 'failed' | 'done'): string {
  const isFree = hasBackupDirectory(path) || lstatSync(backupDirectory(path), { throwIfNoEntry: false }) === undefined;
  const why = !isFree
    ? `${backupDirectory(path)} is not a directory of its own; move it away`
    : reason === 'full'
      ? 'the disk is full; free some space'
      : `'cairn memory backup <file> --store ${path}' shows why`;
  return `[memory:sqlite] The daily backup of ${path} failed: ${why}. It is tried again within the hour of its next use.`;
}
