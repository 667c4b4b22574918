import { expect, test } from 'vitest';
import { estimateTokens } from './tokens.ts';

test.each([
  ['an empty text', '', 0],
  ['one letter', 'a', 1],
  ['ten letters', 'abcdefghij', 3],
  ['eleven letters', 'abcdefghijk', 4],
  ['four Han characters', '表格内容', 4],
  ['Han and Latin', '表 table', 3],
  ['kana and hangul', 'かなカナ한글', 6],
  ['a Han character outside the basic plane', '\u{20000}', 1],
  ['ten emoji, each one character', '😀'.repeat(10), 3],
  ['full-width signs', '！？', 2],
])('estimates the tokens of %s', (_, text, expected) => {
  expect(estimateTokens(text)).toBe(expected);
});

test('takes a long text in linear time and without an array of its characters', () => {
  expect(estimateTokens('ab'.repeat(5_000_000))).toBe(3_000_000);
});
