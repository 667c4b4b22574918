/**
 * How removed text leaves the files. `secure_delete` overwrites an entry when it is removed, but copies of it can remain in the
 * free space of pages that SQLite divided before, and in the log. So the log is truncated, which is not possible while another
 * process reads an older state, and then the free space of pages is overwritten: of all pages, or of those that changed since this
 * process did it last. The mark in `state` says that this is to be done, and has a name, so that a process ends only the work that it
 * began.
 */
import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import { isMainThread } from 'node:worker_threads';
import { randomName } from '../records/random-name.ts';
import { addForgotten } from './sqlite-backups.ts';
import { isBusy } from './sqlite-errors.ts';
import type { OpenFile, Opening } from './sqlite-open.ts';
import { sweep } from './sqlite-table.ts';
import { pragma, stateOf } from './sqlite-schema.ts';
import type * as Scrubber from './sqlite-scrub.ts';
import { inTransaction, type Statements } from './sqlite-statements.ts';

/** The attempts to truncate the log. Most processes read for less than a few milliseconds. */
const ATTEMPTS = 10;
const PAUSE_MS = 20;
/** The number of free pages that one round returns to the system. */
const VACUUM_PAGES = 256;

function markOf(on: Statements): string | undefined {
  const mark = stateOf(on)['erasure'];
  return typeof mark === 'string' ? mark : undefined;
}

/** Marks the file as one with removed text, which its backups may have. */
export function markErasure(on: Statements, store: string): void {
  const forgotten = addForgotten(store, stateOf(on)['forgotten'], Date.now());
  on.run('UPDATE state SET erasure = ?, forgotten = ?', `text ${randomName()}`, forgotten);
}

export interface Erasing extends Pick<OpenFile, 'database' | 'statements'>, Pick<Opening, 'path' | 'retry'> {
  /** How long to wait for the locks of other processes; 0 for one attempt. */
  readonly waitMs: number;
}

/**
 * Runs a task whose commits are not synced to the disk: only the checkpoint that follows is. A power failure may take them back, in
 * their order, so that the file stays whole and the mark says at least what is left to do.
 */
export async function withoutSync<T>(database: DatabaseSync, task: () => Promise<T>): Promise<T> {
  database.exec('PRAGMA synchronous = NORMAL');
  try {
    return await task();
  } finally {
    database.exec('PRAGMA synchronous = FULL');
  }
}

/** @returns whether the log is empty now. */
export async function truncateLog({ database, waitMs }: Erasing): Promise<boolean> {
  const timeoutMs = Number(pragma(database, 'busy_timeout'));
  // SQLite would wait in this thread.
  database.exec('PRAGMA busy_timeout = 0');
  try {
    for (let attempt = 1; ; attempt++) {
      if (Number(database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.['busy']) === 0) return true;
      if (waitMs === 0 || attempt === ATTEMPTS) return false;
      await delay(PAUSE_MS);
    }
  } finally {
    database.exec(`PRAGMA busy_timeout = ${timeoutMs}`);
  }
}

/** Returns free pages to the system when there are many. @returns whether there may be more. */
export function returnFreePages(database: DatabaseSync): boolean {
  const [pages = 0, free = 0] = ['page_count', 'freelist_count'].map((name) => Number(pragma(database, name)));
  if (free <= pages / 4) return false;
  database.prepare(`PRAGMA incremental_vacuum(${VACUUM_PAGES})`).all();
  return true;
}

/** Removes the entries of dropped keys, and the pages that this leaves. */
async function sweepAll(erasing: Erasing): Promise<void> {
  const { database, retry } = erasing;
  // A copy that another program made may have no map of its pages.
  if (pragma(database, 'auto_vacuum') === 0) {
    await retry(() => database.exec('PRAGMA auto_vacuum = INCREMENTAL; VACUUM'));
  }
  while (await retry(() => inTransaction(erasing, 'BEGIN IMMEDIATE', (on) => sweep(on)))) await setImmediate();
  while (await retry(() => returnFreePages(database))) await setImmediate();
}

/**
 * Writes the whole file again, for a worker thread: Node closes the files that a worker opened when the worker ends, which would end the
 * locks of all threads on them.
 *
 * @returns whether the log is empty now.
 */
async function rewrite(erasing: Erasing, mark: string): Promise<boolean> {
  await erasing.retry(() => erasing.database.exec('VACUUM'));
  if (!(await truncateLog(erasing))) return false;
  await erasing.retry(() =>
    inTransaction(erasing, 'BEGIN IMMEDIATE', (on) =>
      on.run('UPDATE state SET erasure = NULL WHERE erasure = ?', mark),
    ),
  );
  return true;
}

/** Overwrites the free space of the pages of one open file. */
export class Eraser {
  /** The log that has all pages that changed since the last time. */
  #log: string | undefined;

  /** Does the work that the mark states. @returns whether all is done. */
  async eraseNow(erasing: Erasing): Promise<boolean> {
    const { database, statements } = erasing;
    const mark = markOf(statements);
    if (mark === undefined) return true;
    // Most processes erase nothing.
    const scrubber = await import('./sqlite-scrub.ts');
    try {
      return await withoutSync(database, async () => {
        await sweepAll(erasing);
        if (!isMainThread) return await rewrite(erasing, mark);
        for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
          const before = version(database);
          const logged = scrubber.loggedPages(erasing.path);
          const changed = logged?.name === this.#log ? logged?.pages : undefined;
          if (!(await truncateLog(erasing))) return false;
          if (await this.#scrub(erasing, { mark, before, changed, scrubber })) return true;
        }
        return false;
      });
    } catch (error) {
      if (isBusy(error)) return false;
      throw error;
    }
  }

  /** @returns whether the log was still empty. */
  async #scrub(
    erasing: Erasing,
    {
      mark,
      before,
      changed,
      scrubber: { loggedPages, scrubPages },
    }: {
      readonly mark: string;
      readonly before: number;
      readonly changed: ReadonlySet<number> | undefined;
      readonly scrubber: typeof Scrubber;
    },
  ): Promise<boolean> {
    const { database, path, retry } = erasing;
    // A page that this connection keeps would bring its free space back. Others read them again after the commit below.
    database.exec('PRAGMA shrink_memory');
    const scrub = async (on: Statements): Promise<number | undefined> => {
      if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) return undefined;
      const now = version(database);
      await scrubPages(path, now === before ? changed : undefined);
      on.run('UPDATE state SET erasure = NULL WHERE erasure = ?', mark);
      return now;
    };
    const scrubbed = await retry(() => inTransaction(erasing, 'BEGIN IMMEDIATE', scrub));
    const log = loggedPages(path)?.name;
    // Another process may have begun another log since.
    this.#log = version(database) === scrubbed ? log : undefined;
    return scrubbed !== undefined;
  }
}

/** Returns a number that changes when another connection commits. */
function version(database: DatabaseSync): number {
  return Number(pragma(database, 'data_version'));
}
