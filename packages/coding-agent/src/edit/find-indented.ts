import type { Found, Lines } from './found.ts';
import { fold, type TextLine } from './lines.ts';

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

interface IndentPair {
  readonly file: string;
  readonly asked: string;
}

/** Converts the indentation of a new line to the file's; `undefined` when that is impossible. */
type Shift = (indent: string) => string | undefined;

/** The file has, or lacks, the same whitespace before each line. */
function uniformShift(pairs: readonly IndentPair[]): Shift | undefined {
  const { file = '', asked = '' } = pairs[0] ?? {};
  const added = file.slice(0, Math.max(0, file.length - asked.length));
  const removed = asked.slice(0, Math.max(0, asked.length - file.length));
  const shift: Shift = (indent) => (indent.startsWith(removed) ? added + indent.slice(removed.length) : undefined);
  return pairs.every((pair) => shift(pair.asked) === pair.file) ? shift : undefined;
}

function widthOf(indent: string, tabWidth: number): number {
  return indent.replaceAll('\t', ' '.repeat(tabWidth)).length;
}

const tabWidths = [1, 2, 3, 4, 5, 6, 7, 8];

/** One side is indented with tabs and the other with spaces. Returns the tab widths that give all lines the same shift. */
function retabbings(pairs: readonly IndentPair[]): { readonly tabWidth: number; readonly shift: Shift }[] {
  const fileHasTabs = pairs.some(({ file }) => file.includes('\t'));
  if (fileHasTabs === pairs.some(({ asked }) => asked.includes('\t'))) return [];
  const known = new Map(pairs.map(({ file, asked }) => [asked, file]));
  return tabWidths.flatMap((tabWidth) => {
    const deltas = new Set(pairs.map(({ file, asked }) => widthOf(file, tabWidth) - widthOf(asked, tabWidth)));
    const [delta] = deltas;
    if (deltas.size !== 1 || delta === undefined) return [];
    const shift: Shift = (indent) => {
      const width = widthOf(indent, tabWidth) + delta;
      if (width < 0) return known.get(indent);
      const tabs = fileHasTabs ? Math.floor(width / tabWidth) : 0;
      return known.get(indent) ?? '\t'.repeat(tabs) + ' '.repeat(width - tabs * tabWidth);
    };
    return [{ tabWidth, shift }];
  });
}

/** Returns by how many spaces most lines of a file are deeper than the line above; `undefined` when no number is the most common. */
function indentUnitOf(lines: readonly TextLine[]): number | undefined {
  const counts = new Map<number, number>();
  let above = 0;
  for (const { text } of lines) {
    const indent = indentOf(text);
    if (isBlank(text) || indent.includes('\t')) continue;
    const step = indent.length - above;
    above = indent.length;
    // One space aligns the lines of a comment.
    if (step > 1) counts.set(step, (counts.get(step) ?? 0) + 1);
  }
  const [first, second] = [...counts].toSorted(([, one], [, other]) => other - one);
  return first && first[1] > (second?.[1] ?? 0) ? first[0] : undefined;
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
 * Returns the new lines where tabs stand for spaces. Usually the lines of the place show how wide a tab is, or all widths give the
 * same lines. Else, in a file with spaces, a tab is one step of its indentation. `unclear` when that does not tell either.
 */
function retab(
  newLines: readonly string[],
  pairs: readonly IndentPair[],
  indentUnit: () => number | undefined,
): readonly string[] | 'unclear' | undefined {
  const possible = retabbings(pairs).flatMap(({ tabWidth, shift }) => {
    const shifted = shiftLines(newLines, shift);
    return shifted ? [{ tabWidth, shifted }] : [];
  });
  const [first] = possible;
  if (new Set(possible.map(({ shifted }) => shifted.join('\n'))).size <= 1) return first?.shifted;
  const unit = pairs.some(({ file }) => file.includes('\t')) ? undefined : indentUnit();
  return possible.find(({ tabWidth }) => tabWidth === unit)?.shifted ?? 'unclear';
}

/**
 * Finds whole lines whose indentation differs by one uniform amount, or by tabs instead of spaces. The new lines are shifted
 * back by the same amount. A place where nothing shows how wide a tab is counts as found, and is marked.
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
  let known: { readonly unit: number | undefined } | undefined;
  const indentUnit = (): number | undefined => (known ??= { unit: indentUnitOf(lines) }).unit;
  const found: Found[] = [];
  fileBodies.forEach((fileBody, index) => {
    const first = index - anchor;
    if (fileBody !== bodies[anchor] || first < 0 || first + bodies.length > lines.length) return;
    if (bodies.some((body, at) => fileBodies[first + at] !== body)) return;
    const window = lines.slice(first, first + bodies.length);
    // After the last line ending, the file has no other line.
    if (hasEnd && window.at(-1) === lines.at(-1) && lines.at(-1)?.text === '') return;
    const pairs = window.flatMap(({ text }, at) =>
      isBlank(text) ? [] : [{ file: indentOf(text), asked: indentOf(oldLines[at] ?? '') }],
    );
    const shift = uniformShift(pairs);
    const shifted = shift ? shiftLines(newLines, shift) : retab(newLines, pairs, indentUnit);
    const [start, end] = [window[0]?.start, window.at(-1)?.end];
    if (!shifted || start === undefined || end === undefined) return;
    const isUnclear = shifted === 'unclear';
    found.push({ start, end, place: window, newLines: isUnclear ? newLines : shifted, isUnclear });
  });
  return found;
}
