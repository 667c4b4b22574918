import type { TextDocument } from './document.ts';
import type { Found } from './find-text.ts';
import { fold, foldOffsets, trimBlanks } from './lines.ts';
import type { TextLine } from './lines.ts';

/** What a tier forgives, line by line. */
export interface Folding {
  fold(line: string): string;
  /** Where a place of the folded line is in the line. */
  offsets(line: string): (offset: number) => number | undefined;
}

/** Forgives blanks at the ends of lines. */
export const trailingBlanks: Folding = { fold: trimBlanks, offsets: () => (offset) => offset };

/** Forgives also the form of quotes, dashes, spaces and accents. */
export const unicode: Folding = { fold, offsets: foldOffsets };

/** Stands for a line that equals nothing. */
const BROKEN = '\ufffd';

/** Whether the blanks at the end of a text were left out of what is looked for. */
function hasBlanksAtEnd(line: string): boolean {
  return /[ \t]$/u.test(line);
}

/**
 * Where lines occur once both sides are folded. The first and the last may be parts of lines; blanks at the end of what is
 * looked for stand for those at the end of a line.
 */
export function findFolded(
  document: TextDocument,
  lines: readonly TextLine[],
  asked: { readonly oldLines: readonly string[]; readonly newLines: readonly string[] },
  folding: Folding,
): Found[] {
  const folded = lines.map(({ text, isBroken }) => (isBroken ? BROKEN : folding.fold(text)));
  const found = search(document, lines, folded, { ...asked, folding });
  if (found.length > 0) return found;
  const withoutEnd = dropFinalLineEnd(asked);
  if (withoutEnd === undefined) return [];
  // The file has no final line end and keeps none.
  const atEnd = search(document, lines, folded, { ...withoutEnd, folding });
  return atEnd.filter(({ place }) => (place.at(-1)?.end ?? 0) === document.bytes.length);
}

/** The texts without their final line end; `undefined` when the old one has none. */
function dropFinalLineEnd({ oldLines, newLines }: Lines): Lines | undefined {
  if (oldLines.length < 2 || oldLines.at(-1) !== '') return undefined;
  const dropsNew = newLines.length > 1 && newLines.at(-1) === '';
  return { oldLines: oldLines.slice(0, -1), newLines: dropsNew ? newLines.slice(0, -1) : newLines };
}

interface Lines {
  readonly oldLines: readonly string[];
  readonly newLines: readonly string[];
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
  const endsLine = hasBlanksAtEnd(oldLines.at(-1) ?? '');
  const starts = startsOf(folded);
  const found: Found[] = [];
  let first = 0;
  for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + 1)) {
    while ((starts[first + 1] ?? Infinity) <= at) first++;
    const place = placeAt(document, lines, { folding, wanted, first, column: at - (starts[first] ?? 0), endsLine });
    if (place) found.push({ place, newLines });
  }
  return found;
}

/** Where each line begins in the text that joins them. */
function startsOf(lines: readonly string[]): number[] {
  let at = 0;
  return lines.map((line) => {
    const start = at;
    at += line.length + 1;
    return start;
  });
}

interface Hit {
  readonly folding: Folding;
  readonly wanted: readonly string[];
  /** The line it begins in, and where in the folded line. */
  readonly first: number;
  readonly column: number;
  /** It has to end at the end of a line, whose blanks are part of it. */
  readonly endsLine: boolean;
}

function placeAt(
  { encoding }: TextDocument,
  lines: readonly TextLine[],
  { folding, wanted, first, column, endsLine }: Hit,
): Found['place'] | undefined {
  const ranges: { start: number; end: number }[] = [];
  for (const [index, piece] of wanted.entries()) {
    const line = lines[first + index];
    if (line === undefined) return undefined;
    const toSource = folding.offsets(line.text);
    const from = index === 0 ? toSource(column) : 0;
    const isLast = index === wanted.length - 1;
    const foldedEnd = (index === 0 ? column : 0) + piece.length;
    const to = isLast && !endsLine ? toSource(foldedEnd) : line.text.length;
    if (from === undefined || to === undefined) return undefined;
    if (isLast && endsLine && foldedEnd !== folding.fold(line.text).length) return undefined;
    const bytesTo = (offset: number): number => line.start + (encoding.encode(line.text.slice(0, offset))?.length ?? 0);
    ranges.push({ start: bytesTo(from), end: to === line.text.length ? line.end : bytesTo(to) });
  }
  return ranges;
}
