import * as binding from '../binding/index.js';
import { withCancel } from './abort.ts';
import { LOSSY, Turn, columnReader, makeArray, present, readAll } from './decode.ts';
import type { ItemReader } from './decode.ts';
import { InputFeed } from './grep-input.ts';
import { observe } from './observer.ts';
import type { ObservedCall } from '@cairn/tool/kernel';
import { checkCallback, checkOptions, count, flag, given, list, oneOf, searchRules, text, texts } from './options.ts';
import type { OptionRules, SearchOptions, StopReason } from './options.ts';

/** The unit that {@link grep} reports: matched lines, their number for each file, or the files. */
export const GrepOutputMode = {
  Content: 'content',
  Count: 'count',
  FilesWithMatches: 'filesWithMatches',
} as const;
/** One of the values of {@link GrepOutputMode}. */
export type GrepOutputMode = (typeof GrepOutputMode)[keyof typeof GrepOutputMode];

/** Options of {@link grep}. `hidden` is **true** by default. `path` may be a file, which is searched even if the filters exclude it. */
export interface GrepOptions extends SearchOptions {
  /**
   * A regular expression in Rust's syntax. Syntax that only PCRE2 has (look-around, back-references, atomic groups,
   * recursion, `\K`, `\h`, …) is searched with PCRE2, like `rg -P`.
   *
   * A pattern that does not parse is searched literally (`engine: 'literal'`), unless a repair can find its text: braces that
   * are not quantifiers, brackets without a partner, parentheses around plain text and a `$` before a name are escaped, an
   * open group (`(?:`, `(?=`) is closed at the end. Each match of a repaired pattern has one of the literal characters, and
   * every line with the text as typed matches. `searchedPattern` holds the repaired pattern, with the text as an alternative
   * if the repair does not match it and does more than closing a group.
   *
   * At most 64 KiB of UTF-8. Patterns that parse but are not valid reject with `INVALID_REGEX`: a range backwards, an unknown
   * property, look-behind without a bound, an option of PCRE2 at the start, such as `(*CRLF)`.
   *
   * Of several patterns, each is taken as if it were the only one, and a line matches if one of them does; an empty list
   * matches nothing. Together at most 4 MiB, and 256 patterns if one of them needs PCRE2.
   */
  pattern: string | readonly string[];
  /**
   * Take the pattern literally.
   * @default false
   */
  literal?: boolean | undefined;
  /**
   * Use PCRE2 for every pattern that it accepts, as with `rg -P`. A pattern that only Rust's engine accepts rejects with
   * `INVALID_REGEX`.
   * @default false
   */
  pcre2?: boolean | undefined;
  /**
   * Only files whose path relative to the root matches this glob, by the rules of `glob`; a `!` before it excludes them, and
   * what is below a directory that matches. Of several globs, the last one that matches decides, as with `rg -g`.
   *
   * A comma outside of braces separates several globs in one string if every one has a wildcard or a `!`: `*.ts,!*.d.ts`;
   * of these, the ones with a `!` decide. `globs` then holds them.
   */
  glob?: string | readonly string[] | undefined;
  /**
   * Only files of this type, or of one of these: one of ripgrep's types (`fileTypes()`), another common name of one (`golang`,
   * `c++`), or an extension that one of the files has. Otherwise the call rejects with `INVALID_OPTION` and near names.
   */
  type?: string | readonly string[] | undefined;
  /** No files of this type, or of any of these; `type` does not bring them back. */
  typeNot?: string | readonly string[] | undefined;
  /** The depth of the deepest files; 1 means only those in the root itself. Default: no limit. */
  maxDepth?: number | undefined;
  /**
   * Follow symbolic links, also out of the root, and search each directory once.
   * @default false
   */
  followLinks?: boolean | undefined;
  /** Search `node_modules`. Default: whether `glob` mentions it, or `cache` is off. `skipped.nodeModules` counts what it leaves out. */
  includeNodeModules?: boolean | undefined;
  /**
   * What a NUL byte in a file means. `skip`: it ends the search of the file. `search`: the file is searched to its first match,
   * with NUL bytes for line ends, as with `rg --binary`; the match has `binary` instead of a line. `text`: it is a character
   * like any other, as with `rg --text`.
   * @default 'skip'
   */
  binary?: 'skip' | 'search' | 'text' | undefined;
  /** @default false */
  ignoreCase?: boolean | undefined;
  /**
   * Ignore case if the patterns have a literal character, and none in upper case, as with `rg --smart-case`.
   * @default false
   */
  smartCase?: boolean | undefined;
  /**
   * Only matches with no word character directly before or after them, as with `rg --word-regexp`.
   * @default false
   */
  wholeWord?: boolean | undefined;
  /**
   * Only matches of a whole line, as with `rg --line-regexp`.
   * @default false
   */
  wholeLine?: boolean | undefined;
  /**
   * The lines without a match, which have no `submatches`.
   * @default false
   */
  invert?: boolean | undefined;
  /**
   * Let matches span lines; `.` still stops at the end of a line. Each line of a match is reported by itself.
   * @default false
   */
  multiline?: boolean | undefined;
  /**
   * Take `\r\n` for one line end, as `rg --crlf`: `$` matches before the `\r`, which no match contains. A pattern that
   * asks for a `\r` is rejected, except with `multiline`. `line` still ends with the `\r`.
   * @default false
   */
  crlf?: boolean | undefined;
  /**
   * The maximal number of matched lines (content and count mode) or files (files mode), in path order. The search ends at
   * the first one over the limit, or at the end of the tree. Default: no limit.
   */
  maxCount?: number | undefined;
  /**
   * How many to leave out at the start, in the unit of `maxCount`.
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
  /** The maximal number of characters of a line, which is cut around the match. Default: whole lines. */
  maxColumns?: number | undefined;
  /**
   * The maximal number of matched lines of one file. A match over several lines counts once. Later ones are shown only as
   * context, with `isMatch`. Default: no limit.
   */
  maxCountPerFile?: number | undefined;
  /** The maximal size in bytes of a file that is searched. Default: no limit. */
  maxFileSize?: number | undefined;
  /**
   * Return with each match what would replace it, as `rg --replace` shows it: `$1` and `${name}` stand for groups, `$0` for the
   * match and `$$` for `$`. The groups of several patterns are numbered in sequence. No file is changed.
   */
  replacement?: string | undefined;
  /**
   * Whether to find where the matches of a line are. With false, `submatches` is empty unless `maxColumns` or `replacement`
   * needs it, which is faster where lines have many matches.
   *
   * @default true
   */
  submatches?: boolean | undefined;
  /** @default 'content' */
  mode?: GrepOutputMode | undefined;
  /**
   * What count mode counts: `lines`, `matches`, or with `spanning` matches if the pattern may match over lines and lines
   * otherwise, as `rg --count`. With `invert` always lines.
   * @default 'lines'
   */
  countUnit?: 'lines' | 'matches' | 'spanning' | undefined;
}

