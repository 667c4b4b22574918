import type { FileOperations, FileStat } from '@cairn/coding-agent';
import type { Lru } from './lru.ts';
import { isSameStamp } from './stamps.ts';

/** Reads beyond this many at once are not shared. */
const MAX_READS = 1000;

/** A value that was read, and the state of its path at that time. */
export interface Stamped<Value> {
  readonly inner: FileOperations;
  /** The user that read it: a process that drops its privileges may not read it again. */
  readonly user: string;
  readonly stamp: FileStat;
  readonly value: Value;
}

/** A value that was checked, and the state of its path now. */
export interface Hit<Value> {
  readonly value: Value;
  readonly stat: FileStat;
}

/** Returns the user and group by whose permissions this process reads now. */
export function userOf(): string {
  return `${process.geteuid?.()}:${process.getegid?.()}`;
}

/** Values of canonical paths, each checked against the disk at every use. */
export class StampedValues<Value> {
  readonly #store: Lru<Stamped<Value>>;
  /** The reads that are under way, by path. They never reject. */
  readonly #reads = new Map<string, Promise<void>>();

  constructor(store: Lru<Stamped<Value>>) {
    this.#store = store;
  }

  /** Returns the kept value of a path if the path is unchanged. */
  async lookUp(inner: FileOperations, path: string): Promise<Hit<Value> | undefined> {
    const kept = this.#store.get(path);
    if (kept === undefined || kept.inner !== inner || kept.user !== userOf()) return undefined;
    try {
      // Rejects a path that leads through a link, like `open` and `list`.
      const stat = await inner.lstat(path);
      if (isSameStamp(kept.stamp, stat)) return { value: kept.value, stat };
    } catch {
      // Reading it gives the error.
    }
    this.#store.delete(path, kept);
    return undefined;
  }

  /** Answers from memory, or reads. A read of a path that is being read waits for that read, then checks the kept value. */
  async answer<Answer>(
    inner: FileOperations,
    path: string,
    ways: {
      readonly note: (isHit: boolean) => void;
      readonly hit: (hit: Hit<Value>) => Answer;
      readonly read: () => Promise<Answer>;
    },
  ): Promise<Answer> {
    let hit = await this.lookUp(inner, path);
    const underWay = this.#reads.get(path);
    if (hit === undefined && underWay !== undefined) {
      await underWay;
      // The path may have changed since the other read began.
      hit = await this.lookUp(inner, path);
    }
    ways.note(hit !== undefined);
    if (hit !== undefined) return ways.hit(hit);
    // Without an `await` since the check of `#reads`, so that equal reads share this one.
    const reading = ways.read();
    const ignore = (): void => undefined;
    const done = reading.then(ignore, ignore);
    if (this.#reads.size < MAX_READS) this.#reads.set(path, done);
    try {
      return await reading;
    } finally {
      if (this.#reads.get(path) === done) this.#reads.delete(path);
    }
  }

  keep(
    inner: FileOperations,
    path: string,
    { stamp, value, cost }: Pick<Stamped<Value>, 'stamp' | 'value'> & { readonly cost: number },
  ): void {
    this.#store.set(path, { inner, user: userOf(), stamp, value }, cost);
  }
}
