import { describe, expect, test } from 'vitest';
import { pathBelow, pathPrefix } from './path-prefix.ts';

describe('what stands before a printed path', () => {
  const cases: readonly (readonly [reason: string, root: string, prefix: string])[] = [
    ['nothing in the current directory', '.', ''],
    ['nor when it is written with a slash', './', ''],
    ['a directory', 'src', 'src/'],
    ['a trailing slash is not doubled', 'src//', 'src/'],
    ['a leading ./ is dropped', './src', 'src/'],
    ['the parent', '..', '../'],
    ['an absolute path', '/tmp/x', '/tmp/x/'],
    ['the file system root', '/', '/'],
    ['a hidden directory', '.github', '.github/'],
  ];
  test.each(cases)('%s', (_reason, root, prefix) => {
    expect(pathPrefix(root)).toBe(prefix);
  });
});

test.each([
  ['.', '.', '.'],
  ['.', 'a/b', 'a/b'],
  ['src', '.', 'src'],
  ['./src/', '.', 'src'],
  ['src', 'a', 'src/a'],
  ['/', '.', '/'],
  ['/', 'a', '/a'],
  ['..', '.', '..'],
])('below %s, the entry %s is printed as %s', (root, path, expected) => {
  expect(pathBelow(root, path)).toBe(expected);
});
