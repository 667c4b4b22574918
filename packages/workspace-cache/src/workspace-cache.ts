import { checkArguments, isObject, observeCall, type OptionNames } from '@cairn/tool/kernel';
import type { CallOutcome } from '@cairn/tool/internal';
import { nodeFileOperations, type FileOperations, type Workspace, type WorkspaceOptions } from '@cairn/coding-agent';
import { ToolError } from '@cairn/tool';
import type { WorkspaceCacheOptions } from './cache-options.ts';
import { checkFunction, describe } from './checks.ts';
import type { ContentCache } from './content/types.ts';
import type { InitOptions, InvocationOptions } from './init-options.ts';
import { FAILED, OpenCache, type CallsOfRun, type InitResult } from './open-cache.ts';
import type { WorkspaceTree } from './tree/build.ts';
import { treeOptionNames } from './tree/options.ts';
import type { TreeCallOptions } from './tree/trees.ts';

/** The directory tree of a workspace, for the prompts of its agents. */
export interface WorkspaceCache {
  readonly root: string;
  /**
   * Returns the tree as it is now. A root that does not exist or cannot be read gives an empty tree with `metadata.error`.
   *
   * @throws {ToolError} `INVALID_OPTION`; or the reason of the signal.
   */
  tree(options?: TreeCallOptions): Promise<WorkspaceTree>;
  /**
   * Prepares a run: makes the tree and sets `userContext.workspaceCache`. Calls with one `userContext` and equal options, including other caches in this process, return the first result, as long as the cache that made it is open. When the scan fails or
   * the user context cannot be changed, the message states it.
   *
   * @throws {ToolError} `INVALID_OPTION`, `CLOSED`
   */
  init(options?: InitOptions): Promise<InitResult>;
  /** The same, with the arguments of the source document's `initWorkspaceCache`. The input has no meaning. */
  init(input: unknown, options: InvocationOptions): Promise<InitResult>;
  /**
   * Compares the workspace with the disk for all runs of this cache: see `WorkspaceRun.refresh`. For the caller of tools that may change
   * files without announcing it. Searches of the natives then see these changes, too.
   */
  refresh(): Promise<void>;
  /** Contents of files in memory. */
  readonly content: ContentCache;
  /**
   * Returns file operations for a workspace: its tools read and list from memory what they read and listed before, after a check
   * that it is unchanged. Commits use `inner` alone.
   *
   * @param inner an object with methods that need no `this`. Default: this machine's file system.
   * @param options.run the run whose statistics count the calls. Default: the run of this cache, as long as it has one only.
   */
  operations(inner?: FileOperations, options?: CallsOfRun): FileOperations;
  /**
   * Makes a workspace at the root of the cache, with {@link WorkspaceCache.operations}, and follows its changes. The cache uses
   * the policy and the ledger of its first workspace.
   */
  createWorkspace(options?: Omit<WorkspaceOptions, 'root'> & CallsOfRun): Workspace;
  /**
   * Follows the changes of a workspace that something else made, such as a session of tools.
   *
   * @returns a function that ends this. A second call of it does nothing.
   */
  follow(workspace: Pick<Workspace, 'onChange'>): () => void;
  /**
   * Ends the subscriptions to workspaces, writes the access counts and forgets what is in memory. Afterwards every call of the cache,
   * of its runs and of what they made fails with `CLOSED`; a workspace can still commit. A second call does nothing.
   */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const treeCallOptions: OptionNames<TreeCallOptions> = { ...treeOptionNames, signal: 'optional' };

const workspaceOptionNames: OptionNames<Omit<WorkspaceOptions, 'root'> & CallsOfRun> = {
  run: 'optional',
  policy: 'optional',
  clock: 'optional',
  operations: 'optional',
  stateDirectory: 'optional',
  fileNotes: 'optional',
  watch: 'optional',
};

function checkOperations(operations: unknown): void {
  if (operations === undefined) return;
  if (!isObject(operations)) {
    throw new ToolError('INVALID_OPTION', [`invalid operations: ${describe(operations)}`, 'Use nodeFileOperations.']);
  }
  for (const name of Object.keys(nodeFileOperations)) checkFunction(`operations.${name}`, operations[name] ?? null);
}

/** Returns what observers receive of a run. The note has the words of the source document. */
function outcomeOf({ message, run }: InitResult): CallOutcome {
  const { tree, metadata } = run.data.static;
  const { size, depth, entries, error } = metadata;
  const facts = { outputBytes: Buffer.byteLength(tree), results: entries };
  if (message === FAILED) {
    const reason = error === undefined ? '' : `: ${error}`;
    return { ...facts, note: `Failed to initialize workspace cache${reason}`, failure: 'INIT_FAILED' };
  }
  return { ...facts, note: `Workspace directory tree cached: ${size} chars, max depth ${depth}, ${entries} entries` };
}

/** Makes the cache of a workspace. Nothing is scanned before the first call. @throws {ToolError} `INVALID_OPTION` */
export function createWorkspaceCache(options: WorkspaceCacheOptions): WorkspaceCache {
  const cache = new OpenCache(options);
  const { root, lifetime, trees } = cache;
  const { content } = cache.files;
  const close = (): Promise<void> => cache.close();
  return {
    root,
    tree: async (changed = {}) => {
      lifetime.check();
      checkArguments.options('tree', changed, treeCallOptions);
      return trees.show(options, changed);
    },
    init: (...args: readonly unknown[]) =>
      observeCall({ source: 'workspace-cache', name: 'init', input: { root }, outcomeOf }, () => cache.init(args)),
    refresh: async () => {
      lifetime.check();
      await cache.refresh();
    },
    content: {
      read: (path, readOptions) => content.read(path, readOptions),
      accessCounts: () => content.accessCounts(),
      preload: () => content.preload(),
      get stats() {
        return content.stats;
      },
    },
    operations: (inner, callOptions = {}) => {
      lifetime.check();
      checkArguments.options('operations', callOptions, { run: 'optional' });
      checkOperations(inner);
      return cache.operations(inner, callOptions);
    },
    createWorkspace: (workspaceOptions = {}) => {
      lifetime.check();
      checkArguments.options('createWorkspace', workspaceOptions, workspaceOptionNames);
      checkOperations(workspaceOptions.operations);
      return cache.createWorkspace(workspaceOptions);
    },
    follow: (followed) => {
      lifetime.check();
      const given: unknown = followed;
      if (!isObject(given)) {
        const hint = 'Pass a workspace of createWorkspace.';
        throw new ToolError('INVALID_OPTION', [`not a workspace: ${describe(given)}`, hint]);
      }
      checkFunction('onChange of the workspace', given['onChange'] ?? null);
      return cache.follow(followed);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
