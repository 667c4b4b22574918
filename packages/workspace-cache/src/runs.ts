import type { WorkspaceChange } from '@cairn/coding-agent';
import { Audience } from './audience.ts';
import type { ResolvedCacheOptions } from './cache-options.ts';
import { messageOf } from './checks.ts';
import { keyOf } from './identity.ts';
import { userContextIn } from './init-options.ts';
import type { Lifetime } from './lifetime.ts';
import { createCacheDirectoryTool } from './listings/cache-directory.ts';
import type { CacheFiles } from './listings/cache-files.ts';
import { dynamicListingsOf } from './listings/dynamic-listings.ts';
import { createInterceptors } from './listings/interceptors.ts';
import type { RunCalls } from './run-calls.ts';
import { RunCounter } from './run-counter.ts';
import { RunTexts } from './run-texts.ts';
import { beginTree, contentOf, type BegunTree } from './run-tree.ts';
import { createRun, type RunState, type WorkspaceRun } from './run.ts';
import { createSharedStates, type SharedState } from './shared-state.ts';
import { failedTree } from './tree/build.ts';
import { countScans } from './tree/scan-count.ts';
import { tokensOf } from './tree/tokens.ts';
import { treeReader } from './tree/tree-state.ts';
import type { Trees } from './trees.ts';

/** The object that agents share during a run. The cache sets `workspaceCache` in it. */
export type UserContext = Record<string, unknown>;

export interface InitResult {
  /** `Workspace cache initialized`, or that it failed, in the words of the source document. */
  readonly message: string;
  readonly run: WorkspaceRun;
}

const INITIALIZED = 'Workspace cache initialized';
export const FAILED = 'Workspace cache initialization failed, will use on-demand loading';

interface SharedRun {
  /** The lifetime of the cache that made it. */
  readonly lifetime: Lifetime;
  readonly result: InitResult;
  readonly state: RunState;
}

/** All caches of this process share it: sub-agents make caches of their own. */
const stateOf = createSharedStates<SharedRun>();

interface RunsParts {
  readonly resolved: ResolvedCacheOptions;
  readonly lifetime: Lifetime;
  readonly trees: Trees;
  readonly files: CacheFiles;
  readonly calls: RunCalls;
}

/** The runs of a cache. Those of one user context and equal options are shared with other caches. */
export class Runs {
  readonly #parts: RunsParts;
  /** Equal for options that give equal runs. */
  readonly #key: string;
  readonly #states = new Audience<RunState>();
  #hasPreloaded = false;

  constructor(parts: RunsParts) {
    const { tree, maxTokens, mode, coreFiles, git, showTime, toolNames } = parts.resolved;
    this.#parts = parts;
    this.#key = keyOf({ tree, maxTokens, mode, coreFiles, git, showTime, toolNames });
  }

  /** @param args the arguments of `WorkspaceCache.init`. */
  async init(args: readonly unknown[]): Promise<InitResult> {
    const { resolved, lifetime, trees, files, calls } = this.#parts;
    lifetime.check();
    const userContext = userContextIn([args[0], args[1]]);
    const { result, state } = await this.#share(userContext);
    lifetime.check();
    this.#states.add(state);
    calls.add(result.run, state.counter);
    state.counter.noteInit();
    if (resolved.preload && !this.#hasPreloaded) {
      this.#hasPreloaded = true;
      void files.content.preload();
    }
    if (userContext === undefined) return result;
    try {
      (userContext as UserContext)['workspaceCache'] = result.run.data;
      return result;
    } catch (error) {
      trees.warn(`userContext cannot be changed: ${messageOf(error)}; pass an object that can`, error);
      return { ...result, message: FAILED };
    }
  }

  /** Tells all runs of a change. */
  announce(change: WorkspaceChange): void {
    this.#states.forEach(({ listings, texts }) => {
      listings.drop(change);
      texts.noteChange();
    });
  }

  /** Compares the workspace with the disk for all runs. */
  async refresh(): Promise<void> {
    const all: Promise<unknown>[] = [];
    this.#states.forEach(({ texts }) => all.push(texts.refresh()));
    await Promise.all(all);
  }

  async #share(userContext: object | undefined): Promise<SharedRun> {
    const shared = stateOf(userContext, this.#parts.resolved.root);
    const { runs } = shared;
    const known = runs.get(this.#key);
    if (known !== undefined && (await known).lifetime.isClosed && runs.get(this.#key) === known) runs.delete(this.#key);
    const pending = runs.get(this.#key) ?? this.#make(shared);
    runs.set(this.#key, pending);
    const run = await pending;
    // A run that failed may succeed when it is tried again.
    if (run.result.message === FAILED && runs.get(this.#key) === pending) runs.delete(this.#key);
    return run;
  }

  async #make(shared: SharedState<SharedRun>): Promise<SharedRun> {
    const { resolved, lifetime, calls } = this.#parts;
    const begun = await this.#begin(shared);
    const { tree } = begun;
    const state = this.#stateOf(begun, shared);
    const run = createRun({
      tree,
      resolved,
      state,
      lifetime,
      ...this.#toolsOf(state),
      totalScans: () => shared.totalScans,
      unassigned: () => calls.unassigned,
    });
    return { lifetime, result: { message: tree.root === undefined ? FAILED : INITIALIZED, run }, state };
  }

  async #begin(shared: SharedState<SharedRun>): Promise<BegunTree> {
    const { resolved, trees, files } = this.#parts;
    try {
      const [begun, scans] = await countScans(() => beginTree({ resolved, trees, content: files.content }));
      shared.totalScans += scans;
      return begun;
    } catch (error) {
      // A function of the caller failed: `countTokens` or `clock`. Nothing else rejects.
      const reason = messageOf(error);
      trees.warn(reason, error);
      const facts = { cachedAt: new Date().toISOString(), buildTimeMs: 0 };
      return contentOf(failedTree(resolved.tree, reason, facts), {});
    }
  }

  #stateOf({ tree, content }: BegunTree, { dynamic }: SharedState<SharedRun>): RunState {
    const { resolved } = this.#parts;
    const { root, state, version } = tree;
    const { language, countTokens } = resolved.tree;
    return {
      listings: dynamicListingsOf(dynamic, resolved.clock),
      counter: new RunCounter(root ?? resolved.root),
      texts: new RunTexts({
        content,
        style: { ...resolved, language },
        dynamic,
        first: state && { state, version },
        reader: root === undefined ? undefined : treeReader(root, resolved.tree),
        maxTokens: resolved.maxTokens,
        count: (text) => tokensOf(text, countTokens),
      }),
    };
  }

  #toolsOf({ listings: dynamic, counter }: RunState): Pick<Parameters<typeof createRun>[0], 'interceptors' | 'tools'> {
    const { resolved, lifetime, files } = this.#parts;
    const { mode, tree, toolNames } = resolved;
    if (mode === 'static') return { interceptors: createInterceptors(lifetime, undefined), tools: {} };
    const { calls, results, scope } = files;
    const onCall = counter.noteCacheDirectory;
    return {
      interceptors: createInterceptors(lifetime, { calls, results, dynamic, onAccess: counter.noteAccess }),
      tools: {
        cache_directory: createCacheDirectoryTool({ scope, dynamic, language: tree.language, toolNames, onCall }),
      },
    };
  }
}
