/** The lock of the processes that write to the directory of backups. SQLite's lock ends with the process, whatever ends it. */
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { MemoryError } from '../errors.ts';
import { makeBackupDirectory } from './sqlite-backups.ts';
import { nodeSqlite } from './sqlite-driver.ts';
import { isBusy } from './sqlite-errors.ts';
import { isForeign } from './sqlite-file.ts';

const LOCK_FILE = 'lock';
const PAUSE_MS = 20;

/**
 * Runs a task while no other process writes to the backups of a store.
 *
 * @param waitMs how long to wait for the other process.
 * @returns the result of the task; `undefined` if another process had the lock all the time.
 */
export async function withBackupLock<T>(
  store: string,
  waitMs: number,
  task: (directory: string) => Promise<T>,
): Promise<T | undefined> {
  const directory = makeBackupDirectory(store);
  const path = join(directory, LOCK_FILE);
  if (isForeign(path)) {
    const summary = `[memory:sqlite] ${path} is not a regular file`;
    throw new MemoryError('STORE_FAILED', [summary, 'Move it away.'], { path });
  }
  const { DatabaseSync } = await nodeSqlite();
  const lock = new DatabaseSync(path, { timeout: 0 });
  try {
    for (const end = performance.now() + waitMs; !takes(lock); await delay(PAUSE_MS)) {
      if (performance.now() >= end) return undefined;
    }
    return await task(directory);
  } finally {
    lock.close();
  }
}

/** @returns whether no other process has the lock. */
function takes(lock: DatabaseSync): boolean {
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}
