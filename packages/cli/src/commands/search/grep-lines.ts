import { quotePath } from '@cairn/tool/paths';
import type { GrepMatch, Submatch } from '@cairn/natives';
import type { Paint } from '../../terminal/output.ts';
import { ellipsisColumns, escapeLine, fitLine, highlight, highlightFitted, type Range } from '../../terminal/text.ts';

export interface GrepForm extends RowForm {
  readonly paint: Paint;
  /** A terminal gets escaped control characters and cut lines, a pipe each line as it is. */
  readonly isTerminal: boolean;
  /** Whether each file has one heading, not each line its path. */
  readonly heading: boolean;
  readonly path: boolean;
  readonly lineNumber: boolean;
  /** Whether a path ends with a NUL character and is not quoted. */
  readonly nul: boolean;
  readonly hasContext: boolean;
  /** The most columns of a line in a terminal. Default: no limit. */
  readonly columns?: number | undefined;
}

export type PathNaming = (path: string) => string;

/** Takes a part of the matches, in order. The next part waits for its promise. */
export type BatchReader = (matches: readonly GrepMatch[], pathOf: PathNaming) => Promise<void>;

export const asIs: PathNaming = (path) => path;

function shownPath(path: string, form: Pick<GrepForm, 'isTerminal' | 'nul'>): string {
  return form.nul && !form.isTerminal ? path : quotePath(path);
}

/** Makes the lines of a content search in ripgrep's layout, from matches that arrive in parts. */
export class ContentPrinter {
  readonly #form: GrepForm;
  /** The file of the last match. The same root may be searched twice. */
  #file: { readonly path: string; readonly pathOf: PathNaming; readonly shown: string } | undefined;
  #lastLine: number | undefined;
  linesCut = 0;

  constructor(form: GrepForm) {
    this.#form = form;
  }

