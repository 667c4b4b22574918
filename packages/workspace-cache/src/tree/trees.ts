import { rootMoved } from '@cairn/coding-agent/internal';
import { treeSummary } from '@cairn/natives';
import { Lru } from '../content/lru.ts';
import type { CacheScope } from '../content/scope.ts';
import { keyOf } from '../identity.ts';
import { buildTree, failedTree, summaryOptions } from './build.ts';
import type { BuildContext, BuiltTree, WorkspaceTree } from './build.ts';
import { resolveTreeOptions, type ResolvedTreeOptions, type TreeOptions } from './options.ts';

/** The options of one tree change the cache's. */
export interface TreeCallOptions extends TreeOptions {
  readonly signal?: AbortSignal | undefined;
}

const MAX_KEPT = 8;

/** The part of the context that differs from call to call. */
type BuildCall = Pick<BuildContext, 'signal' | 'validate'>;

interface TreesContext extends Omit<BuildContext, keyof BuildCall> {
  readonly scope: Pick<CacheScope, 'realRoots'>;
  /** Receives the reason why a tree is empty or incomplete. */
  readonly warn: (problem: string) => void;
}

/** The trees of a directory as it is now. A tree is built again only when it may have changed. */
export class Trees {
  readonly #context: TreesContext;
  /** By the key of their options. */
  readonly #kept = new Lru<BuiltTree>({ maxSize: MAX_KEPT });
  #lastProblem: string | undefined;

  constructor(context: TreesContext) {
    this.#context = context;
  }

  async show(defaults: TreeOptions, { signal, ...changed }: TreeCallOptions): Promise<WorkspaceTree> {
    // A value that is not given leaves the default.
    const given = Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== undefined));
    const { tree, metadata, version } = await this.build(resolveTreeOptions({ ...defaults, ...given }), { signal });
    return { tree, metadata: { ...metadata }, version };
  }

  async build(options: ResolvedTreeOptions, call: BuildCall = {}): Promise<BuiltTree> {
    const tree = await this.#ofKeptRoot(await this.#current(options, call), options);
    const { error, missingFocus } = tree.metadata;
    const missing = missingFocus?.join(', ');
    const problem =
      error ?? (missing && `no such path in the tree: ${missing}; focus on what exists and no rule leaves out`);
    // Once, until it changes: a tree may be asked for before every message.
    if (problem !== undefined && problem !== this.#lastProblem) this.#context.warn(problem);
    this.#lastProblem = problem;
    return tree;
  }

  async #current(options: ResolvedTreeOptions, call: BuildCall): Promise<BuiltTree> {
    const key = keyOf(options);
    const kept = this.#kept.get(key);
    if (kept && (await this.#isCurrent(kept, options, call))) return kept;
    const tree = await buildTree(options, { ...this.#context, ...call });
    this.#kept.delete(key);
    if (tree.metadata.error === undefined) this.#kept.set(key, tree, 0);
    return tree;
  }

  async #isCurrent(tree: BuiltTree, options: ResolvedTreeOptions, call: BuildCall): Promise<boolean> {
    const { root, summarize = treeSummary } = this.#context;
    const asked = summarize({ ...summaryOptions(root, options), maxEntries: 0, ...call });
    // The build reports the error.
    const summary = await asked.catch(() => undefined);
    return summary?.generation === tree.version;
  }

  /** Returns the tree, unless the root leads to another directory than the root of the tools. */
  async #ofKeptRoot(tree: BuiltTree, options: ResolvedTreeOptions): Promise<BuiltTree> {
    const { root: now, metadata } = tree;
    const [kept] = now === undefined ? [] : await this.#context.scope.realRoots().catch(() => []);
    // Names that are not UTF-8 are shown as well as possible, and not compared.
    if (now === undefined || kept === undefined || now === kept || /\u{FFFD}/u.test(now + kept)) return tree;
    const { cachedAt, buildTimeMs } = metadata;
    const { summary } = rootMoved({ named: this.#context.root, real: kept }, now);
    return failedTree(options, summary, { cachedAt, buildTimeMs, errorCode: 'ROOT_MOVED' });
  }
}
