import * as binding from '../binding/index.js';
import { withCancel } from './abort.ts';
import { LOSSY, columnReader, fillWith, present, readAll } from './decode.ts';
import { observeCall } from './observer.ts';
import type { ObservedCall } from './observer.ts';
import { checkCallback, checkOptions, count, flag, given, oneOf, requiredText, searchRules, text } from './options.ts';
import type { OptionRules, SearchOptions, StopReason } from './options.ts';

/** What {@link grep} reports: matched lines, their number per file, or the files. */
export const GrepOutputMode = {
  Content: 'content',
  Count: 'count',
  FilesWithMatches: 'filesWithMatches',
} as const;
/** One of the values of {@link GrepOutputMode}. */
export type GrepOutputMode = (typeof GrepOutputMode)[keyof typeof GrepOutputMode];

/** Options of {@link grep}. `hidden` is **true** by default. `path` may be a file, which is searched whatever the filters say. */
export interface GrepOptions extends SearchOptions {
  /**
   * A regular expression in Rust's syntax. One that only PCRE2 knows (look-around, back-references, atomic groups,
   * recursion, `\K`, `\h`, …) is searched with PCRE2, as `rg -P` does. Braces that quantify nothing and brackets without a
   * partner are escaped, and a group that was begun (`(?:`, `(?=`) is closed at the end; what was searched then is in
   * `searchedPattern`. A pattern whose brackets cannot be repaired is searched literally. `engine` says which it was. At most
   * 64 KiB of UTF-8; PCRE2's options at the start of a pattern, such as `(*CRLF)`, are refused.
   */
  pattern: string;
  /**
   * Take the pattern literally.
   * @default false
   */
  literal?: boolean | undefined;
  /** Only files whose path relative to the root matches this glob, by the rules of `glob`. */
  glob?: string | undefined;
  /** Only files of this type: one of ripgrep's (`rg --type-list`), else an extension. */
  type?: string | undefined;
  /** @default false */
  ignoreCase?: boolean | undefined;
  /**
   * Let matches span lines; `.` still stops at the end of a line. Each line of a match is reported by itself.
   * @default false
   */
  multiline?: boolean | undefined;
  /**
   * At most so many matched lines (content and count mode) or files (files mode), in path order. The search ends at the
   * next one, which shows that there are more, or at the end of the tree. Default: all.
   */
  maxCount?: number | undefined;
  /**
   * Leave out the first so many, in the unit of `maxCount`.
   * @default 0
   */
  offset?: number | undefined;
  /** Lines of context before each match. Default: `context`. */
  contextBefore?: number | undefined;
  /** Lines of context after each match. Default: `context`. */
  contextAfter?: number | undefined;
  /**
   * Lines of context on both sides.
   * @default 0
   */
  context?: number | undefined;
  /** Cut lines to so many characters, around the match. Default: whole lines. */
  maxColumns?: number | undefined;
  /** At most so many matched lines of one file. Default: all. */
  maxCountPerFile?: number | undefined;
  /** Leave out files of more bytes. Default: none is too large. */
  maxFileSize?: number | undefined;
  /** @default 'content' */
  mode?: GrepOutputMode | undefined;
}

/** A line by its number. */
export interface ContextLine {
  /** 1-based. */
  lineNumber: number;
  line: string;
}

/** Where in a line a match is, in UTF-16 code units. */
export interface Submatch {
  start: number;
  /** Behind the last code unit. */
  end: number;
}

/** A matched line; in the other modes, a file. */
export interface GrepMatch {
  /** Relative to the root, `/` separated; for a single file its name. */
  path: string;
  /** 1-based; 0 in count and files mode. */
  lineNumber: number;
  /** Without its `\n`; a `\r` before it is kept. Invalid UTF-8 is replaced by U+FFFD. Empty in count and files mode. */
  line: string;
  /** The lines before that are no matches and do not stand behind the match before. */
  contextBefore?: ContextLine[];
  /** The lines behind, up to the next match. */
  contextAfter?: ContextLine[];
  /**
   * The line, or one of its context lines, was cut to `maxColumns`, or it has more than 100,000 `submatches`, or PCRE2 gave
   * up before it had found all of them.
   */
  truncated?: true;
  /** In count mode: how many lines matched. */
  matchCount?: number;
  /** Where the matches are, the first 100,000 of a line; in content mode. */
  submatches?: Submatch[];
  /** The name is not valid UTF-8: `path` stands for it but does not open it. */
  lossyPath?: true;
}

