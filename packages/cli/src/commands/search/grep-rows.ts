import type { GrepMatch, Submatch } from '@cairn/natives';
import type { Range } from '../../terminal/text.ts';

/** A line to print, or a part of one. */
export interface Row {
  readonly lineNumber: number;
  /** The byte where the row's first match starts in its line, from 1; absent without a match. */
  readonly column?: number;
  readonly text: string;
  readonly hits: readonly Range[];
  /** Whether it is a line of context. */
  readonly isContext: boolean;
  readonly truncated: boolean;
  /** The last of the lines that the row stands for, if that is not its own. */
  readonly lastLine?: number;
}

/** Which rows a match has. */
export interface RowForm {
  /** Whether the rows are the matched texts, not their lines. */
  readonly onlyMatching: boolean;
  /** Whether each matched text has a row of its own, with its whole line. */
  readonly eachMatch: boolean;
  /** Whether the rows have a column. */
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

/** Returns the line with the replacements of -r in place of its matches. */
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

interface TextLine extends Range {
  readonly lineNumber: number;
  readonly hits: readonly Range[];
}

/** Splits a text of several lines, and its hits, which are in order. */
function linesOf({ text, hits }: Line, firstNumber: number): TextLine[] {
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
    lines.push({ start, end, lineNumber: firstNumber + lines.length, hits: own });
    start = end + 1;
  }
  return lines;
}

/** Returns the rows of lines that a replaced match has joined. As in ripgrep, the lines that are left are numbered on. */
function joinedRows(shown: Line, match: RowSource, form: RowForm): readonly Row[] {
  const { line: joined, lineNumber, truncated, isContext, takesLineEnd } = match;
  const { text, hits } = shown;
  const lastLine = lineNumber + joined.split('\n').length - 1;
  const firstColumn = columnAt(text, hits[0]?.start ?? 0);
  const starts = new Set(hits.map((hit) => hit.start));
  const lines = linesOf(shown, lineNumber);
  // The replaced line end would begin the last line.
  if (takesLineEnd === true && lines.at(-1)?.start === text.length) lines.pop();
  return lines.flatMap((line): readonly Row[] => {
    const lineText = text.slice(line.start, line.end);
    const rowOf = (hit: Range | undefined): Row => ({
      lineNumber: line.lineNumber,
      text: lineText,
      hits: line.hits,
      isContext,
      truncated: truncated === true,
      lastLine,
      ...(form.column && { column: hit === undefined ? firstColumn : columnAt(lineText, hit.start) }),
    });
    if (form.onlyMatching) {
      return line.hits.map((hit) => {
        const part = lineText.slice(hit.start, hit.end);
        return { ...rowOf(hit), text: part, hits: [{ start: 0, end: part.length }] };
      });
    }
    if (!form.eachMatch) return [rowOf(undefined)];
    return line.hits.filter((hit) => starts.has(hit.start + line.start)).map((hit) => ({ ...rowOf(hit), hits: [hit] }));
  });
}

/** A matched line or a line of context. */
interface RowSource extends Pick<GrepMatch, 'lineNumber' | 'line' | 'submatches' | 'truncated' | 'takesLineEnd'> {
  readonly isContext: boolean;
}

function rowsOfLine(source: RowSource, form: RowForm): readonly Row[] {
  const { lineNumber, line, submatches = [], truncated, isContext, takesLineEnd } = source;
  const shown = shownLine(line, submatches);
  const isJoined = takesLineEnd === true || line.includes('\n') || shown.text.includes('\n');
  if (form.joinsLines && isJoined) return joinedRows(shown, source, form);
  const { text, hits } = shown;
  const row = { lineNumber, text, hits, isContext, truncated: truncated === true };
  const [first] = hits;
  // An inverted search has lines without a match, and so has the context.
  if (first === undefined) return [row];
  if (!form.onlyMatching && !form.eachMatch)
    return [form.column ? { ...row, column: columnAt(text, first.start) } : row];
  return hits.map((hit) => {
    const column = columnAt(text, hit.start);
    if (!form.onlyMatching) return { ...row, hits: [hit], column };
    const part = text.slice(hit.start, hit.end);
    return { ...row, text: part, hits: [{ start: 0, end: part.length }], column };
  });
}

/** Returns the rows of one match in order: its context before, its own, its context after. */
export function rowsOf(match: GrepMatch, form: RowForm): readonly Row[] {
  const { contextBefore, contextAfter } = match;
  const rows = rowsOfLine({ ...match, isContext: false }, form);
  if (contextBefore === undefined && contextAfter === undefined) return rows;
  const context = (lines: GrepMatch['contextBefore'] = []): readonly Row[] =>
    lines.flatMap(({ isMatch, ...line }) => rowsOfLine({ ...line, isContext: isMatch !== true }, form));
  return [...context(contextBefore), ...rows, ...context(contextAfter)];
}
