import type { StopReason } from '@cairn/natives';
import { STANDARD_INPUT } from '../../terminal/standard-input.ts';
import { countOf, formatCount } from '../../terminal/text.ts';
import { unreadableNotice } from '../../terminal/unreadable.ts';

export interface ListingFacts {
  readonly shown: number;
  readonly totalMatches: number;
  /** Whether there are more than `totalMatches`. */
  readonly isTotalOpen?: boolean;
  readonly stopReason?: StopReason | undefined;
  readonly unreadable?: number | undefined;
  /** The first of them. */
  readonly unreadablePaths?: readonly string[] | undefined;
  readonly lossyPaths: number;
  /** What a glob without a match may have meant. */
  readonly hints?: readonly string[] | undefined;
  readonly roots?: readonly string[] | undefined;
}

export function stopNotice(reason: StopReason | undefined, roots: readonly string[] = []): readonly string[] {
  const [source, scope] = roots.includes(STANDARD_INPUT)
    ? ['list has more names', 'shorter list']
    : ['tree has more entries', 'smaller --path'];
  if (reason === 'timeout') return [`--timeout ended the search early; use a longer timeout or a ${scope}`];
  if (reason !== 'budget') return [];
  const fix = scope === 'shorter list' ? 'give' : 'use';
  return [`the ${source} than FS_SCAN_MAX_ENTRIES or the result is too large, so this is a part; ${fix} a ${scope}`];
}

export function lossyNotice(count: number): readonly string[] {
  if (count === 0) return [];
  const what = `${countOf(count, 'name')} ${count === 1 ? 'is' : 'are'}`;
  return [`${what} not valid Unicode and shown with replacement characters`];
}

/** Returns `showing 100 of 2,345`, or states that there are more when their number is unknown. */
export function cutNotice(shown: number, total: number, next: string): string {
  const what =
    total > shown
      ? `showing ${formatCount(shown)} of ${formatCount(total)}`
      : `showing the first ${formatCount(shown)}, and there are more`;
  return `${what}; ${next}`;
}

export function listingNotices(facts: ListingFacts): readonly string[] {
  const isCut = facts.totalMatches > facts.shown || facts.stopReason === 'limit';
  const total = facts.isTotalOpen === true ? facts.shown : facts.totalMatches;
  return [
    ...(isCut ? [cutNotice(facts.shown, total, 'use --limit for more')] : []),
    ...stopNotice(facts.stopReason, facts.roots),
    ...(facts.hints ?? []),
    ...unreadableNotice(facts.unreadable ?? 0, 'directory or entry', 'directories or entries', facts.unreadablePaths),
    ...lossyNotice(facts.lossyPaths),
  ];
}

export function offsetNotice(offset: number, total: number): readonly string[] {
  return total > 0 && offset >= total
    ? [`there are no more: --offset ${offset} skips all ${formatCount(total)}; use a smaller one`]
    : [];
}

export function nothingFoundNotice(searchesHidden: boolean, appliesIgnoreFiles: boolean): string {
  const skipped = [
    ...(searchesHidden ? [] : ['hidden names (--hidden)']),
    ...(appliesIgnoreFiles ? ['ignored files (--no-ignore)'] : []),
  ];
  return skipped.length === 0 ? 'nothing found' : `nothing found; not searched: ${skipped.join(' and ')}`;
}
