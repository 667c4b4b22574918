import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { countLineFeeds } from './count-line-feeds.ts';

function countSlowly(bytes: Uint8Array): number {
  return bytes.filter((byte) => byte === 0x0a).length;
}

test('counts the same as a loop over the bytes, at every alignment', () => {
  // Bytes that differ from a line feed in one bit, or that carry into the next.
  const byte = fc.constantFrom(0x0a, 0x0a, 0x0b, 0x8a, 0x00, 0xff, 0x09, 0x1a);
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 60 }), fc.nat(8), fc.nat(8), (values, from, back) => {
      const bytes = Uint8Array.from(values);
      const end = Math.max(from, bytes.length - back);
      const inside = bytes.subarray(from, end);
      expect(countLineFeeds(bytes, from, Math.min(end, bytes.length))).toBe(countSlowly(inside));
      expect(countLineFeeds(inside, 0, inside.length)).toBe(countSlowly(inside));
    }),
  );
});

test('counts a long run of line feeds', () => {
  expect(countLineFeeds(new Uint8Array(10_000).fill(0x0a), 1, 9_999)).toBe(9_998);
});
