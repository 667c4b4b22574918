import { createWorkspace, nodeFileOperations } from '@cairn/coding-agent';
import { rootMoved } from '@cairn/coding-agent/internal';
import type { FileOperations, Workspace, WorkspaceChange, WorkspaceOptions } from '@cairn/coding-agent';
import { observeCall, ToolError } from '@cairn/tool';
import type { CallOutcome } from '@cairn/tool/kernel';
import { isObject } from '@cairn/tool/kernel';
import { createAudience } from './audience.ts';
import { resolveCacheOptions } from './cache-options.ts';
import type { ResolvedCacheOptions, WorkspaceCacheOptions } from './cache-options.ts';
import { checkFunction, checkKnown, describe } from './checks.ts';
import type { ContentCache } from './content/types.ts';
import { userContextIn } from './init-options.ts';
import type { InitOptions, InvocationOptions } from './init-options.ts';
import { Lifetime, whileOpen } from './lifetime.ts';
import { createCacheDirectoryTool } from './listings/cache-directory.ts';
import { createCacheFiles } from './listings/cache-files.ts';
import type { CacheFiles } from './listings/cache-files.ts';
import { dynamicListingsOf } from './listings/dynamic-listings.ts';
import type { DynamicListingStore } from './listings/dynamic-listings.ts';
import { createInterceptors, createPassingInterceptors } from './listings/interceptors.ts';
import { RunCalls } from './run-calls.ts';
import { RunCounter } from './run-counter.ts';
import { Announcements, RunTexts } from './run-texts.ts';
import { beginTree, contentOf } from './run-tree.ts';
import type { BegunTree } from './run-tree.ts';
import { createData, createRun, tokensOf } from './run.ts';
import type { RunParts, WorkspaceRun } from './run.ts';
import { createSharedStates } from './shared-state.ts';
import type { SharedState } from './shared-state.ts';
import { failedTree } from './tree/build.ts';
import type { BuiltTree, WorkspaceTree } from './tree/build.ts';
import { keyOf } from './tree/options-key.ts';
import { resolveTreeOptions, treeOptionNames } from './tree/options.ts';
import type { ResolvedTreeOptions, TreeOptions } from './tree/options.ts';
import { countScans } from './tree/scan-count.ts';
import { createTreeBuilder } from './tree/tree-builder.ts';
import type { BuildCall } from './tree/tree-builder.ts';
import { treeReader } from './tree/tree-state.ts';

/** The object that agents share during a run. The cache sets `workspaceCache` in it. */
export type UserContext = Record<string, unknown>;

/** The result of {@link WorkspaceCache.init}. */
export interface InitResult {
  /** `Workspace cache initialized`, or that it failed, in the words of the source document. */
  readonly message: string;
  readonly run: WorkspaceRun;
}

