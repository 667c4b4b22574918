import { errnoOf } from '@cairn/tool/internal';
import { ToolError } from '@cairn/tool';
import { quotePath } from '@cairn/tool/paths';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { FileOperations, LockOptions } from '../files/operations.ts';
import { abortable } from './abortable.ts';
import { PathQueue } from './path-queue.ts';
import type { StateDirectory } from './state-directory.ts';

interface LockWait {
  /** Milliseconds. A commit takes milliseconds; one of a huge file on a slow disk takes seconds. */
  readonly maxMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

const MAX_WAIT_MS = 30_000;

/** Without locks of the file system, or without permission to open the directory. */
const cannotLock: readonly (string | undefined)[] = ['ENOTSUP', 'EACCES'];

interface Place {
  readonly path: string;
  readonly identity: string;
}

/**
 * Lets one call at a time change what is in a directory, among all threads, processes and users. The system drops a lock with its
 * process, however that ends.
 */
export class Locks {
  readonly #operations: FileOperations;
  readonly #state: StateDirectory;
  readonly #queue = new PathQueue();

  constructor(operations: FileOperations, state: StateDirectory) {
    this.#operations = operations;
    this.#state = state;
  }

  /**
   * Runs `use` while all places are locked: directories, or files with several names.
   *
   * @throws {ToolError} `LOCKED` when another program holds a lock for too long; the signal's reason while waiting.
   */
  async hold<T>(paths: readonly string[], wait: LockWait, use: () => Promise<T>): Promise<T> {
    const { maxMs = MAX_WAIT_MS, signal } = wait;
    const places = await this.#inOrder(paths);
    const turn = this.#queue.enter(places);
    const held: (() => Promise<void>)[] = [];
    try {
      await abortable(turn.turn, signal);
      for (const path of places) held.push(await this.#lock(path, { maxMs, signal }));
      return await use();
    } finally {
      for (const release of held) await release();
      turn.leave();
    }
  }

  /** One order for all processes, so that two calls for the same places never wait for each other. */
  async #inOrder(paths: readonly string[]): Promise<string[]> {
    const distinct = [...new Set(paths)];
    if (distinct.length < 2) return distinct;
    const places = await Promise.all(
      distinct.map(async (path): Promise<Place> => ({ path, identity: (await this.#operations.stat(path)).identity })),
    );
    const ordered = places.toSorted((left, right) => (left.identity < right.identity ? -1 : 1));
    return ordered.filter(({ identity }, index) => ordered[index - 1]?.identity !== identity).map(({ path }) => path);
  }

  async #lock(path: string, { maxMs, signal }: LockWait): Promise<() => Promise<void>> {
    const options = { timeoutMs: maxMs, signal };
    try {
      const lock = await this.#operations.lock(path, options);
      if (lock) return async () => lock.release();
    } catch (error) {
      if (!cannotLock.includes(errnoOf(error))) throw error;
      const release = await this.#lockByFile(path, options);
      if (release) return release;
    }
    const summary = `Another program has locked ${quotePath(path)} for ${maxMs ?? 0} ms`;
    const hint = 'Find it with lslocks, or with fuser and the path; wait until it is done, then call again.';
    throw new ToolError('LOCKED', [summary, hint], { path });
  }

  /** A file in the state directory stands for what cannot be locked itself. */
  async #lockByFile(path: string, options: LockOptions): Promise<(() => Promise<void>) | undefined> {
    const operations = this.#operations;
    const { identity } = await operations.stat(path);
    const name = `${createHash('sha1').update(identity).digest('hex')}.lock`;
    return this.#state.use(async (directory) => {
      const file = join(directory, name);
      for (;;) {
        try {
          await (await operations.open(file, 'create', 0o600)).close();
        } catch (error) {
          if (errnoOf(error) !== 'EEXIST') throw error;
        }
        try {
          const lock = await operations.lock(file, options);
          if (lock === undefined) return undefined;
          return async () => {
            try {
              await operations.unlink(file);
            } catch {
              // The next owner removes it. Whatever happened to it, later calls must not wait.
            }
            await lock.release();
          };
        } catch (error) {
          // Its last owner removed it.
          if (errnoOf(error) !== 'ENOENT') throw error;
        }
      }
    });
  }
}
