import { createWorkspace, type FileOperations, type Workspace, type WorkspaceOptions } from '@cairn/coding-agent';
import { ToolError } from '@cairn/tool';
import { resolveCacheOptions, type ResolvedCacheOptions, type WorkspaceCacheOptions } from './cache-options.ts';
import { describe, messageOf } from './checks.ts';
import type { DynamicListing } from './data.ts';
import { keyOf } from './identity.ts';
import { userContextIn } from './init-options.ts';
import { Lifetime } from './lifetime.ts';
import { CacheFiles } from './listings/cache-files.ts';
import { dynamicListingsOf } from './listings/dynamic-listings.ts';
import { RunCounter } from './run-counter.ts';
import { RunTexts } from './run-texts.ts';
import { beginTree, contentOf, countScans, type BegunTree } from './run-tree.ts';
import { createRun, type OwnCounts, type RunState, type WorkspaceRun } from './run.ts';
import { failedTree } from './tree/build.ts';
import { treeReader } from './tree/tree-state.ts';
import { Trees } from './tree/trees.ts';
import type { CacheAccess } from './content/types.ts';

/** The runs of a cache: it assigns calls of tools to them, and may outlive many, so it must not hold what they have. */
class KnownRuns {
  readonly #states = new WeakMap<WorkspaceRun, RunState>();
  readonly #references = new Set<WeakRef<RunState>>();
  /** Of the only run so far. */
  #sole: RunCounter | undefined;
  #hasSeveral = false;
  /** Calls that belong to no run, because they name none and the cache has several. */
  unassigned = 0;

  add(run: WorkspaceRun, state: RunState): void {
    if (this.#states.has(run)) return;
    this.#states.set(run, state);
    this.#references.add(new WeakRef(state));
    this.#hasSeveral = this.#sole !== undefined;
    this.#sole ??= state.counter;
  }

  /** Returns the states of the runs that something else holds. */
  states(): RunState[] {
    return [...this.#references].flatMap((reference) => {
      const state = reference.deref();
      if (state === undefined) this.#references.delete(reference);
      return state ?? [];
    });
  }

  /** Counts a call that names no run. Before the first run there is nothing to count for. */
  readonly noteUnnamed = (access: CacheAccess): void => {
    if (this.#hasSeveral) this.unassigned += 1;
    else this.#sole?.noteAccess(access);
  };

  /** Returns the counter of the calls of a run. @throws {ToolError} `INVALID_OPTION` */
  listenerOf(run: WorkspaceRun | undefined): (access: CacheAccess) => void {
    if (run === undefined) return this.noteUnnamed;
    const state = this.#states.get(run);
    if (state !== undefined) return state.counter.noteAccess;
    throw new ToolError('INVALID_OPTION', [`invalid option run: ${describe(run)}`, 'Use a run that init returned.']);
  }
}

/** The object that agents share during a run. The cache sets `workspaceCache` in it. */
export type UserContext = Record<string, unknown>;

export interface InitResult {
  /** `Workspace cache initialized`, or that it failed, in the words of the source document. */
  readonly message: string;
  readonly run: WorkspaceRun;
}

const INITIALIZED = 'Workspace cache initialized';
export const FAILED = 'Workspace cache initialization failed, will use on-demand loading';

export interface CallsOfRun {
  /** The run whose statistics count the calls. Default: the run of this cache, as long as it has one only. */
  readonly run?: WorkspaceRun | undefined;
}

interface SharedRun {
  /** The lifetime of the cache that made it. */
  readonly lifetime: Lifetime;
  readonly result: InitResult;
  readonly state: RunState;
}

/** What the runs of one user context share for one root. */
interface SharedState {
  /** The kept listings, by path. */
  readonly dynamic: Record<string, DynamicListing>;
  /** The runs by the key of their options. */
  readonly runs: Map<string, Promise<SharedRun>>;
  /** The complete scans that natives made for their trees. */
  totalScans: number;
}

/**
 * By user context and root, for all caches of this process: sub-agents make caches of their own. A copy of a user context has states of
 * its own, because it may be the copy of an earlier run.
 */
const states = new WeakMap<object, Map<string, SharedState>>();

function stateOf(userContext: object, root: string): SharedState {
  const byRoot = states.get(userContext) ?? new Map<string, SharedState>();
  states.set(userContext, byRoot);
  const state = byRoot.get(root) ?? { dynamic: {}, runs: new Map(), totalScans: 0 };
  byRoot.set(root, state);
  return state;
}

/** A cache, without the checks of arguments. */
export class OpenCache {
  readonly #resolved: ResolvedCacheOptions;
  /** Equal for options that give equal runs. */
  readonly #key: string;
  readonly #runs = new KnownRuns();
  readonly #subscriptions = new Set<() => void>();
  #hasPreloaded = false;
  #closing: Promise<void> | undefined;
  readonly root: string;
  readonly lifetime: Lifetime;
  readonly files: CacheFiles;
  readonly trees: Trees;