/** The run that calls belong to. */
export interface CallsOfRun {
  /** The run whose statistics count the calls. Default: the run of this cache, as long as it has one only. */
  readonly run?: WorkspaceRun | undefined;
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
   * of other caches in this process, return the first result, as long as the cache that made it is open. When the scan fails or
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
   * Follows the changes of a workspace that something else made, such as that of a session of tools.
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

const INITIALIZED = 'Workspace cache initialized';
const FAILED = 'Workspace cache initialization failed, will use on-demand loading';

const FOLLOW = 'Pass a workspace of createWorkspace.';

const treeCallOptions: readonly string[] = [...treeOptionNames, 'signal'];

/** The root is the cache's. */
const workspaceOptionNames: readonly string[] = ['run', 'policy', 'clock', 'operations', 'stateDirectory', 'fileNotes'];

interface SharedRun {
  /** The lifetime of the cache that made it. */
  readonly lifetime: Lifetime;
  readonly result: InitResult;
  readonly changes: Announcements;
  readonly texts: RunTexts;
  readonly listings: DynamicListingStore;
  readonly counter: RunCounter;
}

/** All caches of this process share it: sub-agents make caches of their own. */
const stateOf = createSharedStates<SharedRun>();

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Makes the cache of a workspace. Nothing is scanned before the first call.
 *
 * @throws {ToolError} `INVALID_OPTION`
 */
export function createWorkspaceCache(options: WorkspaceCacheOptions): WorkspaceCache {
  const resolved = resolveCacheOptions(options);
  const { root, workspace, warn } = resolved;
  const lifetime = new Lifetime(root);
  const buildTree = createTreeBuilder(resolved);
  const runCalls = new RunCalls();
  const files = createCacheFiles({
    ...resolved,
    lifetime,
    onAccess: (access) => runCalls.noteUnnamed(access),
    onWarning: (message) => warn(`workspace cache of ${root}: ${message}`),
  });
  const changeLists = createAudience<Announcements>();
  const runTexts = createAudience<RunTexts>();
  const listingStores = createAudience<DynamicListingStore>();
  const announce = (change: WorkspaceChange): void => {
    files.drop(change);
    listingStores.forEach((store) => store.drop(change));
    changeLists.forEach((list) => list.note());
  };
  const subscriptions = new Set<() => void>();
  const follow = ({ onChange }: Pick<Workspace, 'onChange'>): (() => void) => {
    const unsubscribe = onChange(announce);
    const end = (): void => {
      subscriptions.delete(end);
      unsubscribe();
    };
    subscriptions.add(end);
    return end;
  };
  if (workspace) follow(workspace);
  const key = keyOfRun(resolved);

  /** Returns the tree, unless the root leads to another directory than that of the tools. */
  const ofKeptRoot = async (tree: BuiltTree, treeOptions: ResolvedTreeOptions): Promise<BuiltTree> => {
    const { root: now, metadata } = tree;
    const [kept] = now === undefined ? [] : await files.scope.realRoots().catch(() => []);
    // Names that are not UTF-8 are shown as well as possible, and not compared.
    if (now === undefined || kept === undefined || now === kept || /\u{FFFD}/u.test(now + kept)) return tree;
    const { cachedAt, buildTimeMs } = metadata;
    const { summary } = rootMoved({ named: root, real: kept }, now);
    return failedTree(treeOptions, summary, { cachedAt, buildTimeMs, errorCode: 'ROOT_MOVED' });
  };

  let hasPreloaded = false;
  let lastProblem: string | undefined;
  const build = async (treeOptions: ResolvedTreeOptions, call?: BuildCall): Promise<BuiltTree> => {
    const tree = await ofKeptRoot(await buildTree(treeOptions, call), treeOptions);
    const { error, missingFocus } = tree.metadata;
    const problem =
      error ??
      (missingFocus &&
        `no such path in the tree: ${missingFocus.join(', ')}; focus on what exists and no rule leaves out`);
    // Once, until it changes: a tree may be asked for before every message.
    if (problem !== undefined && problem !== lastProblem) warn(`workspace cache of ${root}: ${problem}`);
    lastProblem = problem;
    return tree;
  };

  const makeRun = async (state: SharedState<SharedRun>): Promise<SharedRun> => {
    const changes = new Announcements();
    changeLists.add(changes);
    const { language, countTokens } = resolved.tree;
    const style = { ...resolved, language };
    const count = (text: string): number => tokensOf(text, countTokens);
    let begun: BegunTree;
    try {
      const [made, scans] = await countScans(() =>
        beginTree({ resolved, style, build, content: files.content, count }),
      );
      begun = made;
      state.totalScans += scans;
    } catch (error) {
      // A function of the caller failed: `countTokens` or `clock`. Nothing else rejects.
      warn(`workspace cache of ${root}: ${messageOf(error)}`, error);
      const facts = { cachedAt: new Date().toISOString(), buildTimeMs: 0 };
      begun = contentOf(failedTree(resolved.tree, messageOf(error), facts), {});
    }
    const { tree, content } = begun;
    const listings = dynamicListingsOf(state.dynamic, resolved.clock);
    listingStores.add(listings);
    const counter = new RunCounter(tree.root ?? root);
    const texts = new RunTexts({
      content,
      style,
      dynamic: state.dynamic,
      announcements: changes,
      first: tree.state && { state: tree.state, version: tree.version },
      reader: tree.root === undefined ? undefined : treeReader(tree.root, resolved.tree),
      maxTokens: resolved.maxTokens,
      count,
    });
    runTexts.add(texts);
    const made = createRun({
      tree,
      data: createData(tree, state.dynamic),
      language,
      texts,
      counter,
      listings,
      ...partsOfRun(resolved, files, { listings, lifetime, counter }),
      countTokens,
      totalScans: () => state.totalScans,
      unassigned: () => runCalls.unassigned,
    });
    const run = whileOpen(made, ['checkListings', 'refresh'], lifetime);
    const message = tree.root === undefined ? FAILED : INITIALIZED;
    return { lifetime, result: { message, run }, changes, texts, listings, counter };
  };

  const sharedRun = async (userContext: object | undefined): Promise<SharedRun> => {
    const state = stateOf(userContext, root);
    const known = state.runs.get(key);
    if (known !== undefined && (await known).lifetime.isClosed && state.runs.get(key) === known) state.runs.delete(key);
    const pending = state.runs.get(key) ?? makeRun(state);
    state.runs.set(key, pending);
    const shared = await pending;
    // A run that failed may succeed when it is tried again.
    if (shared.result.message === FAILED && state.runs.get(key) === pending) state.runs.delete(key);
    return shared;
  };

  const initRun = async (args: readonly unknown[]): Promise<InitResult> => {
    lifetime.check();
    const userContext = userContextIn([args[0], args[1]]);
    const { result, changes, texts, listings, counter } = await sharedRun(userContext);
    lifetime.check();
    changeLists.add(changes);
    runTexts.add(texts);
    listingStores.add(listings);
    runCalls.add(result.run, counter);
    counter.noteInit();
    if (resolved.preload && !hasPreloaded) {
      hasPreloaded = true;
      void files.content.preload();
    }
    if (userContext === undefined) return result;
    try {
      (userContext as UserContext)['workspaceCache'] = result.run.data;
      return result;
    } catch (error) {
      const what = `userContext cannot be changed: ${messageOf(error)}; pass an object that can`;
      warn(`workspace cache of ${root}: ${what}`, error);
      return { ...result, message: FAILED };
    }
  };

  const init = (...args: readonly unknown[]): Promise<InitResult> =>
    observeCall({ source: 'workspace-cache', name: 'init', input: { root }, outcomeOf }, () => initRun(args));

  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    lifetime.close();
    for (const end of subscriptions) end();
    return (closing ??= files.close());
  };

