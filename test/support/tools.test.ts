import { expect, test } from 'vitest';
import { git, ripgrep, splitNames } from './tools.ts';
import { createTree } from './tree.ts';

test('the pinned ripgrep and git list the same files', () => {
  const root = createTree({ '.gitignore': '*.log\n', 'a.txt': 'hit\n', 'b.log': 'hit\n', 'new\nline.txt': '' });
  git(['init', '--quiet'], root);
  const fromGit = splitNames(git(['ls-files', '-z', '--cached', '--others', '--exclude-standard'], root));
  const fromRipgrep = splitNames(ripgrep(['--files', '--hidden', '--glob=!.git', '--null'], root).stdout);
  expect(fromGit.toSorted()).toEqual(['.gitignore', 'a.txt', 'new\nline.txt']);
  expect(fromRipgrep.toSorted()).toEqual(fromGit.toSorted());
});

test('a failing git names its reason', () => {
  const root = createTree({});
  expect(() => git(['log'], root)).toThrow(/^git log ended with exit code 128: .*not a git repository/u);
});

test('ripgrep reports by its exit code', () => {
  const root = createTree({ 'a.txt': 'hit\n' });
  expect(['hit', 'none', '('].map((pattern) => ripgrep([pattern], root).exitCode)).toEqual([0, 1, 2]);
});
