import type { GrepSummary } from '@cairn/natives';
import { expect, test } from 'vitest';
import { TotalsBuilder } from './grep-totals.ts';

function summary(more: Partial<GrepSummary> = {}): GrepSummary {
  return {
    totalMatches: 1,
    filesWithMatches: 1,
    filesSearched: 2,
    skipped: { oversized: 1, binary: 2, unreadable: 3 },
    engine: 'regex',
    complete: true,
    ...more,
  };
}

const inRoot = (path: string): string => `r/${path}`;

test('the paths in the result of one root have that root', () => {
  const totals = new TotalsBuilder();
  totals.addResult(summary({ unreadablePaths: ['x'] }), inRoot);
  expect(totals.finish()).toEqual({
    ...summary({ unreadablePaths: ['r/x'] }),
    shown: 0,
    linesCut: 0,
    linesCrowded: 0,
    linesReplaced: 0,
    lossyPaths: 0,
    failures: [],
  });
});

test('counts are added up, and paths have their root', () => {
  const totals = new TotalsBuilder();
  totals.addResult(summary({ filesCut: 1, unreadablePaths: ['x'] }), inRoot);
  totals.addResult(summary({ skipped: { oversized: 0, binary: 1, unreadable: 0, tooCostly: 4 } }), inRoot);
  expect(totals.finish()).toMatchObject({
    totalMatches: 2,
    filesWithMatches: 2,
    filesSearched: 4,
    filesCut: 1,
    skipped: { oversized: 1, binary: 3, unreadable: 3, tooCostly: 4 },
    unreadablePaths: ['r/x'],
    complete: true,
  });
});

test('a root that is not complete makes the whole incomplete, and a limit of the whole ends it', () => {
  const totals = new TotalsBuilder();
  totals.addResult(summary({ complete: false, filesCut: 1, stopReason: 'limit' }), inRoot);
  expect(totals.isEnded).toBe(false);
  totals.addResult(summary({ complete: false, stopReason: 'timeout' }), inRoot);
  expect(totals.isEnded).toBe(true);
  expect(totals.finish()).toMatchObject({ complete: false, stopReason: 'timeout' });
});

test('cut lines and files with a name that is not valid Unicode are counted over the parts of a result', () => {
  const totals = new TotalsBuilder();
  const line = { lineNumber: 1, line: 'x' };
  totals.addMatches([
    { ...line, path: 'a', truncated: true },
    { ...line, path: 'b\ufffd', lossyPath: true },
  ]);
  totals.addMatches([{ ...line, path: 'b\ufffd', lossyPath: true, truncated: true }]);
  const submatches = Array.from({ length: 100_000 }, (_, start) => ({ start, end: start + 1 }));
  totals.addMatches([{ ...line, path: 'c', truncated: true, submatches }]);
  expect(totals.finish()).toMatchObject({ shown: 4, linesCut: 2, linesCrowded: 1, lossyPaths: 1 });
});

test('a place of the text as typed is reported only without a match', () => {
  const asTyped = { text: '$x', path: 'a', lineNumber: 1 };
  const totals = new TotalsBuilder();
  totals.addResult(summary({ totalMatches: 0, asTyped }), inRoot);
  expect(totals.finish().asTyped).toEqual({ ...asTyped, path: 'r/a' });
  totals.addResult(summary(), inRoot);
  expect(totals.finish().asTyped).toBeUndefined();
});
