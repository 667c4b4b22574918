import type { AssetHead } from '../assets/asset.ts';
import { stackMatcherOf } from '../stack/match-stack.ts';
import type { Entries } from './entries.ts';
import { createFilter } from './selection.ts';
import type { IndexFilters } from './selection.ts';

export interface ScanResult {
  /** Assets with all words of the query. An asset with this name comes first; then the order of the index. */
  readonly exact: readonly AssetHead[];
  /** Assets with some words of the query: those with more of it first, then in the order of the index. */
  readonly vague: readonly AssetHead[];
}

/**
 * Finds the assets with words of a query. No list is sorted: the matches are read in the order of the index, each into the list
 * of those with as much of the query.
 */
export function scanEntries(entries: Entries, query: string, filters: IndexFilters): ScanResult {
  const isSelected = createFilter(filters);
  const matches = filters.stack && stackMatcherOf(filters.stack);
  const asked = query.trim().toLowerCase();
  const ordered = entries.ordered();
  /** By rank the half words of a vague match, a negative number for an exact one, 0 for none. */
  const strengths = new Int32Array(ordered.length);
  let strongest = 0;
  entries.match(query, ({ head, rank }, isExact, halves) => {
    if (!isSelected(head)) return;
    // Of exact matches, the asset of that name is the strongest.
    if (isExact) {
      strengths[rank] = head.name.length === asked.length && head.name.toLowerCase() === asked ? -2 : -1;
    } else {
      strengths[rank] = halves;
      if (halves > strongest) strongest = halves;
    }
  });
  /** The strongest first; of equally strong ones those of the stack. */
  const exact: AssetHead[][] = [[], [], [], []];
  const vague: AssetHead[][] = Array.from({ length: 2 * strongest }, () => []);
  // An iterator takes longer than all the rest.
  for (let rank = 0; rank < strengths.length; rank++) {
    const strength = strengths[rank] ?? 0;
    const head = strength === 0 ? undefined : ordered[rank]?.head;
    if (head === undefined) continue;
    const after = matches === undefined || matches(head.productLine) ? 0 : 1;
    const list = strength < 0 ? exact[2 * (2 + strength) + after] : vague[2 * (strongest - strength) + after];
    list?.push(head);
  }
  return { exact: exact.flat(), vague: vague.flat() };
}
