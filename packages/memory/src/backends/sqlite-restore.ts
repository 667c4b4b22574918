/** Puts a backup in the place of a file. The file that was there is kept among the backups. */
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { dirname } from 'node:path';
import { MemoryError } from '../errors.ts';
import { randomName } from '../records/random-name.ts';
import { VECTORS_PREFIX } from '../records/keys.ts';
import { withBackupLock } from './sqlite-backup-lock.ts';
import {
  backupDirectory,
  backupName,
  backupStateOf,
  keepForgotten,
  listBackups,
  noteDamage,
  removeLeftovers,
} from './sqlite-backups.ts';
import { checkFile } from './sqlite-check.ts';
import { SqliteDatabase } from './sqlite-database.ts';
import { nodeSqlite } from './sqlite-driver.ts';
import { explainSqliteError, isBusy, isCorrupt } from './sqlite-errors.ts';
import { nameOf, realStorePath } from './sqlite-file.ts';

const BUSY_MS = 2000;
/** A daily backup of a large file takes some seconds. */
const LOCK_MS = 30_000;

/** A backup in the place of a file. */
export interface Restored {
  /** The name of the file that was there among the backups; `undefined` when there was none. */
  readonly replaced: string | undefined;
  /** Whether the file that was there is damaged, so that it cannot be restored. */
  readonly isDamaged: boolean;
  /** Whether it is known that no other process had the file open. A damaged file has no lock to ask. */
  readonly isAlone: boolean;
  /**
   * The records of the backup that the replaced file did not have anymore, even forgotten ones; `undefined` when the file that was there
   * cannot tell.
   */
  readonly returned: number | undefined;
}

/** Live records of `restored` that the file does not have. Vectors are left out. */
const RETURNED = `SELECT count(*) AS records FROM restored.entries AS old JOIN restored.keys AS names ON names.id = old.key_id
  WHERE names.is_dropped = 0 AND substr(names.key, 1, ${VECTORS_PREFIX.length}) <> '${VECTORS_PREFIX}'
    AND (old.expires_at IS NULL OR old.expires_at > ?) AND NOT EXISTS (
      SELECT 1 FROM main.keys AS own JOIN main.entries AS one ON one.key_id = own.id WHERE own.key = names.key AND one.id = old.id)`;

function inUse(path: string): MemoryError {
  const summary = `[memory:sqlite] ${path} is in use by another process`;
  const hint =
    'End the other processes of Cairn, such as MCP servers of agents, then repeat the command. Nothing was changed.';
  return new MemoryError('STORE_LOCKED', [summary, hint], { path });
}

function unknownBackup(path: string, name: string): MemoryError {
  const summary = `[memory:sqlite] ${path} has no backup ${JSON.stringify(name)}`;
  const hint = `List them with 'cairn memory restore --store ${path}', or name the file of a backup.`;
  return new MemoryError('INVALID_INPUT', [summary, hint], { path: backupDirectory(path) });
}

/** Returns the file of a backup, by its name or its path. @throws {MemoryError} `INVALID_INPUT`. */
function fileOf(path: string, backup: string): string {
  const known = listBackups(path).find(({ name }) => name === backup);
  if (known !== undefined) return known.path;
  if (statSync(backup, { throwIfNoEntry: false })?.isFile() === true) return backup;
  throw unknownBackup(path, backup);
}

/** Returns whether a lock of SQLite is held on a file; `undefined` where the system does not list locks. */
function isLocked(path: string): boolean | undefined {
  try {
    const { ino } = statSync(path);
    return new RegExp(String.raw`:${ino}\s`, 'u').test(readFileSync('/proc/locks', 'utf8'));
  } catch {
    return undefined;
  }
}

/** The lock of a file, and what the file says. */
interface Alone {
  readonly database: DatabaseSync;
  readonly returned: number | undefined;
  readonly state: Readonly<Record<string, unknown>> | undefined;
}

/** Returns the number of records that only the copy has; `undefined` for a damaged file. */
function countReturned(database: DatabaseSync, copy: string): number | undefined {
  database.prepare('ATTACH ? AS restored').run(nameOf(copy, 'immutable'));
  try {
    return Number(database.prepare(RETURNED).get(Date.now())?.['records']);
  } catch {
    return undefined;
  } finally {
    database.exec('DETACH restored');
  }
}

function readState(database: DatabaseSync): Readonly<Record<string, unknown>> | undefined {
  try {
    return database.prepare('SELECT * FROM state').get();
  } catch {
    return undefined;
  }
}

/**
 * Takes the lock that no other connection has, with the log written to the file.
 *
 * @returns `undefined` for a file that SQLite cannot open.
 * @throws {MemoryError} `STORE_LOCKED`.
 */
