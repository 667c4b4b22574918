import { errnoOf, explainSystemError, isMissing, ToolError } from '@cairn/tool';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FileOperations } from '../files/operations.ts';
import { isRunning, ownIdentity, parseIdentity, uniqueName } from './process-identity.ts';
import { recover, temporaryPath } from './temporary.ts';

/** A path that nobody else changes until it is released. */
export interface LockedPath {
  readonly path: string;
  /** Where a new content may be prepared. It is removed at the next start when this process does not live to do so. */
  readonly temporary: string;
}

/** Sees to it that one call at a time changes a file, among all threads and processes that use the same directory. */
export interface Locks {
  /**
   * Runs `use` with all of `paths` locked. They are canonical; or no paths at all but names of something else to lock.
   *
   * @throws {ToolError} `LOCKED` when another process holds one for too long; the signal's reason while waiting.
   */
  hold<T>(
    paths: readonly string[],
    signal: AbortSignal | undefined,
    use: (locked: readonly LockedPath[]) => Promise<T>,
  ): Promise<T>;
  /**
   * Puts in order what processes that were killed have left, as far as `concerns` says of the path.
   *
   * @throws {ToolError} `PERMISSION` when others could have written what is believed there.
   */
  recover(concerns: (path: string) => boolean): Promise<void>;
}

/** What stands in a lock. */
interface LockNote extends LockedPath {
  readonly owner: string;
}

/** How long to wait for another process. A commit takes milliseconds, one of a huge file on a slow disk seconds. */
const LONGEST_WAIT_MS = 30_000;
const LONGEST_PAUSE_MS = 16;

function isLockNote(value: unknown): value is LockNote {
  if (typeof value !== 'object' || value === null) return false;
  return ['owner', 'path', 'temporary'].every((key) => typeof Reflect.get(value, key) === 'string');
}

