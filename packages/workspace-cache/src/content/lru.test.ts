import { expect, test } from 'vitest';
import { Lru } from './lru.ts';

/** The cost of an entry of a one-letter key without a value. */
const ENTRY = 1282;

test('drops what was used least recently when the limit is reached', () => {
  const lru = new Lru<number>({ maxCost: 3 * ENTRY + 30 });
  for (const [index, key] of ['a', 'b', 'c'].entries()) lru.set(key, index, 10);
  expect(lru.get('a')).toBe(0);
  expect(lru.peek('b')).toBe(1);
  lru.set('d', 3, 10);
  expect([...lru.keys()]).toEqual(['c', 'a', 'd']);
  expect(lru.cost).toBe(3 * ENTRY + 30);
});

test('a value that costs more than the limit replaces the old one by nothing', () => {
  const lru = new Lru<number>({ maxCost: 2000 });
  lru.set('a', 1, 10);
  lru.set('a', 2, 2000);
  expect([lru.size, lru.cost]).toEqual([0, 0]);
});

test('counts the keys, and has a limit of entries', () => {
  const lru = new Lru<number>({ maxCost: 1_000_000, maxSize: 2 });
  for (const key of ['a', 'b', 'c']) lru.set(key, 1, 0);
  expect([...lru.keys()]).toEqual(['b', 'c']);
  lru.set('x'.repeat(400_000), 1, 0);
  expect(lru.cost).toBeGreaterThan(800_000);
});

test('a replaced value is not removed by who had the old one', () => {
  const lru = new Lru<object>({ maxCost: 10_000 });
  const old = {};
  lru.set('a', old, 1);
  lru.set('a', {}, 1);
  lru.delete('a', old);
  expect(lru.has('a')).toBe(true);
  lru.delete('a');
  expect([lru.has('a'), lru.cost]).toEqual([false, 0]);
});