async function lockAlone(path: string, copy: string): Promise<Alone | undefined> {
  const { DatabaseSync: Database } = await nodeSqlite();
  const database = new Database(path, { timeout: BUSY_MS });
  try {
    // Only a connection that is alone may change it.
    const mode = database.prepare('PRAGMA journal_mode = DELETE').get()?.['journal_mode'];
    if (mode !== 'delete') throw inUse(path);
    const known = { returned: countReturned(database, copy), state: readState(database) };
    database.exec('BEGIN EXCLUSIVE');
    return { database, ...known };
  } catch (error) {
    database.close();
    if (isBusy(error)) throw inUse(path);
    if (isCorrupt(error)) return undefined;
    throw error;
  }
}

function sync(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Gives a file a second name. */
function alsoAs(path: string, name: string): void {
  try {
    linkSync(path, name);
  } catch {
    // A file system without links.
    copyFileSync(path, name, constants.COPYFILE_EXCL);
  }
  chmodSync(name, 0o600);
}

/** Returns a name that no replaced file has: a name has seconds, and two may be replaced within one. */
function freeName(directory: string): string {
  for (let timeMs = Date.now(); ; timeMs += 1000) {
    const name = `${backupName(timeMs)}-replaced`;
    const isFree = (end: string): boolean =>
      lstatSync(`${directory}/${name}${end}`, { throwIfNoEntry: false }) === undefined;
    if (['.db', '.db-wal'].every(isFree)) return name;
  }
}

/** Keeps a file and its log, as far as they exist, under the name of a backup. @returns the name. */
function keepAside(path: string): string {
  const directory = backupDirectory(path);
  const name = freeName(directory);
  const kept = `${directory}/${name}.db`;
  if (existsSync(path)) alsoAs(path, kept);
  // A log without its file would be written into the one that replaces it.
  if (existsSync(`${path}-wal`)) {
    alsoAs(`${path}-wal`, `${kept}-wal`);
    rmSync(`${path}-wal`);
  }
  rmSync(`${path}-shm`, { force: true });
  return name;
}

/**
 * Replaces a file by a backup: by its name, or by the path of a file. After a kill, the file is the one before or the backup.
 *
 * @throws {MemoryError} `INVALID_INPUT` for an unknown backup, `CORRUPT_STORE` for a damaged one, `STORE_LOCKED` while another
 *   process has the file open.
 */
export async function restoreBackup(store: string, backup: string): Promise<Restored> {
  const path = realStorePath(store);
  const source = fileOf(path, backup);
  if (statSync(source, { throwIfNoEntry: false })?.size === 0) {
    throw new MemoryError('CORRUPT_STORE', [`[memory:sqlite] ${source} is empty`, 'Use another backup.'], {
      path: source,
    });
  }
  const restored = await withBackupLock(path, LOCK_MS, async (directory) => {
    removeLeftovers(path);
    // A copy that a killed process left here is known, and removed by the next one.
    const copy = `${directory}/restored.${randomName()}.tmp`;
    try {
      const from = new SqliteDatabase({ path: source, busyTimeoutMs: BUSY_MS, driver: nodeSqlite });
      try {
        await from.copy(copy);
      } finally {
        await from.close();
      }
      return await replace(path, copy);
    } finally {
      rmSync(copy, { force: true });
    }
  }).catch((error: unknown) => {
    throw explainSqliteError(error, { path, signal: undefined });
  });
  if (restored !== undefined) return restored;
  const summary = `[memory:sqlite] Another process makes or restores a backup of ${path}`;
  throw new MemoryError('STORE_LOCKED', [summary, 'Repeat the command in a minute. Nothing was changed.'], { path });
}

async function replace(path: string, copy: string): Promise<Restored> {
  const exists = (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
  const lock = exists ? await lockAlone(path, copy) : undefined;
  try {
    const locked = lock === undefined && exists ? isLocked(path) : false;
    if (locked === true) throw inUse(path);
    // The backup does not know what was forgotten since.
    keepForgotten(path, backupStateOf(path, lock?.state).forgotten);
    const replaced = exists || existsSync(`${path}-wal`) ? keepAside(path) : undefined;
    renameSync(copy, path);
    sync(dirname(path));
    noteDamage(path, false);
    const isDamaged = exists && (lock === undefined || (await hasDamage(`${backupDirectory(path)}/${replaced}.db`)));
    return { replaced, isDamaged, isAlone: locked === false, returned: lock?.returned };
  } finally {
    lock?.database.close();
  }
}

async function hasDamage(path: string): Promise<boolean> {
  const found = await checkFile(path, { name: nameOf(path, 'immutable'), readOnly: true, timeoutMs: 0 }).catch(
    isCorrupt,
  );
  return typeof found === 'boolean' ? found : found.length > 0;
}
