/** The process that makes the daily backup of a file: `node sqlite-daily.js <path>`. It ends with one of these codes. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { MemoryError } from '../errors.ts';
import { withBackupLock } from './sqlite-backup-lock.ts';
import {
  backupName,
  backupStateOf,
  isBackupDue,
  noteDamage,
  removeLeftovers,
  removeOldBackups,
  type BackupState,
} from './sqlite-backups.ts';
import { SqliteDatabase } from './sqlite-database.ts';
import { nodeSqlite } from './sqlite-driver.ts';
import { DAILY_CODES } from './sqlite-daily-start.ts';
import { realStorePath } from './sqlite-file.ts';
import { stateOf } from './sqlite-schema.ts';

const BUSY_MS = 10_000;

/** Returns the state of the backups, even of a store that cannot be read. */
async function readState(database: SqliteDatabase, path: string): Promise<BackupState> {
  const state = await database.read((on) => stateOf(on)).catch(() => undefined);
  return backupStateOf(path, state);
}

/** Returns a path for a backup of now. An earlier second may be free: a later one would hide what is forgotten in between. */
function freePath(directory: string): string {
  for (let timeMs = Date.now(); ; timeMs -= 1000) {
    const path = join(directory, `${backupName(timeMs)}.db`);
    if (!existsSync(path)) return path;
  }
}

async function backUpDaily(path: string): Promise<void> {
  await withBackupLock(path, 0, async (directory) => {
    const database = new SqliteDatabase({ path, busyTimeoutMs: BUSY_MS, driver: nodeSqlite });
    try {
      const state = await readState(database, path);
      // Another process may have made it meanwhile.
      if (!isBackupDue(path, state, Date.now())) return;
      removeLeftovers(path);
      // The next backup may need their space.
      removeOldBackups(path, state, { nowMs: Date.now(), isBefore: true });
      try {
        await database.copy(freePath(directory));
        noteDamage(path, false);
      } finally {
        // A promise to forget is kept, even if there is no other backup.
        removeOldBackups(path, state, { nowMs: Date.now() });
      }
    } finally {
      await database.close();
    }
  });
}

const path = realStorePath(process.argv[2] ?? '');
try {
  await backUpDaily(path);
} catch (error) {
  const code = MemoryError.isInstance(error) ? error.code : undefined;
  if (code === 'CORRUPT_STORE') noteDamage(path, true);
  process.exitCode =
    code === 'CORRUPT_STORE' ? DAILY_CODES.damaged : code === 'STORE_FULL' ? DAILY_CODES.full : DAILY_CODES.failed;
}
