import type { WorkspaceChange } from '@cairn/coding-agent';
import { estimateTokens } from '@cairn/tool/prompt';
import { readFile } from 'node:fs/promises';
import { resolveCacheOptions } from './cache-options.ts';
import type { ResolvedCacheOptions, WorkspaceCacheOptions } from './cache-options.ts';
import { createRunCounter } from './run-counter.ts';
import { createData, createRun } from './run.ts';
import type { WorkspaceRun } from './run.ts';
import { createChangeList } from './section/changes.ts';
import type { ChangeList } from './section/changes.ts';
import { coreFilesOf } from './section/core-files.ts';
import type { CoreFile } from './section/section.ts';
import { gitLineOf } from './section/git.ts';
import { createSharedStates } from './shared-state.ts';
import type { SharedState } from './shared-state.ts';
import { failedTree } from './tree/build.ts';
import type { BuiltTree, WorkspaceTree } from './tree/build.ts';
import { keyOf } from './tree/options-key.ts';
import { checkKnown, resolveTreeOptions, treeOptionNames } from './tree/options.ts';
import type { ResolvedTreeOptions, TreeOptions } from './tree/options.ts';
import { createTreeBuilder } from './tree/tree-builder.ts';

/** The object that agents share during a run. The cache sets `workspaceCache` in it. */
export type UserContext = Record<string, unknown>;

/** Options of {@link WorkspaceCache.init}. */
export interface InitOptions {
  /** The object that all agents of the run share. Without it, every call makes a run of its own. */
  readonly userContext?: UserContext | undefined;
}

/** The result of {@link WorkspaceCache.init}. */
export interface InitResult {
  /** `Workspace cache initialized`, or that it failed, in the words of the source document. */
  readonly message: string;
  readonly run: WorkspaceRun;
}

/** Options of one tree: those of the cache, changed. */
export interface TreeCallOptions extends TreeOptions {
  readonly signal?: AbortSignal | undefined;
}

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
   * Prepares a run: makes the tree and sets `userContext.workspaceCache`. Calls with one `userContext` and equal options, also
   * of other caches in this process, return the first result. Never rejects: when something fails, the message states it and
   * the tree is empty.
   */
  init(options?: InitOptions): Promise<InitResult>;
  /** Ends the subscription to the workspace. A second call does nothing. */
  close(): void;
  [Symbol.dispose](): void;
}

const INITIALIZED = 'Workspace cache initialized';
const FAILED = 'Workspace cache initialization failed, will use on-demand loading';

const treeCallOptions: ReadonlySet<string> = new Set([...treeOptionNames, 'signal']);

interface SharedRun extends InitResult {
  readonly changes: ChangeList;
}

/** All caches of this process share it: sub-agents make caches of their own. */
const states = createSharedStates<SharedRun>();

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Passes the changes of a workspace on to the runs that still exist. */
function createAudience(): {
  readonly add: (list: ChangeList) => void;
  readonly announce: (change: WorkspaceChange) => void;
} {
  const lists = new Set<WeakRef<ChangeList>>();
  const known = new WeakSet<ChangeList>();
  return {
    add: (list) => {
      if (known.has(list)) return;
      known.add(list);
      lists.add(new WeakRef(list));
    },
    announce: (change) => {
      for (const reference of lists) {
        const list = reference.deref();
        if (list === undefined) lists.delete(reference);
        else list.note(change);
      }
    },
  };
}

/** Returns the text of a file; `undefined` when it is not text. */
async function readText(path: string): Promise<string | undefined> {
  const text = await readFile(path, 'utf8');
  return text.includes('\0') ? undefined : text;
}

/**
 * Makes the cache of a workspace. Nothing is scanned before the first call.
 *
 * @throws {ToolError} `INVALID_OPTION`
 */
