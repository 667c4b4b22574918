import { expect, test } from 'vitest';
import { createBufferPool } from './buffer-pool.ts';

const MIB = 1024 * 1024;

/** Whether two buffers lie in the same memory. */
function isSame(a: Buffer, b: Buffer): boolean {
  return a.buffer === b.buffer;
}

test('returns released memory for the next request of at most its size', () => {
  const pool = createBufferPool();
  const first = pool.take(2 * MIB);
  first.release();
  const second = pool.take(MIB);
  expect(isSame(first.bytes, second.bytes)).toBe(true);
  expect(second.bytes.length).toBe(MIB);
});

test.each([
  ['it is in use', 2 * MIB, 2 * MIB, false],
  ['it is too small', MIB, 2 * MIB, true],
  ['it is small anyway', 1000, 1000, true],
  ['little is asked for', MIB, 1000, true],
  ['it is more than is kept', 17 * MIB, MIB, true],
])('makes new memory when %s', (_, size, next, isReleased) => {
  const pool = createBufferPool();
  const first = pool.take(size);
  if (isReleased) first.release();
  const second = pool.take(next);
  expect(isSame(first.bytes, second.bytes)).toBe(false);
  expect(second.bytes.length).toBe(next);
});

test('never gives memory to two, even when one gives it back twice', () => {
  const pool = createBufferPool();
  const first = pool.take(MIB);
  first.release();
  const second = pool.take(MIB);
  first.release();
  const third = pool.take(MIB);
  expect(isSame(second.bytes, third.bytes)).toBe(false);
});

test('keeps the larger one of two', () => {
  const pool = createBufferPool();
  const [small, large] = [pool.take(MIB), pool.take(2 * MIB)];
  large.release();
  small.release();
  expect(isSame(pool.take(2 * MIB).bytes, large.bytes)).toBe(true);
});
