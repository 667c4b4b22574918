import type { GrepOptions } from '@cairn/natives';
import { grep } from '@cairn/natives';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { difference, noDifference, useNeutralHome } from '../support/difference.ts';
import { lateNulFiles, longFiles, oddFiles } from '../support/odd-files.ts';
import { describeLines, ourLines, ripgrepLines } from '../support/ripgrep-lines.ts';
import { newDirectory, removeTree, writeTree } from '../support/tree.ts';
import { ripgrep } from '../support/tools.ts';

beforeAll(useNeutralHome);

const hasPcre2 = ripgrep(['--pcre2-version'], '/').exitCode === 0;

/** The difference to `rg -P`, for a pattern that Rust's engine does not take. */
async function pcreDifference(
  path: string,
  options: Omit<GrepOptions, 'path' | 'pattern'> & { readonly pattern: string },
  flags: readonly string[] = [],
) {
  const theirs = ripgrepLines(path, options.pattern, [
    '--pcre2',
    '--hidden',
    ...(options.multiline === true ? ['--multiline'] : []),
    ...(options.ignoreCase === true ? ['--ignore-case'] : []),
    ...(options.crlf === true ? ['--crlf'] : []),
    ...flags,
  ]);
  const content = await grep({ ...options, path });
  expect(content).toMatchObject({ engine: 'pcre2', complete: true });
  const count = await grep({ ...options, path, mode: 'count' });
  const files = await grep({ ...options, path, mode: 'filesWithMatches' });
  const names = [...new Set(content.matches.map((match) => match.path))];
  expect(count.matches.map((match) => match.path)).toEqual(names);
  expect(files.matches.map((match) => match.path)).toEqual(names);
  expect(count.totalMatches).toBe(content.matches.length);
  return difference(describeLines(ourLines(content.matches)), describeLines(theirs));
}

type Case = readonly [reason: string, pattern: string, options?: Omit<GrepOptions, 'path' | 'pattern'>];

const patterns: readonly Case[] = [
  ['look-ahead', 'need(?=le)'],
  ['look-ahead at the end of a line', 'needle(?=$)'],
  ['negative look-ahead', 'needle(?! x)'],
  ['look-behind', '(?<=one )needle'],
  ['look-behind at the start of a line', '(?<=^)needle'],
  ['negative look-behind', '(?<!e)\\s'],
  ['a back-reference', '(.)\\1'],
  ['a back-reference, in any case', '(n)\\w+ \\1', { ignoreCase: true }],
  ['a name', '(?<letter>\\w)(?P=letter)'],
  ['an atomic group', '(?>ne+)dle'],
  ['a match that starts later', 'need\\Kle'],
  ['horizontal white space', '\\hneedle'],
  ['any line break inside a line', 'x\\R'],
  ['no line break', 'needle\\N'],
  ['the end of the text', 'needle\\Z'],
  ['an extended character', '\\X{3}(?=needle)'],
  ['a letter outside ASCII, in any case', '(?=É)\\w', { ignoreCase: true }],
  ['letters that fold to ASCII, in any case', '(?=[ks])\\w', { ignoreCase: true }],
  ['a carriage return before the end', '(?<!x)\\r(?=$)'],
  ['an empty match', '(?=)'],
  ['an empty match before a letter', '(?=é)'],
  ['a byte order mark', '(?=\\x{FEFF})'],
  ['a Unicode class', '(?!a)\\p{Greek}'],
  ['a condition', '(a)?(?(1)b|needle)'],
  ['two lines', 'needle\\n(?=needle)', { multiline: true }],
  ['the last line', '(?<=\\n)last', { multiline: true }],
  ['white space over lines', 'needle(?=\\s+needle)', { multiline: true }],
  ['the same word on the next line', '(needle).*\\n\\1', { multiline: true }],
  ['an empty line', '^$(?!x)', { multiline: true }],
];

