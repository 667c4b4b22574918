import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareByTime, selectBest } from './select.ts';

test('the best are the first of all when they are sorted', () => {
  const items = fc.array(fc.record({ id: fc.string({ maxLength: 2 }), timeMs: fc.nat(5) }), { maxLength: 200 });
  fc.assert(
    fc.property(items, fc.integer({ min: 1, max: 40 }), (all, limit) => {
      expect(selectBest(all, limit, compareByTime)).toEqual(all.toSorted(compareByTime).slice(0, limit));
    }),
  );
});

test('of equally good documents the later comes first, then the lower id by UTF-16 units', () => {
  const documents = ['b', 'a', 'B', 'ä'].map((id) => ({ id, timeMs: 1 })).concat({ id: 'z', timeMs: 2 });
  expect(documents.toSorted(compareByTime).map(({ id }) => id)).toEqual(['z', 'B', 'a', 'b', 'ä']);
});
