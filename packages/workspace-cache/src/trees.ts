import { rootMoved } from '@cairn/coding-agent/internal';
import type { ResolvedCacheOptions } from './cache-options.ts';
import type { CacheScope } from './content/scope.ts';
import { failedTree, type BuiltTree } from './tree/build.ts';
import type { ResolvedTreeOptions } from './tree/options.ts';
import { createTreeBuilder, type BuildCall } from './tree/tree-builder.ts';

/** The trees of a cache, with a warning when one is empty or incomplete. */
export class Trees {
  readonly #resolved: ResolvedCacheOptions;
  readonly #scope: CacheScope;
  readonly #build: ReturnType<typeof createTreeBuilder>;
  #lastProblem: string | undefined;

  constructor(resolved: ResolvedCacheOptions, scope: CacheScope) {
    this.#resolved = resolved;
    this.#scope = scope;
    this.#build = createTreeBuilder(resolved);
  }

  async build(options: ResolvedTreeOptions, call?: BuildCall): Promise<BuiltTree> {
    const tree = await this.#ofKeptRoot(await this.#build(options, call), options);
    const { error, missingFocus } = tree.metadata;
    const missing = missingFocus?.join(', ');
    const problem =
      error ?? (missing && `no such path in the tree: ${missing}; focus on what exists and no rule leaves out`);
    // Once, until it changes: a tree may be asked for before every message.
    if (problem !== undefined && problem !== this.#lastProblem) this.warn(problem);
    this.#lastProblem = problem;
    return tree;
  }

  warn(problem: string, cause?: unknown): void {
    this.#resolved.warn(`workspace cache of ${this.#resolved.root}: ${problem}`, cause);
  }

  /** Returns the tree, unless the root leads to another directory than the root of the tools. */
  async #ofKeptRoot(tree: BuiltTree, options: ResolvedTreeOptions): Promise<BuiltTree> {
    const { root: now, metadata } = tree;
    const [kept] = now === undefined ? [] : await this.#scope.realRoots().catch(() => []);
    // Names that are not UTF-8 are shown as well as possible, and not compared.
    if (now === undefined || kept === undefined || now === kept || /\u{FFFD}/u.test(now + kept)) return tree;
    const { cachedAt, buildTimeMs } = metadata;
    const { summary } = rootMoved({ named: this.#resolved.root, real: kept }, now);
    return failedTree(options, summary, { cachedAt, buildTimeMs, errorCode: 'ROOT_MOVED' });
  }
}
