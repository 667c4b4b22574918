import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import type { GlobOptions } from '@cairn/natives';
import { FileType, glob } from '@cairn/natives';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { difference, noDifference, settledDifference, useNeutralHome } from '../support/difference.ts';
import { patternArbitrary } from '../fuzz/glob-patterns.ts';
import { compileGlob } from '../support/glob-oracle.ts';
import { diskListing, gitListing } from '../support/listings.ts';
import { createOddTree } from '../support/odd-tree.ts';
import { createTree, removeTree } from '../support/tree.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/u, '');

beforeAll(useNeutralHome);

/** Paths by cached and uncached walks; an uncached one may be narrowed: they must be the same. */
async function globPaths(options: GlobOptions): Promise<string[]> {
  const all = { hidden: true, includeNodeModules: true, ...options };
  const fresh = await glob(all);
  const cached = await glob({ ...all, cache: true });
  expect(cached, `cached, with the pattern ${JSON.stringify(options.pattern)}`).toEqual(fresh);
  return fresh.matches.map(({ path }) => path);
}

describe('a glob matches what its rules say', () => {
  /** Both the addon and the oracle of the random tests must find these. */
  const cases: readonly (readonly [
    reason: string,
    pattern: string,
    paths: readonly string[],
    options?: Partial<GlobOptions>,
  ])[] = [
    ['a name, at any depth', 'b.ts', ['b.ts', 'src/b.ts', 'src/deep/b.ts']],
    ['a name, at the root only', 'b.ts', ['b.ts'], { recursive: false }],
    ['a star, at the root only', '*.ts', ['a.ts', 'b.ts'], { recursive: false }],
    ['a star matches dot names', '.*rc', ['.arc', 'src/.brc']],
    ['a star stops at a slash', 'src/*', ['src/.brc', 'src/b.ts', 'src/c.js', 'src/deep']],
    ['a path is anchored', 'deep/b.ts', []],
    ['two stars cross slashes', 'src/**/b.ts', ['src/b.ts', 'src/deep/b.ts']],
    ['two stars first', '**/deep/*', ['src/deep/[x].ts', 'src/deep/b.ts', 'src/deep/b{c}d', 'src/deep/é.ts']],
    [
      'two stars last match what is inside',
      'src/deep/**',
      ['src/deep/[x].ts', 'src/deep/b.ts', 'src/deep/b{c}d', 'src/deep/é.ts'],
    ],
    ['two stars next to other characters, before a slash', 's**c/c.js', ['src/c.js']],
    ['a question mark is one character', '?.ts', ['a.ts', 'b.ts', 'src/b.ts', 'src/deep/b.ts', 'src/deep/é.ts']],
    ['a question mark does not match a slash', 'src?b.ts', []],
    ['a class', '[bc].*', ['b.ts', 'src/b.ts', 'src/c.js', 'src/deep/b.ts']],
    ['a class with a range', '[a-b].ts', ['a.ts', 'b.ts', 'src/b.ts', 'src/deep/b.ts']],
    ['a negated class', '[!b-z].ts', ['a.ts', 'src/deep/é.ts']],
    ['a negated class, with a caret', '[^b-z].ts', ['a.ts', 'src/deep/é.ts']],
    ['a negated class does not match a slash', 'src[!x]b.ts', []],
    ['a range over the slash does not match it', 'src[+-9]b.ts', []],
    ['a class of nothing but a slash matches nothing', 'src[/]b.ts', []],
    ['a class that begins with a bracket', '[]x[]*', ['x]y'], { recursive: false }],
    ['a class with an escaped bracket', '*[\\]]*', ['src/deep/[x].ts', 'x]y']],
    ['a class outside ASCII', '[é].ts', ['src/deep/é.ts']],
    ['a range outside ASCII', '[à-ü].ts', ['src/deep/é.ts']],
    ['braces', '*.{js,rs}', ['src/c.js']],
    ['braces with an empty alternative', 'src/{deep/,}b.ts', ['src/b.ts', 'src/deep/b.ts']],
    ['braces in braces', '{a,src/{b,c}}.{ts,js}', ['a.ts', 'src/b.ts', 'src/c.js']],
    ['braces over slashes', '{src/deep,x}/*.ts', ['src/deep/[x].ts', 'src/deep/b.ts', 'src/deep/é.ts']],
    ['braces with two stars first', '{**/deep,x}/b.ts', ['src/deep/b.ts']],
    ['braces with two stars last', '{src/**,x}/b.ts', ['src/b.ts', 'src/deep/b.ts']],
    ['braces of two stars alone', '{**,x}/b.ts', ['b.ts', 'src/b.ts', 'src/deep/b.ts']],
    ['a brace that closes nothing', 'b\\{c}d', ['src/deep/b{c}d']],
    ['an escaped star', '\\*', []],
    ['an escaped bracket', '\\[x\\].ts', ['src/deep/[x].ts']],
    ['an escaped letter', '\\b.ts', ['b.ts', 'src/b.ts', 'src/deep/b.ts']],
    ['a name after a dot and a slash, at the root only', './b.ts', ['b.ts']],
    ['a star after a dot and a slash, at the root only', './*.ts', ['a.ts', 'b.ts']],
    ['an escaped slash is a slash', 'src\\/deep\\/b.ts', ['src/deep/b.ts']],
    ['two stars before an escaped slash', '**\\/b.ts', ['b.ts', 'src/b.ts', 'src/deep/b.ts']],
    ['a directory with an escaped slash', 'deep\\/', ['src/deep']],
    ['two stars next to other characters are one', 's**b.ts', []],
    ['in their component, at any depth', 'sr**', ['src']],
    ['another case', 'B.ts', []],
    ['a star of everything', 'x*', ['x]y']],
  ];
  let root = '';
  beforeAll(() => {
    root = createOddTree({ dotIgnore: false, randomDirectoryCount: 1 });
    return () => removeTree(root);
  });

  test.each(cases.map(([reason, pattern, paths, options]) => [reason, pattern, paths, options ?? {}] as const))(
    '%s',
    async (_reason, pattern, expected, options) => {
      const small = createTree({
        'a.ts': '',
        'b.ts': '',
        '.arc': '',
        'x]y': '',
        src: { 'b.ts': '', 'c.js': '', '.brc': '', deep: { 'b.ts': '', '[x].ts': '', 'b{c}d': '', 'é.ts': '' } },
      });
      expect(await globPaths({ pattern, path: small, ...options })).toEqual(expected);
      const all = diskListing(small).map(({ path }) => path);
      expect(all.filter(compileGlob(pattern, options)).toSorted()).toEqual(expected.toSorted());
      // And where there is more that it must not match.
      const odd = diskListing(root).map(({ path }) => path);
      const ours = await globPaths({ pattern, path: root, gitignore: false, ...options });
      expect(difference(ours, odd.filter(compileGlob(pattern, options)))).toEqual(noDifference);
    },
  );
});

