import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { hashOf } from '../files/ledger.ts';
import { createContentHasher } from './content-hash.ts';

const part = fc.uint8Array({ maxLength: 20 });

test('gives the hash of a content that came in chunks', () => {
  fc.assert(
    fc.property(fc.array(part), (chunks) => {
      const hasher = createContentHasher();
      for (const chunk of chunks) hasher.add(chunk);
      expect(hasher.finish().value).toBe(hashOf(...chunks));
    }),
  );
});

test('gives the hash of a content that begins alike, wherever the two part', () => {
  fc.assert(
    fc.property(fc.array(part), fc.nat(60), fc.array(part), (chunks, wanted, ends) => {
      const hasher = createContentHasher();
      for (const chunk of chunks) hasher.add(chunk);
      const content = hasher.finish();
      const start = Buffer.concat(chunks).subarray(0, wanted);
      expect(content.ofSimilar([start, ...ends], start.length)).toBe(hashOf(start, ...ends));
      // Asked again, and of a content without equal bytes.
      expect(content.ofSimilar([start, ...ends], 0)).toBe(hashOf(start, ...ends));
    }),
  );
});
