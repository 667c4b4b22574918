import { indexOfBytes, lineEndAt, lineEndBefore, textStart } from './document.ts';
import type { ByteRange, TextDocument } from './document.ts';

/** A place where a text was found: the range of each of its lines, line ends left out. */
export type Place = readonly ByteRange[];

/** The lines of a text, whatever its line ends. */
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

/** The lines before `offset`, upwards; `undefined` when one differs. */
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

/** The lines behind `offset`, downwards; `undefined` when one differs. */
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

/**
 * Where lines occur, byte for byte; only whether a line ends with CRLF or LF makes no difference. Overlapping places count
 * as two.
 */
export function findExact(document: TextDocument, lines: readonly string[]): Place[] {
  const pieces: Buffer[] = [];
  for (const line of lines) {
    const piece = document.encoding.encode(line);
    // What the encoding cannot hold is nowhere in the file.
    if (piece === undefined) return [];
    pieces.push(piece);
  }
  const anchorAt = longest(pieces);
  // Lines that are all empty are looked for by their line ends.
  const anchor = pieces[anchorAt]?.length ? (pieces[anchorAt] ?? Buffer.alloc(0)) : document.encoding.encode('\n');
  const isLineFeed = pieces[anchorAt]?.length === 0;
  if (anchor === undefined || (isLineFeed && pieces.length === 1)) return [];
  const places: Place[] = [];
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
    if (before && after) places.push([...before, { start, end }, ...after]);
  }
  return places;
}
