import { expect, test } from 'vitest';
import { createToken, createTokenCheck } from './guard.ts';

test('tokens are unique and valid in a header', () => {
  const tokens = Array.from({ length: 100 }, createToken);
  expect(new Set(tokens).size).toBe(100);
  for (const token of tokens) expect(token).toMatch(/^[\w-]{43}$/u);
});

test.each([
  ['the token', 'Bearer secret', true],
  ['the scheme in lower case', 'bearer secret', true],
  ['another token', 'Bearer Secret', false],
  ['a part of the token', 'Bearer secre', false],
  ['more than the token', 'Bearer secrets', false],
  ['no value', undefined, false],
  ['an empty token', 'Bearer ', false],
  ['another scheme', 'Basic secret', false],
])('checks a header with %s', (_, header, isRight) => {
  expect(createTokenCheck('secret')(header)).toBe(isRight);
});