  constructor(options: WorkspaceCacheOptions) {
    const resolved = resolveCacheOptions(options);
    const { tree, maxTokens, mode, coreFiles, git, style, workspace, root, warn } = resolved;
    this.#resolved = resolved;
    this.root = root;
    this.#key = keyOf({ tree, maxTokens, mode, coreFiles, git, style });
    this.lifetime = new Lifetime(root);
    const { noteUnnamed } = this.#runs;
    this.files = new CacheFiles({ ...resolved, lifetime: this.lifetime, onAccess: noteUnnamed, onWarning: warn });
    this.trees = new Trees({ ...resolved, scope: this.files.scope });
    if (workspace) this.follow(workspace);
  }

  /** @param args the arguments of `WorkspaceCache.init`. */
  async init(args: readonly unknown[]): Promise<InitResult> {
    this.lifetime.check();
    const userContext = userContextIn(args);
    const { result, state } = await this.#share(userContext);
    this.lifetime.check();
    this.#runs.add(result.run, state);
    state.counter.noteInit();
    if (this.#resolved.preload && !this.#hasPreloaded) {
      this.#hasPreloaded = true;
      void this.files.content.preload();
    }
    try {
      if (userContext !== undefined) (userContext as UserContext)['workspaceCache'] = result.run.data;
      return result;
    } catch (error) {
      this.#resolved.warn(`userContext cannot be changed: ${messageOf(error)}; pass an object that can`, error);
      return { ...result, message: FAILED };
    }
  }

  async refresh(): Promise<void> {
    await Promise.all(this.#runs.states().map(({ texts }) => texts.refresh()));
  }

  operations(inner: FileOperations | undefined, { run }: CallsOfRun): FileOperations {
    return this.files.operations(this.#runs.listenerOf(run), inner);
  }

  createWorkspace({ run, ...options }: Omit<WorkspaceOptions, 'root'> & CallsOfRun): Workspace {
    const operations = this.operations(options.operations, { run });
    const workspace = createWorkspace({ ...options, root: this.root, operations });
    this.files.scope.adopt(workspace);
    this.follow(workspace);
    return workspace;
  }

  follow({ onChange }: Pick<Workspace, 'onChange'>): () => void {
    const unsubscribe = onChange((change) => {
      this.files.drop(change);
      for (const { listings, texts } of this.#runs.states()) {
        listings.drop(change);
        texts.noteChange();
      }
    });
    const end = (): void => {
      this.#subscriptions.delete(end);
      unsubscribe();
    };
    this.#subscriptions.add(end);
    return end;
  }

  close(): Promise<void> {
    this.lifetime.close();
    for (const end of this.#subscriptions) end();
    return (this.#closing ??= this.files.close());
  }

  async #share(userContext: object = {}): Promise<SharedRun> {
    const shared = stateOf(userContext, this.root);
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

  async #make(shared: SharedState): Promise<SharedRun> {
    const resolved = this.#resolved;
    const { lifetime, files } = this;
    const { dynamic } = shared;
    const { tree, content } = await this.#begin(shared);
    const { root, state: first, version } = tree;
    const state: RunState = {
      listings: dynamicListingsOf(dynamic, resolved.clock),
      counter: new RunCounter(root ?? resolved.root),
      texts: new RunTexts({
        content,
        dynamic,
        first: first && { state: first, version },
        reader: root === undefined ? undefined : treeReader(root, resolved.tree),
        ...resolved,
      }),
    };
    const ownCounts = (): OwnCounts => ({ totalScans: shared.totalScans, unassigned: this.#runs.unassigned });
    const run = createRun({ tree, resolved, state, lifetime, files, ownCounts });
    return { lifetime, result: { message: root === undefined ? FAILED : INITIALIZED, run }, state };
  }

  async #begin(shared: SharedState): Promise<BegunTree> {
    const resolved = this.#resolved;
    const { trees, files } = this;
    try {
      const [begun, scans] = await countScans(() => beginTree({ resolved, trees, content: files.content }));
      shared.totalScans += scans;
      return begun;
    } catch (error) {
      // A function of the caller failed: `countTokens` or `clock`. Nothing else rejects.
      const reason = messageOf(error);
      resolved.warn(reason, error);
      const facts = { cachedAt: new Date().toISOString(), buildTimeMs: 0 };
      return contentOf(failedTree(resolved.tree, reason, facts), {});
    }
  }
}
