import { quotePath } from '@cairn/tool/paths';
import type { GrepMatch } from '@cairn/natives';
import type { Paint } from '../../terminal/output.ts';
import { ellipsisColumns, escapeLine, fitLine, highlight, highlightFitted } from '../../terminal/text.ts';
import { rowsOf, type Row, type RowForm } from './grep-rows.ts';

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
  #linesCut = 0;

  constructor(form: GrepForm) {
    this.#form = form;
  }

  get linesCut(): number {
    return this.#linesCut;
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
    if (fitted !== whole) this.#linesCut += 1;
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
