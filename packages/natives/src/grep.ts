import * as binding from '../binding/index.js';
import { withCancel } from './abort.ts';
import { LOSSY, ResultReader, fillWith, present, readAll } from './decode.ts';
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
export async function grep(
  options: GrepOptions,
  onMatch?: ((error: Error | null, match: GrepMatch) => void) | null,
): Promise<GrepResult> {
  checkOptions('grep', options, rules);
  checkCallback('grep', onMatch);
  const { signal, onTimeout, ...rest } = options;
  const native = given({ ...rest, partialOnTimeout: onTimeout === 'partial' });
  const data = await withCancel(options, (handle) => binding.grep(native, handle));
  const reader = new ResultReader(data);
  const totalMatches = reader.double();
  const stopReason = reader.stopReason();
  const filesWithMatches = reader.double();
  const filesSearched = reader.double();
  const limitReached = reader.double() === 1;
  const filesCut = reader.double();
  const skipped = { oversized: reader.double(), binary: reader.double(), unreadable: reader.double() };
  const tooCostly = reader.double();
  const engine = present(engines[reader.double()]);
  const hasSearchedPattern = reader.double() === 1;
  const mode = present(modes[reader.double()]);
  const pathCount = reader.double();
  const length = reader.double();
  const searchedPattern = hasSearchedPattern ? reader.string() : undefined;
  const readFile = (): MatchedFile => ({ path: reader.string(), ...(reader.flag() & LOSSY && { lossyPath: true }) });
  const files = await readAll(pathCount, fillWith(readFile), signal, undefined);
  const read = (): GrepMatch => {
    const file = present(files[reader.word()]);
    const truncated = reader.flag() === 1;
    const match = decodeMatch(reader, mode, file);
    if (truncated) match.truncated = true;
    return match;
  };
  return {
    matches: await readAll(length, fillWith(read), signal, onMatch),
    totalMatches,
    filesWithMatches,
    filesSearched,
    ...(limitReached && { limitReached: true as const }),
    ...(filesCut > 0 && { filesCut }),
    skipped: { ...skipped, ...(tooCostly > 0 && { tooCostly }) },
    engine,
    ...(searchedPattern !== undefined && { searchedPattern }),
    complete: stopReason === undefined,
    ...(stopReason && { stopReason }),
  };
}

/** The modes by the number they cross as. */
const modes: readonly GrepOutputMode[] = [
  GrepOutputMode.Content,
  GrepOutputMode.Count,
  GrepOutputMode.FilesWithMatches,
];

/** The engines by the number they cross as. */
const engines = ['regex', 'pcre2', 'literal'] as const;

interface MatchedFile {
  path: string;
  lossyPath?: true;
}

function decodeMatch(reader: ResultReader, mode: GrepOutputMode, file: { path: string; lossyPath?: true }): GrepMatch {
  if (mode !== GrepOutputMode.Content) {
    const match: GrepMatch = { ...file, lineNumber: 0, line: '' };
    if (mode === GrepOutputMode.Count) match.matchCount = reader.double();
    return match;
  }
  const lineNumber = reader.whole();
  const line = reader.string();
  const before = reader.word();
  const after = reader.word();
  const length = reader.word();
  const contextBefore = before > 0 ? contextLines(reader, before) : undefined;
  const contextAfter = after > 0 ? contextLines(reader, after) : undefined;
  // Literals for the usual match, of which there may be a hundred thousand: an array that is pushed to has room for
  // seventeen.
  const submatches = length === 1 ? [readSubmatch(reader)] : Array.from({ length }, () => readSubmatch(reader));
  const match: GrepMatch = { path: file.path, lineNumber, line, submatches };
  if (file.lossyPath) match.lossyPath = true;
  if (contextBefore) match.contextBefore = contextBefore;
  if (contextAfter) match.contextAfter = contextAfter;
  return match;
}

function readSubmatch(reader: ResultReader): Submatch {
  return { start: reader.word(), end: reader.word() };
}

function contextLines(reader: ResultReader, length: number): ContextLine[] {
  return Array.from({ length }, () => ({ lineNumber: reader.double(), line: reader.string() }));
}
