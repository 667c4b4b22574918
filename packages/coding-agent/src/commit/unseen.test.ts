import { expect, test } from 'vitest';
import type { TextDocument } from '../edit/document.ts';
import { encodingFor } from '../edit/encoding.ts';
import { formatRanges, lineRangesOf, showParts } from './unseen.ts';

function document(lineCount: number, line: string): TextDocument {
  const bytes = Buffer.from(`${line}\n`.repeat(lineCount));
  return { bytes, encoding: encodingFor(bytes) };
}

test('parts in lines that follow one another are one range of lines', () => {
  const parts = [
    { start: 0, end: 2 },
    { start: 2, end: 4 },
    { start: 8, end: 9 },
  ];
  const ranges = lineRangesOf(document(10, 'a'), parts);
  expect(ranges).toEqual([
    { first: 1, last: 2 },
    { first: 5, last: 5 },
  ]);
  expect(formatRanges(ranges)).toBe('lines 1-2 and 5');
});

test('all parts together are shown within one limit', () => {
  const lineBytes = 201;
  const part = (first: number): { readonly start: number; readonly end: number } => ({
    start: first * lineBytes,
    end: (first + 10) * lineBytes,
  });
  const parts = [part(0), part(20), part(40), part(60)];
  const { context, seen } = showParts(document(100, 'x'.repeat(lineBytes - 1)), parts, 'file');
  expect(seen).toEqual(parts.slice(0, 3));
  expect(Buffer.byteLength(context)).toBeLessThan(6.5 * 1024);
});
