import { createWorkspace, nodeFileOperations, onAnyChange } from '@cairn/coding-agent';
import { sessionWorkspace, toolNameIn } from '@cairn/coding-agent/internal';
import type { FileOperations, Workspace } from '@cairn/coding-agent';
import { ToolError } from '@cairn/tool';
import type { OpenToolSet, ToolSet, ToolSetContext, Tools } from '@cairn/tool';
import { cacheOptionNames, resolveCacheOptions } from '../cache-options.ts';
import type { WorkspaceCacheOptions } from '../cache-options.ts';
import { check, checkKnown } from '../checks.ts';
import { createCacheScope } from '../content/scope.ts';
import type { DynamicListing } from '../data.ts';
import { createCacheDirectoryTool } from '../listings/cache-directory.ts';
import { dynamicListingsOf } from '../listings/dynamic-listings.ts';
import type { DynamicListingStore } from '../listings/dynamic-listings.ts';
import { workspaceResources } from './resources.ts';
import type { SessionListings } from './resources.ts';
import { createWorkspaceTreeTool, WORKSPACE_TREE } from './tree-tool.ts';
import type { TreeAt } from './tree-tool.ts';
import type { createWorkspaceCache, WorkspaceCache } from '../workspace-cache.ts';

/** Options of {@link createWorkspaceCacheToolSet}. */
export interface WorkspaceCacheToolSetOptions extends Omit<WorkspaceCacheOptions, 'root' | 'workspace'> {
  /**
   * Let the tools of the session read files and list directories from memory, after a check that they are unchanged. The set must
   * then come before the set of coding tools.
   * @default false
   */
  readonly cacheFiles?: boolean | undefined;
  /** The directory for the journals of running changes: see `WorkspaceOptions.stateDirectory` of `@cairn/coding-agent`. */
  readonly journalDirectory?: string | undefined;
}

/** The session has a root and a workspace. */
const toolSetOptions: readonly string[] = [
  ...cacheOptionNames.filter((name) => name !== 'root' && name !== 'workspace'),
  'cacheFiles',
  'journalDirectory',
];

/** How many directories keep their tree for the next call. */
const MAX_CACHES = 32;

