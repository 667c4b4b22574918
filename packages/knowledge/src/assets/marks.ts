import type { AssetHead } from './asset.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const UNVERIFIED_AFTER_MS: number = 180 * DAY_MS;
export const REVIEW_REPORTS = 2;

/** What a reader should know before trusting an asset. `review`: two readers reported it as wrong. */
export type AssetMark = 'deprecated' | 'superseded' | 'review' | 'unverified' | 'conflict';

export function marksOf(head: AssetHead, nowMs: number): AssetMark[] {
  const marks: AssetMark[] = [];
  if (head.status !== 'active') marks.push(head.status);
  if (head.needsReview) marks.push('review');
  // A change confirms it too.
  if (nowMs - Math.max(head.verifiedMs ?? 0, head.changedMs) >= UNVERIFIED_AFTER_MS) marks.push('unverified');
  if (head.hasConflict) marks.push('conflict');
  return marks;
}
