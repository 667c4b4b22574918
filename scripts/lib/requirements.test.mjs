import { expect, test } from 'vitest';

import { isOlder } from './requirements.mjs';

test.each([
  ['the same', '1.89.0', '1.89.0', false],
  ['the same, shorter', '1.89.0', '1.89', false],
  ['a newer minor that is a smaller string', '1.100.0', '1.89', false],
  ['an older minor', '1.88.9', '1.89', true],
  ['a newer major', '2.0.0', '1.89', false],
  ['an older patch', '20.18.3', '20.19.0', true],
])('compares versions: %s', (_reason, have, want, expected) => {
  expect(isOlder(have, want)).toBe(expected);
});
