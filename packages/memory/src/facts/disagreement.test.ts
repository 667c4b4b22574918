import { describe, expect, test } from 'vitest';
import {
  agreeing,
  corrections,
  disagreeing,
  laterCorrections,
  laterNeighbors,
  neighbors,
} from './disagreement.examples.ts';
import { disagrees, findDisagreements } from './disagreement.ts';

type Pairs = typeof agreeing;

const half = (pairs: Pairs): Pairs => pairs.slice(pairs.length / 2);
const countOf = (pairs: Pairs): number => pairs.filter(([one, another]) => disagrees(one, another)).length;

test.each([...disagreeing.slice(0, 15), ...corrections])('%s / %s: they disagree', (one, another) => {
  expect(disagrees(one, another)).toBe(true);
});

test.each([...agreeing.slice(0, 15), ...neighbors])('%s / %s: they do not', (one, another) => {
  expect(disagrees(one, another)).toBe(false);
});

test('of the pairs that were held out, as many are right as the figures say', () => {
  const [right, wrong] = [
    [...half(disagreeing), ...laterCorrections],
    [...half(agreeing), ...laterNeighbors],
  ];
  expect([right.length, wrong.length]).toEqual([35, 35]);
  expect({ found: countOf(right), falseAlarms: countOf(wrong) }).toEqual({ found: 33, falseAlarms: 0 });
});

test('a value of another unit is the same value', () => {
  for (const [one, another] of [
    ['Tokens expire after 60 minutes', 'Tokens expire after 1 hour'],
    ['Uploads are limited to 2 GB', 'Uploads are limited to 2000 MB'],
    ['The release is on 5 March 2026', 'The release is on March 5, 2026'],
    ['令牌 90 秒后过期', '令牌 1.5 分钟后过期'],
  ] as const) {
    expect(disagrees(one, another), `${one} / ${another}`).toBe(false);
  }
});

test('the order of two facts does not matter, and no fact disagrees with itself', () => {
  for (const [one, another] of [...disagreeing, ...corrections, ...agreeing, ...neighbors]) {
    expect(disagrees(another, one), `${one} / ${another}`).toBe(disagrees(one, another));
    for (const text of [one, another]) expect(disagrees(text, text), text).toBe(false);
  }
});

describe('texts of any kind', () => {
  test.each(['', ' ', '...', 'not', '不', '8080', 'instead of', '\u{1f600}', 'is is is', '- [ ] x'])(
    '%j is compared',
    (text) => {
      for (const other of ['', 'The port is 8080', '不', text]) expect(typeof disagrees(text, other)).toBe('boolean');
    },
  );

  test('a long one has many statements, and is not compared', () => {
    const long = `The port is 8080. ${'More about it. '.repeat(40)}`;
    expect(disagrees(long, long.replace('8080', '9090'))).toBe(false);
  });
});

test('among several facts, each has those that it disagrees with', () => {
  const texts = [
    'The port of the API is 8080',
    'Logs are in JSON',
    'The port of the API is 9090',
    'The port of the API is 7070',
  ];
  expect(findDisagreements(texts)).toEqual([[2, 3], [], [0, 3], [0, 2]]);
});
