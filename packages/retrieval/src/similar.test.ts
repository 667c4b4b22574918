import { expect, test } from 'vitest';
import { similarTerms } from './similar.ts';

test.each([
  ['a typo', 'confguration', 'configuration', true],
  ['a beginning', 'auth', 'authent', true],
  ['an end', 'subdepend', 'depend', true],
  ['half of the shorter word', 'abcdxx', 'abcdyyyy', true],
  ['less than half of it', 'abcxxx', 'abcyyyy', false],
  ['too short', 'ab', 'abc', false],
  ['numbers', '1234', '12345', false],
  ['scripts without spaces', '缓存器械', '缓存器', false],
])('compares the spelling of two words: %s', (reason, word, other, isAlike) => {
  expect(
    similarTerms([word], [other]).map(([term]) => term),
    reason,
  ).toEqual(isAlike ? [other] : []);
});

test('does not depend on the order of the vocabulary, because sums of scores would', () => {
  const vocabulary = ['configurable', 'configure', 'config', 'figure', 'redis'];
  const similar = similarTerms(['configur', 'redi'], vocabulary);
  expect(similar.map(([term]) => term)).toEqual(['config', 'configurable', 'configure', 'figure', 'redis']);
  expect(similarTerms(['configur', 'redi'], vocabulary.toReversed())).toEqual(similar);
});

test('compares the first 32 words of a long query', () => {
  const letters = 'abcdefghijklmnopqrstuvwxyz';
  const words = Array.from(letters, (letter) => letter.repeat(5)).concat(
    Array.from('abcdef', (letter) => `${letter}zzzz`),
  );
  expect(words).toHaveLength(32);
  expect(similarTerms([...words.slice(1), 'configuration'], ['configur'])).toHaveLength(1);
  expect(similarTerms([...words, 'configuration'], ['configur'])).toEqual([]);
});
