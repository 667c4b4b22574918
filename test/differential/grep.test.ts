import type { GrepOptions, GrepResult } from '@cairn/natives';
import { grep } from '@cairn/natives';
import { beforeAll, describe, expect, test } from 'vitest';
import { difference, noDifference, useNeutralHome } from '../support/difference.ts';
import type { Contents } from '../support/odd-files.ts';
import { lateNulFiles, longFiles, oddFiles } from '../support/odd-files.ts';
import type { FoundLine } from '../support/ripgrep-lines.ts';
import { describeLines, ourLines, ripgrepLines } from '../support/ripgrep-lines.ts';
import { createTree, newDirectory, removeTree, writeTree } from '../support/tree.ts';

beforeAll(useNeutralHome);

/** What the three modes say, which must be one and the same thing. */
async function everyMode(options: GrepOptions): Promise<GrepResult> {
  const content = await grep(options);
  const count = await grep({ ...options, mode: 'count' });
  const files = await grep({ ...options, mode: 'filesWithMatches' });
  const counted = new Map<string, number>();
  for (const { path } of content.matches) counted.set(path, (counted.get(path) ?? 0) + 1);
  expect(count.matches.map(({ path, matchCount }) => [path, matchCount])).toEqual([...counted]);
  expect(files.matches.map(({ path }) => path)).toEqual([...counted.keys()]);
  expect(count).toMatchObject({ totalMatches: content.matches.length, skipped: content.skipped });
  return content;
}

