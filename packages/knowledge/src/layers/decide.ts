/** The layer that a reader goes to after the scan of the index. `L1`: search the texts. `L2`: read the asset. */
export type NextLayer = 'L1' | 'L2';

/** More exact matches than this many need a search to tell which one answers. */
const MAX_READ = 2;

/**
 * Returns the next layer: one or two exact matches are read; three or more, or only vague ones, are searched. Without any match one
 * search decides whether the assets have the answer in their text. Exact: all words of the query are in name, title or tags.
 */
export function decide({ exact }: Readonly<Record<'exact' | 'vague', number>>): NextLayer {
  return exact >= 1 && exact <= MAX_READ ? 'L2' : 'L1';
}
