/**
 * How removed text leaves the files. `secure_delete` overwrites an entry when it is removed, but copies of it can remain in the
 * free space of pages that SQLite divided or joined before, and in the log. So the file is written again, and the log is
 * truncated, which is not possible while another process reads an older state. The mark in `state` has the rest of the work,
 * `text` or `log`, and a name, so that a process ends only the work that it began.
 */
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import { randomName } from '../records/random-name.ts';
import { addForgotten } from './sqlite-backups.ts';
import { isBusy } from './sqlite-errors.ts';
import type { OpenFile, Opening } from './sqlite-open.ts';
import { sweep } from './sqlite-table.ts';
import { pragma, stateOf } from './sqlite-schema.ts';
import { inTransaction, type Statements } from './sqlite-statements.ts';
import { runInWorker } from './sqlite-worker.ts';

/** A file of up to this number of pages is written again in a few milliseconds, less than the start of a thread takes. */
const MAX_PAGES_HERE = 256;
/** The attempts to truncate the log. Most processes read for less than a few milliseconds. */
const ATTEMPTS = 10;
const PAUSE_MS = 20;

function markOf(on: Statements): string | undefined {
  const mark = stateOf(on)['erasure'];
  return typeof mark === 'string' ? mark : undefined;
}

/** Returns whether the whole file must be written again. */
export function needsRewrite(on: Statements): boolean {
  return markOf(on)?.startsWith('text') === true;
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

function changeMark({ statements, retry }: Erasing, expected: string, next: string | null): Promise<number> {
  return retry(() => statements.run('UPDATE state SET erasure = ? WHERE erasure = ?', next, expected));
}

async function rewrite({ path, database, waitMs, retry }: Erasing): Promise<void> {
  if (Number(pragma(database, 'page_count')) <= MAX_PAGES_HERE) await retry(() => database.exec('VACUUM'));
  else {
    const statements = ['PRAGMA secure_delete = ON', 'PRAGMA synchronous = NORMAL', 'VACUUM'];
    await runInWorker(path, { statements, timeoutMs: waitMs });
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

/** Removes the entries of dropped keys, and writes the whole file again. */
async function eraseFile(erasing: Erasing): Promise<void> {
  while (await erasing.retry(() => inTransaction(erasing, 'BEGIN IMMEDIATE', (on) => sweep(on)))) await setImmediate();
  await rewrite(erasing);
}

/** Does the work that the mark states. @returns whether all is done. */
export async function eraseNow(erasing: Erasing): Promise<boolean> {
  const { database, statements } = erasing;
  let mark = markOf(statements);
  if (mark === undefined) return true;
  try {
    if (mark.startsWith('text')) {
      await withoutSync(database, () => eraseFile(erasing));
      if (!(await truncateLog({ ...erasing, waitMs: 0 }))) {
        // The file is not written again for the rest of the work.
        const rest = `log ${randomName()}`;
        await changeMark(erasing, mark, rest);
        mark = rest;
        if (!(await truncateLog(erasing))) return false;
      }
    } else if (!(await truncateLog(erasing))) {
      return false;
    }
    const done = mark;
    await withoutSync(database, () => changeMark(erasing, done, null));
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
  return true;
}
