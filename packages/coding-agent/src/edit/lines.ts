import { linesFrom, textOfRange, textStart, type LineRange, type TextDocument } from './document.ts';

export interface TextLine extends LineRange {
  readonly text: string;
  /** It contains bytes that are not text, so it equals no typed text. */
  readonly isBroken: boolean;
}

/** Returns the lines of a document. A final line ending is followed by an empty line. */
export function textLines(document: TextDocument): TextLine[] {
  const lines: TextLine[] = [];
  for (const range of linesFrom(document, textStart(document))) {
    const text = textOfRange(document, range);
    lines.push({ ...range, text, isBroken: text.includes('\ufffd') });
  }
  const last = lines.at(-1);
  const end = document.bytes.length;
  if (last === undefined || last.next > last.end) lines.push({ start: end, end, next: end, text: '', isBroken: false });
  return lines;
}

/** Returns a line without trailing whitespace. A regular expression would be quadratic: it tries each run again from each space. */
export function trimBlanks(line: string): string {
  let end = line.length;
  while (end > 0 && (line[end - 1] === ' ' || line[end - 1] === '\t')) end--;
  return line.slice(0, end);
}

/** Characters that stand for one another, one for one. */
const folds: ReadonlyMap<string, string> = new Map(
  (
    [
      ["'", '\u2018\u2019\u201a\u201b\u2032\u02bc\u00b4'],
      ['"', '\u201c\u201d\u201e\u201f\u2033'],
      ['-', '\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe63\uff0d'],
      [' ', '\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000'],
    ] as const
  ).flatMap(([plain, others]) => [...others].map((other) => [other, plain] as const)),
);

const foldable = new RegExp(`[${[...folds.keys()].join('')}]`, 'gu');

/** Returns a string with composed characters and plain quotes, dashes and spaces, without trailing whitespace. */
export function fold(text: string): string {
  return trimBlanks(text.normalize('NFC').replaceAll(foldable, (character) => folds.get(character) ?? character));
}

/**
 * Returns a function from offsets in the folded line to offsets in the line; `undefined` within a character that was composed.
 */
export function foldOffsets(text: string): (offset: number) => number | undefined {
  if (text.normalize('NFC') === text) return (offset) => offset;
  const offsets = new Map<number, number>();
  let folded = 0;
  for (const { segment, index } of new Intl.Segmenter('und').segment(text)) {
    offsets.set(folded, index);
    folded += segment.normalize('NFC').length;
  }
  offsets.set(folded, text.length);
  return (offset) => offsets.get(offset);
}
