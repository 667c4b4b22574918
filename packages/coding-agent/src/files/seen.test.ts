import fc from 'fast-check';
import { expect, test } from 'vitest';
import { joinSeen, MAX_RANGES, seenAfter, unseenOf, wholeOf, type SeenRange, type SeenRanges } from './seen.ts';

/** The slow form of ranges: one flag for each byte. */
function flagsOf(ranges: SeenRanges, size: number): boolean[] {
  return Array.from({ length: size }, (_, at) => ranges.some(({ start, end }) => start <= at && at < end));
}

function isOrdered(ranges: SeenRanges): boolean {
  return ranges.every(({ start, end }, index) => start < end && start > (ranges[index - 1]?.end ?? -1));
}

const SIZE = 40;
const range: fc.Arbitrary<SeenRange> = fc
  .tuple(fc.nat(SIZE), fc.nat(SIZE))
  .map(([one, other]) => ({ start: Math.min(one, other), end: Math.max(one, other) }));
const ranges = fc.array(range, { maxLength: 8 }).map((list) => joinSeen(list));

test('joined parts are those that one of the lists has', () => {
  fc.assert(
    fc.property(fc.array(range), fc.array(range), (one, other) => {
      const joined = joinSeen(joinSeen(one), joinSeen(other));
      expect(flagsOf(joined, SIZE)).toEqual(flagsOf([...one, ...other], SIZE));
      expect(isOrdered(joined)).toBe(true);
    }),
  );
});

test('what was not shown is the rest', () => {
  fc.assert(
    fc.property(ranges, (seen) => {
      expect(flagsOf(unseenOf(seen, SIZE), SIZE)).toEqual(flagsOf(seen, SIZE).map((isSeen) => !isSeen));
      expect(joinSeen(seen, unseenOf(seen, SIZE))).toEqual(wholeOf(SIZE));
    }),
  );
});

test('after a change, inserted bytes are seen and the others move with their flags', () => {
  const splices = fc.array(fc.tuple(range, fc.nat(9)), { maxLength: 6 }).map((list) => {
    const ordered = list.toSorted(([a], [b]) => a.start - b.start || a.end - b.end);
    let at = 0;
    return ordered
      .filter(([{ start, end }]) => (start < at ? false : ((at = end), true)))
      .map(([place, length]) => ({ ...place, bytes: new Uint8Array(length) }));
  });
  fc.assert(
    fc.property(ranges, splices, (seen, changes) => {
      const flags = flagsOf(seen, SIZE);
      for (const { start, end, bytes } of changes.toReversed()) {
        flags.splice(start, end - start, ...Array.from(bytes, () => true));
      }
      const after = seenAfter(seen, changes);
      expect(flagsOf(after, flags.length)).toEqual(flags);
      expect(isOrdered(after)).toBe(true);
    }),
  );
});

test('an empty content has nothing to show', () => {
  expect(unseenOf([], 0)).toEqual([]);
  expect(wholeOf(0)).toEqual([]);
});

test('above the limit the last parts are dropped, so pages from the start add up', () => {
  const scattered = joinSeen(
    Array.from({ length: 2 * MAX_RANGES }, (_, index) => ({ start: 2 * index + 10, end: 2 * index + 11 })),
  );
  expect(scattered).toHaveLength(MAX_RANGES);
  expect(joinSeen(scattered, [{ start: 0, end: 5 }])).toHaveLength(MAX_RANGES);
  expect(joinSeen(scattered, [{ start: 0, end: 5 }])[0]).toEqual({ start: 0, end: 5 });
});
