import { describe, expect, test } from 'vitest';
import type { GlobMatch } from '@cairn/natives';
import { abbreviate, extensionOf, pickExtension, pickFile, pickWord, summarize, wordCandidates } from './choices.ts';

const types = { File: 1, Dir: 2, Symlink: 3 } as const;

function files(...paths: string[]): GlobMatch[] {
  return paths.map((path) => ({ path, fileType: types.File }));
}

test('a summary counts kinds, extensions and what lies below each top directory', () => {
  const matches: GlobMatch[] = [
    ...files('a/x.ts', 'a/b/y.ts', 'c/z.md', 'README', '.hidden', 'w.md'),
    { path: 'a', fileType: types.Dir },
    { path: 'a/b', fileType: types.Dir },
    { path: 'link.ts', fileType: types.Symlink },
  ];
  expect(summarize(matches, types)).toEqual({
    files: 6,
    directories: 2,
    links: 1,
    paths: ['a/x.ts', 'a/b/y.ts', 'c/z.md', 'README', '.hidden', 'w.md'],
    extensions: [
      { name: 'md', count: 2 },
      { name: 'ts', count: 2 },
    ],
    biggest: [
      { name: 'a', count: 2 },
      { name: 'c', count: 1 },
    ],
  });
});

describe('extensions', () => {
  const cases: readonly (readonly [path: string, extension: string | undefined])[] = [
    ['a/b.ts', 'ts'],
    ['a.b/c', undefined],
    ['.gitignore', undefined],
    ['a/.eslintrc.json', 'json'],
    ['x.tar.gz', 'gz'],
    ['ends.', undefined],
  ];
  test.each(cases)('%s', (path, extension) => {
    expect(extensionOf(path)).toBe(extension);
  });

  test('one that means something in a pattern is passed over', () => {
    expect(
      pickExtension([
        { name: '*', count: 9 },
        { name: 'a b', count: 5 },
        { name: 'c++', count: 2 },
      ]),
    ).toBe('c++');
    expect(pickExtension([])).toBeUndefined();
  });
});

describe('abbreviations', () => {
  const cases: readonly (readonly [path: string, abbreviation: string])[] = [
    ['src/fs-cache-invalidation.ts', 'fscacinv'],
    ['FuzzyFindOptions.test.ts', 'fuzfinopt'],
    ['a/HTTPServer.java', 'httser'],
    ['snake_case_name.py', 'snacasnam'],
    ['kernel/scheduler.c', 'schdl'],
    ['procfs-i8k', 'prcfs'],
    ['42', ''],
  ];
  test.each(cases)('%s', (path, abbreviation) => {
    expect(abbreviate(path)).toBe(abbreviation);
  });

  test('are letters of the name in order', () => {
    for (const [path, abbreviation] of cases) {
      let at = 0;
      for (const letter of abbreviation) {
        at = path.toLowerCase().indexOf(letter, at) + 1;
        expect(at, `${abbreviation} in ${path}`).toBeGreaterThan(0);
      }
    }
  });
});

describe('the file to find', () => {
  test('has several words and lies deep', () => {
    expect(pickFile(['a.ts', 'read-me.md', 'src/deep/read-cache.ts', 'src/one.ts'], 'ts')).toBe(
      'src/deep/read-cache.ts',
    );
  });

  test('is of the frequent extension among equals', () => {
    expect(pickFile(['a/one-two.md', 'b/one-two.ts', 'c/one-two.ts'], 'ts')).toBe('b/one-two.ts');
  });

  test('has a valid name and is not a directory', () => {
    const matches: GlobMatch[] = [
      { path: 'many-words-here', fileType: types.Dir },
      { path: 'bro-ken\ufffd-name', fileType: types.File, lossyPath: true },
    ];
    expect(summarize(matches, types).paths).toEqual([]);
  });

  test('is undefined when no name can be abbreviated', () => {
    expect(pickFile(['1', '漢字'], undefined)).toBeUndefined();
  });
});

test('searches a word in a few files of each frequent extension, then in files without one', () => {
  const paths = ['LICENSE', 'a.md', ...Array.from({ length: 9 }, (_, index) => `${index}.png`), 'z.md', 'rare.txt'];
  const extensions = [
    { name: 'png', count: 9 },
    { name: 'md', count: 2 },
  ];
  expect(wordCandidates(paths, extensions)).toEqual([
    '0.png',
    '1.png',
    '2.png',
    '3.png',
    '4.png',
    'a.md',
    'z.md',
    'LICENSE',
  ]);
});

describe('the word to search for', () => {
  const cases: readonly (readonly [reason: string, text: string, word: string | undefined])[] = [
    ['one that occurs again wins over a longer one', 'extraordinary single words, single', 'single'],
    ['else the longest', 'short extraordinary', 'extraordinary'],
    ['no part of an identifier', 'snake_case_thing x', undefined],
    ['none in a binary file', 'binary\0content binary', undefined],
    ['none in an empty file', '', undefined],
  ];
  test.each(cases)('%s', (_reason, text, word) => {
    expect(pickWord(text)).toBe(word);
  });
});
