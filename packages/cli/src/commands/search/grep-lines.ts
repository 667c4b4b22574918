import { quotePath } from '@cairn/tool/paths';
import type { GrepMatch } from '@cairn/natives';
import type { Paint } from '../../terminal/output.ts';
import { ellipsisColumns, escapeLine, fitLine, highlight, highlightFitted, type Range } from '../../terminal/text.ts';

/** How grep results are printed. */
export interface GrepStyle {
  readonly paint: Paint;
  /** A terminal gets one heading per file, escaped control characters and cut lines; a pipe gets `path:line:text` with the line as it is. */
  readonly isTerminal: boolean;
  readonly hasContext: boolean;
  /** The most columns of a line in a terminal. Default: no limit. */
  readonly columns?: number | undefined;
  /** Returns the path to print. */
  readonly pathOf: (path: string) => string;
  /** Called for each line that is cut to `columns`. */
  readonly onCut: () => void;
}

interface Row {
  readonly lineNumber: number;
  readonly text: string;
  /** Absent for a context line. */
  readonly hits?: readonly Range[];
  readonly truncated: boolean;
}

/** Returns the lines of one match. A match across lines has several, each with its part of the hits. */
function matchRows(match: GrepMatch): Row[] {
  const rows: Row[] = [];
  let offset = 0;
  for (const [index, text] of match.line.split('\n').entries()) {
    const end = offset + text.length;
    const hits = (match.submatches ?? [])
      .filter((hit) => hit.start <= end && hit.end > offset)
      .map((hit) => ({ start: Math.max(hit.start - offset, 0), end: Math.min(hit.end, end) - offset }));
    rows.push({ lineNumber: match.lineNumber + index, text, hits, truncated: match.truncated === true });
    offset = end + 1;
  }
  return rows;
}

/** Returns the lines of one file in order, each once. A matched line wins over the same line as context. */
function fileRows(matches: readonly GrepMatch[]): Row[] {
  const rows = new Map<number, Row>();
  for (const match of matches) for (const row of matchRows(match)) rows.set(row.lineNumber, row);
  for (const match of matches) {
    for (const { lineNumber, line } of [...(match.contextBefore ?? []), ...(match.contextAfter ?? [])]) {
      if (!rows.has(lineNumber)) rows.set(lineNumber, { lineNumber, text: line, truncated: false });
    }
  }
  return [...rows.values()].toSorted((one, other) => one.lineNumber - other.lineNumber);
}

function rowText(row: Row, style: GrepStyle, usedColumns: number): string {
  const hit = { paint: style.paint.hit, escape: style.isTerminal ? escapeLine : (text: string) => text };
  if (!style.isTerminal) return highlight(row.text, row.hits ?? [], hit);
  const text = row.text.endsWith('\r') ? row.text.slice(0, -1) : row.text;
  const room = style.columns === undefined ? undefined : Math.max(style.columns - usedColumns - ellipsisColumns, 1);
  const whole = { text, ranges: row.hits ?? [], cutStart: false, cutEnd: row.truncated };
  const fitted = room === undefined ? whole : fitLine(text, whole.ranges, room);
  if (!fitted.cutStart && !fitted.cutEnd) return highlightFitted(whole, hit, style.paint.dim);
  if (fitted !== whole) style.onCut();
  return highlightFitted(fitted, hit, style.paint.dim);
}

function* rowLines(
  matches: readonly GrepMatch[],
  path: string,
  style: GrepStyle,
  needsSeparator: boolean,
): Generator<string> {
  let last = needsSeparator ? -1 : undefined;
  for (const row of fileRows(matches)) {
    if (style.hasContext && last !== undefined && row.lineNumber !== last + 1) yield style.paint.dim('--');
    last = row.lineNumber;
    const separator = row.hits === undefined ? '-' : ':';
    const number = String(row.lineNumber);
    const place = style.isTerminal ? '' : style.paint.path(path) + separator;
    yield place + style.paint.lineNumber(number) + separator + rowText(row, style, number.length + 1);
  }
}

function* byFile(matches: readonly GrepMatch[]): Generator<readonly GrepMatch[]> {
  let start = 0;
  for (let index = 1; index <= matches.length; index += 1) {
    if (index < matches.length && matches[index]?.path === matches[start]?.path) continue;
    yield matches.slice(start, index);
    start = index;
  }
}

/** Returns the lines of a content search in ripgrep's layout. `matches` are in path order. */
export function* contentLines(matches: readonly GrepMatch[], style: GrepStyle): Generator<string> {
  let isFirst = true;
  for (const group of matches.length === 0 ? [] : byFile(matches)) {
    const path = quotePath(style.pathOf(group[0]?.path ?? ''));
    if (style.isTerminal) {
      if (!isFirst) yield '';
      yield style.paint.path(path);
    }
    yield* rowLines(group, path, style, !style.isTerminal && !isFirst);
    isFirst = false;
  }
}

/** Returns one line per file: the path, and in count mode its number of matches. */
export function* fileLines(
  matches: readonly GrepMatch[],
  style: Pick<GrepStyle, 'paint' | 'pathOf'>,
): Generator<string> {
  for (const match of matches) {
    const shown = style.paint.path(quotePath(style.pathOf(match.path)));
    yield match.matchCount === undefined ? shown : `${shown}:${style.paint.lineNumber(String(match.matchCount))}`;
  }
}
