import { onAnyChange, sessionWorkspace, toolNameIn } from '@cairn/coding-agent';
import type { Workspace } from '@cairn/coding-agent';
import { ToolError } from '@cairn/tool';
import type { OpenToolSet, ToolSet, ToolSetContext, Tools } from '@cairn/tool';
import type { WorkspaceCacheOptions } from './cache-options.ts';
import { createCacheScope } from './content/scope.ts';
import type { DynamicListing } from './data.ts';
import { createCacheDirectoryTool } from './listings/cache-directory.ts';
import { dynamicListingsOf } from './listings/dynamic-listings.ts';
import type { DynamicListingStore } from './listings/dynamic-listings.ts';
import { workspaceResources } from './tools/resources.ts';
import type { SessionListings } from './tools/resources.ts';
import { createWorkspaceTreeTool, WORKSPACE_TREE } from './tools/tree-tool.ts';
import { createWorkspaceCache } from './workspace-cache.ts';
import type { WorkspaceCache } from './workspace-cache.ts';

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

/** Directories whose trees are kept for the next call. */
const MAX_CACHES = 32;

/** Adds listeners to the kept listings. */
function createSessionListings(clock: () => number): SessionListings {
  const record: Record<string, DynamicListing> = Object.create(null) as Record<string, DynamicListing>;
  const inner = dynamicListingsOf(record, clock);
  const listeners = new Set<() => void>();
  /** Calls the listeners when the paths, or the times of the listings, are others than before. */
  const noting = <Result>(run: () => Result): Result => {
    const before = Object.entries(record);
    const result = run();
    const after = Object.entries(record);
    const isSame = before.length === after.length && before.every(([path, listing]) => record[path] === listing);
    if (!isSame) for (const listener of listeners) listener();
    return result;
  };
  const store: DynamicListingStore = {
    add: (found) => noting(() => inner.add(found)),
    drop: (change) => noting(() => inner.drop(change)),
    check: () => inner.check(),
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

/** The caches of a session, by directory. The least recently used ones are closed. */
function createCaches(make: (directory: string) => WorkspaceCache): {
  readonly at: (directory: string) => WorkspaceCache;
  readonly close: () => Promise<void>;
} {
  const caches = new Map<string, WorkspaceCache>();
  const closing: Promise<void>[] = [];
  return {
    at: (directory) => {
      const cache = caches.get(directory) ?? make(directory);
      caches.delete(directory);
      caches.set(directory, cache);
      for (const [oldest, other] of caches) {
        if (caches.size <= MAX_CACHES) break;
        caches.delete(oldest);
        closing.push(other.close());
      }
      return cache;
    },
    close: async () => {
      await Promise.all([...closing, ...[...caches.values()].map((cache) => cache.close())]);
    },
  };
}

/** Returns the session's workspace, and the cache below its tools if there is one. */
function workspaceFor(
  context: ToolSetContext,
  { cacheFiles = false, journalDirectory, ...options }: WorkspaceCacheToolSetOptions,
): { readonly workspace: Workspace; readonly cache: WorkspaceCache | undefined } {
  if (!cacheFiles)
    return { workspace: sessionWorkspace(context, { stateDirectory: journalDirectory }), cache: undefined };
  let cache: WorkspaceCache | undefined;
  const workspace = sessionWorkspace(context, {
    stateDirectory: journalDirectory,
    create: ({ root, ...rest }) => {
      cache = createWorkspaceCache({ ...options, root });
      return cache.createWorkspace(rest);
    },
  });
  if (cache !== undefined) return { workspace, cache };
  const summary = 'cacheFiles needs a workspace that no other tool set has made';
  throw new ToolError('INVALID_OPTION', [summary, 'Put this tool set before the one of the coding tools.']);
}

/**
 * Makes the tool set of this package: `workspace_tree` and `cache_directory`, and as resources the tree of each root
 * (`cairn://workspace/tree`, then `cairn://workspace/tree/2`) and the kept listings (`cairn://workspace/listings`). Subscribers
 * hear of each commit, of any workspace of the process, that changes a tree. It shares the session's workspace with the coding
 * tools.
 *
 * @throws {ToolError} `open` throws `INVALID_OPTION` for an invalid option of the cache.
 */
export function createWorkspaceCacheToolSet(options: WorkspaceCacheToolSetOptions = {}): ToolSet {
  const ends = new Set<Promise<void>>();
  const open = (context: ToolSetContext): OpenToolSet => {
    const { cacheFiles: _cacheFiles, journalDirectory: _journalDirectory, ...cacheOptions } = options;
    const { language = 'en', mode = 'full', clock = Date.now } = options;
    const list = options.toolNames?.list ?? toolNameIn(context.naming, 'ls');
    const { workspace, cache } = workspaceFor(context, options);
    // The answers state what a warning would.
    const { onWarning = () => undefined } = options;
    const caches = createCaches((root) => createWorkspaceCache({ ...cacheOptions, root, workspace, onWarning }));
    const treeAt = (
      directory: string,
      call: Parameters<WorkspaceCache['tree']>[0],
    ): ReturnType<WorkspaceCache['tree']> => caches.at(directory).tree(call);
    // An invalid option fails now, not at the first call.
    caches.at(workspace.root);
    const listings = mode === 'static' ? undefined : createSessionListings(clock);
    const stop = onAnyChange((change) => listings?.store.drop(change));
    const end = (): void => {
      stop();
      const ended = Promise.all([caches.close(), cache?.close()]).then(() => void ends.delete(ended));
      ends.add(ended);
    };
    if (context.signal.aborted) end();
    else context.signal.addEventListener('abort', end, { once: true });

    const { roots } = context;
    const shared = { workspace, treeAt, language, list };
    const tools: Record<string, Tools[string]> = { [WORKSPACE_TREE]: createWorkspaceTreeTool(shared) as Tools[string] };
    if (listings !== undefined) {
      const scope = createCacheScope({ root: workspace.root, workspace });
      const toolNames = { ...options.toolNames, list };
      const tool = createCacheDirectoryTool({ scope, dynamic: listings.store, language, toolNames });
      tools[tool.name] = tool as Tools[string];
    }
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