export function createWorkspaceCache(options: WorkspaceCacheOptions): WorkspaceCache {
  const resolved = resolveCacheOptions(options);
  const { root, workspace, warn } = resolved;
  const buildTree = createTreeBuilder(resolved);
  const audience = createAudience();
  const unsubscribe = workspace?.onChange(audience.announce);
  const key = keyOfRun(resolved);

  let lastProblem: string | undefined;
  const build = async (treeOptions: ResolvedTreeOptions, signal?: AbortSignal): Promise<BuiltTree> => {
    const tree = await buildTree(treeOptions, signal);
    const { error, missingFocus } = tree.metadata;
    const problem = error ?? (missingFocus && `focus does not exist: ${missingFocus.join(', ')}`);
    // Once, until it changes: a tree may be asked for before every message.
    if (problem !== undefined && problem !== lastProblem) warn(`workspace cache of ${root}: ${problem}`);
    lastProblem = problem;
    return tree;
  };

  const makeRun = async (state: SharedState<SharedRun>): Promise<SharedRun> => {
    const changes = createChangeList();
    audience.add(changes);
    state.totalScans += 1;
    let tree: BuiltTree;
    try {
      tree = await build(resolved.tree);
    } catch (error) {
      // The caller's `countTokens` failed. Nothing else rejects.
      warn(`workspace cache of ${root}: ${messageOf(error)}`, error);
      tree = failedTree(resolved.tree, messageOf(error), { cachedAt: new Date().toISOString(), buildTimeMs: 0 });
    }
    const run = createRun({
      tree,
      data: createData(tree, state.dynamic),
      style: { ...resolved, language: resolved.tree.language },
      ...(await extrasOf(tree, resolved)),
      isLeftOut: (name) => isLeftOut(name, resolved.tree),
      changes,
      counter: createRunCounter(tree.root ?? root),
      countTokens: resolved.tree.countTokens ?? estimateTokens,
      totalScans: () => state.totalScans,
    });
    return { message: tree.root === undefined ? FAILED : INITIALIZED, run, changes };
  };

  const init = async (userContext: UserContext | undefined): Promise<InitResult> => {
    let shared: SharedRun | undefined;
    try {
      const state = states.of(userContext, root);
      const pending = state.runs.get(key) ?? makeRun(state);
      state.runs.set(key, pending);
      shared = await pending;
      // A run that failed may succeed when it is tried again.
      if (shared.message === FAILED && state.runs.get(key) === pending) state.runs.delete(key);
      audience.add(shared.changes);
      states.noteData(shared.run.data, userContext);
      if (userContext !== undefined) userContext['workspaceCache'] = shared.run.data;
      return { message: shared.message, run: shared.run };
    } catch (error) {
      warn(`workspace cache of ${root}: userContext cannot be used: ${messageOf(error)}; pass an object`, error);
      const { run } = shared ?? (await makeRun(states.of(undefined, root)));
      return { message: FAILED, run };
    }
  };

  return {
    root,
    tree: async (changed = {}) => {
      checkKnown('tree', changed, treeCallOptions);
      const { signal, ...treeOptions } = changed;
      const { tree, metadata, version } = await build(resolveTreeOptions({ ...options, ...treeOptions }), signal);
      return { tree, metadata, version };
    },
    init: async (initOptions) => init(initOptions?.userContext ?? undefined),
    close: () => unsubscribe?.(),
    [Symbol.dispose]: () => unsubscribe?.(),
  };
}

/** Returns a key that is equal for options that give equal runs. */
function keyOfRun({ tree, mode, coreFiles, git, showTime, toolNames }: ResolvedCacheOptions): string {
  return keyOf({ tree, mode, coreFiles, git, showTime, toolNames });
}

/** Returns whether the rules leave out a directory of this name, ignore rules aside. */
function isLeftOut(name: string, { allow, exclude, hidden }: ResolvedTreeOptions): boolean {
  if (allow.includes(name)) return false;
  return name === '.git' || exclude.includes(name) || (!hidden && name.startsWith('.'));
}

interface Extras {
  readonly coreFiles: readonly CoreFile[] | undefined;
  readonly gitLine: string | undefined;
}

/** Reads what the section shows beside the tree. Never rejects. */
async function extrasOf({ root }: BuiltTree, options: ResolvedCacheOptions): Promise<Extras> {
  const { coreFiles, git, tree, warn } = options;
  if (root === undefined) return { coreFiles: undefined, gitLine: undefined };
  const readCoreFiles = async (): Promise<readonly CoreFile[] | undefined> => {
    try {
      return await coreFilesOf(root, readText, tree.gitignore);
    } catch (error) {
      warn(`workspace cache of ${root}: core files cannot be read: ${messageOf(error)}`, error);
      return undefined;
    }
  };
  const [files, gitLine] = await Promise.all([
    coreFiles ? readCoreFiles() : undefined,
    git ? gitLineOf(root, tree.language) : undefined,
  ]);
  return { coreFiles: files, gitLine };
}
