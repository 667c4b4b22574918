import { nodeFileOperations } from '@cairn/coding-agent';
import type { DirectoryEntry, FileOperations, Workspace, WorkspaceChange } from '@cairn/coding-agent';
import { dirname } from 'node:path';
import { OwnContentCache, type ContentCacheOptions } from '../content/content-cache.ts';
import { Lru } from '../content/lru.ts';
import { report } from '../content/report.ts';
import { CacheScope, innerOf, noteInner } from '../content/scope.ts';
import { StampedValues, type Stamped } from '../content/stamped-values.ts';
import { isSameStamp, Stamps } from '../content/stamps.ts';
import type { CacheAccess } from '../content/types.ts';
import { CallCache } from './call-cache.ts';
import { CallResults } from './call-results.ts';
import { isInsideCall } from './inside-call.ts';
import { pathsOf } from './paths.ts';

/** The limit of file contents and of results of wrapped reads together. */
const MAX_CONTENT_BYTES = 32 * 1024 * 1024;

/** The limits of listings below the tools, and of results of wrapped listings. */
const MAX_LISTING_BYTES = 8 * 1024 * 1024;
const MAX_LISTINGS = 1000;

const MAX_ENTRIES = 10_000;
const ENTRY_BYTES = 64;

interface CacheFilesOptions extends Omit<ContentCacheOptions, 'scope' | 'stamps' | 'memory'> {
  /** Absolute. */
  readonly root: string;
  /** Its policy decides which paths may be read, and its ledger learns what was read. */
  readonly workspace?: Workspace | undefined;
}

/** Hears of accesses, except those that a wrapped function makes. */
function outside(listener: (access: CacheAccess) => void): (access: CacheAccess) => void {
  return (access) => {
    if (!isInsideCall()) report(listener, access);
  };
}

/** What a workspace cache keeps of files and directories, for all of its runs. Nothing is read before the first call. */
export class CacheFiles {
  readonly scope: CacheScope;
  readonly content: OwnContentCache;
  readonly results: CallResults;
  readonly calls: CallCache;
  readonly #options: CacheFilesOptions;
  readonly #stamps = new Stamps();
  readonly #memory = new Lru<unknown>({ maxCost: MAX_CONTENT_BYTES });
  readonly #listings = new Lru<unknown>({ maxCost: MAX_LISTING_BYTES, maxSize: MAX_LISTINGS });
  /** Listings of directories below the tools. */
  readonly #directories = new Lru<Stamped<readonly DirectoryEntry[]>>({ maxCost: MAX_LISTING_BYTES });
  readonly #stampedDirectories = new StampedValues(this.#directories);

  constructor(options: CacheFilesOptions) {
    const { root, lifetime, workspace } = options;
    const stamps = this.#stamps;
    const memory = this.#memory;
    const scope = new CacheScope(root, { workspace, lifetime });
    this.#options = options;
    this.scope = scope;
    this.content = new OwnContentCache({ ...options, scope, stamps, memory, onAccess: outside(options.onAccess) });
    this.results = new CallResults(scope, stamps, { list: this.#listings, read: memory });
    this.calls = new CallCache({ lifetime, results: this.results, countUse: (path) => this.content.countUse(path) });
  }

  /**
   * Returns file operations that answer reads and listings of the tools from memory, after a check of the file or directory, and do all
   * else like `inner`: commits read the disk, and go on after the cache is closed. `listener` hears of each listing and each read.
   */
  operations(listener: (access: CacheAccess) => void, inner: FileOperations = nodeFileOperations): FileOperations {
    const disk = innerOf(inner);
    const onAccess = outside(listener);
    const cached: FileOperations = {
      ...disk,
      openCached: async (path, named) => {
        this.#options.lifetime.check();
        return this.content.open(disk, path, { named, onAccess });
      },
      listCached: async (path) => {
        this.#options.lifetime.check();
        return this.#stampedDirectories.answer<DirectoryEntry[]>(disk, path, {
          note: (isHit) => onAccess({ kind: 'list', path, isHit }),
          hit: ({ value }) => [...value],
          read: () => this.#listAndKeep(disk, path),
        });
      },
    };
    noteInner(cached, disk);
    return cached;
  }

  /** Forgets what a change made wrong, to free its memory. */
  drop(change: WorkspaceChange): void {
    const paths = pathsOf(change);
    this.results.drop(paths);
    for (const path of paths) {
      this.#memory.delete(path);
      this.#directories.delete(path);
      this.#directories.delete(dirname(path));
    }
  }

  /** Writes the access counts and forgets everything. */
  async close(): Promise<void> {
    this.#directories.clear();
    this.#listings.clear();
    await this.content.close();
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
    this.#stampedDirectories.keep(inner, path, { stamp, value, cost });
    return entries;
  }
}
