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

/**
 * How ripgrep is run wherever it is compared with: on every file, also outside of repositories. On one thread: when one
 * of several panics, the others wait for it for ever.
 */
export const ripgrepFlags: readonly string[] = [
  '--no-mmap',
  '--no-require-git',
  '--no-messages',
  '--glob=!.git',
  '--threads=1',
];

const panicExitCode = 101;

/**
 * The lines that ripgrep finds below a directory, hidden files included, also outside of repositories. A match over
 * several lines is one line each.
 *
 * Throws when ripgrep does not take the pattern.
 */
export function ripgrepLines(
  root: string,
  pattern: string | readonly string[],
  flags: readonly string[] = ['--hidden'],
  options: ToolOptions = {},
): FoundLine[] {
  const found = ripgrepLinesAndContext(root, pattern, flags, options);
  if (found === undefined) throw new Error(`ripgrep rejected ${JSON.stringify(pattern)}`);
  return found.lines;
}

export interface RipgrepOptions extends ToolOptions {
  /** Leave out the places of the matches; there may be one per character. */
  readonly withoutPlaces?: boolean | undefined;
}

/** The same with the lines of context. Undefined when ripgrep does not take the pattern. */
export function ripgrepLinesAndContext(
  root: string,
  pattern: string | readonly string[],
  flags: readonly string[],
  options: RipgrepOptions = {},
): FoundLines | undefined {
  const format = options.withoutPlaces === true ? plainFormat : ['--json'];
  const { exitCode, stdout } = ripgrep(
    [...format, ...ripgrepFlags, ...flags, ...[pattern].flat().flatMap((one) => ['-e', one])],
    root,
    options,
  );
  // It may do so on the places of a match over lines, which it needs for JSON.
  if (exitCode === panicExitCode && options.withoutPlaces !== true)
    return ripgrepLinesAndContext(root, pattern, flags, { ...options, withoutPlaces: true });
  if (exitCode !== 0 && exitCode !== 1) return undefined;
  if (options.withoutPlaces === true) return plainLines(stdout);
  const messages = splitLines(stdout).map((line) => JSON.parse(line.toString()) as { type: string; data: unknown });
  const linesOf = (kind: string): FoundLine[] =>
    messages.filter(({ type }) => type === kind).flatMap(({ data }) => toLines(data as MatchMessage));
  return { lines: linesOf('match'), context: linesOf('context') };
}

const plainFormat: readonly string[] = ['--line-number', '--with-filename', '--no-heading', '--null', '--color=never'];

/** Lines like `path\0number:line`, or `path\0number-line` for context; others are remarks. */
function plainLines(output: Buffer): FoundLines {
  const found: FoundLines = { lines: [], context: [] };
  for (const bytes of splitLines(output)) {
    const [, path, number, sign, line] = /^([^\0]*)\0(\d+)([:-])([^]*)$/u.exec(bytes.toString()) ?? [];
    if (path === undefined || line === undefined) continue;
    const list = sign === ':' ? found.lines : found.context;
    list.push({ path, lineNumber: Number(number), line, submatches: undefined });
  }
  return found;
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

/** Splits after each `\n` and drops it. The rest after the last one is a line if it is not empty. */
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
