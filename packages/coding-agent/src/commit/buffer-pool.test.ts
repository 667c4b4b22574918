import { expect, test } from 'vitest';
import { BufferPool } from './buffer-pool.ts';

const MIB = 1024 * 1024;

/** Whether two buffers lie in the same memory. */
function isSame(a: Buffer, b: Buffer): boolean {
  return a.buffer === b.buffer;
}

test('returns released memory for the next request of at most its size', () => {
  const pool = new BufferPool();
  const first = pool.take(2 * MIB);
  pool.release(first);
  const second = pool.take(MIB);
  expect(isSame(first, second)).toBe(true);
  expect(second.length).toBe(MIB);
});

test.each([
  ['it is in use', 2 * MIB, 2 * MIB, false],
  ['it is too small', MIB, 2 * MIB, true],
  ['it is small anyway', 1000, 1000, true],
  ['little is asked for', MIB, 1000, true],
  ['it is more than is kept', 17 * MIB, MIB, true],
])('makes new memory when %s', (_, size, next, isReleased) => {
  const pool = new BufferPool();
  const first = pool.take(size);
  if (isReleased) pool.release(first);
  const second = pool.take(next);
  expect(isSame(first, second)).toBe(false);
  expect(second.length).toBe(next);
});

test('never gives memory to two, even when one gives it back twice', () => {
  const pool = new BufferPool();
  const first = pool.take(MIB);
  pool.release(first);
  const second = pool.take(MIB);
  pool.release(first);
  const third = pool.take(MIB);
  expect(isSame(second, third)).toBe(false);
});

test('keeps the larger one of two', () => {
  const pool = new BufferPool();
  const [small, large] = [pool.take(MIB), pool.take(2 * MIB)];
  pool.release(large);
  pool.release(small);
  expect(isSame(pool.take(2 * MIB), large)).toBe(true);
});
