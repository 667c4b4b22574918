import { describe, expect, test } from 'vitest';
import { fuseRanks, MAX_FUSED_SCORE, standsOut } from './fuse.ts';

const orderOf = (scores: ReadonlyMap<string, number>): string[] =>
  [...scores].toSorted(([, left], [, right]) => right - left).map(([id]) => id);

describe('fused rankings', () => {
  test('put a document first that is high in both', () => {
    expect(orderOf(fuseRanks(['a', 'b', 'c', 'd'], ['b', 'x', 'a']))).toEqual(['b', 'a', 'x', 'c', 'd']);
    expect(fuseRanks(['a'], ['a']).get('a')).toBe(MAX_FUSED_SCORE);
  });

  test('count the rank by words twice for a document without a vector', () => {
    const hasMeaning = (id: string): boolean => id !== 'b';
    const scores = fuseRanks(['a', 'b'], ['a'], hasMeaning);
    expect(scores.get('b')).toBeCloseTo(2 / 62, 12);
    expect(scores.get('a')).toBe(MAX_FUSED_SCORE);
  });
});

describe('the nearest document stands out', () => {
  const cases: readonly (readonly [why: string, nearness: Parameters<typeof standsOut>[0], isAnswer: boolean])[] = [
    ['far above all others', { best: 0.8, next: 0.2, mean: 0.05, deviation: 0.12, count: 100 }, true],
    ['as near as the next one', { best: 0.8, next: 0.79, mean: 0.05, deviation: 0.12, count: 100 }, false],
    ['hardly above the mean', { best: 0.3, next: 0.1, mean: 0.05, deviation: 0.12, count: 100 }, false],
    ['one of a few', { best: 0.9, next: 0.1, mean: 0.2, deviation: 0.3, count: 7 }, false],
    ['all are equal', { best: 0.5, next: 0.5, mean: 0.5, deviation: 0, count: 50 }, false],
    ['there is none', { best: 0, next: 0, mean: 0, deviation: 0, count: 0 }, false],
  ];
  test.each(cases)('%s', (_, nearness, isAnswer) => {
    expect(standsOut(nearness)).toBe(isAnswer);
  });
});
