import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { GrepOptions } from '@cairn/natives';
import { grep } from '@cairn/natives';
import { beforeAll, describe, expect, test } from 'vitest';
import { difference, noDifference, settledDifference, useNeutralHome } from '../support/difference.ts';
import { createOddTree } from '../support/odd-tree.ts';
import { describeLines, ourLines, ripgrepLines } from '../support/ripgrep-lines.ts';
import { ripgrep, splitNames } from '../support/tools.ts';
import { removeTree } from '../support/tree.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/u, '');

beforeAll(useNeutralHome);

async function ourFound(options: GrepOptions): Promise<string[]> {
  const { matches, complete } = await grep(options);
  expect(complete).toBe(true);
  return describeLines(ourLines(matches));
}

type Case = readonly [
  reason: string,
  options: Omit<GrepOptions, 'path' | 'pattern'> & { readonly pattern: string },
  flags: readonly string[],
];

/** The options and the flags of ripgrep that mean the same. */
const cases: readonly Case[] = [
  ['a word', { pattern: 'license' }, ['--hidden']],
  ['a word, not in hidden files', { pattern: 'license', hidden: false }, []],
  ['a word in any case', { pattern: 'LICENSE', ignoreCase: true }, ['--hidden', '--ignore-case']],
  ['the start of a line', { pattern: '^import .* from' }, ['--hidden']],
  ['the end of a line', { pattern: '\\{$' }, ['--hidden']],
  ['whitespace at the end', { pattern: '[ \\t]+$' }, ['--hidden']],
  ['carriage returns', { pattern: '\\r$' }, ['--hidden']],
  ['words', { pattern: '\\bcache\\b|\\bsnapshot\\b' }, ['--hidden']],
  ['letters outside ASCII', { pattern: '[^\\x00-\\x7F]{2}' }, ['--hidden']],
  ['characters by their script', { pattern: '\\p{Han}|\\p{Cyrillic}' }, ['--hidden']],
  ['two lines', { pattern: '\\}\\n\\n+export', multiline: true }, ['--hidden', '--multiline']],
  ['an absent word', { pattern: `absent ${'everywhere'.repeat(3)}!` }, ['--hidden']],
];

describe('in the repository itself', () => {
  test.each(cases)('grep finds what ripgrep finds: %s', async (_reason, options, flags) => {
    const ours = () => ourFound({ ...options, path: repository });
    const theirs = () => describeLines(ripgrepLines(repository, options.pattern, flags));
    expect(await settledDifference(ours, theirs)).toEqual(noDifference);
  });

  test.each(['ts', 'rust', 'json', 'md', 'toml', 'js', 'yaml'])('searches the files of type %s', async (type) => {
    const ours = async () => {
      const { matches } = await grep({ pattern: '.', path: repository, type, mode: 'filesWithMatches' });
      return matches.map(({ path }) => path);
    };
    const theirs = () => {
      const flags = [
        '--files-with-matches',
        '--null',
        '--no-require-git',
        '--hidden',
        '--glob=!.git',
        `--type=${type}`,
      ];
      return splitNames(ripgrep([...flags, '.'], repository).stdout);
    };
    expect(theirs().length).toBeGreaterThan(0);
    expect(await settledDifference(ours, theirs)).toEqual(noDifference);
  });

  test('the three modes and the cache agree', async () => {
    const options = { pattern: 'export', path: repository };
    const perFile = async (more: Partial<GrepOptions>): Promise<string[]> => {
      const { matches } = await grep({ ...options, ...more });
      const counts = new Map<string, number>();
      for (const { path, matchCount = 1 } of matches) counts.set(path, (counts.get(path) ?? 0) + matchCount);
      return [...counts].map(([path, count]) => (more.mode === 'filesWithMatches' ? path : `${path} ${count}`));
    };
    const lines = () => perFile({});
    for (const more of [{ mode: 'count' }, { cache: true }, { cache: true, mode: 'count' }] as const) {
      const expected = await lines();
      expect(expected.length).toBeGreaterThan(10);
      expect(
        await settledDifference(
          () => perFile(more),
          () => expected,
        ),
      ).toEqual(noDifference);
    }
    const files = (await lines()).map((line) => line.slice(0, line.lastIndexOf(' ')));
    expect(difference(await perFile({ mode: 'filesWithMatches' }), files)).toEqual(noDifference);
  });
});

describe('in node_modules, without ignore rules', () => {
  const nodeModules = join(repository, 'node_modules');
  const patterns: readonly (readonly [reason: string, pattern: string])[] = [
    ['a rare word', 'prototype pollution'],
    ['words in any case', '(?i)copyright \\(c\\) 20[0-9]+'],
    ['the start of a line', '^#!'],
    ['spaces and carriage returns at the end', ' \\r$'],
    ['a class of Unicode', '\\p{Greek}{3}'],
    ['a whole line', `^['"]use strict['"];?\\r?$`],
  ];

  // Where a NUL ends ripgrep's search depends on what the same thread has searched before; see the test of late NULs.
  let withNul: ReadonlySet<string> = new Set();
  beforeAll(() => {
    const flags = ['--text', '--files-with-matches', '--null', '--hidden', '--no-ignore'];
    withNul = new Set(splitNames(ripgrep([...flags, '\\x00'], nodeModules).stdout));
  });

  test.each(patterns)('grep finds what ripgrep finds: %s', async (_reason, pattern) => {
    const isText = ({ path }: { readonly path: string }): boolean => !withNul.has(path);
    const ours = async () => {
      const { matches } = await grep({ pattern, path: nodeModules, gitignore: false });
      return describeLines(ourLines(matches.filter(isText)));
    };
    const theirs = () => {
      const lines = ripgrepLines(nodeModules, pattern, ['--hidden', '--no-ignore']);
      return describeLines(lines.filter(isText));
    };
    expect([withNul.size > 0, theirs().length > 0]).toEqual([true, true]);
    expect(await settledDifference(ours, theirs)).toEqual(noDifference);
  });
});

describe('in an odd tree', () => {
  let root = '';
  beforeAll(() => {
    root = createOddTree({ dotIgnore: true });
    return () => removeTree(root);
  });

  test.each<Case>([
    ['everything', { pattern: '' }, ['--hidden']],
    // For ripgrep, a rule can show a hidden name.
    ['everything but what is hidden', { pattern: '', hidden: false }, ['--hidden', '--glob=!.*']],
    ['everything that is ignored too', { pattern: '', gitignore: false }, ['--hidden', '--no-ignore']],
    ['the names that are in their files', { pattern: '[^a-z.]' }, ['--hidden']],
    ['only some files', { pattern: '', glob: '*.txt' }, ['--hidden', '--glob=*.txt']],
  ])('grep finds what ripgrep finds: %s', async (_reason, options, flags) => {
    const ours = await ourFound({ ...options, path: root });
    const theirs = ripgrepLines(root, options.pattern, flags);
    // Only ripgrep takes a name of dots alone for visible.
    const isExpected = options.hidden === false ? (path: string) => !path.endsWith('/...') : () => true;
    expect(ours.length).toBeGreaterThan(5);
    expect(difference(ours, describeLines(theirs.filter(({ path }) => isExpected(path))))).toEqual(noDifference);
  });
});
