import type { GrepMatch } from '@cairn/natives';
import type { Paint } from './output.ts';
import {
  ellipsisColumns,
  escapeControls,
  escapeLine,
  fitLine,
  highlight,
  highlightFitted,
  type Range,
} from './text.ts';

/** How grep results are laid out; settled once per run. */
export interface GrepLook {
  readonly paint: Paint;
  /** In a terminal: one heading per file, control characters escaped, very long lines cut. Else `path:line:text`. */
  readonly isTerminal: boolean;
  readonly hasContext: boolean;
  /** Columns one line may take in a terminal, or none to show it whole. */
  readonly columns?: number | undefined;
  /** The path to print for a result's path. */
  readonly pathOf: (path: string) => string;
  /** Called for every line that was cut to `columns`. */
  readonly onCut: () => void;
}

interface Row {
  readonly lineNumber: number;
  readonly text: string;
  /** Absent for a context line. */
  readonly hits?: readonly Range[];
  readonly truncated: boolean;
}

/** The lines of one match; a match across lines has several, each with its part of the hits. */
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

/** All lines to show of one file, in order, each once; a matched line wins over the same line as context. */
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

function rowText(row: Row, look: GrepLook, usedColumns: number): string {
  const style = { paint: look.paint.hit, escape: look.isTerminal ? escapeLine : (text: string) => text };
  if (!look.isTerminal) return highlight(row.text, row.hits ?? [], style);
  const text = row.text.endsWith('\r') ? row.text.slice(0, -1) : row.text;
  const room = look.columns === undefined ? undefined : Math.max(look.columns - usedColumns - ellipsisColumns, 1);
  const whole = { text, ranges: row.hits ?? [], cutStart: false, cutEnd: row.truncated };
  const fitted = room === undefined ? whole : fitLine(text, whole.ranges, room);
  if (!fitted.cutStart && !fitted.cutEnd) return highlightFitted(whole, style, look.paint.dim);
  if (fitted !== whole) look.onCut();
  return highlightFitted(fitted, style, look.paint.dim);
}

function* rowLines(
  matches: readonly GrepMatch[],
  path: string,
  look: GrepLook,
  needsSeparator: boolean,
): Generator<string> {
  let last = needsSeparator ? -1 : undefined;
  for (const row of fileRows(matches)) {
    if (look.hasContext && last !== undefined && row.lineNumber !== last + 1) yield look.paint.dim('--');
    last = row.lineNumber;
    const separator = row.hits === undefined ? '-' : ':';
    const number = String(row.lineNumber);
    const place = look.isTerminal ? '' : look.paint.path(path) + separator;
    yield place + look.paint.lineNumber(number) + separator + rowText(row, look, number.length + 1);
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

/** The lines of a content search, laid out as ripgrep does. `matches` are in path order, as the library returns them. */
export function* contentLines(matches: readonly GrepMatch[], look: GrepLook): Generator<string> {
  let isFirst = true;
  for (const group of matches.length === 0 ? [] : byFile(matches)) {
    const path = look.pathOf(group[0]?.path ?? '');
    if (look.isTerminal) {
      if (!isFirst) yield '';
      yield look.paint.path(escapeControls(path));
    }
    yield* rowLines(group, path, look, !look.isTerminal && !isFirst);
    isFirst = false;
  }
}

/** One line per file: the path, and its number of matches when that was asked for. */
export function* fileLines(
  matches: readonly GrepMatch[],
  look: Pick<GrepLook, 'paint' | 'isTerminal' | 'pathOf'>,
): Generator<string> {
  for (const match of matches) {
    const path = look.pathOf(match.path);
    const shown = look.paint.path(look.isTerminal ? escapeControls(path) : path);
    yield match.matchCount === undefined ? shown : `${shown}:${look.paint.lineNumber(String(match.matchCount))}`;
  }
}
