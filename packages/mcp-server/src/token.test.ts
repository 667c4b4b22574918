import { expect, test } from 'vitest';
import { createToken, createTokenCheck } from './token.ts';

test('no two tokens are alike, and a header can carry them', () => {
  const tokens = Array.from({ length: 100 }, createToken);
  expect(new Set(tokens).size).toBe(100);
  for (const token of tokens) expect(token).toMatch(/^[\w-]{43}$/u);
});

test.each([
  ['the token', 'Bearer secret', true],
  ['the scheme in other letters', 'bearer secret', true],
  ['another token', 'Bearer Secret', false],
  ['a part of it', 'Bearer secre', false],
  ['more than it', 'Bearer secrets', false],
  ['nothing', undefined, false],
  ['no token', 'Bearer ', false],
  ['another scheme', 'Basic secret', false],
])('the header has %s', (_, header, isRight) => {
  expect(createTokenCheck('secret')(header)).toBe(isRight);
});