async function lineDifference(
  root: string,
  options: Omit<GrepOptions, 'path' | 'pattern'> & { readonly pattern: string },
) {
  const flags = [
    '--hidden',
    ...(options.multiline === true ? ['--multiline'] : []),
    ...(options.ignoreCase === true ? ['--ignore-case'] : []),
    ...(options.crlf === true ? ['--crlf'] : []),
  ];
  const theirs = ripgrepLines(root, options.pattern, flags);
  const result = await everyMode({ ...options, path: root });
  expect(result).toMatchObject({ engine: 'regex', complete: true });
  const ours = ourLines(result.matches);
  // Bytes inside a character have no place in a string, and ripgrep does not find again what a line alone made match.
  const isUnclear = [options.pattern].flat().some((pattern) => /\(\?-[um]|\\[Az]/u.test(pattern));
  const describeAll = (lines: readonly FoundLine[]): string[] =>
    describeLines(isUnclear ? lines.map((line) => ({ ...line, submatches: undefined })) : lines);
  return difference(describeAll(ours), describeAll(theirs));
}

type Case = readonly [reason: string, pattern: string, options?: { readonly ignoreCase: boolean }];

const linePatterns: readonly Case[] = [
  ['a word', 'needle'],
  ['a word, in any case', 'needle', { ignoreCase: true }],
  ['a letter outside ASCII, in any case', 'É', { ignoreCase: true }],
  ['letters that fold to ASCII, in any case', '[ks]', { ignoreCase: true }],
  ['an absent word', 'absent from every file'],
  ['nothing', ''],
  ['the start of a line', '^'],
  ['the end of a line', '$'],
  ['an empty line', '^$'],
  ['the end before the start', '$^'],
  ['a word at the start', '^needle'],
  ['a word at the end', 'needle$'],
  ['a word alone', '^needle$'],
  ['white space', '\\s'],
  ['white space at the end', '\\s$'],
  ['white space only', '^\\s*$'],
  ['white space at the start', '^\\s+needle'],
  ['no white space', '\\S'],
  ['anything but a letter', '[^x]'],
  ['anything but letters and dots', '[^a-z.,]'],
  ['anything but a letter, alone', '^[^x]$'],
  ['anything but a letter, to the end', 'needle[^x]*$'],
  ['a carriage return', '\\r'],
  ['a carriage return at the end', '\\r$'],
  ['anything but a carriage return at the end', '[^\\r]$'],
  ['two words', 'one|two'],
  ['two words, one at the start', '^needle|x$'],
  ['an empty alternative', 'needle|'],
  ['a word boundary', '\\b'],
  ['a whole word', '\\bneedle\\b'],
  ['inside a word', '\\Beed\\B'],
  ['no word boundary', '\\B'],
  ['a word boundary of ASCII', '(?-u:\\b)needle'],
  ['a letter maybe', 'x*'],
  ['letters maybe, at the end', 'x?$'],
  ['any character', '.'],
  ['all characters', '.*'],
  ['at least three characters', '...'],
  ['any character and then a line break that cannot be', '(?s)needle.x'],
  ['an upper-case letter', '\\p{Lu}'],
  ['Greek', '\\p{Greek}+'],
  ['a letter and a mark', '\\pL\\pM'],
  ['an emoji', '\\p{Emoji_Presentation} needle'],
  ['a character by its number', '\\u{1F600}'],
  ['a line separator', '[\\u2028\\u2029\\u0085]'],
  ['a byte order mark', '\\x{FEFF}'],
  ['a byte order mark at the start', '^\\x{FEFF}?needle'],
  ['bytes outside ASCII', '(?-u)[\\x80-\\xFF]'],
  ['a byte that is never in UTF-8', '(?-u)\\xFF'],
  ['digits', '\\d{3,}'],
  ['digits at the end of a line', '[0-9]0$'],
  ['a group that repeats', '^(ab)+$'],
  ['a lazy repetition', 'a.*?b'],
  ['characters that are special elsewhere', '[.+(){}\\[\\]$^|\\\\]'],
  ['a named class', '[[:punct:]]needle'],
  ['flags inside', '(?i:NEEDLE) (?-i:x)'],
  ['spaces that do not count', '(?x: n e e d l e )'],
  ['the start of the text', '\\Aneedle'],
  ['the end of the text', 'needle\\z'],
  ['the end of the text, nothing before', '\\z'],
  ['an anchor without lines', '(?-m)^needle'],
  ['an end without lines', '(?-m)needle$'],
  ['an end that sees carriage returns', '(?R)needle$'],
];

/** ripgrep 15.0 panics on it with --json. */
const panics = '(?-u:\\b)[^x]{1,9}';

const multilinePatterns: readonly Case[] = [
  ['a word', 'needle'],
  ['a line break', '\\n'],
  ['two line breaks', '\\n\\n'],
  ['two lines', 'needle\\nneedle'],
  ['two lines of Windows', 'needle\\r\\nneedle'],
  ['white space over lines', 'needle\\s+needle'],
  ['white space maybe', '\\s*'],
  ['anything but a letter', 'needle[^x]{1,20}x'],
  ['an empty line', '^$'],
  ['the start of a line', '^'],
  ['the end of a line', '$'],
  ['the end of a line and the next', '$\\n^two'],
  ['the start of the text', '\\A'],
  ['the start of the text and a word', '\\Aneedle'],
  ['the end of the text', '\\z'],
  ['a word at the end of the text', 'needle\\z'],
  ['a dot stops at the line', 'needle.*'],
  ['a dot that does not', '(?s)one.*?x'],
  ['nothing', ''],
  ['a letter maybe', 'x*'],
  ['the end or a line break', 'x$|\\n\\n'],
  ['a word, in any case', 'NEEDLE\\n', { ignoreCase: true }],
  ['a line break before a word', '[a-z]\\n\\b'],
  ['a line break without a word after it', 'x?\\n\\B'],
  ['a repetition that goes on over the line', panics],
  ['an empty match after the last line, for which ripgrep shows context', '$^'],
];

/** Patterns with few matches on a line: each has its position, and a line has a million characters. */
const patternsForLongLines: readonly Case[] = [
  ['a word', 'needle'],
  ['a word, in any case', 'NEEDLE', { ignoreCase: true }],
  ['the start of a line', '^'],
  ['the end of a line', '$'],
  ['an empty line', '^$'],
  ['a word at the start', '^needle'],
  ['a word at the end', 'needle$'],
  ['a whole word', '\\bneedle\\b'],
  ['white space', '\\s'],
  ['a carriage return at the end', '\\r$'],
  ['anything but dots and letters', '[^.,a-zé]'],
  ['all characters', '.*'],
  ['a pair of units', '😀'],
  ['two words', 'last|x'],
  ['an absent word', 'absent from every file'],
];

const multilinePatternsForLongLines: readonly Case[] = [
  ['a word', 'needle'],
  ['two lines', 'needle\\r?\\nneedle'],
  ['white space over lines', '\\.\\s+needle'],
  ['the end of a line and the next', '$\\n^last'],
  ['the start of the text', '\\Aneedle'],
  ['the end of the text', 'needle\\z'],
];

function withOptions(cases: readonly Case[]) {
  return cases.map(([reason, pattern, options]) => [reason, pattern, options ?? {}] as const);
}

/** Writes files into a directory that lives as long as the tests of a `describe`. */
function useFiles(files: Contents): { readonly root: string } {
  const place = { root: '' };
  beforeAll(() => {
    place.root = newDirectory();
    writeTree(place.root, files);
    return () => removeTree(place.root);
  });
  return place;
}

describe.each([
  { name: 'odd files', files: oddFiles(), patterns: linePatterns, overLines: multilinePatterns },
  { name: 'long files', files: longFiles(), patterns: patternsForLongLines, overLines: multilinePatternsForLongLines },
])('$name', ({ files, patterns, overLines }) => {
  const place = useFiles(files);

  test.each(withOptions(patterns))('have the lines that ripgrep finds with %s', async (_reason, pattern, options) => {
    expect(await lineDifference(place.root, { pattern, ...options })).toEqual(noDifference);
  });

  test.each(withOptions(overLines))(
    'have the lines that ripgrep finds over several lines with %s',
    async (_reason, pattern, options) => {
      expect(await lineDifference(place.root, { pattern, multiline: true, ...options })).toEqual(noDifference);
    },
  );

  test.each(withOptions(patterns.filter(([, pattern]) => !pattern.includes('\\r'))))(
    'have the lines that ripgrep finds before either line end with %s',
    async (_reason, pattern, options) => {
      expect(await lineDifference(place.root, { pattern, crlf: true, ...options })).toEqual(noDifference);
    },
  );

  // Where it does not print JSON, ripgrep adds a `\r` to a last line without an end.
  test.each(withOptions(overLines.filter(([, pattern]) => pattern !== panics)))(
    'have the lines that ripgrep finds over several lines of either line end with %s',
    async (_reason, pattern, options) => {
      const given = { pattern, multiline: true, crlf: true, ...options };
      expect(await lineDifference(place.root, given)).toEqual(noDifference);
    },
  );

  test('have the same lines as a single file as in their directory', async () => {
    const whole = await grep({ pattern: 'needle|x', path: place.root });
    for (const name of Object.keys(files)) {
      const single = await grep({ pattern: 'needle|x', path: `${place.root}/${name}` });
      const expected = whole.matches.filter(({ path }) => path === name);
      expect(difference(describeLines(ourLines(single.matches)), describeLines(ourLines(expected))), name).toEqual(
        noDifference,
      );
    }
  });

  test('have the lines in path order, and the same ones from the cache', async () => {
    const fresh = await grep({ pattern: 'needle', path: place.root });
    const order = fresh.matches.map(({ path }) => path);
    expect(order).toEqual(order.toSorted());
    const cached = await grep({ pattern: 'needle', path: place.root, cache: true });
    expect(describeLines(ourLines(cached.matches))).toEqual(describeLines(ourLines(fresh.matches)));
  });

  test('are counted when a NUL ends the search', async () => {
    const { skipped } = await grep({ pattern: 'needle', path: place.root });
    const binary = Object.values(files).filter(hasNul);
    expect(skipped).toEqual({ oversized: 0, unreadable: 0, binary: binary.length });
  });
});

function hasNul(content: Uint8Array): boolean {
  const [first, second] = content;
  if (first === 0xff && second === 0xfe) return Buffer.from(content).toString('utf16le').includes('\0');
  if (first === 0xfe && second === 0xff) return Buffer.from(content).swap16().toString('utf16le').includes('\0');
  return content.includes(0);
}

describe('text with a NUL far behind its start', () => {
  const longLine = Buffer.from(`${'needle '.repeat(200_000)}\n`);
  const files: Contents = lateNulFiles();
  // ripgrep's buffer grows with the lines that it has seen, and where a NUL ends the search depends on the buffer: it is
  // asked about one file at a time.
  const place = useFiles(files);
  const besideLongLines = useFiles({
    'a-long-line.txt': longLine,
    ...files,
    'b-long-line.txt': longLine,
    'z.txt': longLine,
  });

  test.each(Object.keys(files))('%s has the lines that ripgrep finds', async (name) => {
    const patterns = [
      { pattern: 'needle' },
      { pattern: '^' },
      { pattern: '7 *\\.' },
      { pattern: 'absent' },
      { pattern: 'needle \\d+7\\.+\\nneedle', multiline: true },
      { pattern: '\\n\\n', multiline: true },
    ];
    for (const { pattern, multiline = false } of patterns) {
      const theirs = ripgrepLines(place.root, pattern, [`--glob=${name}`, ...(multiline ? ['--multiline'] : [])]);
      const result = await everyMode({ pattern, path: place.root, glob: name, multiline });
      const ours = ourLines(result.matches);
      expect(difference(describeLines(ours), describeLines(theirs)), pattern).toEqual(noDifference);
      // Over lines, a NUL after the first 64 KiB is only seen in a match.
      expect(result.skipped.binary, pattern).toBeGreaterThanOrEqual(multiline ? 0 : 1);
    }
  });

  test('is found or not in every mode alike, whatever the context', async () => {
    const lines = `${'.'.repeat(4095)}\n`.repeat(16);
    const root = createTree({ 'at-65536.bin': `${lines}\0\naé\n`, 'at-65540.bin': `${lines}abc\n\0\naé\n` });
    for (const context of [0, 1, 2, 3]) {
      for (const pattern of ['(?s:.)é', 'aé', 'c\\n', 'é\\n']) {
        await everyMode({ pattern, path: root, multiline: true, context });
      }
    }
  });

  test('has the same lines whatever was searched before it', async () => {
    const single = await Promise.all(
      Object.keys(files).map((name) => grep({ pattern: '^needle', path: place.root, glob: name })),
    );
    const expected = describeLines(single.flatMap(({ matches }) => ourLines(matches)));
    for (let run = 0; run < 5; run++) {
      const { matches } = await grep({ pattern: '^needle', path: besideLongLines.root });
      const found = describeLines(ourLines(matches.filter(({ path }) => path.endsWith('.bin'))));
      expect(difference(found, expected), `run ${run + 1}`).toEqual(noDifference);
    }
  });
});