async function readNote(lock: string): Promise<LockNote | undefined> {
  try {
    const note: unknown = JSON.parse(await fs.readFile(lock, 'utf8'));
    return isLockNote(note) ? note : undefined;
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

async function ageOf(path: string): Promise<number> {
  const { mtimeMs } = await fs.stat(path);
  return Date.now() - mtimeMs;
}

const DIRECTORY_HINT = 'Give the workspace another one with stateDirectory.';

/** The permissions by which a group and all others may write. */
const OTHERS_MAY_WRITE = 0o022;

/**
 * Checks that a directory is this user's and nobody else can put anything there: what it holds is believed.
 *
 * @throws {ToolError} `PERMISSION`.
 */
async function requirePrivate(directory: string): Promise<void> {
  const name = `The state directory ${directory}`;
  const stats = await fs.lstat(directory);
  const own = process.getuid?.();
  if (!stats.isDirectory() || (own !== undefined && stats.uid !== own)) {
    throw new ToolError('PERMISSION', [`${name} belongs to somebody else, or is no directory`, DIRECTORY_HINT]);
  }
  if (own !== undefined && (stats.mode & OTHERS_MAY_WRITE) !== 0) {
    throw new ToolError('PERMISSION', [
      `${name} can be written by others`,
      `Take that permission from them, or ${DIRECTORY_HINT.charAt(0).toLowerCase()}${DIRECTORY_HINT.slice(1)}`,
    ]);
  }
}

/** Runs something on the state directory; what the system says is said of it. */
async function explainingDirectory<T>(directory: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const explained = explainSystemError(error, `The state directory ${directory}`);
    if (ToolError.isInstance(error) || !ToolError.isInstance(explained)) throw error;
    throw new ToolError(explained.code, [explained.summary, DIRECTORY_HINT], { cause: error });
  }
}

/**
 * Makes the directory, private to this user, or checks that it is. Each time: who tidies temporary files up may have removed it.
 *
 * @throws {ToolError} when it cannot be used.
 */
async function prepareDirectory(directory: string): Promise<void> {
  await explainingDirectory(directory, async () => {
    await fs.mkdir(directory, { recursive: true, mode: 0o700 });
    await requirePrivate(directory);
  });
}

/**
 * The names in the directory; none when there is no directory yet.
 *
 * @throws {ToolError} when it cannot be used, before anything in it is looked at.
 */
async function listDirectory(directory: string): Promise<string[]> {
  return explainingDirectory(directory, async () => {
    try {
      await requirePrivate(directory);
      return await fs.readdir(directory);
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  });
}

/** Waits, and rejects with the signal's reason when it aborts meanwhile. */
async function abortable(wait: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  if (!signal) {
    await wait;
    return;
  }
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    await Promise.race([wait, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/**
 * Locks in a directory of this machine. A lock is a file that names its owner, the path and the temporary file, so that it is
 * also the journal of what was begun. Nothing but its name makes it exclusive, so it works between processes.
 */
export function createLocks(directory: string, operations: FileOperations): Locks {
  const own = ownIdentity();
  const queues = new Map<string, Promise<unknown>>();

  const lockOf = (path: string): string => join(directory, `${createHash('sha1').update(path).digest('hex')}.lock`);

  const isAbandoned = async (lock: string, owner: string): Promise<boolean> => {
    const identity = parseIdentity(owner);
    return identity !== undefined && !isRunning(identity, own, await ageOf(lock));
  };

  /** Takes over the lock of a process that is gone and finishes its work. Renaming it first lets only one do so. */
  const clearAbandoned = async (lock: string): Promise<void> => {
    const claimed = join(directory, `${uniqueName(own)}.claim`);
    try {
      const note = await readNote(lock);
      if (note === undefined || !(await isAbandoned(lock, note.owner))) return;
      await fs.rename(lock, claimed);
    } catch (error) {
      if (isMissing(error)) return;
      throw error;
    }
    const note = await readNote(claimed);
    if (note && (await isAbandoned(claimed, note.owner))) {
      try {
        await recover(operations, note.temporary, note.path);
      } catch (error) {
        await fs.rename(claimed, lock);
        throw error;
      }
    } else {
      // Somebody took it over and locked anew between the two looks: theirs again.
      await fs.link(claimed, lock);
    }
    await fs.unlink(claimed);
  };

  const tryLock = async (note: LockNote, lock: string): Promise<boolean> => {
    const written = join(directory, `${uniqueName(own)}.note`);
    try {
      await fs.writeFile(written, JSON.stringify(note), { mode: 0o600 });
      await fs.link(written, lock);
      return true;
    } catch (error) {
      if (errnoOf(error) === 'EEXIST') return false;
      throw error;
    } finally {
      await fs.rm(written, { force: true });
    }
  };

  const acquire = async (path: string, signal: AbortSignal | undefined): Promise<LockedPath> => {
    await prepareDirectory(directory);
    const lock = lockOf(path);
    const locked = { path, temporary: temporaryPath(path, own) };
    const note = { owner: uniqueName(own), ...locked };
    let waitedMs = 0;
    for (let pauseMs = 1; !(await tryLock(note, lock)); pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      await clearAbandoned(lock);
      if (waitedMs > LONGEST_WAIT_MS) {
        const summary = `${path} is being changed by another process`;
        throw new ToolError('LOCKED', [summary, 'Try again later.'], { path });
      }
      await abortable(sleep(pauseMs), signal);
      waitedMs += pauseMs;
    }
    return locked;
  };

  const hold = async <T>(
    paths: readonly string[],
    signal: AbortSignal | undefined,
    use: (locked: readonly LockedPath[]) => Promise<T>,
  ): Promise<T> => {
    // One order for all calls, so that two that want the same paths never wait for each other.
    const ordered = [...new Set(paths)].toSorted();
    const leave = queueUp(ordered);
    const held: LockedPath[] = [];
    try {
      await abortable(leave.turn, signal);
      for (const path of ordered) held.push(await acquire(path, signal));
      return await use(held);
    } finally {
      await Promise.all(held.map(({ path }) => fs.rm(lockOf(path), { force: true })));
      leave.done();
    }
  };

  /** A place behind this process's earlier calls for the same paths. Who leaves before its turn lets nobody pass. */
  const queueUp = (paths: readonly string[]): { readonly turn: Promise<unknown>; readonly done: () => void } => {
    const turn = Promise.all(paths.map((path) => queues.get(path) ?? Promise.resolve()));
    let done = (): void => undefined;
    const own = new Promise<void>((resolve) => (done = resolve));
    const finished = Promise.all([turn, own]).then(() => {
      for (const path of paths) if (queues.get(path) === finished) queues.delete(path);
    });
    for (const path of paths) queues.set(path, finished);
    return { turn, done };
  };

  const recoverAll = async (concerns: (path: string) => boolean): Promise<void> => {
    // What is no path stands for a file with several names, and may be one of anybody's.
    const isConcerned = ({ path }: LockNote): boolean => !isAbsolute(path) || concerns(path);
    for (const name of await listDirectory(directory)) {
      const path = join(directory, name);
      if (name.endsWith('.lock')) {
        const note = await readNote(path);
        if (note && isConcerned(note)) await clearAbandoned(path);
        continue;
      }
      const identity = parseIdentity(name);
      if (identity === undefined || isRunning(identity, own, 0)) continue;
      // Left by a process that was killed while it locked, or while it took over a lock.
      const note = name.endsWith('.claim') ? await readNote(path) : undefined;
      if (note && !isConcerned(note)) continue;
      if (note) await hold([note.path], undefined, () => recover(operations, note.temporary, note.path));
      await fs.rm(path, { force: true });
    }
  };

  return { hold, recover: recoverAll };
}
