import { indexOfBytes, lineAt, lineEndAt, lineEndBefore, textStart } from './document.ts';
import type { ByteRange, TextDocument } from './document.ts';
import type { Found, Lines } from './found.ts';

/** Splits a string into lines at LF and CRLF. */
export function splitLines(text: string): string[] {
  return text.split(/\r?\n/u);
}

/** Returns where lines start that are directly above an offset, if they are there. */
function startAbove(document: TextDocument, above: readonly Buffer[], offset: number): number {
  return above.reduceRight((start, line) => start - lineEndBefore(document, start) - line.length, offset);
}

/** Returns the ranges of lines that start at an offset; `undefined` when one differs. */
function rangesFrom(document: TextDocument, lines: readonly Buffer[], offset: number): ByteRange[] | undefined {
  const ranges: ByteRange[] = [];
  let start = offset;
  for (const line of lines) {
    if (ranges.length > 0) {
      const lineEnd = lineEndAt(document, start);
      start += lineEnd;
      // The carriage return of a CRLF may be the end of the line above.
      if (lineEnd === 0 || lineEnd !== lineEndBefore(document, start)) return undefined;
    }
    const end = start + line.length;
    if (start < textStart(document) || !document.bytes.subarray(start, end).equals(line)) return undefined;
    ranges.push({ start, end });
    start = end;
  }
  return ranges;
}

/** Encodings in which the last byte of a character may also be an ASCII character. */
const ambiguousEncodings: readonly string[] = [
  'shift_jis',
  'gbk',
  'gb18030',
  'big5',
  'euc-kr',
  'euc-jp',
  'iso-2022-jp',
];

/** Returns whether a range starts and ends between characters, for encodings in which bytes alone do not tell. */
function isBetweenCharacters(document: TextDocument, { start, end }: ByteRange): boolean {
  const { bytes, encoding } = document;
  if (!ambiguousEncodings.includes(encoding.label)) return true;
  const from = lineAt(document, start).start;
  const to = lineAt(document, end).end;
  const cuts = [from, start, end, Math.max(to, end)];
  const parts = cuts.slice(1).map((cut, index) => encoding.decode(bytes.subarray(cuts[index], cut)));
  return parts.join('') === encoding.decode(bytes.subarray(from, Math.max(to, end)));
}

/** Finds lines byte for byte; CRLF and LF count as equal. Overlapping places count as two. */
export function findExact(document: TextDocument, { oldLines, newLines }: Lines): Found[] {
  const { encoding } = document;
  const lines = oldLines.map((line) => encoding.encode(line));
  // A character that the encoding lacks cannot be in the file.
  if (!lines.every((line) => line !== undefined)) return [];
  const longest = lines.reduce((at, line, index) => (line.length > (lines[at]?.length ?? 0) ? index : at), 0);
  const isEmpty = lines[longest]?.length === 0;
  // Empty lines are found by their line endings.
  const anchor = isEmpty ? encoding.encode('\n') : lines[longest];
  if (anchor === undefined || (isEmpty && lines.length === 1)) return [];
  const hits: Found[] = [];
  const next = (from: number): number => indexOfBytes(document, anchor, from);
  for (let at = next(textStart(document)); at !== -1; at = next(at + encoding.unit)) {
    const after = at + anchor.length;
    const start = isEmpty ? after - lineEndBefore(document, after) : at;
    const place = rangesFrom(document, lines, startAbove(document, lines.slice(0, longest), start));
    const [first, last] = [place?.[0], place?.at(-1)];
    if (!place || !first || !last || place[longest]?.start !== start) continue;
    hits.push({ start: first.start, end: last.end, place, newLines });
  }
  return hits.filter((hit) => isBetweenCharacters(document, hit));
}
