import type { Workspace, WorkspaceChange } from '@cairn/coding-agent';
import { ToolError } from '@cairn/tool';
import { readFile } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import process from 'node:process';
import type { ToolNames, WorkspaceCacheData } from './data.ts';
import { createData, createRun } from './run.ts';
import type { DynamicListings, WorkspaceRun } from './run.ts';
import { createChangeList } from './section/changes.ts';
import type { ChangeList } from './section/changes.ts';
import { coreFilesOf } from './section/core-files.ts';
import type { ReadText } from './section/core-files.ts';
import { gitLineOf } from './section/git.ts';
import type { BuiltTree, WorkspaceTree } from './tree/build.ts';
import { keyOf } from './tree/options-key.ts';
import { describe, resolveTreeOptions } from './tree/options.ts';
import type { ResolvedTreeOptions, TreeOptions } from './tree/options.ts';
import { createTreeBuilder } from './tree/tree-builder.ts';

/** Something that went wrong and does not end the work. */
export interface WorkspaceCacheWarning {
  readonly message: string;
  /** The root of the cache. */
  readonly root: string;
  readonly cause?: unknown;
}

/** Options of {@link createWorkspaceCache}. */
export interface WorkspaceCacheOptions extends TreeOptions {
  /** The directory that is shown: absolute. */
  readonly root: string;
  /** A workspace whose changes the cache follows. Default: none. */
  readonly workspace?: Workspace | undefined;
  /**
   * `static`: the tree alone, without listings that are kept during the run.
   * @default 'full'
   */
  readonly mode?: 'full' | 'static' | undefined;
  /**
   * Show the heads of READMEs, package manifests and `AGENTS.md` in the section.
   * @default false
   */
  readonly coreFiles?: boolean | undefined;
  /**
   * Show the branch, the number of changed files and the last three subjects in the section.
   * @default false
   */
  readonly git?: boolean | undefined;
  /**
   * Show times in the section. No provider can cache a prompt that has a time in it.
   * @default false
   */
  readonly showTime?: boolean | undefined;
  /** The names of the host's tools, for the texts. */
  readonly toolNames?: ToolNames | undefined;
  /** Milliseconds since the epoch. Default: the system's clock. */
  readonly clock?: (() => number) | undefined;
  /** Receives each warning. Default: `process.emitWarning`. */
  readonly onWarning?: ((warning: WorkspaceCacheWarning) => void) | undefined;
}

/** The object that agents share during a run. The cache sets `workspaceCache` in it. */
export type UserContext = Record<string, unknown>;

/** Options of {@link WorkspaceCache.init}. */
export interface InitOptions {
  /** The object that all agents of the run share. Without it, every call makes a run of its own. */
  readonly userContext?: UserContext | undefined;
}

