import { describe, expect, test } from 'vitest';
import { exitCodeOf, Interrupted, type SearchOutcome } from './exit.ts';

describe('the exit status of a search', () => {
  const cases: readonly (readonly [reason: string, outcome: SearchOutcome, exitCode: number])[] = [
    ['a hit', { shown: 1, unreadable: 0 }, 0],
    ['none', { shown: 0, unreadable: 0 }, 1],
    ['a hit, stopped at the limit', { shown: 5, stopReason: 'limit', unreadable: 0 }, 0],
    ['a limit of nothing', { shown: 0, stopReason: 'limit', unreadable: 0 }, 1],
    ['a hit, but something could not be read', { shown: 1, unreadable: 1 }, 2],
    ['none, and something could not be read', { shown: 0, unreadable: 1 }, 2],
    ['a hit, but the time ran out', { shown: 1, stopReason: 'timeout', unreadable: 0 }, 2],
    ['none when the budget ran out', { shown: 0, stopReason: 'budget', unreadable: 0 }, 2],
  ];
  test.each(cases)('%s', (_reason, outcome, exitCode) => {
    expect(exitCodeOf(outcome)).toBe(exitCode);
  });
});

test('an interrupted run ends as a shell expects it of the signal', () => {
  expect([
    new Interrupted('SIGINT').exitCode,
    new Interrupted('SIGTERM').exitCode,
    new Interrupted('SIGHUP').exitCode,
  ]).toEqual([130, 143, 129]);
});