/** What was found. */
export interface GrepResult {
  /** In path order, within a file in line order. */
  matches: GrepMatch[];
  /** Matched lines (in files mode: files) in what was searched, those left out by `offset` included. */
  totalMatches: number;
  /** Files with a match, in what was searched. */
  filesWithMatches: number;
  /** Files searched, in path order up to where the search stopped. */
  filesSearched: number;
  /** `maxCount` left something out. */
  limitReached?: true;
  /** How many files had more matches than `maxCountPerFile`, which left those out; absent when none. */
  filesCut?: number;
  /**
   * Files not searched, or not to the end: over `maxFileSize`, or with a line too long to hold in memory, where the search
   * ends; with a NUL byte, where it ends too; not readable (directories among them); with a line on which PCRE2 gave up
   * because it would have had to backtrack too often, where the search ends (`tooCostly`, absent when none).
   */
  skipped: { oversized: number; binary: number; unreadable: number; tooCostly?: number };
  /** What searched: Rust's regular expressions, PCRE2, or plain text, asked for or because the pattern is no expression. */
  engine: 'regex' | 'pcre2' | 'literal';
  /** What was searched for, when it is not the pattern as given. */
  searchedPattern?: string;
  /** Whether nothing is missing but what was skipped. */
  complete: boolean;
  /** Why something is missing. */
  stopReason?: StopReason;
}

const rules: OptionRules<GrepOptions> = {
  ...searchRules,
  pattern: requiredText,
  literal: flag,
  glob: text,
  type: text,
  ignoreCase: flag,
  multiline: flag,
  maxCount: count,
  offset: count,
  contextBefore: count,
  contextAfter: count,
  context: count,
  maxColumns: count,
  maxCountPerFile: count,
  maxFileSize: count,
  mode: oneOf(Object.values(GrepOutputMode)),
};

/**
 * Searches the files below a directory, or one file, for a regular expression.
 *
 * Finds the lines that `rg -n --no-require-git` finds, with PCRE2 those of `rg -P`. Symbolic links are not followed; with
 * `cache`, `node_modules` is skipped unless `glob` mentions it. A FIFO, socket or device as `path` gives an empty result.
 * Files are read, never mapped, so a file that changes meanwhile is harmless. Runs on workers of its own.
 *
 * @param onMatch is called with each match, in order, before the promise settles.
 * @throws {CairnError} `PATH_NOT_FOUND`, `INVALID_REGEX`, `INVALID_GLOB`, `INVALID_OPTION`, `TIMEOUT`; or the reason of the
 * signal.
 * @example
 * const { matches, limitReached } = await grep({ pattern: 'TODO|FIXME', path: 'src', type: 'ts', maxCount: 50 });
 */
export function grep(
  options: GrepOptions,
  onMatch?: ((error: Error | null, match: GrepMatch) => void) | null,
): Promise<GrepResult> {
  return observeCall('grep', options, (observed) => search(options, onMatch, observed));
}

async function search(
  options: GrepOptions,
  onMatch: ((error: Error | null, match: GrepMatch) => void) | null | undefined,
  observed: ObservedCall | undefined,
): Promise<GrepResult> {
  checkOptions('grep', options, rules);
  checkCallback('grep', onMatch);
  const { signal, onTimeout, ...rest } = options;
  const native = given({ ...rest, partialOnTimeout: onTimeout === 'partial' });
  const { columns, ...facts } = await withCancel(options, (handle) => binding.grep(native, handle));
  if (observed) observed.outputBytes = columns.byteLength;
  return { matches: await readMatches(readColumns(columns), signal, onMatch), ...facts };
}

