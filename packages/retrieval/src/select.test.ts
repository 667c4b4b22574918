import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareByTime, selectBest } from './select.ts';

test('returns the same items as sorting all and taking the first', () => {
  const items = fc.array(fc.record({ id: fc.string({ maxLength: 2 }), timeMs: fc.nat(5) }), { maxLength: 200 });
  fc.assert(
    fc.property(items, fc.integer({ min: 1, max: 40 }), (all, limit) => {
      expect(selectBest(all, limit, compareByTime)).toEqual(all.toSorted(compareByTime).slice(0, limit));
    }),
  );
});

test('orders equally good documents by time, latest first, then by id in UTF-16 code units', () => {
  const documents = ['b', 'a', 'B', 'ä'].map((id) => ({ id, timeMs: 1 })).concat({ id: 'z', timeMs: 2 });
  expect(documents.toSorted(compareByTime).map(({ id }) => id)).toEqual(['z', 'B', 'a', 'b', 'ä']);
});
