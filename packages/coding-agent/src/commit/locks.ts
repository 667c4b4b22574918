import { ToolError } from '@cairn/tool';
import { quotePath } from '@cairn/tool/paths';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FileOperations } from '../files/operations.ts';
import { abortable } from './abortable.ts';
import type { Changes } from './changes.ts';
import { LockFiles } from './lock-files.ts';
import type { LockedPath } from './lock-files.ts';
import { PathQueue } from './path-queue.ts';
import { listStateDirectory, prepareStateDirectory } from './state-directory.ts';

/** Lets one call at a time change a file, among all threads and processes that use the same state directory. */
export interface Locks {
  /**
   * Runs `use` while all of `paths` are locked. They are canonical paths, or other names of things to lock.
   *
   * @throws {ToolError} `LOCKED` when another process holds a lock for too long; the signal's reason while waiting.
   */
  hold<T>(
    paths: readonly string[],
    signal: AbortSignal | undefined,
    use: (locked: readonly LockedPath[]) => Promise<T>,
  ): Promise<T>;
  /**
   * Finishes or removes what killed processes left, for the paths that `concerns` accepts.
   *
   * @throws {ToolError} `PERMISSION` when other users could have written to the state directory.
   */
  recover(concerns: (path: string) => boolean): Promise<void>;
}

/** How long to wait for another process. A commit takes milliseconds; one of a huge file on a slow disk takes seconds. */
const MAX_WAIT_MS = 30_000;
const MAX_PAUSE_MS = 16;

class FileLocks implements Locks {
  readonly #directory: string;
  readonly #files: LockFiles;
  readonly #queue = new PathQueue();

  constructor(directory: string, operations: FileOperations, changes: Changes) {
    this.#directory = directory;
    this.#files = new LockFiles(directory, operations, changes);
  }

  async hold<T>(
    paths: readonly string[],
    signal: AbortSignal | undefined,
    use: (locked: readonly LockedPath[]) => Promise<T>,
  ): Promise<T> {
    // One order for all calls, so that two calls for the same paths never wait for each other.
    const ordered = [...new Set(paths)].toSorted();
    const place = this.#queue.enter(ordered);
    const held: LockedPath[] = [];
    try {
      await abortable(place.turn, signal);
      for (const path of ordered) held.push(await this.#acquire(path, signal));
      return await use(held);
    } finally {
      await Promise.all(held.map(({ path }) => this.#files.unlock(path)));
      place.leave();
    }
  }

  async recover(concerns: (path: string) => boolean): Promise<void> {
    const hold = (path: string, use: () => Promise<void>): Promise<void> => this.hold([path], undefined, use);
    for (const name of await listStateDirectory(this.#directory)) {
      await this.#files.recoverEntry(name, { concerns, hold });
    }
  }

  async #acquire(path: string, signal: AbortSignal | undefined): Promise<LockedPath> {
    await prepareStateDirectory(this.#directory);
    const note = this.#files.noteFor(path);
    let waitedMs = 0;
    for (let pauseMs = 1; !(await this.#files.tryLock(note)); pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
      await this.#files.clearAbandoned(path);
      if (waitedMs > MAX_WAIT_MS) {
        throw new ToolError('LOCKED', [`Another process is changing ${quotePath(path)}`, 'Try again later.'], { path });
      }
      await abortable(sleep(pauseMs), signal);
      waitedMs += pauseMs;
    }
    return { path, temporary: note.temporary };
  }
}

/** Makes locks in a directory of this machine that is private to this user. Recovered files are announced to `changes`. */
export function createLocks(directory: string, operations: FileOperations, changes: Changes): Locks {
  return new FileLocks(directory, operations, changes);
}
