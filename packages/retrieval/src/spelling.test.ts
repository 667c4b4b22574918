import { expect, test } from 'vitest';
import { corrections } from './spelling.ts';
import { termsOf } from './terms.ts';

test.each([
  ['two letters are swapped', 'gatewya', 'gateway'],
  ['the first two letters are swapped', 'agteway', 'gateway'],
  ['a letter is missing', 'configuraton', 'configuration'],
  ['a letter is superfluous', 'gracefull', 'graceful'],
  ['a doubled letter is single', 'flaping', 'flapping'],
  ['a letter is another one', 'autoscalar', 'autoscaler'],
  ['another ending', 'delivery', 'deliver'],
  ['another ending', 'allergies', 'allergic'],
  ['a short word with two letters swapped', 'prot', 'port'],
])('corrects a word: %s', (reason, word, meant) => {
  const [term = ''] = termsOf(meant);
  expect(
    corrections(word).map((one) => one.term),
    reason,
  ).toContain(term);
});

test.each([
  ['a short word with another letter', 'lint', 'line'],
  ['another first letter', 'cateway', 'gateway'],
  ['two typos', 'gtaewya', 'gateway'],
  ['a short root with another ending', 'portal', 'port'],
  ['digits', 'port8', 'port'],
  ['a script without spaces', '网管', '网关'],
])('does not correct a word: %s', (reason, word, other) => {
  const [term = ''] = termsOf(other);
  expect(
    corrections(word).map((one) => one.term),
    reason,
  ).not.toContain(term);
});

test('names the word that was perhaps meant, and each term once', () => {
  const found = corrections('configuraton');
  expect(found).toContainEqual({ word: 'configuration', term: 'configur' });
  expect(new Set(found.map(({ term }) => term)).size).toBe(found.length);
});

test('the number of corrections of a word is bounded', () => {
  expect(corrections('a'.repeat(25))).toEqual([]);
  expect(corrections('abcdefghijklmnopqrstuvwx').length).toBeLessThan(2000);
});
