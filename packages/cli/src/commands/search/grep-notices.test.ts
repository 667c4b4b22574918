import { expect, test } from 'vitest';
import { grepNotices } from './grep-notices.ts';
import type { GrepPlan } from './grep-plan.ts';
import type { GrepTotals } from './grep-totals.ts';

const whole: GrepTotals = {
  shown: 3,
  totalMatches: 3,
  filesWithMatches: 3,
  filesSearched: 3,
  engine: 'regex',
  complete: true,
  linesCrowded: 0,
  linesCut: 0,
  linesReplaced: 0,
  lossyPaths: 0,
  skipped: { oversized: 0, binary: 0, unreadable: 0 },
  failures: [],
};
const skippedNothing = whole.skipped;

type Asked = Pick<GrepPlan, 'patterns' | 'matching' | 'filter' | 'page'>;

const plain: Asked = {
  patterns: ['foo('],
  matching: { pattern: 'foo(', mode: 'content' },
  filter: {},
  page: { offset: 0 },
};

const cases: readonly (readonly [
  reason: string,
  totals: Partial<GrepTotals>,
  notices: readonly string[],
  asked?: Partial<Asked>,
])[] = [
  ['nothing when the result is complete', {}, []],
  [
    'how to continue',
    { shown: 20, totalMatches: 60, limitReached: true },
    ['showing the first 20, and there are more; use --limit for more, or --offset 60 to continue'],
    { page: { limit: 20, offset: 40 } },
  ],
  [
    'files with more matches than --max-count',
    { filesCut: 2 },
    ['2 files had more matches than --max-count; raise it for more'],
  ],
  [
    'lines with too many matches',
    { linesCrowded: 1 },
    ['1 line had more than 100,000 matches; the rest is left out; break such a line for all of them'],
  ],
  [
    'lines that may have bytes that are not UTF-8',
    { linesReplaced: 2 },
    ['2 lines have U+FFFD, which stands for bytes that are not UTF-8, too; columns count it as 3 bytes'],
  ],
  ['shortened lines', { linesCut: 1 }, ['shortened 1 line; --max-columns 0 shows whole lines']],
  [
    'skipped files, by reason',
    { skipped: { ...skippedNothing, binary: 1200, oversized: 1 } },
    [
      'skipped 1,200 binary files from the first NUL byte on',
      'skipped 1 file over --max-filesize or with a line too long to search',
    ],
  ],
  [
    'unreadable files with names',
    { skipped: { ...skippedNothing, unreadable: 2 }, unreadablePaths: ['a', 'b/c'] },
    ['skipped 2 files or directories because of a read error: a, b/c; check the permissions'],
  ],
  [
    'files that were searched in part',
    { skipped: { ...skippedNothing, tooCostly: 2 } },
    ['searched 2 files only in part, because the pattern backtracks too often; simplify it'],
  ],
  [
    'a line feed where a file may have CRLF',
    { shown: 0, totalMatches: 0 },
    [String.raw`\n does not match the line ends of files with CRLF; write \r?\n for both`],
    { patterns: ['a\nb'], matching: { ...plain.matching, multiline: true } },
  ],
  [
    'an offset after the last match',
    { shown: 0, totalMatches: 1200 },
    ['there are no more: --offset 1300 skips all 1,200; use a smaller one'],
    { page: { offset: 1300 } },
  ],
  [
    'a result over its budget',
    { stopReason: 'budget' },
    ['the tree or the result is too large for one search; use --offset 7 to continue, or a smaller --path'],
    { page: { offset: 4 } },
  ],
  [
    'a tree over its budget',
    { stopReason: 'budget', shown: 0, totalMatches: 0 },
    ['the tree or the result is too large for one search; use a smaller --path'],
  ],
  ['a repaired pattern', { searchedPattern: 'foo\\(' }, ['repaired the pattern; searched for "foo\\("']],
  [
    'a pattern searched as plain text',
    { engine: 'literal', searchedPattern: 'foo(' },
    ['searched for the plain text "foo(", because it is not a valid expression; use -F for plain text'],
  ],
  [
    'a text that its own expression does not match',
    { asTyped: { text: '$scope', path: 'a.js', lineNumber: 3 } },
    ['nothing matches the expression, but the text "$scope" is in a.js:3; use -F for plain text'],
  ],
  [
    'a search without files',
    { shown: 0, totalMatches: 0, filesSearched: 0 },
    ['searched no file: no file passes --glob; --no-ignore adds what ignore files exclude'],
    { filter: { glob: ['*.x'], gitignore: true } },
  ],
];

const rows = cases.map(([reason, totals, notices, asked = {}]) => ({ reason, totals, notices, asked }));

test.each(rows)('the notices of grep report $reason', ({ totals, notices, asked }) => {
  expect(grepNotices({ ...whole, ...totals }, { ...plain, ...asked })).toEqual(notices);
});