/** Adds listeners to the kept listings. */
function createSessionListings(clock: () => number): SessionListings {
  const record: Record<string, DynamicListing> = Object.create(null) as Record<string, DynamicListing>;
  const inner = dynamicListingsOf(record, clock);
  const listeners = new Set<() => void>();
  let last: readonly (readonly [path: string, listing: DynamicListing])[] = [];
  /** Calls the listeners when the paths, or the times of the listings, are others than at its last call. */
  const note = (): void => {
    const before = last;
    last = Object.entries(record);
    const isSame = before.length === last.length && before.every(([path, listing]) => record[path] === listing);
    if (!isSame) for (const listener of listeners) listener();
  };
  const store: DynamicListingStore = {
    add: (found) => {
      const items = inner.add(found);
      note();
      return items;
    },
    drop: (change) => {
      inner.drop(change);
      note();
    },
    check: async () => {
      await inner.check();
      note();
    },
  };
  return {
    record,
    store,
    onChange: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** Loads the cache at the first call: a server starts without it, and many sessions never ask for a tree. */
const load = async (): Promise<typeof createWorkspaceCache> =>
  (await import('../workspace-cache.ts')).createWorkspaceCache;

/** The caches of a session, by directory. The least recently used ones are closed. */
interface Caches {
  at(directory: string): Promise<WorkspaceCache>;
  close(): Promise<void>;
}

function createCaches(make: (create: typeof createWorkspaceCache, directory: string) => WorkspaceCache): Caches {
  const caches = new Map<string, Promise<WorkspaceCache>>();
  const closing: Promise<void>[] = [];
  const end = (cache: Promise<WorkspaceCache>): number => closing.push(cache.then((made) => made.close()));
  return {
    at: (directory) => {
      const cache = caches.get(directory) ?? load().then((create) => make(create, directory));
      caches.delete(directory);
      caches.set(directory, cache);
      for (const [oldest, other] of caches) {
        if (caches.size <= MAX_CACHES) break;
        caches.delete(oldest);
        end(other);
      }
      return cache;
    },
    close: async () => {
      for (const cache of caches.values()) end(cache);
      await Promise.all(closing);
    },
  };
}

/** Returns file operations that read and list through a cache. The first of them makes it. */
function lazyOperations(cacheOf: () => Promise<WorkspaceCache>): FileOperations {
  const cached = async (): Promise<FileOperations> => (await cacheOf()).operations();
  return {
    ...nodeFileOperations,
    openCached: async (path, named) =>
      (await cached()).openCached?.(path, named) ?? nodeFileOperations.open(path, 'read'),
    listCached: async (path) => (await cached()).listCached?.(path) ?? nodeFileOperations.list(path),
  };
}

/** Returns the session's workspace. With `cacheFiles` this set makes it. */
function workspaceFor(
  context: ToolSetContext,
  { cacheFiles = false, journalDirectory }: WorkspaceCacheToolSetOptions,
  cacheOf: () => Promise<WorkspaceCache>,
): Workspace {
  if (!cacheFiles) return sessionWorkspace(context, { stateDirectory: journalDirectory });
  let isOwn = false;
  const workspace = sessionWorkspace(context, {
    stateDirectory: journalDirectory,
    create: (options) => {
      isOwn = true;
      return createWorkspace({ ...options, operations: lazyOperations(cacheOf) });
    },
  });
  if (isOwn) return workspace;
  const summary = 'cacheFiles needs a workspace that no other tool set has made';
  throw new ToolError('INVALID_OPTION', [summary, 'Put this tool set before the one of the coding tools.']);
}

/**
 * Makes the tool set of this package: `workspace_tree` and `cache_directory`, and as resources the tree of each root
 * (`cairn://workspace/tree`, then `cairn://workspace/tree/2`) and the kept listings (`cairn://workspace/listings`). Subscribers
 * hear of each commit, of any workspace of the process, that changes a tree. It shares the session's workspace with the coding
 * tools.
 *
 * `open` throws a `ToolError` with `INVALID_OPTION` for an invalid value of an option.
 *
 * @throws {ToolError} `INVALID_OPTION` for an unknown option.
 */
export function createWorkspaceCacheToolSet(options: WorkspaceCacheToolSetOptions = {}): ToolSet {
  checkKnown('createWorkspaceCacheToolSet', options, toolSetOptions);
  check('cacheFiles', options.cacheFiles, typeof options.cacheFiles === 'boolean', 'true or false');
  const ends = new Set<Promise<void>>();
  const open = (context: ToolSetContext): OpenToolSet => {
    const { cacheFiles: _cacheFiles, journalDirectory: _journalDirectory, ...given } = options;
    const { roots } = context;
    // The answers state what a warning would.
    const cacheOptions = { onWarning: () => undefined, ...given };
    // An invalid option fails now, not at the first call.
    resolveCacheOptions({ ...cacheOptions, root: roots[0] });
    const { language = 'en', mode = 'full', clock = Date.now } = options;
    const list = options.toolNames?.list ?? toolNameIn(context.naming, 'ls');
    const caches = createCaches((create, root) => create({ ...cacheOptions, root, workspace }));
    const workspace = workspaceFor(context, options, () => caches.at(roots[0]));
    const treeAt: TreeAt = async (directory, call) => (await caches.at(directory)).tree(call);
    const listings = mode === 'static' ? undefined : createSessionListings(clock);
    const stop = onAnyChange((change) => listings?.store.drop(change));
    const end = (): void => {
      stop();
      const ended = caches.close().finally(() => void ends.delete(ended));
      ends.add(ended);
    };
    if (context.signal.aborted) end();
    else context.signal.addEventListener('abort', end, { once: true });

    const shared = { workspace, treeAt, language, list };
    const tools: Record<string, Tools[string]> = { [WORKSPACE_TREE]: createWorkspaceTreeTool(shared) as Tools[string] };
    if (listings !== undefined) {
      const scope = createCacheScope(workspace.root, () => workspace);
      const toolNames = { ...options.toolNames, list };
      const tool = createCacheDirectoryTool({ scope, dynamic: listings.store, language, toolNames });
      tools[tool.name] = tool as Tools[string];
    }
    if (context.hidden?.has('tree') === true) return { tools: {} };
    return { tools, resources: workspaceResources({ ...shared, roots, listings }) };
  };
  return {
    name: 'workspace-cache',
    open,
    close: async () => {
      await Promise.all(ends);
    },
  };
}