/** Options of a search of a text that is not a file, such as standard input. Options that select files have no effect. */
export interface GrepInputOptions extends Omit<GrepOptions, 'path'> {
  /**
   * The text, in chunks of any size. It is searched as it arrives; the path of its matches is `<stdin>`. The next chunk is
   * requested when the last one was read, and none after the search has ended. An error of it rejects the call.
   */
  input: AsyncIterable<Uint8Array>;
}

/** A line of context. */
export interface ContextLine {
  /** 1-based. */
  lineNumber: number;
  line: string;
  /** It is a matched line, over `maxCountPerFile`. */
  isMatch?: true;
  /** The ranges of its matches: of such a line, and with `invert`. Absent when none. */
  submatches?: Submatch[];
}

/** The range of a match in a line, in UTF-16 code units. */
export interface Submatch {
  start: number;
  /** The code unit after the last. */
  end: number;
  /** The text to show in place of the match; with `replacement`. */
  replacement?: string;
  /** The match begins in an earlier line, which has its `replacement`; with `replacement`. The lines belong together. */
  continued?: true;
}

/** A matched line; in the other modes, a file. */
export interface GrepMatch {
  /** Relative to the root, `/` separated; for a single file its name. */
  path: string;
  /** 1-based; 0 in count and files mode. */
  lineNumber: number;
  /** Without its `\n`; a `\r` before it is kept. Invalid UTF-8 is replaced by U+FFFD. Empty in count and files mode. */
  line: string;
  /** The lines before it that do not match and are not in `contextAfter` of the previous match. */
  contextBefore?: ContextLine[];
  /** The lines after it, up to the next match. */
  contextAfter?: ContextLine[];
  /**
   * The line or one of its context lines was cut to `maxColumns` or to 16 million characters, or context before it exceeds the
   * budget, or it has more than 100,000 `submatches`, or PCRE2 reached its limit before it found all of them.
   */
  truncated?: true;
  /**
   * The file has a NUL byte: its line is not shown, and its search ended here. `lineNumber` is 0 and `line` is empty. Only with
   * `binary: 'search'`.
   */
  binary?: true;
  /** In count mode: how many lines matched, or how many matches there are, by `countUnit`. */
  matchCount?: number;
  /** The ranges of the matches, the first 100,000 of a line; in content mode. */
  submatches?: Submatch[];
  /** The last of them includes the end of the line; with `multiline` and `replacement`. */
  takesLineEnd?: true;
  /** The name is not valid UTF-8: `path` shows it with U+FFFD and cannot be opened. */
  lossyPath?: true;
}

