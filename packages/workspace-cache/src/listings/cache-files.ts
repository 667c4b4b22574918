import { nodeFileOperations, type FileOperations, type Workspace, type WorkspaceChange } from '@cairn/coding-agent';
import { OwnContentCache } from '../content/content-cache.ts';
import { Lru } from '../content/lru.ts';
import { report } from '../content/report.ts';
import { CacheScope, innerOf, noteInner } from '../content/scope.ts';
import { Stamps } from '../content/stamps.ts';
import type { CacheAccess } from '../content/types.ts';
import type { Lifetime } from '../lifetime.ts';
import { CallCache } from './call-cache.ts';
import { CallResults } from './call-results.ts';
import { DirectoryCache } from './directory-cache.ts';
import { isInsideCall } from './inside-call.ts';

/** The limit of file contents and of results of wrapped reads together. */
const MAX_CONTENT_BYTES = 32 * 1024 * 1024;

/** The limits of results of wrapped listings. */
const MAX_LISTING_BYTES = 8 * 1024 * 1024;
const MAX_LISTINGS = 1000;

interface CacheFilesOptions {
  /** Absolute. */
  readonly root: string;
  readonly lifetime: Lifetime;
  /** Its policy decides which paths may be read, and its ledger learns what was read. */
  readonly workspace?: Workspace | undefined;
  /** The directory for access counts. Default: a directory of this user. */
  readonly stateDirectory?: string | undefined;
  /** Called for each read of the content cache itself, except those that a wrapped function makes. */
  readonly onAccess: (access: CacheAccess) => void;
  readonly onWarning: (message: string) => void;
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
  readonly #lifetime: Lifetime;
  readonly #directories: DirectoryCache;
  readonly #listings = new Lru<unknown>({ maxCost: MAX_LISTING_BYTES, maxSize: MAX_LISTINGS });

  constructor(options: CacheFilesOptions) {
    const { root, lifetime, workspace } = options;
    const stamps = new Stamps();
    const memory = new Lru<unknown>({ maxCost: MAX_CONTENT_BYTES });
    const scope = new CacheScope(root, { workspace, lifetime });
    this.#lifetime = lifetime;
    this.#directories = new DirectoryCache(stamps);
    this.scope = scope;
    this.content = new OwnContentCache({ ...options, scope, stamps, memory, onAccess: outside(options.onAccess) });
    this.results = new CallResults(scope, stamps, { list: this.#listings, read: memory });
    this.calls = new CallCache({ lifetime, results: this.results, countUse: (path) => this.content.countUse(path) });
  }

  /**
   * Returns file operations that answer reads and listings of the tools from memory, after a check of the file or directory, and do all
   * else like `inner`: commits read the disk, and go on after the cache is closed.
   *
   * @param listener called for each listing and each read, except those that a wrapped function makes.
   * @param inner an object with methods that need no `this`. Default: this machine's file system.
   */
  operations(listener: (access: CacheAccess) => void, inner: FileOperations = nodeFileOperations): FileOperations {
    const disk = innerOf(inner);
    const onAccess = outside(listener);
    const cached: FileOperations = {
      ...disk,
      openCached: async (path, named) => {
        this.#lifetime.check();
        return this.content.open(disk, path, { named, onAccess });
      },
      listCached: async (path) => {
        this.#lifetime.check();
        return this.#directories.list(disk, path, onAccess);
      },
    };
    noteInner(cached, disk);
    return cached;
  }

  drop(change: WorkspaceChange): void {
    this.content.drop(change);
    this.#directories.drop(change);
    this.results.drop(change);
  }

  /** Writes the access counts and forgets everything. */
  async close(): Promise<void> {
    this.#directories.clear();
    this.#listings.clear();
    await this.content.close();
  }
}