  return {
    root,
    tree: async (changed = {}) => {
      lifetime.check();
      checkKnown('tree', changed, treeCallOptions);
      const { signal, ...treeOptions } = changed;
      // A value that is not given leaves that of the cache.
      const given = Object.fromEntries(Object.entries(treeOptions).filter(([, value]) => value !== undefined));
      const call = { signal };
      const { tree, metadata, version } = await build(resolveTreeOptions({ ...options, ...given }), call);
      return { tree, metadata: { ...metadata }, version };
    },
    init,
    refresh: async () => {
      lifetime.check();
      const all: Promise<unknown>[] = [];
      runTexts.forEach((texts) => all.push(texts.refresh()));
      await Promise.all(all);
    },
    content: publicContent(files.content),
    operations: (inner, callOptions = {}) => {
      lifetime.check();
      checkOperations(inner);
      checkKnown('operations', callOptions, ['run']);
      return files.operations(runCalls.listenerOf(callOptions.run), inner);
    },
    createWorkspace: (workspaceOptions = {}) => {
      lifetime.check();
      checkKnown('createWorkspace', workspaceOptions, workspaceOptionNames);
      checkOperations(workspaceOptions.operations);
      const { run, ...own } = workspaceOptions;
      const operations = files.operations(runCalls.listenerOf(run), own.operations);
      const made = createWorkspace({ ...own, root, operations });
      files.adopt(made);
      follow(made);
      return made;
    },
    follow: (followed) => {
      lifetime.check();
      const given: unknown = followed;
      if (!isObject(given)) throw new ToolError('INVALID_OPTION', [`not a workspace: ${describe(given)}`, FOLLOW]);
      checkFunction('onChange of the workspace', given['onChange'] ?? null);
      return follow(followed);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Returns what observers receive of a run. The note has the words of the source document. */
function outcomeOf({ message, run }: InitResult): CallOutcome {
  const { tree, metadata } = run.data.static;
  const { size, depth, entries, error } = metadata;
  const facts = `${size} chars, max depth ${depth}, ${entries} entries`;
  return {
    outputBytes: Buffer.byteLength(tree),
    results: entries,
    note:
      message === FAILED
        ? `Failed to initialize workspace cache${error === undefined ? '' : `: ${error}`}`
        : `Workspace directory tree cached: ${facts}`,
    ...(message === FAILED && { failure: 'INIT_FAILED' }),
  };
}

/** Returns a key that is equal for options that give equal runs. */
function keyOfRun({ tree, maxTokens, mode, coreFiles, git, showTime, toolNames }: ResolvedCacheOptions): string {
  return keyOf({ tree, maxTokens, mode, coreFiles, git, showTime, toolNames });
}

/** Returns the part of a content cache that callers see. */
function publicContent(content: ContentCache): ContentCache {
  return {
    read: (path, options) => content.read(path, options),
    accessCounts: () => content.accessCounts(),
    preload: () => content.preload(),
    get stats() {
      return content.stats;
    },
  };
}

/** What the interceptors and tools of a run use. */
interface RunContext {
  readonly listings: DynamicListingStore;
  readonly lifetime: Lifetime;
  readonly counter: RunCounter;
}

/** @throws {ToolError} `INVALID_OPTION` when a method is missing. */
function checkOperations(operations: FileOperations | undefined): void {
  if (operations === undefined) return;
  const given: unknown = operations;
  if (!isObject(given)) {
    throw new ToolError('INVALID_OPTION', [`invalid operations: ${describe(given)}`, 'Use nodeFileOperations.']);
  }
  for (const name of Object.keys(nodeFileOperations)) checkFunction(`operations.${name}`, given[name] ?? null);
}

/** Returns the interceptors and tools of a run. */
function partsOfRun(
  { mode, tree, toolNames }: ResolvedCacheOptions,
  { calls, scope }: CacheFiles,
  { listings, lifetime, counter }: RunContext,
): Pick<RunParts, 'interceptors' | 'tools'> {
  if (mode === 'static') return { interceptors: createPassingInterceptors(lifetime), tools: {} };
  return {
    interceptors: createInterceptors({ calls, dynamic: listings, onAccess: counter.noteAccess }),
    tools: {
      cache_directory: createCacheDirectoryTool({
        scope,
        dynamic: listings,
        language: tree.language,
        toolNames,
        onCall: counter.noteCacheDirectory,
      }),
    },
  };
}