/** A place where a text occurs. */
export interface Occurrence {
  text: string;
  /** Like the path of a match. */
  path: string;
  /** 1-based. */
  lineNumber: number;
}

/** The facts of a search: how much was searched, and how much of it matched. */
export interface GrepSummary {
  /** How many lines (in files mode: files) matched in the searched files, including those left out by `offset`. */
  totalMatches: number;
  /** How many of the searched files have a match. */
  filesWithMatches: number;
  /** How many files were searched, in path order up to where the search stopped. */
  filesSearched: number;
  /** `maxCount` left something out. */
  limitReached?: true;
  /** How many files had more matches than `maxCountPerFile`; absent when none. */
  filesCut?: number;
  /**
   * How many files were not searched, or not to the end.
   *
   * - `oversized`: over `maxFileSize`; or with a line that is too long to hold in memory, which ends the search of the file.
   * - `binary`: with a NUL byte, which ends the search of the file; only with `binary: 'skip'`.
   * - `unreadable`: files and directories that cannot be read.
   * - `tooCostly`: with a line that exceeds PCRE2's limit for backtracking, which ends the search of the file. Absent when
   *   none.
   * - `nodeModules`: not files, but directories `node_modules` that were not searched; `includeNodeModules` searches them. Those
   *   that ignore rules or `maxDepth` leave out, or that are not in the directory that `glob` begins with, do not count. Absent when
   *   none.
   */
  skipped: { oversized: number; binary: number; unreadable: number; tooCostly?: number; nodeModules?: number };
  /**
   * The first 16 of the unreadable files and directories in path order, relative to the root; `.` is the root itself. Files in
   * such a directory were not searched. Absent when none.
   */
  unreadablePaths?: string[];
  /** The engine: Rust's regular expressions, PCRE2, or plain text, with `literal` or if the pattern is not a valid expression. */
  engine: 'regex' | 'pcre2' | 'literal';
  /** The pattern that was searched, if it is not the given one; with one pattern. */
  searchedPattern?: string;
  /** Of several patterns, those that were not searched as given. One that was taken literally is escaped. Absent when none. */
  searchedPatterns?: { pattern: string; searched: string }[];
  /**
   * Nothing matches the expression, but its text occurs: `$scope` and `foo(1)` never match themselves. The first place, if it
   * is found within 250 ms in the first 20,000 files; `literal` finds all.
   */
  asTyped?: Occurrence;
  /** The globs that were used, if they are several. */
  globs?: string[];
  /**
   * What an exclusion, or a glob that selects no file, may have meant; or that only
   * `multiline` finds the line end that a pattern without a match requires.
   */
  hint?: string;
  /** Whether nothing is missing, except what `skipped` counts. */
  complete: boolean;
  /** Why something is missing. */
  stopReason?: StopReason;
}

