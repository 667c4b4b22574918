import { indexOfBytes, lineEndAt, lineEndBefore, linesFrom, lineStartOf, textStart } from './document.ts';
import type { ByteRange, TextDocument } from './document.ts';

/** A place where a text was found: the range of each of its lines without line endings. */
type Occurrence = readonly ByteRange[];

/** A place where a text was found. Its lines are computed on demand, because there may be very many places. */
export interface Hit extends ByteRange {
  occurrence(): Occurrence;
}

/** Splits a text into lines at LF and CRLF. */
export function splitLines(text: string): string[] {
  return text.split(/\r?\n/u);
}

function longest(pieces: readonly Buffer[]): number {
  let at = 0;
  pieces.forEach((piece, index) => {
    if (piece.length > (pieces[at]?.length ?? 0)) at = index;
  });
  return at;
}

function matchesAt({ bytes }: TextDocument, wanted: Buffer, offset: number): boolean {
  return (
    offset >= 0 &&
    offset + wanted.length <= bytes.length &&
    bytes.subarray(offset, offset + wanted.length).equals(wanted)
  );
}

/** Returns the ranges of the lines before `offset`; `undefined` when a line differs. */
function matchUp(document: TextDocument, pieces: readonly Buffer[], offset: number): ByteRange[] | undefined {
  const ranges: ByteRange[] = [];
  let at = offset;
  for (const piece of pieces.toReversed()) {
    const lineEnd = lineEndBefore(document, at);
    const start = at - lineEnd - piece.length;
    if (lineEnd === 0 || start < textStart(document) || !matchesAt(document, piece, start)) return undefined;
    ranges.push({ start, end: start + piece.length });
    at = start;
  }
  return ranges.reverse();
}

/** Returns the ranges of the lines after `offset`; `undefined` when a line differs. */
function matchDown(document: TextDocument, pieces: readonly Buffer[], offset: number): ByteRange[] | undefined {
  const ranges: ByteRange[] = [];
  let at = offset;
  for (const piece of pieces) {
    const lineEnd = lineEndAt(document, at);
    if (lineEnd === 0 || !matchesAt(document, piece, at + lineEnd)) return undefined;
    const start = at + lineEnd;
    ranges.push({ start, end: start + piece.length });
    at = start + piece.length;
  }
  return ranges;
}

/** Returns the line ending that all lines share; `undefined` when they differ, or there is none. */
function uniformLineEnd(document: TextDocument): Buffer | undefined {
  const { encoding } = document;
  const [feed, crlf] = [encoding.encode('\n'), encoding.encode('\r\n')];
  if (feed === undefined || crlf === undefined) return undefined;
  if (indexOfBytes(document, crlf, textStart(document)) === -1) return feed;
  for (const { end, next } of linesFrom(document, textStart(document))) {
    if (next > end && next - end !== crlf.length) return undefined;
  }
  return crlf;
}

/** Returns the ranges of lines that are known to start at an offset. */
function rangesFrom(pieces: readonly Buffer[], start: number, lineEnd: Buffer): ByteRange[] {
  let at = start;
  return pieces.map((piece) => {
    const range = { start: at, end: at + piece.length };
    at = range.end + lineEnd.length;
    return range;
  });
}

/** Finds lines in a document with one kind of line ending: as one piece. */
function findJoined(document: TextDocument, pieces: readonly Buffer[], lineEnd: Buffer): Hit[] {
  const wanted = Buffer.concat(pieces.flatMap((piece, index) => (index === 0 ? [piece] : [lineEnd, piece])));
  const hits: Hit[] = [];
  for (
    let found = indexOfBytes(document, wanted, textStart(document));
    found !== -1;
    found = indexOfBytes(document, wanted, found + document.encoding.unit)
  ) {
    const start = found;
    hits.push({ start, end: start + wanted.length, occurrence: () => rangesFrom(pieces, start, lineEnd) });
  }
  return hits;
}

/** Finds lines in a document with both kinds of line endings. */
function findMixed(document: TextDocument, pieces: readonly Buffer[]): Hit[] {
  const anchorAt = longest(pieces);
  // Empty lines are found by their line endings.
  const anchor = pieces[anchorAt]?.length ? (pieces[anchorAt] ?? Buffer.alloc(0)) : document.encoding.encode('\n');
  const isLineFeed = pieces[anchorAt]?.length === 0;
  if (anchor === undefined) return [];
  const hits: Hit[] = [];
  const above = pieces.slice(0, anchorAt);
  const below = pieces.slice(anchorAt + 1);
  for (
    let found = indexOfBytes(document, anchor, textStart(document));
    found !== -1;
    found = indexOfBytes(document, anchor, found + document.encoding.unit)
  ) {
    const start = isLineFeed ? found + anchor.length - lineEndBefore(document, found + anchor.length) : found;
    const end = isLineFeed ? start : start + anchor.length;
    const before = matchUp(document, above, start);
    const after = before && matchDown(document, below, end);
    if (!before || !after) continue;
    const place = [...before, { start, end }, ...after];
    hits.push({ start: place[0]?.start ?? start, end: place.at(-1)?.end ?? end, occurrence: () => place });
  }
  return hits;
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
  const from = lineStartOf(document, start);
  const to = linesFrom(document, lineStartOf(document, end)).next().value?.end ?? end;
  const cuts = [from, start, end, Math.max(to, end)];
  const parts = cuts.slice(1).map((cut, index) => encoding.decode(bytes.subarray(cuts[index], cut)));
  return parts.join('') === encoding.decode(bytes.subarray(from, Math.max(to, end)));
}

/**
 * Finds lines byte for byte; CRLF and LF count as equal. Overlapping places count as two.
 */
export function findExact(document: TextDocument, lines: readonly string[]): Hit[] {
  const pieces: Buffer[] = [];
  for (const line of lines) {
    const piece = document.encoding.encode(line);
    // A character that the encoding lacks cannot be in the file.
    if (piece === undefined) return [];
    pieces.push(piece);
  }
  if (pieces.length === 1 && pieces[0]?.length === 0) return [];
  // A single line has no line ending inside it.
  const lineEnd = pieces.length === 1 ? Buffer.alloc(0) : uniformLineEnd(document);
  const hits = lineEnd === undefined ? findMixed(document, pieces) : findJoined(document, pieces, lineEnd);
  return hits.filter((hit) => isBetweenCharacters(document, hit));
}
