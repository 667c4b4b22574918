import { nodeFileOperations } from '@cairn/coding-agent';
import type { FileOperations, Workspace, WorkspaceChange } from '@cairn/coding-agent';
import { createContentCache } from '../content/content-cache.ts';
import type { CacheAccess, OwnContentCache } from '../content/types.ts';
import { createLru } from '../content/lru.ts';
import { report } from '../content/report.ts';
import { createCacheScope } from '../content/scope.ts';
import type { CacheScope } from '../content/scope.ts';
import { createTimeCheck } from '../content/stamps.ts';
import type { Lifetime } from '../lifetime.ts';
import { createCachedOperations } from './cached-operations.ts';
import { createCallCache, isInsideCall } from './call-cache.ts';
import type { CallCache } from './call-cache.ts';
import { createDirectoryCache } from './directory-cache.ts';

/** The limit of file contents and of results of wrapped reads together. */
const MAX_CONTENT_BYTES = 32 * 1024 * 1024;

/** The limits of results of wrapped listings. */
const MAX_LISTING_BYTES = 8 * 1024 * 1024;
const MAX_LISTINGS = 1000;

/** Options of {@link createCacheFiles}. */
export interface CacheFilesOptions {
  /** Absolute. */
  readonly root: string;
  readonly lifetime: Lifetime;
  /** Its policy decides which paths may be read, and its ledger learns what was read. */
  readonly workspace?: Workspace | undefined;
  /** The directory for access counts. Default: a directory of this user. */
  readonly stateDirectory?: string | undefined;
  /** Called for each read of the content cache itself, except those that a wrapped function makes. */
  readonly onAccess?: ((access: CacheAccess) => void) | undefined;
  readonly onWarning?: ((message: string) => void) | undefined;
}

/** What a workspace cache keeps of files and directories, for all of its runs. */
export interface CacheFiles {
  readonly scope: CacheScope;
  readonly content: OwnContentCache;
  readonly calls: CallCache;
  /**
   * Returns file operations that read and list from memory, after a check. Default: this machine's file system.
   *
   * @param onAccess called for each listing and each read, except those that a wrapped function makes.
   */
  operations(onAccess: (access: CacheAccess) => void, inner?: FileOperations): FileOperations;
  /** Takes the policy and the ledger of a workspace, unless there is one already. */
  adopt(workspace: Workspace): void;
  drop(change: WorkspaceChange): void;
  /** Writes the access counts and forgets everything. */
  close(): Promise<void>;
}

/** Makes the caches of a workspace. Nothing is read before the first call. */
export function createCacheFiles({ root, workspace, lifetime, ...options }: CacheFilesOptions): CacheFiles {
  const outside =
    (listener: ((access: CacheAccess) => void) | undefined) =>
    (access: CacheAccess): void => {
      if (!isInsideCall()) report(listener, access);
    };
  const onAccess = outside(options.onAccess);
  let adopted = workspace;
  const scope = createCacheScope(root, () => adopted, lifetime);
  const hasExactTimes = createTimeCheck();
  const memory = createLru<unknown>({ maxCost: MAX_CONTENT_BYTES });
  const stores = { list: createLru<unknown>({ maxCost: MAX_LISTING_BYTES, maxSize: MAX_LISTINGS }), read: memory };
  const content = createContentCache({ ...options, lifetime, scope, hasExactTimes, onAccess, memory });
  const directories = createDirectoryCache({ hasExactTimes });
  const calls = createCallCache({ lifetime, scope, hasExactTimes, stores, countUse: (path) => content.countUse(path) });
  return {
    scope,
    content,
    calls,
    operations: (listener, inner = nodeFileOperations) =>
      createCachedOperations(content, directories, { inner, lifetime, onAccess: outside(listener) }),
    adopt: (other) => {
      adopted ??= other;
    },
    drop: (change) => {
      content.drop(change);
      directories.drop(change);
      calls.drop(change);
    },
    close: async () => {
      directories.clear();
      stores.list.clear();
      await content.close();
    },
  };
}