/** The matches, and what was searched for them. */
export interface GrepResult extends GrepSummary {
  /** In path order, within a file in line order. */
  matches: GrepMatch[];
}

const rules: OptionRules<GrepOptions> = {
  ...searchRules,
  pattern: { ...texts, required: true },
  literal: flag,
  pcre2: flag,
  glob: texts,
  type: texts,
  typeNot: texts,
  maxDepth: count,
  followLinks: flag,
  includeNodeModules: flag,
  binary: oneOf(['skip', 'search', 'text']),
  ignoreCase: flag,
  smartCase: flag,
  wholeWord: flag,
  wholeLine: flag,
  invert: flag,
  multiline: flag,
  crlf: flag,
  maxCount: count,
  offset: count,
  contextBefore: count,
  contextAfter: count,
  context: count,
  maxColumns: count,
  maxCountPerFile: count,
  maxFileSize: count,
  replacement: text,
  submatches: flag,
  countUnit: oneOf(['lines', 'matches', 'spanning']),
  mode: oneOf(Object.values(GrepOutputMode)),
};

const inputRules: OptionRules<GrepInputOptions & { path: never }> = {
  ...rules,
  path: { test: () => false, expected: 'either input or path' },
  input: {
    test: (value) => typeof value === 'object' && value !== null && Symbol.asyncIterator in value,
    expected: 'an async iterable of Uint8Array',
    required: true,
  },
};

/**
 * Searches the files below a directory, or one file, for a regular expression.
 *
 * Finds the lines that `rg -n --no-require-git` finds, with PCRE2 those of `rg -P`. Symbolic links are followed only with `followLinks`; with
 * `cache`, `node_modules` is skipped unless `glob` mentions it or `includeNodeModules` is set, and `skipped.nodeModules` reports it. A FIFO, socket or device as `path` gives an empty result.
 * Files are read, never mapped, so a file may change during the search. Runs on the threads of the addon. With `input` it
 * searches that text instead.
 *
 * @param onMatch called with each match while the search runs, in order, before the promise settles.
 * @throws {CairnError} `PATH_NOT_FOUND`, `INVALID_REGEX`, `INVALID_GLOB`, `INVALID_OPTION`, `TIMEOUT`; or the reason of the
 * signal.
 * @example
 * const { matches, limitReached } = await grep({ pattern: 'TODO|FIXME', path: 'src', type: 'ts', maxCount: 50 });
 */
export function grep(
  options: GrepOptions | GrepInputOptions,
  onMatch?: ((error: Error | null, match: GrepMatch) => void) | null,
): Promise<GrepResult> {
  return observe('grep', options, (observed) => search(options, onMatch, observed));
}

async function search(
  options: GrepOptions | GrepInputOptions,
  onMatch: ((error: Error | null, match: GrepMatch) => void) | null | undefined,
  observed: ObservedCall | undefined,
): Promise<GrepResult> {
  checkGrepOptions('grep', options);
  checkCallback('grep', onMatch);
  if (onMatch || 'input' in options) {
    const matches: GrepMatch[] = [];
    const onBatch = (batch: GrepMatch[]): void => {
      for (const match of batch) matches.push(match);
    };
    const summary = await searchInBatches(options, { onBatch, onMatch, keepsAll: true }, observed);
    return { matches, ...summary };
  }
  const { columns, ...facts } = await withCancel(options, (handle) => binding.grep(nativeOptions(options), handle));
  if (observed) observed.outputBytes = columns.byteLength;
  return { matches: await readMatches(readColumns(columns), options.signal), ...facts };
}