/** ASCII only, and not so long that a failure cannot be read. */
function isPlain(path: string): boolean {
  return /^[ -~]{1,60}$/u.test(path);
}

describe('random globs match what their rules say', () => {
  let root = '';
  let odd: readonly string[] = [];
  beforeAll(() => {
    root = createOddTree({ dotIgnore: true, randomDirectoryCount: 2 });
    odd = diskListing(root).map(({ path }) => path);
    return () => removeTree(root);
  });

  const isOpenEnded = (pattern: string): boolean => /[?[]/u.test(pattern);
  // It replaces, in a path, bytes that are not valid UTF-8, which no pattern can spell.
  const isSpelt = (pattern: string): boolean => !pattern.includes('\uFFFD');

  test.each([
    ['over plain names', isPlain, (pattern: string) => /^[ -~]*$/u.test(pattern), 250],
    [
      'over all names, but for what stands for one character',
      () => true,
      (pattern: string) => isSpelt(pattern) && !isOpenEnded(pattern),
      100,
    ],
    ['over all names', () => true, isSpelt, 150],
  ])('in an odd tree, %s', async (_name, isConsidered, isUsed, numRuns) => {
    const considered = odd.filter(isConsidered);
    const patterns = patternArbitrary(considered).filter(isUsed);
    let hits = 0;
    const property = fc.asyncProperty(patterns, fc.boolean(), async (pattern, recursive) => {
      const ours = await globPaths({ pattern, path: root, gitignore: false, recursive });
      const theirs = considered.filter(compileGlob(pattern, { recursive }));
      hits += theirs.length > 0 ? 1 : 0;
      expect(difference(ours.filter(isConsidered), theirs)).toEqual(noDifference);
    });
    await fc.assert(property, { seed: 11, numRuns, endOnFailure: true });
    expect(hits).toBeGreaterThan(numRuns / 2);
  });

  test('in the repository itself', async () => {
    let files = gitListing(repository).files;
    const patterns = fc.sample(fc.tuple(patternArbitrary(files), fc.boolean()), { seed: 12, numRuns: 150 });
    let hits = 0;
    for (const [pattern, recursive] of patterns) {
      const ours = async () => {
        const { matches } = await glob({
          pattern,
          path: repository,
          hidden: true,
          includeNodeModules: true,
          recursive,
        });
        return matches.filter(({ fileType }) => fileType !== FileType.Dir).map(({ path }) => path);
      };
      const theirs = () => files.filter(compileGlob(pattern, { recursive }));
      if (theirs().length > 0) hits++;
      let found = difference(await ours(), theirs());
      if (!isDeepStrictEqual(found, noDifference)) {
        // Another process may have worked meanwhile.
        files = gitListing(repository).files;
        found = await settledDifference(ours, theirs);
      }
      expect(found, JSON.stringify({ pattern, recursive })).toEqual(noDifference);
    }
    // How many depends on the names in the repository.
    expect(hits).toBeGreaterThan(25);
  });

  test('and a limit gives the first of them', async () => {
    const patterns = fc.sample(patternArbitrary(odd.filter(isPlain)), { seed: 13, numRuns: 50 });
    for (const pattern of patterns) {
      const options = { pattern, path: root, hidden: true, gitignore: false, includeNodeModules: true };
      const whole = await glob(options);
      const limited = await glob({ ...options, maxResults: 3 });
      expect(limited.matches, pattern).toEqual(whole.matches.slice(0, 3));
      expect(limited.complete, pattern).toBe(whole.matches.length <= 3);
    }
  });
});
