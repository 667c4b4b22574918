import { accessSync, chmodSync, closeSync, constants, mkdirSync, openSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MemoryError } from '../errors.ts';

/** How a file is opened: with write permission, or for reading, or for reading while no process has it open. */
export type FileMode = 'write' | 'read' | 'immutable';

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/**
 * Creates a directory with its parents. `recursive` of Node never ends where the system reports that a directory does not
 * exist and cannot be created, as below `/proc`.
 *
 * @returns whether the directory is new.
 */
function makeDirectory(directory: string): boolean {
  if (isDirectory(directory)) return false;
  if (dirname(directory) !== directory) makeDirectory(dirname(directory));
  try {
    mkdirSync(directory, { mode: 0o700 });
    return true;
  } catch (error) {
    // Another process created it first.
    if (isDirectory(directory)) return false;
    if (statSync(directory, { throwIfNoEntry: false }) === undefined) throw error;
    const summary = `[memory:sqlite] ${directory} is not a directory`;
    const hint = 'Move that file, or use another path.';
    throw new MemoryError('STORE_FAILED', [summary, hint], { path: directory, cause: error });
  }
}

/** Creates an empty file that only its owner can read, unless it exists. Opens no existing file: closing one ends SQLite's locks. */
function createFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'EEXIST') throw error;
  }
}

/** Takes the permissions of others from a store. */
export function makePrivate(store: string): void {
  // SQLite created the log with the mode of the file.
  for (const path of ['', '-wal', '-shm'].map((suffix) => `${store}${suffix}`)) {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined || (stats.mode & 0o077) === 0 || process.platform === 'win32') continue;
    try {
      chmodSync(path, stats.mode & 0o700);
    } catch {
      // The file of another owner, who shares it.
    }
  }
}

function isAllowed(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

/** Creates the file and its directory, readable only for the owner. A new `.cairn` directory is ignored by git. */
export function prepareFile(path: string): FileMode {
  const directory = dirname(path);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory() === true) {
    throw new MemoryError('STORE_FAILED', [`[memory:sqlite] ${path} is a directory`, 'Use a file.'], { path });
  }
  if (stats === undefined) {
    const isNew = makeDirectory(directory);
    if (isNew && basename(directory) === '.cairn') writeFileSync(join(directory, '.gitignore'), '*\n');
    createFile(path);
  } else if (!isAllowed(path, constants.R_OK)) {
    const summary = `[memory:sqlite] ${path} is not readable by this user`;
    throw new MemoryError('STORE_DENIED', [summary, 'Use another file, or get permission to read it.'], { path });
  } else if (!isAllowed(path, constants.W_OK) || !isAllowed(directory, constants.W_OK)) {
    // Without a log all data is in the file, so that no other file is needed, which could not be created.
    return hasLog(path) ? 'read' : 'immutable';
  }
  return 'write';
}

/** Returns whether the log has data that may not be in the file. */
function hasLog(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** Returns the name under which SQLite opens a file without its log and without locks. */
export function immutableName(path: string): string {
  return `${pathToFileURL(path).href}?immutable=1`;
}

/** Returns an identity of the file at a path, to notice that another file replaced it. */
export function identityOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats && `${stats.dev} ${stats.ino}`;
}

/** Returns the state of a file and its log, to notice that they were written. */
export function stateOf(path: string): string {
  const all = ['', '-wal'].map((suffix) => statSync(`${path}${suffix}`, { throwIfNoEntry: false, bigint: true }));
  return all.map((stats) => (stats ? `${stats.dev} ${stats.ino} ${stats.size} ${stats.mtimeNs}` : 'none')).join(' ');
}
