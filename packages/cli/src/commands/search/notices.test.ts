import { describe, expect, test } from 'vitest';
import { grepNotices, listingNotices, nothingFoundNotice, type GrepFacts, type ListingFacts } from './notices.ts';

describe('the notices of find and glob report', () => {
  const whole: ListingFacts = { shown: 3, totalMatches: 3, lossyPaths: 0 };
  const cases: readonly (readonly [reason: string, facts: Partial<ListingFacts>, notices: readonly string[]])[] = [
    ['nothing when the result is complete', {}, []],
    [
      'how much was cut',
      { shown: 100, totalMatches: 2345, stopReason: 'limit' },
      ['showing 100 of 2,345; use --limit for more'],
    ],
    [
      'that more exist when their number is unknown',
      { shown: 100, totalMatches: 100, stopReason: 'limit' },
      ['showing the first 100, and there are more; use --limit for more'],
    ],
    [
      'a timeout',
      { stopReason: 'timeout' },
      ['--timeout ended the search early; use a longer timeout or a smaller --path'],
    ],
    [
      'a scan over its budget',
      { stopReason: 'budget' },
      [
        'the tree has more entries than FS_SCAN_MAX_ENTRIES or the result is too large, so this is a part; use a smaller --path',
      ],
    ],
    [
      'one unreadable directory',
      { unreadable: 1 },
      ['skipped 1 directory or entry because of a read error; check the permissions'],
    ],
    [
      'several of them',
      { unreadable: 2 },
      ['skipped 2 directories or entries because of a read error; check the permissions'],
    ],
    [
      'unreadable directories with names',
      { unreadable: 5, unreadablePaths: ['a', 'b\nc', 'd', 'e', 'f'] },
      ['skipped 5 directories or entries because of a read error: a, "b\\nc", d and 2 more; check the permissions'],
    ],
    [
      'names that are not Unicode',
      { lossyPaths: 1 },
      ['1 name is not valid Unicode and shown with replacement characters'],
    ],
  ];
  test.each(cases)('%s', (_reason, facts, notices) => {
    expect(listingNotices({ ...whole, ...facts })).toEqual(notices);
  });
});

describe('the notices of grep report', () => {
  const whole: GrepFacts = {
    shown: 3,
    totalMatches: 3,
    lossyPaths: 0,
    isForLineFeeds: false,
    isLimited: false,
    offset: 0,
    filesCut: 0,
    linesCrowded: 0,
    linesCut: 0,
    linesReplaced: 0,
    skipped: { oversized: 0, binary: 0, unreadable: 0 },
    givenPattern: 'foo(',
    isLiteral: false,
  };
  const cases: readonly (readonly [reason: string, facts: Partial<GrepFacts>, notices: readonly string[]])[] = [
    ['nothing when the result is complete', {}, []],
    [
      'how to continue',
      { shown: 20, totalMatches: 60, isLimited: true, offset: 40 },
      ['showing the first 20, and there are more; use --limit for more, or --offset 60 to continue'],
    ],
    [
      'files with more matches than --max-count',
      { filesCut: 2 },
      ['2 files had more matches than --max-count; raise it for more'],
    ],
    [
      'lines with too many matches',
      { linesCrowded: 1 },
      ['1 line had more than 100,000 matches, of which the rest is left out; break such a line for all of them'],
    ],
    [
      'lines that may have bytes that are not UTF-8',
      { linesReplaced: 2 },
      ['2 lines have U+FFFD, which stands for bytes that are not UTF-8, too; columns count it as 3 bytes'],
    ],
    ['shortened lines', { linesCut: 1 }, ['shortened 1 line; --max-columns 0 shows whole lines']],
    [
      'skipped files, by reason',
      { skipped: { binary: 1200, oversized: 1, unreadable: 0 } },
      [
        'skipped 1,200 binary files from the first NUL byte on',
        'skipped 1 file over --max-filesize or with a line too long to search',
      ],
    ],
    [
      'unreadable files',
      { skipped: { binary: 0, oversized: 0, unreadable: 1 } },
      ['skipped 1 file or directory because of a read error; check the permissions'],
    ],
    [
      'unreadable directories with names',
      { skipped: { binary: 0, oversized: 0, unreadable: 2 }, unreadablePaths: ['a', 'b/c'] },
      ['skipped 2 files or directories because of a read error: a, b/c; check the permissions'],
    ],
    [
      'files that were searched in part',
      { skipped: { binary: 0, oversized: 0, unreadable: 0, tooCostly: 2 } },
      ['searched 2 files only in part, because the pattern backtracks too often; simplify it'],
    ],
    [
      'a line feed where a file may have CRLF',
      { shown: 0, totalMatches: 0, isForLineFeeds: true },
      [String.raw`\n does not match the line ends of files with CRLF; write \r?\n for both`],
    ],
    [
      'an offset after the last match',
      { shown: 0, totalMatches: 1200, offset: 1300 },
      ['there are no more: --offset 1300 skips all 1,200; use a smaller one'],
    ],
    [
      'a result over its budget',
      { stopReason: 'budget', offset: 4 },
      ['the tree or the result is too large for one search; use --offset 7 to continue, or a smaller --path'],
    ],
    [
      'a tree over its budget',
      { stopReason: 'budget', shown: 0, totalMatches: 0 },
      ['the tree or the result is too large for one search; use a smaller --path'],
    ],
    ['a repaired pattern', { searchedPattern: 'foo\\(' }, ['repaired the pattern; searched for "foo\\("']],
    [
      'a pattern searched as plain text',
      { isLiteral: true, searchedPattern: 'foo(' },
      ['searched for the plain text "foo(", because it is not a valid expression; use -F for plain text'],
    ],
    [
      'a text that its own expression does not match',
      { asTyped: { text: '$scope', path: 'a.js', lineNumber: 3 } },
      ['nothing matches the expression, but the text "$scope" is in a.js:3; use -F for plain text'],
    ],
  ];
  test.each(cases)('%s', (_reason, facts, notices) => {
    expect(grepNotices({ ...whole, ...facts })).toEqual(notices);
  });
});

test('an empty result for a person names what was not searched', () => {
  expect(nothingFoundNotice(false, true)).toBe(
    'nothing found; not searched: hidden names (--hidden) and ignored files (--no-ignore)',
  );
  expect(nothingFoundNotice(true, false)).toBe('nothing found');
});
