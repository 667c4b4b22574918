import { expect, test } from 'vitest';
import { decide } from './decide.ts';

test.each([
  { exact: 0, vague: 0, next: 'L1' },
  { exact: 0, vague: 1, next: 'L1' },
  { exact: 0, vague: 9, next: 'L1' },
  { exact: 1, vague: 0, next: 'L2' },
  { exact: 1, vague: 9, next: 'L2' },
  { exact: 2, vague: 0, next: 'L2' },
  { exact: 2, vague: 9, next: 'L2' },
  { exact: 3, vague: 0, next: 'L1' },
  { exact: 3, vague: 9, next: 'L1' },
  { exact: 200, vague: 0, next: 'L1' },
])('$exact exact and $vague vague matches lead to $next', ({ next, ...counts }) => {
  expect(decide(counts)).toBe(next);
});