/** The result of {@link WorkspaceCache.init}. */
export interface InitResult {
  /** What the source document returns: whether the cache was initialized. */
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

/** The messages of the source document. */
const INITIALIZED = 'Workspace cache initialized';
const FAILED = 'Workspace cache initialization failed, will use on-demand loading';

/** What the runs of one user context share, by root. */
interface SharedState {
  readonly dynamic: DynamicListings;
  /** By the options, in the form of {@link keyOf}. */
  readonly runs: Map<string, Promise<SharedRun>>;
}

interface SharedRun extends InitResult {
  readonly isFailed: boolean;
  readonly changes: ChangeList;
}

type StatesByRoot = Map<string, SharedState>;

/** By user context, and by the data in it: some frameworks copy the context for each agent. */
const states = new WeakMap<object, StatesByRoot>();

function statesOf(userContext: object | undefined): StatesByRoot {
  if (userContext === undefined) return new Map();
  const data: unknown = (userContext as UserContext)['workspaceCache'];
  const inherited = typeof data === 'object' && data !== null ? states.get(data) : undefined;
  const found = states.get(userContext) ?? inherited ?? new Map<string, SharedState>();
  states.set(userContext, found);
  return found;
}

function checkRoot(root: unknown): string {
  if (typeof root === 'string' && isAbsolute(root) && !root.includes('\0')) return resolve(root);
  const summary = `root must be an absolute path, not ${describe(root)}`;
  throw new ToolError('INVALID_OPTION', [summary, 'Make it absolute with path.resolve.']);
}

function checkOption(name: string, value: unknown, isValid: boolean, expected: string): void {
  if (value === undefined || isValid) return;
  throw new ToolError('INVALID_OPTION', [`invalid option ${name}: ${describe(value)}`, `Use ${expected}.`]);
}

function checkOptions(options: WorkspaceCacheOptions): void {
  const { mode, toolNames, clock, onWarning } = options;
  checkOption('mode', mode, mode === 'full' || mode === 'static', '"full" or "static"');
  for (const name of ['coreFiles', 'git', 'showTime'] as const) {
    checkOption(name, options[name], typeof options[name] === 'boolean', 'true or false');
  }
  for (const [tool, name] of Object.entries(toolNames ?? {})) {
    checkOption(`toolNames.${tool}`, name, typeof name === 'string' && name !== '', 'the name of a tool');
  }
  checkOption('clock', clock, typeof clock === 'function', 'a function that returns milliseconds');
  checkOption('onWarning', onWarning, typeof onWarning === 'function', 'a function');
}

function emitWarning({ message }: WorkspaceCacheWarning): void {
  process.emitWarning(message, 'CairnWarning');
}

async function readText(path: string): Promise<string | undefined> {
  try {
    const text = await readFile(path, 'utf8');
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

/**
 * Makes the cache of a workspace. Nothing is scanned before the first call.
 *
 * @throws {ToolError} `INVALID_OPTION`
 */
export function createWorkspaceCache(options: WorkspaceCacheOptions): WorkspaceCache {
  const root = checkRoot(options.root);
  checkOptions(options);
  const treeOptions = resolveTreeOptions(options);
  const { workspace, mode = 'full', coreFiles = false, git = false, showTime = false, toolNames = {} } = options;
  const { clock = Date.now, onWarning = emitWarning } = options;
  const key = keyOf({ ...treeOptions, mode, coreFiles, git, showTime, toolNames });

  const warn = (message: string, cause?: unknown): void => {
    try {
      onWarning({ message, root, ...(cause !== undefined && { cause }) });
    } catch {
      // An observer must not end the work.
    }
  };
  const buildTree = createTreeBuilder({ root, clock });
  let lastError: string | undefined;
  const build = async (resolved: ResolvedTreeOptions, signal?: AbortSignal): Promise<BuiltTree> => {
    const tree = await buildTree(resolved, signal);
    const { error } = tree.metadata;
    // Once, until it changes: a tree may be asked for before every message.
    if (error !== undefined && error !== lastError) warn(`workspace cache of ${root}: ${error}`);
    lastError = error;
    return tree;
  };

  /** The change lists of runs that still exist. */
  const live = new Set<WeakRef<ChangeList>>();
  const known = new WeakSet<ChangeList>();
  const follow = (changes: ChangeList): void => {
    if (workspace === undefined || known.has(changes)) return;
    known.add(changes);
    live.add(new WeakRef(changes));
  };
  const announce = (change: WorkspaceChange): void => {
    for (const reference of live) {
      const changes = reference.deref();
      if (changes === undefined) live.delete(reference);
      else changes.note(change);
    }
  };
  const unsubscribe = workspace?.onChange(announce);

  const read: ReadText = readText;
  const isLeftOut = (name: string): boolean =>
    !treeOptions.allow.includes(name) &&
    (name === '.git' || treeOptions.exclude.includes(name) || (!treeOptions.hidden && name.startsWith('.')));

  const makeRun = async (state: SharedState): Promise<SharedRun> => {
    const changes = createChangeList();
    follow(changes);
    const tree = await build(treeOptions);
    const isFailed = tree.root === undefined;
    const canonical = tree.root;
    const run = createRun({
      tree,
      data: createData(tree, state.dynamic),
      style: { language: treeOptions.language, toolNames, showTime },
      coreFiles:
        coreFiles && canonical !== undefined ? await coreFilesOf(canonical, read, treeOptions.gitignore) : undefined,
      gitLine: git && canonical !== undefined ? await gitLineOf(canonical, treeOptions.language) : undefined,
      isLeftOut,
      changes,
    });
    return { message: isFailed ? FAILED : INITIALIZED, run, isFailed, changes };
  };
  const init = async (userContext: UserContext | undefined): Promise<InitResult> => {
    const byRoot = statesOf(userContext);
    const state: SharedState = byRoot.get(root) ?? { dynamic: Object.create(null) as DynamicListings, runs: new Map() };
    byRoot.set(root, state);
    const pending = state.runs.get(key) ?? makeRun(state);
    state.runs.set(key, pending);
    try {
      const shared = await pending;
      // A run that failed may succeed when it is tried again.
      if (shared.isFailed) state.runs.delete(key);
      follow(shared.changes);
      states.set(shared.run.data, byRoot);
      if (userContext !== undefined) userContext['workspaceCache'] = shared.run.data satisfies WorkspaceCacheData;
      return { message: shared.message, run: shared.run };
    } catch (error) {
      state.runs.delete(key);
      throw error;
    }
  };
  return {
    root,
    tree: async ({ signal, ...changed } = {}) => {
      const { tree, metadata, version } = await build(resolveTreeOptions({ ...options, ...changed }), signal);
      return { tree, metadata, version };
    },
    init: async ({ userContext } = {}) => init(userContext),
    close: () => unsubscribe?.(),
    [Symbol.dispose]: () => unsubscribe?.(),
  };
}
