import type { DirectoryEntry, FileOperations, FileStat, WorkspaceChange } from '@cairn/coding-agent';
import { dirname } from 'node:path';
import type { CacheAccess } from '../content/types.ts';
import { createFills } from '../content/fills.ts';
import { createLru } from '../content/lru.ts';
import { report } from '../content/report.ts';
import { isBefore, isSameStamp, isStamp, settledFrom } from '../content/stamps.ts';
import type { Stamp, TimeCheck } from '../content/stamps.ts';
import { userOf } from '../content/user.ts';
import { pathsOf } from './paths-of.ts';

/** The limit of all kept listings, as their names take memory. */
const MAX_BYTES = 8 * 1024 * 1024;

/** The limit of one kept listing. */
const MAX_ENTRIES = 10_000;

/** The memory of an entry beside its name. */
const ENTRY_BYTES = 64;

/**
 * Listings of directories below the tools, at most 8 MiB and 10,000 entries a directory. Each use checks the directory's times and
 * inode.
 */
export interface DirectoryCache {
  /** Lists a canonical path through `inner`, or from memory; refuses what `inner` refuses. */
  list(inner: FileOperations, path: string, onAccess?: (access: CacheAccess) => void): Promise<DirectoryEntry[]>;
  /** Forgets listings that a change made wrong, to free their memory. */
  drop(change: WorkspaceChange): void;
  clear(): void;
}

interface Kept {
  readonly inner: FileOperations;
  /** The user that listed it: a process that drops its privileges may not list it again. */
  readonly user: string;
  readonly stamp: Stamp;
  readonly entries: readonly DirectoryEntry[];
}

async function stampAt(inner: FileOperations, path: string): Promise<FileStat | undefined> {
  try {
    // Refuses a path that leads through a link, like `list`.
    return await inner.lstat(path);
  } catch {
    // Listing it gives the error.
    return undefined;
  }
}

/** Makes a cache of listings. */
export function createDirectoryCache(options: { readonly hasExactTimes: TimeCheck }): DirectoryCache {
  const { hasExactTimes } = options;
  const store = createLru<Kept>({ maxCost: MAX_BYTES });
  const fills = createFills();

  const lookUp = async (inner: FileOperations, path: string): Promise<DirectoryEntry[] | undefined> => {
    const kept = store.get(path);
    if (kept === undefined || kept.inner !== inner || kept.user !== userOf()) return undefined;
    const now = await stampAt(inner, path);
    if (now && isSameStamp(kept.stamp, now)) return [...kept.entries];
    store.delete(path, kept);
    return undefined;
  };

  const fill = async (inner: FileOperations, path: string): Promise<DirectoryEntry[]> => {
    const startedMs = Date.now();
    const before = await stampAt(inner, path);
    const entries = await inner.list(path);
    if (before?.kind !== 'directory' || entries.length > MAX_ENTRIES || !isStamp(before)) return entries;
    if (!isBefore(settledFrom(before), startedMs) || !(await hasExactTimes(path, before))) return entries;
    const after = await stampAt(inner, path);
    if (after === undefined || !isSameStamp(before, after)) return entries;
    const kept = entries.map(({ name, kind }) => Object.freeze({ name, kind }));
    const cost = kept.reduce((sum, { name }) => sum + ENTRY_BYTES + 2 * name.length, 0);
    store.set(path, { inner, user: userOf(), stamp: before, entries: kept }, cost);
    return entries;
  };

  return {
    list: async (inner, path, onAccess) => {
      let hit = await lookUp(inner, path);
      const filling = fills.underWay(path);
      if (hit === undefined && filling) {
        await filling;
        // The directory may have changed since the other listing began.
        hit = await lookUp(inner, path);
      }
      report(onAccess, { kind: 'list', path, isHit: hit !== undefined });
      if (hit) return hit;
      return fills.track(path, fill(inner, path));
    },
    drop: (change) => {
      for (const path of pathsOf(change)) {
        store.delete(path);
        store.delete(dirname(path));
      }
    },
    clear: () => store.clear(),
  };
}