  *lines(matches: readonly GrepMatch[], pathOf: PathNaming): Generator<string> {
    for (const match of matches) {
      let start = '';
      if (this.#file?.path !== match.path || this.#file.pathOf !== pathOf) {
        const isFirst = this.#file === undefined;
        this.#file = { path: match.path, pathOf, shown: shownPath(pathOf(match.path), this.#form) };
        // A number that no line follows.
        this.#lastLine = isFirst || this.#form.heading ? undefined : -1;
        if (this.#form.heading && !isFirst) yield '';
        if (this.#form.heading && this.#form.path) {
          const heading = this.#form.paint.path(this.#file.shown);
          // As in ripgrep, the NUL takes the place of the line end.
          if (this.#form.nul) start = `${heading}\0`;
          else yield heading;
        }
      }
      if (match.binary === true) {
        const place = this.#form.path && !this.#form.heading ? `${this.#form.paint.path(this.#file.shown)}: ` : '';
        yield `${start}${place}binary file matches`;
        continue;
      }
      for (const row of rowsOf(match, this.#form)) {
        if (this.#form.hasContext && this.#isGap(row)) yield this.#form.paint.dim('--');
        this.#lastLine = row.lastLine ?? row.lineNumber;
        yield start + this.#line(row, this.#file.shown);
        start = '';
      }
    }
  }

  #isGap({ lineNumber }: Row): boolean {
    const last = this.#lastLine;
    return last !== undefined && lineNumber > last + 1;
  }

  #line(row: Row, path: string): string {
    const { paint, heading, nul, lineNumber, column } = this.#form;
    const separator = row.isContext ? '-' : ':';
    let place = '';
    let columns = 0;
    if (this.#form.path && !heading) place = paint.path(path) + (nul ? '\0' : separator);
    if (lineNumber) {
      const number = String(row.lineNumber);
      place += paint.lineNumber(number) + separator;
      columns += number.length + 1;
    }
    if (column && row.column !== undefined) {
      place += `${row.column}${separator}`;
      columns += String(row.column).length + 1;
    }
    return place + this.#text(row, columns);
  }

  #text(row: Row, usedColumns: number): string {
    const { paint, isTerminal, columns } = this.#form;
    const hit = { paint: paint.hit, escape: isTerminal ? escapeLine : (text: string) => text };
    if (!isTerminal) return paint.isColored ? highlight(row.text, row.hits, hit) : row.text;
    const text = row.text.endsWith('\r') ? row.text.slice(0, -1) : row.text;
    const room = columns === undefined ? undefined : Math.max(columns - usedColumns - ellipsisColumns, 1);
    const whole = { text, ranges: row.hits, cutStart: false, cutEnd: row.truncated };
    const fitted = room === undefined ? whole : fitLine(text, whole.ranges, room);
    if (!fitted.cutStart && !fitted.cutEnd) return highlightFitted(whole, hit, paint.dim);
    if (fitted !== whole) this.linesCut += 1;
    return highlightFitted(fitted, hit, paint.dim);
  }
}

export function* fileLines(
  matches: readonly GrepMatch[],
  form: Pick<GrepForm, 'paint' | 'isTerminal' | 'path' | 'nul'>,
  pathOf: PathNaming,
): Generator<string> {
  for (const { path, matchCount } of matches) {
    const shown = form.paint.path(shownPath(pathOf(path), form));
    if (matchCount === undefined) yield shown;
    else yield (form.path ? shown + (form.nul ? '\0' : ':') : '') + form.paint.lineNumber(String(matchCount));
  }
}

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

interface RowForm {
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

function rowsOf(match: GrepMatch, form: RowForm): readonly Row[] {
  const { contextBefore, contextAfter } = match;
  const rows = rowsOfLine({ ...match, isContext: false }, form);
  if (contextBefore === undefined && contextAfter === undefined) return rows;
  const context = (lines: GrepMatch['contextBefore'] = []): readonly Row[] =>
    lines.flatMap(({ isMatch, ...line }) => rowsOfLine({ ...line, isContext: isMatch !== true }, form));
  return [...context(contextBefore), ...rows, ...context(contextAfter)];
}

/** Adds a line to the match whose last hit includes the line break before it. */
function append(match: GrepMatch, line: GrepMatch): void {
  const { submatches: hits = [] } = match;
  const { submatches: own = [] } = line;
  const last = hits.at(-1);
  if (last === undefined) return;
  const shift = match.line.length + 1;
  const [first, ...others] = own;
  const continued = first?.continued === true ? first : undefined;
  last.end = shift + (continued?.end ?? 0);
  for (const hit of continued === undefined ? own : others)
    hits.push({ ...hit, start: hit.start + shift, end: hit.end + shift });
  match.line += `\n${line.line}`;
  if (line.truncated === true) match.truncated = true;
  if (line.takesLineEnd === true) match.takesLineEnd = true;
  else delete match.takesLineEnd;
  if (line.contextAfter !== undefined) match.contextAfter = line.contextAfter;
}

/** Whether the last hit of a match includes the line break before the line. */
function goesOnIn(match: GrepMatch, line: GrepMatch): boolean {
  const next = match.lineNumber + match.line.split('\n').length;
  const isWhole = match.submatches?.at(-1)?.end === match.line.length;
  return match.takesLineEnd === true && isWhole && match.path === line.path && line.lineNumber === next;
}

/** Joins the lines of a match, because one text replaces all of them. The last line is held back until the next one. */
export class LineJoiner {
  readonly #read: BatchReader;
  #held: { readonly match: GrepMatch; readonly pathOf: PathNaming } | undefined;

  constructor(read: BatchReader) {
    this.#read = read;
  }

  readonly read: BatchReader = async (matches, pathOf) => {
    if (this.#held?.pathOf !== pathOf) await this.end();
    const whole: GrepMatch[] = [];
    for (const match of matches) {
      if (this.#held !== undefined && goesOnIn(this.#held.match, match)) {
        append(this.#held.match, match);
        continue;
      }
      if (this.#held !== undefined) whole.push(this.#held.match);
      this.#held = { match, pathOf };
    }
    await this.#read(whole, pathOf);
  };

  async end(): Promise<void> {
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined) await this.#read([held.match], held.pathOf);
  }
}
