import { describe, expect, test } from 'vitest';
import { listingNotices, nothingFoundNotice, type ListingFacts } from './listing.ts';

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

test('an empty result for a person names what was not searched', () => {
  expect(nothingFoundNotice(false, true)).toBe(
    'nothing found; not searched: hidden names (--hidden) and ignored files (--no-ignore)',
  );
  expect(nothingFoundNotice(true, false)).toBe('nothing found');
});
