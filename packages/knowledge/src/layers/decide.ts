/** The layer that a reader goes to after the scan of the index. `L1`: search the texts. `L2`: read the asset. */
export type NextLayer = 'L1' | 'L2';

/** How many assets a scan of the index found. */
export interface ScanCounts {
  /** Those that have all words of the query in their name, title or tags. */
  readonly exact: number;
  /** Those that have some of them. */
  readonly vague: number;
}

/** More exact matches than this many need a search to tell which one answers. */
const MAX_READ = 2;

/**
 * Returns the next layer: one or two exact matches are read; three or more, or only vague ones, are searched. Without any match one
 * search decides whether the assets have the answer in their text.
 */
export function decide({ exact }: ScanCounts): NextLayer {
  return exact >= 1 && exact <= MAX_READ ? 'L2' : 'L1';
}
