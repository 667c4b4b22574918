import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
  writeFileSync,
  writeSync,
  type Stats,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MemoryError } from '../errors.ts';

/**
 * How a file is opened: with write permission, or for reading, or for reading with the index of the log as it is, or for reading while
 * no process has it open.
 */
export type FileMode = 'write' | 'read' | 'unchanged' | 'immutable';

/** What {@link readOwn} reads at most. */
const MAX_OWN_BYTES: number = 64 * 1024;
/** The links that are followed. A loop of links has more. */
const MAX_LINKS = 40;

/**
 * Returns the file that a path names after symbolic links, even if it does not exist yet. SQLite has its log next to that file, so the
 * reserve and the backups are there, too.
 */
export function realStorePath(path: string): string {
  let file = path;
  try {
    for (let links = 0; links < MAX_LINKS && lstatSync(file).isSymbolicLink(); links++) {
      file = resolve(realpathSync(dirname(file)), readlinkSync(file));
    }
  } catch {
    // It does not exist. Opening it reports any other reason.
  }
  return file;
}

/** Returns the state of a regular file; `undefined` for a symbolic link, which may lead to any file of the user. */
export function regularFile(path: string): Stats | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === true ? stats : undefined;
}

/** Whether something other than a regular file is at a path. */
export function isForeign(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats !== undefined && !stats.isFile();
}

/**
 * Opens a file next to a store, which another user may have put there, such as the author of a cloned repository. Never follows a
 * symbolic link, and takes only a file without other names.
 */
export function openOwn(path: string, flags: number): number {
  // Windows has no such flag.
  const handle = openSync(path, flags | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0), 0o600);
  const stats = fstatSync(handle);
  if (stats.isFile() && stats.nlink === 1 && !isForeign(path)) return handle;
  closeSync(handle);
  throw new Error(`${path} is not a regular file of its own`);
}

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
    const stats = regularFile(path);
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

/** Returns how a file is opened to write nothing, not even an index of its log. @throws {MemoryError} `STORE_DENIED`. */
export function modeToRead(path: string): FileMode {
  // A process has it open, or was killed.
  if (existsSync(`${path}-shm`)) return 'unchanged';
  if (!hasLog(path)) return 'immutable';
  const summary = `[memory:sqlite] ${path} has a log that no process wrote to the file`;
  const hint = `Run 'cairn memory stats --store ${path}', which writes it, then repeat the call.`;
  throw new MemoryError('STORE_DENIED', [summary, hint], { path });
}

/** Returns whether the log has data that may not be in the file. */
function hasLog(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** Returns the contents of a file next to a store; `undefined` for a missing, foreign or large one. */
export function readOwn(path: string): string | undefined {
  try {
    const handle = openOwn(path, constants.O_RDONLY);
    try {
      return fstatSync(handle).size > MAX_OWN_BYTES ? undefined : readFileSync(handle, 'utf8');
    } finally {
      closeSync(handle);
    }
  } catch {
    return undefined;
  }
}

/** Replaces the contents of a file next to a store. @throws for a foreign file, and on a full disk. */
export function writeOwn(path: string, text: string): void {
  const handle = openOwn(path, constants.O_WRONLY | constants.O_CREAT);
  try {
    writeSync(handle, text, 0);
    ftruncateSync(handle, Buffer.byteLength(text));
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Returns the name under which SQLite opens a file. */
export function nameOf(path: string, mode: FileMode): string {
  if (mode === 'immutable') return `${pathToFileURL(path).href}?immutable=1`;
  return mode === 'unchanged' ? `${pathToFileURL(path).href}?readonly_shm=1` : path;
}

/** Returns an identity of the file at a path, to notice that another file replaced it. */
export function identityOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats && `${stats.dev} ${stats.ino}`;
}

/** Returns what tells a file from any other that is or was at its path. */
export function identityToKeep(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats && `${stats.dev} ${stats.ino} ${Math.trunc(stats.birthtimeMs)}`;
}

/** Returns the state of a file and its log, to notice that they were written. */
export function stateOf(path: string): string {
  const all = ['', '-wal'].map((suffix) => statSync(`${path}${suffix}`, { throwIfNoEntry: false, bigint: true }));
  return all.map((stats) => (stats ? `${stats.dev} ${stats.ino} ${stats.size} ${stats.mtimeNs}` : 'none')).join(' ');
}
