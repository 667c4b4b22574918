import { errnoOf } from '@cairn/tool/internal';
import { ToolError } from '@cairn/tool';
import { quotePath } from '@cairn/tool/paths';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { FileOperations, LockOptions } from '../files/operations.ts';
import type { StateDirectory } from './state-directory.ts';

/** A commit takes milliseconds; one of a huge file on a slow disk takes seconds. */
const MAX_WAIT_MS = 30_000;

/** Without locks of the file system, or without permission to open the directory. */
const cannotLock: readonly (string | undefined)[] = ['ENOTSUP', 'EACCES'];

/** Waits for a promise, and rejects with the signal's reason when the signal aborts first. */
async function abortable(wait: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => (stop = () => reject(signal?.reason)));
  signal?.addEventListener('abort', stop, { once: true });
  try {
    await Promise.race([wait, aborted]);
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

/**
 * Lets one call at a time change what is in a directory, among all threads, processes and users. The system drops a lock with its
 * process, however that ends.
 */
export class Locks {
  readonly #operations: FileOperations;
  readonly #state: StateDirectory;
  /** By path: when the last call of this process is done with it. */
  readonly #last = new Map<string, Promise<unknown>>();

  constructor(operations: FileOperations, state: StateDirectory) {
    this.#operations = operations;
    this.#state = state;
  }

  /**
   * Runs `use` while all places are locked: directories, or files with several names.
   *
   * @throws {ToolError} `LOCKED` when another program holds a lock for too long; the signal's reason while waiting.
   */
  async hold<T>(
    paths: readonly string[],
    { timeoutMs = MAX_WAIT_MS, signal }: LockOptions,
    use: () => Promise<T>,
  ): Promise<T> {
    const places = await this.#inOrder(paths);
    const { turn, leave } = this.#enter(places);
    const held: (() => Promise<void>)[] = [];
    try {
      await abortable(turn, signal);
      for (const path of places) held.push(await this.#lock(path, { timeoutMs, signal }));
      return await use();
    } finally {
      for (const release of held) await release();
      leave();
    }
  }

  /** Queues after the earlier calls of this process. A call that leaves before its turn lets no call overtake those before it. */
  #enter(paths: readonly string[]): { readonly turn: Promise<unknown>; readonly leave: () => void } {
    const turn = Promise.all(paths.map((path) => this.#last.get(path) ?? Promise.resolve()));
    let leave = (): void => undefined;
    const left = new Promise<void>((resolve) => (leave = resolve));
    const finished = Promise.all([turn, left]).then(() => {
      for (const path of paths) if (this.#last.get(path) === finished) this.#last.delete(path);
    });
    for (const path of paths) this.#last.set(path, finished);
    return { turn, leave };
  }

  /** One order for all processes, so that two calls for the same places never wait for each other. */
  async #inOrder(paths: readonly string[]): Promise<string[]> {
    const distinct = [...new Set(paths)];
    if (distinct.length < 2) return distinct;
    const places = await Promise.all(
      distinct.map(async (path) => ({ path, identity: (await this.#operations.stat(path)).identity })),
    );
    const ordered = places.toSorted((left, right) => (left.identity < right.identity ? -1 : 1));
    return ordered.filter(({ identity }, index) => ordered[index - 1]?.identity !== identity).map(({ path }) => path);
  }

  async #lock(path: string, options: LockOptions): Promise<() => Promise<void>> {
    try {
      const lock = await this.#operations.lock(path, options);
      if (lock) return () => lock.release();
    } catch (error) {
      if (!cannotLock.includes(errnoOf(error))) throw error;
      const release = await this.#lockByFile(path, options);
      if (release) return release;
    }
    const summary = `Another program has locked ${quotePath(path)} for ${options.timeoutMs} ms`;
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
