/**
 * How removed text leaves the files. `secure_delete` overwrites an entry when it is removed, but copies of it can remain in the
 * free space of pages that SQLite divided or joined before, and in the log. So the file is written again, and the log is
 * truncated, which is not possible while another process reads an older state. The mark in `state` has the rest of the work,
 * `text` or `log`, and a name, so that a process ends only the work that it began.
 */
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import { randomName } from '../records/random-name.ts';
import { isBusy } from './sqlite-errors.ts';
import { sweep } from './sqlite-keys.ts';
import { pragma, stateOf } from './sqlite-schema.ts';
import { inTransaction } from './sqlite-statements.ts';
import type { Statements } from './sqlite-statements.ts';
import { runInWorker } from './sqlite-worker.ts';

/** A file of up to this number of pages is written again in a few milliseconds, less than the start of a thread takes. */
const MAX_PAGES_HERE = 256;
/** The attempts to truncate the log. Most processes read for less than a few milliseconds. */
const ATTEMPTS = 10;
const PAUSE_MS = 20;

/** Returns the mark of a file. */
function markOf(on: Statements): string | undefined {
  const mark = stateOf(on)['erasure'];
  return typeof mark === 'string' ? mark : undefined;
}

/** Returns whether the whole file must be written again. */
export function needsRewrite(on: Statements): boolean {
  return markOf(on)?.startsWith('text') === true;
}

/** Marks the file as one with removed text. */
export function markErasure(on: Statements): void {
  on.run('UPDATE state SET erasure = ?', `text ${randomName()}`);
}

export interface Erasing {
  readonly path: string;
  readonly database: DatabaseSync;
  readonly statements: Statements;
  /** How long to wait for the locks of other processes; 0 for one attempt. */
  readonly waitMs: number;
  /** Repeats a task while other processes hold a lock. */
  readonly retry: <T>(task: () => T) => Promise<T>;
}

/** Changes the mark if it is as expected. */
function changeMark({ statements, retry }: Erasing, expected: string, next: string | null): Promise<number> {
  return retry(() => statements.run('UPDATE state SET erasure = ? WHERE erasure = ?', next, expected));
}

/** Writes the whole file again. */
async function rewrite({ path, database, waitMs, retry }: Erasing): Promise<void> {
  if (Number(pragma(database, 'page_count')) <= MAX_PAGES_HERE) await retry(() => database.exec('VACUUM'));
  else await runInWorker(path, { statements: ['PRAGMA secure_delete = ON', 'VACUUM'], timeoutMs: waitMs });
}

/** @returns whether the log is empty now. */
async function truncateLog({ database, waitMs }: Erasing): Promise<boolean> {
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

/** Does the work that the mark states. @returns whether all is done. */
export async function eraseNow(erasing: Erasing): Promise<boolean> {
  const before = markOf(erasing.statements);
  if (before === undefined) return true;
  let mark = before;
  try {
    if (before.startsWith('text')) {
      while (await erasing.retry(() => inTransaction(erasing, 'BEGIN IMMEDIATE', (on) => sweep(on))))
        await setImmediate();
      await rewrite(erasing);
      mark = `log ${randomName()}`;
      await changeMark(erasing, before, mark);
    }
    if (!(await truncateLog(erasing))) return false;
    await changeMark(erasing, mark, null);
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
  return true;
}
