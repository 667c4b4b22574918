import type { DirectoryEntry, FileOperations, WorkspaceChange } from '@cairn/coding-agent';
import { dirname } from 'node:path';
import { Lru } from '../content/lru.ts';
import { report } from '../content/report.ts';
import { StampedValues } from '../content/stamped-values.ts';
import { isSameStamp, type Stamps } from '../content/stamps.ts';
import type { CacheAccess } from '../content/types.ts';
import { pathsOf } from './paths-of.ts';

/** The limit of all kept listings, as their names take memory. */
const MAX_BYTES = 8 * 1024 * 1024;

/** The limit of one kept listing. */
const MAX_ENTRIES = 10_000;

/** The memory of an entry beside its name. */
const ENTRY_BYTES = 64;

/** Listings of directories below the tools. Each use checks the directory's times and inode. */
export class DirectoryCache {
  readonly #stamps: Stamps;
  readonly #listings = new StampedValues<readonly DirectoryEntry[]>(new Lru({ maxCost: MAX_BYTES }));

  constructor(stamps: Stamps) {
    this.#stamps = stamps;
  }

  /** Lists a canonical path through `inner`, or from memory; rejects what `inner` rejects. */
  list(inner: FileOperations, path: string, onAccess: (access: CacheAccess) => void): Promise<DirectoryEntry[]> {
    return this.#listings.answer<DirectoryEntry[]>(inner, path, {
      note: (isHit) => report(onAccess, { kind: 'list', path, isHit }),
      hit: ({ value }) => [...value],
      read: () => this.#listAndKeep(inner, path),
    });
  }

  /** Forgets listings that a change made wrong, to free their memory. */
  drop(change: WorkspaceChange): void {
    for (const path of pathsOf(change)) {
      this.#listings.delete(path);
      this.#listings.delete(dirname(path));
    }
  }

  clear(): void {
    this.#listings.clear();
  }

  async #listAndKeep(inner: FileOperations, path: string): Promise<DirectoryEntry[]> {
    const startedMs = Date.now();
    // Without a stamp nothing is kept; listing the directory gives the error.
    const stamp = await inner.lstat(path).catch(() => undefined);
    const entries = await inner.list(path);
    if (stamp?.kind !== 'directory' || entries.length > MAX_ENTRIES) return entries;
    if (!(await this.#stamps.isSettled(path, stamp, startedMs))) return entries;
    const after = await inner.lstat(path).catch(() => undefined);
    if (after === undefined || !isSameStamp(stamp, after)) return entries;
    const value = entries.map(({ name, kind }) => Object.freeze({ name, kind }));
    const cost = value.reduce((sum, { name }) => sum + ENTRY_BYTES + 2 * name.length, 0);
    this.#listings.keep(inner, path, { stamp, value, cost });
    return entries;
  }
}
