import { createHash } from 'node:crypto';
import type { GrepMatch } from '@cairn/natives';
import type { ToolOptions } from './tools.ts';
import { ripgrep } from './tools.ts';

/** A matched line, as both sides are told apart by. */
export interface FoundLine {
  readonly path: string;
  readonly lineNumber: number;
  /** Without its `\n`; invalid UTF-8 is replaced. */
  readonly line: string;
  /** The matches that are not empty, as `start-end` in UTF-16 code units; undefined where that is not well-defined. */
  readonly submatches?: string | undefined;
}

export interface FoundLines {
  readonly lines: FoundLine[];
  readonly context: FoundLine[];
}

type Data = { readonly text: string } | { readonly bytes: string };

interface MatchMessage {
  readonly path: Data;
  readonly lines: Data;
  readonly line_number: number;
  readonly submatches: readonly Place[];
}

function toBuffer(data: Data): Buffer {
  return 'text' in data ? Buffer.from(data.text) : Buffer.from(data.bytes, 'base64');
}

/** How ripgrep is run wherever it is compared with: on every file, also outside of repositories. */
export const ripgrepFlags: readonly string[] = ['--no-mmap', '--no-require-git', '--no-messages', '--glob=!.git'];

/**
 * The lines that ripgrep finds below a directory, hidden files included, also outside of repositories. A match over
 * several lines is one line each.
 *
 * Throws when ripgrep does not take the pattern.
 */
export function ripgrepLines(
  root: string,
  pattern: string,
  flags: readonly string[] = ['--hidden'],
  options: ToolOptions = {},
): FoundLine[] {
  const found = ripgrepLinesAndContext(root, pattern, flags, options);
  if (found === undefined) throw new Error(`ripgrep refused ${JSON.stringify(pattern)}`);
  return found.lines;
}

/** The same with the lines of context. Undefined when ripgrep does not take the pattern. */
export function ripgrepLinesAndContext(
  root: string,
  pattern: string,
  flags: readonly string[],
  options: ToolOptions = {},
): FoundLines | undefined {
  const { exitCode, stdout } = ripgrep(['--json', ...ripgrepFlags, ...flags, '-e', pattern], root, options);
  if (exitCode !== 0 && exitCode !== 1) return undefined;
  const messages = splitLines(stdout).map((line) => JSON.parse(line.toString()) as { type: string; data: unknown });
  const linesOf = (kind: string): FoundLine[] =>
    messages.filter(({ type }) => type === kind).flatMap(({ data }) => toLines(data as MatchMessage));
  return { lines: linesOf('match'), context: linesOf('context') };
}

function toLines(message: MatchMessage): FoundLine[] {
  const path = toBuffer(message.path).toString();
  let offset = 0;
  return splitLines(toBuffer(message.lines)).map((line, index) => {
    const start = offset;
    offset += line.length + 1;
    const inLine = message.submatches.map((place) => ({
      start: Math.max(place.start - start, 0),
      end: Math.min(place.end - start, line.length),
    }));
    return {
      path,
      lineNumber: message.line_number + index,
      line: line.toString(),
      submatches: unitsOf(line, inLine),
    };
  });
}

/** Splits behind each `\n` and drops it. What follows the last one is a line if it is not empty. */
function splitLines(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < bytes.length;) {
    const found = bytes.indexOf(0x0a, start);
    const end = found === -1 ? bytes.length : found;
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return lines;
}

interface Place {
  readonly start: number;
  readonly end: number;
}

function unitsOf(line: Buffer, places: readonly Place[]): string | undefined {
  const text = line.toString();
  if (text.includes('\uFFFD')) return undefined;
  // Byte for byte a code unit.
  if (text.length === line.length) return describePlaces(places);
  // The places come in order, so each offset is counted from the one before.
  let bytes = 0;
  let units = 0;
  const unit = (offset: number): number => {
    units += line.toString('utf8', bytes, offset).length;
    bytes = offset;
    return units;
  };
  const inside = places.filter(({ start, end }) => start < end);
  return describePlaces(inside.map(({ start, end }) => ({ start: unit(start), end: unit(end) })));
}

function describePlaces(places: readonly Place[]): string {
  return places
    .filter(({ start, end }) => start < end)
    .map(({ start, end }) => `${start}-${end}`)
    .join();
}

/** The same of our own matches. */
export function ourLines(matches: readonly GrepMatch[]): FoundLine[] {
  return matches.map(({ path, lineNumber, line, submatches = [] }) => ({
    path,
    lineNumber,
    line,
    submatches: line.includes('\uFFFD') ? undefined : describePlaces(submatches),
  }));
}

/** More of a line is not compared but by its digest, so that a failure can be read. */
const maxShown = 120;

/** One string per line, equal when the lines are; with the places of the matches where the lines have them. */
export function describeLines(lines: readonly FoundLine[]): string[] {
  return lines.map(({ path, lineNumber, line, submatches }) => {
    const digest = line.length > maxShown ? ` … ${line.length} ${createHash('sha1').update(line).digest('hex')}` : '';
    const places = submatches === undefined ? '' : ` [${submatches}]`;
    return `${path}:${lineNumber}:${JSON.stringify(line.slice(0, maxShown))}${digest}${places}`;
  });
}
