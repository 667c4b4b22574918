import type { GrepMatch, Submatch } from '@cairn/natives';
import type { Range } from '../../terminal/text.ts';

/** A line to print, or a part of one. */
export interface Row {
  readonly lineNumber: number;
  /** The byte where the row's first match starts in its line, from 1; absent without a match. */
  readonly column?: number;
  readonly text: string;
  /** Absent for a context line. */
  readonly hits?: readonly Range[];
  readonly truncated: boolean;
}

/** Which rows a match has. */
export interface RowForm {
  /** Whether the rows are the matched texts, not their lines. */
  readonly onlyMatching: boolean;
  /** Whether each matched text has a row of its own, with its whole line. */
  readonly eachMatch: boolean;
  /** Whether the rows have a column. */
  readonly column: boolean;
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
  if ((submatches[0] as { replacement?: string } | undefined)?.replacement === undefined)
    return { text: line, hits: submatches };
  let text = '';
  let done = 0;
  const hits = submatches.map(({ start, end, replacement = '' }: Submatch & { replacement?: string }) => {
    text += line.slice(done, start);
    done = end;
    const hit = { start: text.length, end: text.length + replacement.length };
    text += replacement;
    return hit;
  });
  return { text: text + line.slice(done), hits };
}

function matchRows({ lineNumber, line, submatches = [], truncated }: GrepMatch, form: RowForm): readonly Row[] {
  const { text, hits } = shownLine(line, submatches);
  const row = { lineNumber, text, hits, truncated: truncated === true };
  const [first] = hits;
  // An inverted search has lines without a match.
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
  const rows = matchRows(match, form);
  if (contextBefore === undefined && contextAfter === undefined) return rows;
  const context = (lines: GrepMatch['contextBefore'] = []): Row[] =>
    lines.map((one) => ({ lineNumber: one.lineNumber, text: one.line, truncated: false }));
  return [...context(contextBefore), ...rows, ...context(contextAfter)];
}
