/** The process that makes the daily backup of a file: `node sqlite-daily.js <path>`. It ends with one of these codes. */
import { join } from 'node:path';
import process from 'node:process';
import type { DatabaseSync } from 'node:sqlite';
import { MemoryError } from '../errors.ts';
import {
  backupName,
  backupStateOf,
  isBackupDue,
  makeBackupDirectory,
  noteDamage,
  removeLeftovers,
  removeOldBackups,
} from './sqlite-backups.ts';
import { SqliteDatabase } from './sqlite-database.ts';
import { nodeSqlite } from './sqlite-driver.ts';
import { isBusy } from './sqlite-errors.ts';
import { DAILY_CODES, LOCK_FILE } from './sqlite-daily-start.ts';
import { stateOf } from './sqlite-schema.ts';

const BUSY_MS = 10_000;

/** Runs a task while no other process does. SQLite's lock ends with the process, whatever ends it. */
async function alone(directory: string, task: () => Promise<void>): Promise<void> {
  const { DatabaseSync } = await nodeSqlite();
  const lock = new DatabaseSync(join(directory, LOCK_FILE), { timeout: 0 });
  try {
    if (takes(lock)) await task();
  } finally {
    lock.close();
  }
}

/** @returns whether no other process makes the backup. */
function takes(lock: DatabaseSync): boolean {
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}

async function backUpDaily(path: string): Promise<void> {
  await alone(makeBackupDirectory(path), async () => {
    const database = new SqliteDatabase({ path, busyTimeoutMs: BUSY_MS, driver: nodeSqlite });
    try {
      const state = backupStateOf(await database.read((on) => stateOf(on)));
      // Another process may have made it meanwhile.
      if (!isBackupDue(path, state, Date.now())) return;
      removeLeftovers(path);
      await database.copy(join(makeBackupDirectory(path), `${backupName(Date.now())}.db`));
      noteDamage(path, undefined);
      removeOldBackups(path, state, Date.now());
    } finally {
      await database.close();
    }
  });
}

const [, , path = ''] = process.argv;
try {
  await backUpDaily(path);
} catch (error) {
  const code = MemoryError.isInstance(error) ? error.code : undefined;
  if (code === 'CORRUPT_STORE') noteDamage(path, error instanceof Error ? error.message : String(error));
  process.exitCode =
    code === 'CORRUPT_STORE' ? DAILY_CODES.damaged : code === 'STORE_FULL' ? DAILY_CODES.full : DAILY_CODES.failed;
}
