import { describe, expect, test } from 'vitest';
import { agreeing, disagreeing } from './disagreement.examples.ts';
import { disagrees, findDisagreements } from './disagreement.ts';

type Pairs = typeof agreeing;

const seen = (pairs: Pairs): Pairs => pairs.slice(0, pairs.length / 2);
const heldOut = (pairs: Pairs): Pairs => pairs.slice(pairs.length / 2);
const countOf = (pairs: Pairs): number => pairs.filter(([one, another]) => disagrees(one, another)).length;

test.each(seen(disagreeing))('%s / %s: they disagree', (one, another) => {
  expect(disagrees(one, another)).toBe(true);
});

test.each(seen(agreeing))('%s / %s: they do not', (one, another) => {
  expect(disagrees(one, another)).toBe(false);
});

test('of the pairs that were held out, as many are right as the figures say', () => {
  expect([heldOut(disagreeing).length, heldOut(agreeing).length]).toEqual([15, 15]);
  expect({ found: countOf(heldOut(disagreeing)), falseAlarms: countOf(heldOut(agreeing)) }).toEqual({
    found: 13,
    falseAlarms: 1,
  });
});

test('the order of two facts does not matter, and no fact disagrees with itself', () => {
  for (const [one, another] of [...disagreeing, ...agreeing]) {
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
