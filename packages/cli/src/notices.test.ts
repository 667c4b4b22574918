import { describe, expect, test } from 'vitest';
import { grepNotices, listingNotices, nothingFoundNotice, type GrepFacts, type ListingFacts } from './notices.ts';

describe('what a listing says about itself', () => {
  const whole: ListingFacts = { shown: 3, totalMatches: 3, lossyPaths: 0 };
  const cases: readonly (readonly [reason: string, facts: Partial<ListingFacts>, notices: readonly string[]])[] = [
    ['nothing when it is whole', {}, []],
    [
      'how much was cut',
      { shown: 100, totalMatches: 2345, stopReason: 'limit' },
      ['showing 100 of 2,345; use --limit to see more'],
    ],
    [
      'that more exist when their number is unknown',
      { shown: 100, totalMatches: 100, stopReason: 'limit' },
      ['showing the first 100, there are more; use --limit to see more'],
    ],
    [
      'a timeout',
      { stopReason: 'timeout' },
      ['stopped by --timeout before the whole tree was searched; give it more time or a smaller --path'],
    ],
    [
      'a scan over its budget',
      { stopReason: 'budget' },
      [
        'stopped before the whole tree was searched: it has more entries than FS_SCAN_MAX_ENTRIES allows; use a smaller --path',
      ],
    ],
    [
      'one unreadable directory',
      { unreadable: 1 },
      ['1 directory or entry could not be read and was left out; check the permissions'],
    ],
    [
      'several of them',
      { unreadable: 2 },
      ['2 directories or entries could not be read and were left out; check the permissions'],
    ],
    [
      'names that are no Unicode',
      { lossyPaths: 1 },
      ['1 name shown is not valid Unicode and could not be shown exactly'],
    ],
  ];
  test.each(cases)('%s', (_reason, facts, notices) => {
    expect(listingNotices({ ...whole, ...facts })).toEqual(notices);
  });
});

describe('what a content search says about itself', () => {
  const whole: GrepFacts = {
    shown: 3,
    totalMatches: 3,
    lossyPaths: 0,
    isLimited: false,
    offset: 0,
    filesCut: 0,
    linesCut: 0,
    skipped: { oversized: 0, binary: 0, unreadable: 0 },
    givenPattern: 'foo(',
    isLiteral: false,
  };
  const cases: readonly (readonly [reason: string, facts: Partial<GrepFacts>, notices: readonly string[]])[] = [
    ['nothing when it is whole', {}, []],
    [
      'where to go on',
      { shown: 20, totalMatches: 60, isLimited: true, offset: 40 },
      ['showing the first 20, there are more; use --limit to see more, or --offset 60 to go on from here'],
    ],
    ['files with more hits than asked for', { filesCut: 2 }, ['2 files had more than --max-count-per-file shows']],
    ['lines that were cut', { linesCut: 1 }, ['1 line cut to fit; --max-columns 0 shows whole lines']],
    [
      'skipped files, by reason',
      { skipped: { binary: 1200, oversized: 1, unreadable: 0 } },
      [
        '1,200 binary files not searched, or only up to the first NUL byte',
        '1 file too large to search (--max-filesize) skipped',
      ],
    ],
    [
      'unreadable files',
      { skipped: { binary: 0, oversized: 0, unreadable: 1 } },
      ['1 file or directory could not be read and was left out; check the permissions'],
    ],
    [
      'files that were given up',
      { skipped: { binary: 0, oversized: 0, unreadable: 0, tooCostly: 2 } },
      ['2 files searched only up to a line on which the pattern backtracks too often'],
    ],
    ['a pattern that was repaired', { searchedPattern: 'foo\\(' }, ["pattern was repaired: searched for 'foo\\('"]],
    [
      'a pattern taken as text',
      { isLiteral: true, searchedPattern: 'foo(' },
      ["pattern was searched literally: 'foo(' is no valid expression; -F says so beforehand"],
    ],
  ];
  test.each(cases)('%s', (_reason, facts, notices) => {
    expect(grepNotices({ ...whole, ...facts })).toEqual(notices);
  });
});

test('a person who got nothing is told what was not searched', () => {
  expect(nothingFoundNotice(false, true)).toBe(
    'nothing found; not searched: hidden names (--hidden) and what ignore files exclude (--no-ignore)',
  );
  expect(nothingFoundNotice(true, false)).toBe('nothing found');
});