/**
 * Searches like {@link grep} and passes the matches on while the search runs, so that a result of any size needs little memory.
 *
 * The first batch has the first match; the later ones have what was found meanwhile, about 1 MiB at most, in the order of the
 * result. While the promise of `onBatch` is pending the search goes on only until the matches that wait take about 32 MiB, and
 * then leaves its threads to other calls. An error of `onBatch` ends the search, and the call rejects with it. A call that
 * rejects may have delivered some batches. With `onTimeout: 'partial'` the call waits for the promise of the last batch.
 *
 * @param onBatch called with one batch after the other, never after the promise has settled.
 * @throws {CairnError} like {@link grep}.
 * @example
 * const { totalMatches } = await grepStream({ pattern: 'TODO', path: '.' }, async (matches) => {
 *   for (const { path, line } of matches) process.stdout.write(`${path}: ${line}\n`);
 * });
 */
export function grepStream(
  options: GrepOptions | GrepInputOptions,
  onBatch: (matches: GrepMatch[]) => void | Promise<void>,
): Promise<GrepSummary> {
  return observe('grepStream', options, async (observed) => {
    checkGrepOptions('grepStream', options);
    checkCallback('grepStream', onBatch, 'onBatch');
    return searchInBatches(options, { onBatch, keepsAll: false }, observed);
  });
}

function checkGrepOptions(name: string, options: GrepOptions | GrepInputOptions): void {
  // A value that is not an object is rejected by the check.
  if (options !== null && typeof options === 'object' && 'input' in options) checkOptions(name, options, inputRules);
  else checkOptions(name, options, rules);
}

/** The options as the addon takes them. */
function nativeOptions(options: GrepOptions): binding.NativeGrepOptions {
  const { signal: _, onTimeout, pattern, glob, type, typeNot, ...rest } = options;
  return given({
    ...rest,
    patterns: list(pattern),
    globs: list(glob),
    types: list(type),
    excludedTypes: list(typeNot),
    partialOnTimeout: onTimeout === 'partial',
  });
}

/** Where the matches go, and whether it keeps all of them. */
interface Receiver {
  readonly onBatch: (matches: GrepMatch[]) => void | Promise<void>;
  readonly onMatch?: ((error: null, match: GrepMatch) => void) | null | undefined;
  readonly keepsAll: boolean;
}

async function searchInBatches(
  options: GrepOptions | GrepInputOptions,
  { onBatch, onMatch, keepsAll }: Receiver,
  observed: ObservedCall | undefined,
): Promise<GrepSummary> {
  const deliver = async (columns: Uint8Array, hasEnded: () => boolean): Promise<void> => {
    const onEach = onMatch && ((_: null, match: GrepMatch): void => void (hasEnded() || onMatch(null, match)));
    const matches = await readMatches(readColumns(columns), options.signal, onEach);
    if (hasEnded() || matches.length === 0) return;
    if (observed) {
      observed.outputBytes = (observed.outputBytes ?? 0) + columns.byteLength;
      observed.results = (observed.results ?? 0) + matches.length;
    }
    await onBatch(matches);
  };
  const { columns: _, ...facts } = await withCancel(options, async (handle, hasEnded) => {
    const text = 'input' in options ? new InputFeed(options.input) : undefined;
    const native = nativeOptions('input' in options ? withoutInput(options) : options);
    const stream = binding.grepStream(native, keepsAll, handle, text?.native);
    const read = async (): Promise<binding.NativeGrepResult | binding.NativeError> => {
      for (;;) {
        const part = await stream.next();
        if ('code' in part) return part;
        await deliver(part.columns, hasEnded);
        if ('complete' in part) return part;
      }
    };
    try {
      return await (text ? Promise.race([read(), text.failure]) : read());
    } catch (error) {
      // The search would wait for the next call.
      handle.cancel();
      throw error;
    } finally {
      text?.end();
    }
  });
  return facts;
}

