import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { firstKept, foldedCount, windowStart } from './budget.ts';

/** The items that are kept after each was added in turn, computed again each time. */
function slowStart(sizes: readonly number[], limit: number): number {
  let start = 0;
  for (let end = 1; end <= sizes.length; end++) {
    const total = (from: number): number =>
      sizes.slice(from, end).reduce((sum, size) => sum + (size > limit ? 0 : size), 0);
    if (total(start) > limit) while (start < end - 1 && total(start) > limit * 0.75) start++;
  }
  return start;
}

test('a cut is the same as one that is computed again after each item', () => {
  const sizes = fc.array(fc.integer({ min: 0, max: 130 }), { maxLength: 40 });
  fc.assert(
    fc.property(sizes, (tokens) => {
      const start = firstKept(
        tokens.map((size) => ({ tokens: size })),
        100,
      );
      expect(start).toBe(slowStart(tokens, 100));
      const kept = tokens.slice(start).filter((size) => size <= 100);
      expect(kept.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(100);
    }),
    { numRuns: 1000 },
  );
});

describe('a cut', () => {
  const startOf = (tokens: readonly number[], extra = 0): number => {
    const items = tokens.map((size) => ({ tokens: size }));
    return firstKept(items, 100, extra);
  };

  test('keeps all up to the limit, and three quarters of it after', () => {
    expect(startOf(Array.from({ length: 10 }, () => 10))).toBe(0);
    expect(startOf(Array.from({ length: 11 }, () => 10))).toBe(4);
    expect(startOf(Array.from({ length: 14 }, () => 10))).toBe(4);
    expect(startOf(Array.from({ length: 15 }, () => 10))).toBe(8);
  });

  test('keeps an item that fits alone, and leaves out one that does not', () => {
    expect(startOf([10, 10, 100])).toBe(2);
    expect(startOf([10, 10, 101])).toBe(0);
    expect(startOf([10, 10, 101, 10])).toBe(0);
  });

  test('makes room for a prompt, without a change of what is kept', () => {
    expect(startOf([30, 30, 30], 10)).toBe(0);
    expect(startOf([30, 30, 30], 11)).toBe(1);
    expect(startOf([30, 30, 30], 100)).toBe(3);
  });
});

test('the older half is folded once past the number, and more only when as many were added again', () => {
  const counts = Array.from({ length: 66 }, (_, count) => foldedCount(count, 20));
  expect(counts.slice(0, 21).every((count) => count === 0)).toBe(true);
  expect([counts[21], counts[40], counts[41], counts[60], counts[61]]).toEqual([10, 10, 30, 30, 50]);
  expect(new Set(counts).size).toBe(4);
  expect([1, 2, 3, 4].map((count) => foldedCount(count, 1))).toEqual([0, 1, 2, 3]);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 0, max: 500 }), (after, count) => {
      const folded = foldedCount(count, after);
      expect(folded).toBeLessThanOrEqual(Math.max(0, count - 1));
      // The number of messages that are shown whole is bounded.
      expect(count - folded).toBeLessThanOrEqual(2 * after);
      expect(foldedCount(count + 1, after)).toBeGreaterThanOrEqual(folded);
    }),
  );
});

test('a window begins with the turn of its oldest message', () => {
  const turns = [
    { from: 0, to: 2 },
    { from: 2, to: 7 },
    { from: 7, to: 8 },
    { from: 8, to: 10 },
  ];
  expect([1, 2, 3, 4, 8, 9, 10, 99].map((window) => windowStart(turns, window))).toEqual([3, 3, 2, 1, 1, 0, 0, 0]);
  expect(windowStart([], 3)).toBe(0);
});
