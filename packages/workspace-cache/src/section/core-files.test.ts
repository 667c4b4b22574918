import fc from 'fast-check';
import { expect, test } from 'vitest';
import { headOf, shareLength } from './core-files.ts';

test.each([
  ['the whole text when it fits', 'a\nb', 3, 'a\nb'],
  ['whole lines', 'first line\nsecond line', 15, 'first line'],
  ['a part of a line that is too long', 'a\nbbbbbbbbbbbbbbbbbbbb', 12, 'a\nbbbbbbbbbb'],
  ['no half of a surrogate pair', '😀😀😀', 3, '😀'],
  ['nothing', 'abc', 0, ''],
])('a head is %s', (_reason, text, maxLength, expected) => {
  expect(headOf(text, maxLength)).toBe(expected);
});

test('a short text leaves its share to the long ones', () => {
  expect(shareLength([10, 5000, 5000], 4000)).toEqual([10, 1995, 1995]);
  expect(shareLength([1000, 500], 4000)).toEqual([1000, 500]);
  expect(shareLength([], 4000)).toEqual([]);
});

test('shares never exceed the total, nor what a text needs, and nothing that is needed is left over', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(5000), { maxLength: 8 }), fc.nat(4000), (lengths, total) => {
      const shares = shareLength(lengths, total);
      const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
      expect(sum(shares)).toBe(Math.min(sum(lengths), sum(shares)));
      expect(sum(shares)).toBeLessThanOrEqual(total);
      expect(shares.every((share, index) => share <= (lengths[index] ?? 0))).toBe(true);
      // Dividing leaves a rest smaller than the number of texts.
      expect(Math.min(sum(lengths), total) - sum(shares)).toBeLessThan(Math.max(1, lengths.length));
    }),
  );
});