/** The options for the addon, which takes the text by itself. */
function withoutInput({ input: _, ...options }: GrepInputOptions): GrepOptions {
  return { ...options, path: '.' };
}

/**
 * The columns. The text has the paths; then of each match the line, its replacements, and the lines of context before and
 * after it, each with its replacements. A column that does not belong to the mode is empty.
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
  // TRUNCATED, BINARY and TAKES_LINE_END:
  flags: 'u8',
  submatchCounts: 'u32',
  // Start and end of each submatch:
  submatches: 'u32',
  // For each match in content mode:
  beforeCounts: 'u32',
  afterCounts: 'u32',
  // For each context line:
  contextNumbers: 'f64',
  contextLengths: 'u32',
  // For each context line, if one of them is a match or has submatches; the submatches are after those of the match:
  contextFlags: 'u8',
  contextSubmatchCounts: 'u32',
  // For each submatch with a replacement, or CONTINUED:
  replacementLengths: 'u32',
});

type GrepColumns = ReturnType<typeof readColumns>;

async function readMatches(
  columns: GrepColumns,
  signal: AbortSignal | undefined,
  onMatch?: ((error: null, match: GrepMatch) => void) | null,
): Promise<GrepMatch[]> {
  const { text, pathLengths, pathFlags, files, matchCounts, lineNumbers } = columns;
  const turn = new Turn(text, signal);
  const fillPaths = (paths: MatchedFile[], start: number, end: number): number =>
    turn.takeEach(pathLengths, start, end, (path, index) => {
      paths[index] = { path, ...(present(pathFlags[index]) & LOSSY && { lossyPath: true }) };
    });
  const paths = await readAll(pathLengths.length, { fill: fillPaths }, turn);
  const fileOf = (index: number): MatchedFile => present(paths[present(files[index])]);
  if (lineNumbers.length > 0) return readAll(files.length, lineReader(columns, turn, fileOf), turn, onMatch);
  const fill = (matches: GrepMatch[], start: number, length: number): number => {
    const end = Math.min(length, start + turn.objects);
    turn.objects -= end - start;
    for (let index = start; index < end; index++) {
      const match: GrepMatch = { ...fileOf(index), lineNumber: 0, line: '' };
      if (matchCounts.length > 0) match.matchCount = present(matchCounts[index]);
      matches[index] = match;
    }
    return end;
  };
  return readAll(files.length, { fill }, turn, onMatch);
}

/** A match with its three arrays. */
const OBJECTS_PER_LINE = 4;

/** The bits of `flags`. */
const TRUNCATED = 1;
const BINARY = 2;
const TAKES_LINE_END = 4;

/** The bit of `contextFlags`. */
const IS_MATCH = 1;

/** The length of the replacement of a match that begins in an earlier line. */
const CONTINUED = 0xffff_ffff;

interface MatchedFile {
  path: string;
  lossyPath?: true;
}