/**
 * The columns. The text has the paths; then of each match the line, the context before and the context after. A column that
 * does not belong to the mode is empty.
 */
const readColumns = columnReader({
  // For each file with a match:
  pathLengths: 'u32',
  pathFlags: 'u8',
  // For each match, the index of its file:
  files: 'u32',
  // For each match in count mode:
  matchCounts: 'f64',
  // For each match in content mode:
  lineNumbers: 'f64',
  lineLengths: 'u32',
  truncated: 'u8',
  submatchCounts: 'u32',
  // Start and end of each submatch:
  submatches: 'u32',
  // For each match in content mode:
  beforeCounts: 'u32',
  afterCounts: 'u32',
  // For each context line:
  contextNumbers: 'f64',
  contextLengths: 'u32',
});

type GrepColumns = ReturnType<typeof readColumns>;

async function readMatches(
  columns: GrepColumns,
  signal: AbortSignal | undefined,
  onMatch: ((error: null, match: GrepMatch) => void) | null | undefined,
): Promise<GrepMatch[]> {
  const { text, pathLengths, pathFlags, files, matchCounts, lineNumbers } = columns;
  const readFile = (index: number): MatchedFile => {
    const path = text.take(present(pathLengths[index]));
    return { path, ...(present(pathFlags[index]) & LOSSY && { lossyPath: true }) };
  };
  const paths = await readAll(pathLengths.length, fillWith(readFile), signal, undefined);
  const fileOf = (index: number): MatchedFile => present(paths[present(files[index])]);
  const readLine = lineNumbers.length > 0 ? lineReader(columns) : undefined;
  const read = (index: number): GrepMatch => {
    if (readLine) return readLine(index, fileOf(index));
    const match: GrepMatch = { ...fileOf(index), lineNumber: 0, line: '' };
    if (matchCounts.length > 0) match.matchCount = present(matchCounts[index]);
    return match;
  };
  return readAll(files.length, fillWith(read), signal, onMatch);
}

interface MatchedFile {
  path: string;
  lossyPath?: true;
}

/** Returns a function that reads the matches of content mode, one after the other. */
function lineReader(columns: GrepColumns): (index: number, file: MatchedFile) => GrepMatch {
  const { text, lineNumbers, lineLengths, truncated, submatchCounts, submatches } = columns;
  const { beforeCounts, afterCounts, contextNumbers, contextLengths } = columns;
  let submatch = 0;
  let context = 0;
  const readSubmatch = (): Submatch => {
    const start = present(submatches[submatch++]);
    return { start, end: present(submatches[submatch++]) };
  };
  const readContext = (): ContextLine => {
    const lineNumber = present(contextNumbers[context]);
    return { lineNumber, line: text.take(present(contextLengths[context++])) };
  };
  return (index, file) => {
    const line = text.take(present(lineLengths[index]));
    const before = present(beforeCounts[index]);
    const after = present(afterCounts[index]);
    const contextBefore = before > 0 ? Array.from({ length: before }, readContext) : undefined;
    const contextAfter = after > 0 ? Array.from({ length: after }, readContext) : undefined;
    const length = present(submatchCounts[index]);
    const match: GrepMatch = {
      path: file.path,
      lineNumber: small(present(lineNumbers[index])),
      line,
      // A literal for the usual single submatch: an array that grows by `push` has room for seventeen.
      submatches: length === 1 ? [readSubmatch()] : Array.from({ length }, readSubmatch),
    };
    if (file.lossyPath) match.lossyPath = true;
    if (contextBefore) match.contextBefore = contextBefore;
    if (contextAfter) match.contextAfter = contextAfter;
    if (truncated[index] === 1) match.truncated = true;
    return match;
  };
}

/** A number as a small integer where it is one. V8 keeps such a number within the object, others beside it. */
function small(value: number): number {
  const integer = value | 0;
  return integer === value ? integer : value;
}
