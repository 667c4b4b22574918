import { treeSummary } from '@cairn/natives';
import { buildTree, summaryOptions, type BuildContext, type BuiltTree } from './build.ts';
import { keyOf } from '../identity.ts';
import type { ResolvedTreeOptions } from './options.ts';

/** The trees that a builder keeps: of the options that are in use, seldom more than two. */
const MAX_KEPT = 8;

/** The part of the context that differs from call to call. */
export type BuildCall = Pick<BuildContext, 'signal' | 'validate'>;

/** Returns a function that builds the tree of a directory as it is now. A tree is built again only when it may have changed. */
export function createTreeBuilder(
  context: Omit<BuildContext, keyof BuildCall>,
): (options: ResolvedTreeOptions, call?: BuildCall) => Promise<BuiltTree> {
  const { root, summarize = treeSummary } = context;
  /** By the key of their options; the last used is the last. */
  const kept = new Map<string, BuiltTree>();

  const isCurrent = async (tree: BuiltTree, options: ResolvedTreeOptions, call: BuildCall): Promise<boolean> => {
    try {
      const { generation } = await summarize({ ...summaryOptions(root, options), maxEntries: 0, ...call });
      return generation === tree.version;
    } catch {
      // The build reports the error.
      return false;
    }
  };
  return async (options, call = {}) => {
    const key = keyOf(options);
    const tree = kept.get(key);
    const result =
      tree !== undefined && (await isCurrent(tree, options, call))
        ? tree
        : await buildTree(options, { ...context, ...call });
    kept.delete(key);
    if (result.metadata.error === undefined) kept.set(key, result);
    for (const oldest of kept.keys()) {
      if (kept.size <= MAX_KEPT) break;
      kept.delete(oldest);
    }
    return result;
  };
}