/** Reads the matches of content mode. */
function lineReader(columns: GrepColumns, turn: Turn, fileOf: (index: number) => MatchedFile): ItemReader<GrepMatch> {
  const { text, lineNumbers, lineLengths, flags, submatchCounts, submatches } = columns;
  const { beforeCounts, afterCounts, contextNumbers, contextLengths, replacementLengths } = columns;
  const { contextFlags, contextSubmatchCounts } = columns;
  const isReplaced = replacementLengths.length > 0;
  const hasContextMatches = contextFlags.length > 0;
  let submatch = 0;
  let context = 0;
  let replacement = 0;
  const readSubmatch = (): Submatch => {
    const start = present(submatches[submatch++]);
    return { start, end: present(submatches[submatch++]) };
  };
  const readReplaced = (): Submatch => {
    const place = readSubmatch();
    const length = present(replacementLengths[replacement++]);
    return length === CONTINUED ? { ...place, continued: true } : { ...place, replacement: text.take(length) };
  };
  const readLargeReplaced = async (): Promise<Submatch> => {
    const place = readSubmatch();
    const length = present(replacementLengths[replacement++]);
    if (length === CONTINUED) return { ...place, continued: true };
    return { ...place, replacement: await text.takeLarge(length, turn) };
  };
  const readPlaces = (length: number): Submatch[] => makeArray(length, isReplaced ? readReplaced : readSubmatch);
  const readLargePlaces = (length: number): Promise<Submatch[]> =>
    turn.makeMany<Submatch>(length, isReplaced ? readLargeReplaced : readSubmatch);
  const makeContext = (index: number, line: string, places: Submatch[]): ContextLine => {
    const made: ContextLine = { lineNumber: present(contextNumbers[index]), line };
    if (hasContextMatches && present(contextFlags[index]) & IS_MATCH) made.isMatch = true;
    if (places.length > 0) made.submatches = places;
    return made;
  };
  const placesOfContext = (index: number): number => (hasContextMatches ? present(contextSubmatchCounts[index]) : 0);
  const readContext = (): ContextLine => {
    const index = context++;
    const line = text.take(present(contextLengths[index]));
    return makeContext(index, line, readPlaces(placesOfContext(index)));
  };
  const readLargeContext = async (): Promise<ContextLine> => {
    const index = context++;
    const line = await text.takeLarge(present(contextLengths[index]), turn);
    return makeContext(index, line, await readLargePlaces(placesOfContext(index)));
  };
  const makeMatch = (index: number, line: string, places: Submatch[]): GrepMatch => {
    const file = fileOf(index);
    const lineNumber = small(present(lineNumbers[index]));
    const match: GrepMatch = { path: file.path, lineNumber, line, submatches: places };
    if (file.lossyPath) match.lossyPath = true;
    const flag = present(flags[index]);
    if (flag & TRUNCATED) match.truncated = true;
    if (flag & BINARY) match.binary = true;
    if (flag & TAKES_LINE_END) match.takesLineEnd = true;
    return match;
  };
  const read = (index: number): GrepMatch => {
    const line = text.take(present(lineLengths[index]));
    const before = present(beforeCounts[index]);
    const after = present(afterCounts[index]);
    const length = present(submatchCounts[index]);
    // A literal for the usual single submatch.
    const places = length === 1 && !isReplaced ? [readSubmatch()] : readPlaces(length);
    const match = makeMatch(index, line, places);
    if (before > 0) match.contextBefore = makeArray(before, readContext);
    if (after > 0) match.contextAfter = makeArray(after, readContext);
    return match;
  };
  const large = async (index: number): Promise<GrepMatch> => {
    const line = await text.takeLarge(present(lineLengths[index]), turn);
    const before = present(beforeCounts[index]);
    const after = present(afterCounts[index]);
    const match = makeMatch(index, line, await readLargePlaces(present(submatchCounts[index])));
    if (before > 0) match.contextBefore = await turn.makeMany(before, readLargeContext);
    if (after > 0) match.contextAfter = await turn.makeMany(after, readLargeContext);
    return match;
  };
  const unitsOfReplacements = (first: number, count: number): number => {
    let units = 0;
    for (const length of replacementLengths.subarray(first, first + count)) if (length !== CONTINUED) units += length;
    return units;
  };
  const fill = (matches: GrepMatch[], start: number, end: number): number => {
    for (let index = start; index < end; index++) {
      const lines = present(beforeCounts[index]) + present(afterCounts[index]);
      let units = present(lineLengths[index]);
      let places = present(submatchCounts[index]);
      for (let line = context; line < context + lines; line++) {
        units += present(contextLengths[line]);
        places += placesOfContext(line);
      }
      if (isReplaced) units += unitsOfReplacements(replacement, places);
      const objects = OBJECTS_PER_LINE + places + lines;
      if (objects > turn.objects || units > text.available) return index;
      turn.objects -= objects;
      matches[index] = read(index);
    }
    return end;
  };
  return { fill, large };
}

/** Returns a whole number as a small integer. V8 stores such a number inside the object, others outside it. */
function small(value: number): number {
  const integer = value | 0;
  return integer === value ? integer : value;
}