describe.skipIf(!hasPcre2).each([
  { name: 'odd files', files: oddFiles() },
  { name: 'long files', files: longFiles() },
])('N60, N66: $name', ({ name, files }) => {
  let root = '';
  beforeAll(() => {
    root = newDirectory();
    writeTree(root, files);
    return () => removeTree(root);
  });
  // Each match has its position, and a line has a million characters: only patterns with few matches.
  const sparse = new Set(['need(?=le)', 'needle(?=$)', '(?<=one )needle', 'need\\Kle', '(?<=\\n)last']);
  const chosen = patterns.filter(([, pattern]) => name === 'odd files' || sparse.has(pattern));

  test.each(chosen.map(([reason, pattern, options]) => [reason, pattern, options ?? {}] as const))(
    'have the lines that rg -P finds with %s',
    async (_reason, pattern, options) => {
      expect(await pcreDifference(root, { pattern, ...options })).toEqual(noDifference);
    },
  );

  // ripgrep matches the `\n` of a line without `\r` too, so that such a line ends with white space.
  const seesLineBreaks = new Set(['(?<!e)\\s', 'x\\R', '(.)\\1']);
  test.each(
    chosen
      .filter(([, pattern]) => !seesLineBreaks.has(pattern))
      .map(([reason, pattern, options]) => [reason, pattern, options ?? {}] as const),
  )('have the lines that rg -P --crlf finds with %s', async (_reason, pattern, options) => {
    expect(await pcreDifference(root, { pattern, crlf: true, ...options })).toEqual(noDifference);
  });
});

describe.skipIf(!hasPcre2)('N60, N66: text with a NUL far behind its start', () => {
  let root = '';
  const files = lateNulFiles();
  beforeAll(() => {
    root = newDirectory();
    writeTree(root, files);
    return () => removeTree(root);
  });

  test.each(Object.keys(files))('%s has the lines that rg -P finds', async (glob) => {
    for (const pattern of ['need(?=le)', '(?<!x)7\\.', '(?=absent)a'])
      expect(await pcreDifference(root, { pattern, glob }, [`--glob=${glob}`]), pattern).toEqual(noDifference);
  });
});

describe.skipIf(!hasPcre2)('N66: random patterns', () => {
  const pieces = ['a', 'b', 'ab', 'A', ' ', '\t', '1', 'é', '漢', '😀', '\r', '\n', '\n', '\r\n'];
  const text = fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((parts) => parts.join(''));
  let root = '';
  beforeAll(() => {
    root = newDirectory();
    const texts = fc.sample(text, { seed: 3, numRuns: 60 });
    writeTree(root, Object.fromEntries(texts.map((content, index) => [`f${index}`, Buffer.from(content)])));
    return () => removeTree(root);
  });
  const atom = fc.constantFrom(
    'a',
    'b',
    'A',
    '1',
    'é',
    '漢',
    '.',
    '\\s',
    '\\w',
    '\\W',
    '[^a]',
    '[ab]',
    '^',
    '$',
    '\\b',
  );
  const item = fc.oneof(
    { weight: 3, arbitrary: atom },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom('a', '.', '\\w', '[^b]'), fc.constantFrom('*', '+', '?', '*?'))
        .map((pair) => pair.join('')),
    },
    { weight: 1, arbitrary: atom.map((inner) => `(?=${inner})`) },
    { weight: 1, arbitrary: atom.map((inner) => `(?!${inner})`) },
    { weight: 1, arbitrary: atom.map((inner) => `(?<=${inner})`) },
    { weight: 1, arbitrary: atom.map((inner) => `(?<!${inner})`) },
    { weight: 1, arbitrary: atom.map((inner) => `(${inner}|b)\\1`) },
  );
  // The part that Rust's engine does not know.
  const pattern = fc.array(item, { minLength: 1, maxLength: 4 }).map((items) => `${items.join('')}(?!x)`);

  test('find the lines that rg -P finds', async () => {
    // A `\1` is of the first group of all.
    const property = fc.asyncProperty(pattern, fc.boolean(), fc.boolean(), async (given, ignoreCase, multiline) => {
      expect(await pcreDifference(root, { pattern: given, ignoreCase, multiline }), given).toEqual(noDifference);
    });
    await fc.assert(property, { seed: 5, numRuns: 60, endOnFailure: true });
  });
});
