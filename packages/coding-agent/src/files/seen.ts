/** A part of a content, in bytes, that was shown: from `start` to `end`. */
export interface SeenRange {
  readonly start: number;
  readonly end: number;
}

/** The shown parts of a content: in order, neither overlapping nor adjacent. */
export type SeenRanges = readonly SeenRange[];

/** Ranges of one file. Above this number the last ones are dropped: pages from the start of a file always add up. */
export const MAX_RANGES = 256;

/** Returns the one range of a whole content; an empty content has nothing to show. */
export function wholeOf(size: number): SeenRanges {
  return size === 0 ? [] : [{ start: 0, end: size }];
}

/** Adds a range that starts after the others start. */
function append(ranges: { start: number; end: number }[], { start, end }: SeenRange): void {
  const last = ranges.at(-1);
  if (last && start <= last.end) last.end = Math.max(last.end, end);
  else if (start < end && ranges.length < MAX_RANGES) ranges.push({ start, end });
}

/** Joins shown parts of one content. */
export function joinSeen(...lists: readonly SeenRanges[]): SeenRanges {
  const joined: { start: number; end: number }[] = [];
  for (const range of lists.flat().toSorted((a, b) => a.start - b.start)) append(joined, range);
  return joined;
}

export function unseenOf(seen: SeenRanges, size: number): SeenRanges {
  const starts = [0, ...seen.map(({ end }) => end)];
  const ends = [...seen.map(({ start }) => start), size];
  return starts.map((start, index) => ({ start, end: ends[index] ?? size })).filter(({ start, end }) => start < end);
}

/**
 * Returns the shown parts of a content after a change: what was inserted is known to its author, and the shown parts of the rest
 * move with it.
 *
 * @param splices in order, without overlap.
 */
export function seenAfter(
  seen: SeenRanges,
  splices: readonly (SeenRange & { readonly bytes: Uint8Array })[],
): SeenRanges {
  const moved: { start: number; end: number }[] = [];
  let next = 0;
  let shift = 0;
  const keep = (from: number, to: number): void => {
    for (; next < seen.length; next++) {
      const { start, end } = seen[next] ?? { start: to, end: to };
      if (start >= to) return;
      if (end > from) append(moved, { start: Math.max(start, from) + shift, end: Math.min(end, to) + shift });
      if (end > to) return;
    }
  };
  let at = 0;
  for (const { start, end, bytes } of splices) {
    keep(at, start);
    append(moved, { start: start + shift, end: start + shift + bytes.length });
    shift += bytes.length - (end - start);
    at = end;
  }
  keep(at, Infinity);
  return moved;
}
