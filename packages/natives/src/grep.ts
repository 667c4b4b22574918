import * as binding from '../binding/index.js';
import { withCancel } from './abort.ts';
import { InputFeed } from './grep-input.ts';
import { readMatches, type GrepMatch } from './grep-matches.ts';
import { observe } from './observer.ts';
import { CairnError, type ObservedCall } from '@cairn/tool/kernel';
import * as rule from './options.ts';
import { checkCallback, checkOptions, given, list } from './options.ts';
import type { FileSelection, OptionRules, ScanFacts, SearchOptions } from './options.ts';

/** The unit that {@link grep} reports: matched lines, their number for each file, or the files. */
export const GrepOutputMode = {
  Content: 'content',
  Count: 'count',
  FilesWithMatches: 'filesWithMatches',
} as const;
/** One of the values of {@link GrepOutputMode}. */
export type GrepOutputMode = (typeof GrepOutputMode)[keyof typeof GrepOutputMode];

/** Options of {@link grep}. `hidden` is **true** by default. `path` may be a file, which is searched even if the filters exclude it. */
export interface GrepOptions extends SearchOptions, FileSelection {
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
  /** With `cache`: compare the cached list of files with the disk first, whatever its age. Default: only with an index of contents. */
  validate?: boolean | undefined;
  /**
   * Watch the directories of a tree with an index of contents, so that later calls need not stat each file; only with `cache: true`, and
   * on Linux. It misses a store through a shared mapping, a write with `io_submit`, and a write through a hard link outside of the
   * watched directories. At most 16,384 directories and a quarter of `fs.inotify.max_user_watches`; the files in others are
   * compared with the disk.
   * @default false
   */
  watch?: boolean | undefined;
  /** @default 'content' */
  mode?: GrepOutputMode | undefined;
  /**
   * What count mode counts: `lines`, `matches`, or with `spanning` matches if the pattern may match over lines and lines
   * otherwise, as `rg --count`. With `invert` always lines.
   * @default 'lines'
   */
  countUnit?: 'lines' | 'matches' | 'spanning' | undefined;
}

/** Options of a search of a string that is not a file, such as standard input. Options that select files have no effect. */
export interface GrepInputOptions extends Omit<GrepOptions, 'path'> {
  /**
   * The text, in chunks of any size. It is searched as it arrives; the path of its matches is `<stdin>`. The next chunk is
   * requested when the last one was read, and none after the search has ended. An error of it rejects the call.
   */
  input: AsyncIterable<Uint8Array>;
}

/** A place where a string occurs. */
interface Occurrence {
  text: string;
  /** Like the path of a match. */
  path: string;
  /** 1-based. */
  lineNumber: number;
}

/** The facts of a search: how much was searched, and how much of it matched. */
export interface GrepSummary extends Pick<ScanFacts, 'complete' | 'stopReason'> {
  /** How many lines (in files mode: files) matched in the searched files, including those left out by `offset`. */
  totalMatches: number;
  /** How many of the searched files have a match. */
  filesWithMatches: number;
  /** How many files were searched, in path order up to where the search stopped. Includes `filesExcluded`. */
  filesSearched: number;
  /** How many files an index of contents proved to have no match, so that they were not opened; absent when none. */
  filesExcluded?: number;
  /** With an index: how it is known that the files were still as indexed. `validated` is by a stat of each within the call. */
  freshness?: 'validated' | 'watched';
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
}

/** The matches, and what was searched for them. */
export interface GrepResult extends GrepSummary {
  /** In path order, within a file in line order. */
  matches: GrepMatch[];
}

const rules: OptionRules<GrepOptions> = {
  ...rule.searchRules,
  ...rule.selectionRules,
  pattern: { ...rule.texts, required: true },
  literal: rule.flag,
  pcre2: rule.flag,
  glob: rule.texts,
  includeNodeModules: rule.flag,
  binary: rule.oneOf(['skip', 'search', 'text']),
  ignoreCase: rule.flag,
  smartCase: rule.flag,
  wholeWord: rule.flag,
  wholeLine: rule.flag,
  invert: rule.flag,
  multiline: rule.flag,
  crlf: rule.flag,
  maxCount: rule.count,
  offset: rule.count,
  contextBefore: rule.count,
  contextAfter: rule.count,
  context: rule.count,
  maxColumns: rule.count,
  maxCountPerFile: rule.count,
  maxFileSize: rule.count,
  replacement: rule.text,
  submatches: rule.flag,
  validate: rule.flag,
  watch: rule.flag,
  countUnit: rule.oneOf(['lines', 'matches', 'spanning']),
  mode: rule.oneOf(Object.values(GrepOutputMode)),
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
 * Finds the lines that `rg -n --no-require-git` finds, with PCRE2 the lines of `rg -P`. Symbolic links are followed only with `followLinks`; with
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
  return observe('grep', options, async (observed) => {
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
    return { matches: await readMatches(columns, options.signal), ...facts };
  });
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
  if (options.watch === true && options.cache !== true) {
    const message = `invalid option watch of ${name}: true without cache; use cache: true`;
    throw new CairnError('INVALID_OPTION', message, { option: 'watch' });
  }
}

/** Returns the options as the addon takes them, which takes a string by itself. */
function nativeOptions(options: GrepOptions | GrepInputOptions): binding.NativeGrepOptions {
  const { input: _input, ...search } = { input: undefined, path: '.', ...options };
  const { signal: _signal, onTimeout, pattern, glob, type, typeNot, ...rest } = search;
  return given({
    ...rest,
    patterns: list(pattern),
    globs: list(glob),
    types: list(type),
    excludedTypes: list(typeNot),
    partialOnTimeout: onTimeout === 'partial',
  });
}

async function searchInBatches(
  options: GrepOptions | GrepInputOptions,
  {
    onBatch,
    onMatch,
    keepsAll,
  }: {
    readonly onBatch: (matches: GrepMatch[]) => void | Promise<void>;
    readonly onMatch?: ((error: null, match: GrepMatch) => void) | null | undefined;
    readonly keepsAll: boolean;
  },
  observed: ObservedCall | undefined,
): Promise<GrepSummary> {
  const deliver = async (columns: Uint8Array, hasEnded: () => boolean): Promise<void> => {
    const onEach = onMatch && ((_: null, match: GrepMatch): void => void (hasEnded() || onMatch(null, match)));
    const matches = await readMatches(columns, options.signal, onEach);
    if (hasEnded() || matches.length === 0) return;
    if (observed) {
      observed.outputBytes = (observed.outputBytes ?? 0) + columns.byteLength;
      observed.results = (observed.results ?? 0) + matches.length;
    }
    await onBatch(matches);
  };
  const { columns: _, ...facts } = await withCancel(options, async (handle, hasEnded) => {
    const text = 'input' in options ? new InputFeed(options.input) : undefined;
    const native = nativeOptions(options);
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
