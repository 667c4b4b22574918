import type { GrepMatch, Submatch } from '@cairn/natives';
import type { Range } from '../../terminal/text.ts';

export interface Row {
  readonly lineNumber: number;
  /** The byte where the row's first match starts in its line, from 1; absent without a match. */
  readonly column?: number;
  readonly text: string;
  readonly hits: readonly Range[];
  readonly isContext: boolean;
  readonly truncated: boolean;
  /** The last of the lines that the row stands for, if that is not its own. */
  readonly lastLine?: number;
}

export interface RowForm {
  /** Whether the rows are the matched texts, not their lines. */
  readonly onlyMatching: boolean;
  /** Whether each matched text has a row of its own, with its whole line. */
  readonly eachMatch: boolean;
  readonly column: boolean;
  /** Whether a replacement may stand for parts of several lines. */
  readonly joinsLines: boolean;
}

function columnAt(text: string, index: number): number {
  return Buffer.byteLength(text.slice(0, index)) + 1;
}

interface Line {
  readonly text: string;
  readonly hits: readonly Range[];
}

function shownLine(line: string, submatches: readonly Submatch[]): Line {
  const [first] = submatches;
  // The line that has the replacement of a continued match may be on the page before.
  if (first?.replacement === undefined && first?.continued !== true) return { text: line, hits: submatches };
  let text = '';
  let done = 0;
  const hits = submatches.map(({ start, end, replacement = '' }) => {
    text += line.slice(done, start);
    done = end;
    const hit = { start: text.length, end: text.length + replacement.length };
    text += replacement;
    return hit;
  });
  return { text: text + line.slice(done), hits };
}

interface TextLine extends Line {
  /** Where it begins in the text that was split. */
  readonly start: number;
}

function linesOf({ text, hits }: Line): TextLine[] {
  const lines: TextLine[] = [];
  let start = 0;
  let firstHit = 0;
  for (const line of text.split('\n')) {
    const end = start + line.length;
    while ((hits[firstHit]?.end ?? start) < start) firstHit += 1;
    const own: Range[] = [];
    for (let index = firstHit; index < hits.length; index++) {
      const hit = hits[index];
      if (hit === undefined || hit.start > end) break;
      own.push({ start: Math.max(hit.start, start) - start, end: Math.min(hit.end, end) - start });
    }
    lines.push({ start, text: line, hits: own });
    start = end + 1;
  }
  return lines;
}

interface RowSource extends Pick<GrepMatch, 'lineNumber' | 'line' | 'submatches' | 'truncated' | 'takesLineEnd'> {
  readonly isContext: boolean;
}

/** Returns the rows of a line. As in ripgrep, the lines that are left by a replaced match are numbered on. */
function rowsOfLine(source: RowSource, { joinsLines, onlyMatching, eachMatch, column }: RowForm): readonly Row[] {
  const { lineNumber, line, submatches = [], truncated = false, isContext, takesLineEnd = false } = source;
  const whole = shownLine(line, submatches);
  const isJoined = joinsLines && (takesLineEnd || line.includes('\n') || whole.text.includes('\n'));
  const lines = isJoined ? linesOf(whole) : [{ start: 0, ...whole }];
  // The replaced line end would begin the last line.
  if (isJoined && takesLineEnd && lines.at(-1)?.start === whole.text.length) lines.pop();
  const common = { isContext, truncated, ...(isJoined && { lastLine: lineNumber + line.split('\n').length - 1 }) };
  const [first] = whole.hits;
  // An inverted search has lines without a match, and so has the context.
  if (first === undefined)
    return lines.map(({ text, hits }, index) => ({ ...common, lineNumber: lineNumber + index, text, hits }));
  const starts = isJoined ? new Set(whole.hits.map((hit) => hit.start)) : undefined;
  return lines.flatMap(({ start, text, hits }, index): readonly Row[] => {
    const row = { ...common, lineNumber: lineNumber + index, text, hits };
    if (!onlyMatching && !eachMatch) return [column ? { ...row, column: columnAt(whole.text, first.start) } : row];
    const own = onlyMatching ? hits : hits.filter((hit) => starts?.has(hit.start + start) ?? true);
    return own.map((hit) => {
      const placed = { ...row, hits: [hit], ...(column && { column: columnAt(text, hit.start) }) };
      if (!onlyMatching) return placed;
      const part = text.slice(hit.start, hit.end);
      return { ...placed, text: part, hits: [{ start: 0, end: part.length }] };
    });
  });
}

export function rowsOf(match: GrepMatch, form: RowForm): readonly Row[] {
  const { contextBefore, contextAfter } = match;
  const rows = rowsOfLine({ ...match, isContext: false }, form);
  if (contextBefore === undefined && contextAfter === undefined) return rows;
  const context = (lines: GrepMatch['contextBefore'] = []): readonly Row[] =>
    lines.flatMap(({ isMatch, ...line }) => rowsOfLine({ ...line, isContext: isMatch !== true }, form));
  return [...context(contextBefore), ...rows, ...context(contextAfter)];
}
