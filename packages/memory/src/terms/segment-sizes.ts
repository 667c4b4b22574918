import type { OpenSegment } from './open-segment.ts';
import type { Tail } from './tail.ts';

/** When segments are written and merged. */
export interface SegmentSizes {
  /** The records and the terms that a process splits again in its first search, rather than storing them. */
  readonly minRecords: number;
  readonly minTerms: number;
  /** The largest segment. It is written in one step, which blocks. */
  readonly maxRecords: number;
  readonly maxTerms: number;
}

export const DEFAULT_SIZES: SegmentSizes = { minRecords: 256, minTerms: 8192, maxRecords: 16_384, maxTerms: 524_288 };

/** The neighbours that are merged at once. */
const MERGED_SEGMENTS = 4;

/** Returns whether a tail becomes a segment now. */
export function isDue(tail: Tail, { minRecords, minTerms, maxRecords }: SegmentSizes): boolean {
  // A gap is left by a damaged segment.
  if (tail.to !== Infinity) return true;
  return tail.records.size >= maxRecords / 4 || (tail.records.size >= minRecords && tail.terms >= minTerms);
}

/** Returns whether a tail would not fit in one segment if it grew. */
export function isFull(tail: Tail, { maxRecords, maxTerms }: SegmentSizes): boolean {
  return tail.records.size >= maxRecords || tail.terms >= maxTerms;
}

/** Returns the segments to merge next: one whose records are mostly gone, or small neighbours; none when all may stay. */
export function chooseMerge(
  segments: readonly OpenSegment[],
  { maxRecords, maxTerms }: SegmentSizes,
): readonly OpenSegment[] {
  const sparse = segments.find(({ gone, present }) => gone > present);
  if (sparse) return [sparse];
  for (let at = 0; at + MERGED_SEGMENTS <= segments.length; at++) {
    const some = segments.slice(at, at + MERGED_SEGMENTS);
    const isAdjacent = some.every(({ info }, index) => index === 0 || some[index - 1]?.info.to === info.from - 1);
    const sizes = some.map(({ info }) => Math.max(info.terms / maxTerms, info.records / maxRecords));
    const size = sizes.reduce((sum, one) => sum + one, 0);
    // A large one is not written again for each small one after it.
    if (isAdjacent && size <= 1 && Math.max(...sizes) <= size / 2) return some;
  }
  return [];
}
