import type { Found, Lines } from './found.ts';
import { fold } from './lines.ts';
import type { TextLine } from './lines.ts';

/** Returns the indentation of a line. */
function indentOf(line: string): string {
  return /^[ \t]*/u.exec(line)?.[0] ?? '';
}

function isBlank(line: string): boolean {
  return /^[ \t]*$/u.test(line);
}

/** Returns the part of a line that is compared: everything after the indentation. */
function bodyOf(line: string): string {
  return fold(line).replace(/^[ \t]+/u, '');
}

/** The indentation of a line in the file and in the text. */
interface IndentPair {
  readonly file: string;
  readonly asked: string;
}

/** Converts the indentation of a new line to the file's; `undefined` when that is impossible. */
type Shift = (indent: string) => string | undefined;

/** The file has the same additional blanks before each line. */
function deeper(pairs: readonly IndentPair[]): Shift | undefined {
  const [first] = pairs;
  if (!first?.file.endsWith(first.asked)) return undefined;
  const added = first.file.slice(0, first.file.length - first.asked.length);
  return pairs.every(({ file, asked }) => file === added + asked) ? (indent) => added + indent : undefined;
}

/** The file lacks the same blanks before each line. */
function shallower(pairs: readonly IndentPair[]): Shift | undefined {
  const [first] = pairs;
  if (!first?.asked.endsWith(first.file)) return undefined;
  const removed = first.asked.slice(0, first.asked.length - first.file.length);
  if (!pairs.every(({ file, asked }) => asked === removed + file)) return undefined;
  return (indent) => (indent.startsWith(removed) ? indent.slice(removed.length) : undefined);
}

function widthOf(indent: string, tabWidth: number): number {
  let width = 0;
  for (const blank of indent) width += blank === '\t' ? tabWidth : 1;
  return width;
}

/** Widths of a tab, the most likely first. */
const tabWidths = [4, 2, 8, 3, 1, 6, 5, 7];

/**
 * One side is indented with tabs and the other with spaces. Of the tab widths that give all lines the same shift, the one with the
 * smallest shift is used.
 */
function retabbed(pairs: readonly IndentPair[]): Shift | undefined {
  const fileHasTabs = pairs.some(({ file }) => file.includes('\t'));
  if (fileHasTabs === pairs.some(({ asked }) => asked.includes('\t'))) return undefined;
  const shifts = tabWidths.flatMap((tabWidth) => {
    const deltas = new Set(pairs.map(({ file, asked }) => widthOf(file, tabWidth) - widthOf(asked, tabWidth)));
    const [delta] = deltas;
    return deltas.size === 1 && delta !== undefined ? [{ tabWidth, delta }] : [];
  });
  const [best] = shifts.toSorted((a, b) => Math.abs(a.delta) - Math.abs(b.delta));
  if (best === undefined) return undefined;
  const known = new Map(pairs.map(({ file, asked }) => [asked, file]));
  return (indent) => {
    const width = widthOf(indent, best.tabWidth) + best.delta;
    if (width < 0) return undefined;
    const tabs = fileHasTabs ? Math.floor(width / best.tabWidth) : 0;
    return known.get(indent) ?? '\t'.repeat(tabs) + ' '.repeat(width - tabs * best.tabWidth);
  };
}

/** Returns the new lines with the file's indentation; `undefined` when a line would start left of the margin. */
function shiftLines(lines: readonly string[], shift: Shift): string[] | undefined {
  const shifted: string[] = [];
  for (const line of lines) {
    const indent = indentOf(line);
    const moved = isBlank(line) ? indent : shift(indent);
    if (moved === undefined) return undefined;
    shifted.push(moved + line.slice(indent.length));
  }
  return shifted;
}

/**
 * Finds whole lines whose indentation differs by one uniform amount, or by tabs instead of spaces. The new lines are shifted
 * back by the same amount.
 */
export function findIndented(lines: readonly TextLine[], asked: Lines): Found[] {
  // A final line ending is not a line; it stays in the file when the new text also has one.
  const hasEnd = asked.oldLines.length > 1 && asked.oldLines.at(-1) === '' && asked.newLines.at(-1) === '';
  const oldLines = hasEnd ? asked.oldLines.slice(0, -1) : asked.oldLines;
  const newLines = hasEnd ? asked.newLines.slice(0, -1) : asked.newLines;
  const bodies = oldLines.map(bodyOf);
  const anchor = bodies.findIndex((body) => body !== '');
  if (anchor === -1 || bodies.some((body) => body.includes('\ufffd'))) return [];
  const fileBodies = lines.map(({ text, isBroken }) => (isBroken ? undefined : bodyOf(text)));
  const found: Found[] = [];
  fileBodies.forEach((fileBody, index) => {
    const first = index - anchor;
    if (fileBody !== bodies[anchor] || first < 0 || first + bodies.length > lines.length) return;
    if (bodies.some((body, at) => fileBodies[first + at] !== body)) return;
    const window = lines.slice(first, first + bodies.length);
    const pairs = window.flatMap(({ text }, at) =>
      isBlank(text) ? [] : [{ file: indentOf(text), asked: indentOf(oldLines[at] ?? '') }],
    );
    const shift = deeper(pairs) ?? shallower(pairs) ?? retabbed(pairs);
    const shifted = shift && shiftLines(newLines, shift);
    const [start, end] = [window[0]?.start, window.at(-1)?.end];
    if (!shifted || start === undefined || end === undefined) return;
    found.push({ start, end, occurrence: () => window, newLines: shifted });
  });
  return found;
}
