import type { TextDocument } from './document.ts';
import type { Found, Lines } from './found.ts';
import { fold, foldOffsets, trimBlanks, type TextLine } from './lines.ts';

/** The differences that a tier ignores, line by line. */
export interface Folding {
  fold(line: string): string;
  /** Returns a function from offsets in the folded line to offsets in the line. */
  offsets(line: string): (offset: number) => number | undefined;
}

/** Ignores trailing whitespace of lines. */
export const trailingBlanks: Folding = { fold: trimBlanks, offsets: () => (offset) => offset };

/** Also ignores the form of quotes, dashes, spaces and accents. */
export const unicode: Folding = { fold, offsets: foldOffsets };

/** Stands for a line that equals no text. */
const BROKEN = '\ufffd';

/**
 * Finds lines after both sides are folded. The first and the last may be parts of lines. Trailing whitespace of the text match those at
 * the end of a line.
 */
export function findFolded(
  document: TextDocument,
  lines: readonly TextLine[],
  asked: Lines,
  folding: Folding,
): Found[] {
  const folded = lines.map(({ text, isBroken }) => (isBroken ? BROKEN : folding.fold(text)));
  const found = search(document, lines, folded, { ...asked, folding });
  if (found.length > 0) return found;
  // An empty last line only stands for the line ending before it, so that is there.
  if (!hasLineEnd(asked.oldLines) || lines.at(-1)?.text === '') return [];
  // The file has no final line ending and gets none.
  const oldLines = asked.oldLines.slice(0, -1);
  const newLines = hasLineEnd(asked.newLines) ? asked.newLines.slice(0, -1) : asked.newLines;
  const atEnd = search(document, lines, folded, { oldLines, newLines, folding });
  return atEnd.filter(({ end }) => end === document.bytes.length);
}

function hasLineEnd(lines: readonly string[]): boolean {
  return lines.length > 1 && lines.at(-1) === '';
}

function search(
  document: TextDocument,
  lines: readonly TextLine[],
  folded: readonly string[],
  { oldLines, newLines, folding }: Lines & { readonly folding: Folding },
): Found[] {
  const wanted = oldLines.map((line) => folding.fold(line));
  if (wanted.every((line) => line === '') || wanted.some((line) => line.includes(BROKEN))) return [];
  const text = folded.join('\n');
  const needle = wanted.join('\n');
  // Folding removes trailing whitespace.
  const endsLine = /[ \t]$/u.test(oldLines.at(-1) ?? '');
  const starts = [0];
  for (const line of folded) starts.push((starts.at(-1) ?? 0) + line.length + 1);
  const places = new Map<number, LinePlaces>();
  const placesOf = (index: number): LinePlaces | undefined => {
    const line = lines[index];
    const known = places.get(index) ?? (line && linePlaces(document, line, folding));
    if (known) places.set(index, known);
    return known;
  };
  const found: Found[] = [];
  let first = 0;
  for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + 1)) {
    while ((starts[first + 1] ?? Infinity) <= at) first++;
    const last = first + wanted.length - 1;
    // An empty first line matches at the end of any line, but a line that is not text has no place that is known.
    if (lines[first]?.isBroken) continue;
    const foldedEnd = at + needle.length - (starts[last] ?? 0);
    if (endsLine && foldedEnd !== folded[last]?.length) continue;
    const start = placesOf(first)?.(at - (starts[first] ?? 0), true);
    const end = endsLine ? lines[last]?.end : placesOf(last)?.(foldedEnd, false);
    if (start === undefined || end === undefined) continue;
    const place = lines.slice(first, last + 1).map((line, index) => ({
      start: index === 0 ? start : line.start,
      end: first + index === last ? end : line.end,
    }));
    found.push({ start, end, place, newLines });
  }
  return found;
}

/**
 * Returns the byte offset of a place in a folded line; `undefined` where there is none. Places come from left to right and each is
 * counted from the one before, because a line may have megabytes and thousands of places.
 */
type LinePlaces = (foldedOffset: number, isStart: boolean) => number | undefined;

function linePlaces({ bytes, encoding }: TextDocument, line: TextLine, folding: Folding): LinePlaces {
  const toSource = folding.offsets(line.text);
  let known = { offset: 0, at: line.start };
  return (foldedOffset, isStart) => {
    const offset = toSource(foldedOffset);
    if (offset === undefined) return undefined;
    if (offset === line.text.length) return line.end;
    if (offset < known.offset) known = { offset: 0, at: line.start };
    const text = line.text.slice(known.offset, offset);
    const length = encoding.encode(text)?.length;
    if (length === undefined) return undefined;
    const at = known.at + length;
    // A legacy encoding may have other bytes for the same text.
    if (encoding.decode(bytes.subarray(known.at, at)) !== text) return undefined;
    if (isStart) known = { offset, at };
    return at;
  };
}
