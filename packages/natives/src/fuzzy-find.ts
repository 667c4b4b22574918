import * as binding from '../binding/index.js';
import { withCancel } from './abort.ts';
import { candidateRules, checkSource, prepare } from './candidates.ts';
import { LOSSY, Turn, columnReader, present, readAll } from './decode.ts';
import { FileType } from './file-type.ts';
import { observe } from './observer.ts';
import { checkOptions, count, flag, given, isArrayOf, oneOf, searchRules } from './options.ts';
import type { OptionRule, OptionRules, ScanFacts, SearchOptions } from './options.ts';

/** Options of {@link fuzzyFind}. `hidden` is false by default. */
export interface FuzzyFindOptions extends Omit<SearchOptions, 'path'> {
  /** The root: absolute, or relative to the working directory at the time of the call. Required, except with `candidates`. */
  path?: SearchOptions['path'] | undefined;
  /**
   * The paths to rank, in any order, instead of the entries below `path`: a directory's ends with `/`. A path that is listed
   * twice is found once. `hidden`, `gitignore`, `resolveLinks` and `cache` are not allowed with it, because nothing is scanned.
   *
   * A frozen array (`Object.freeze`) is prepared by the first call; later calls with it are as fast as those on a cached scan.
   * Beyond 5,000,000 paths (`FS_SCAN_MAX_ENTRIES`) or 4 GiB the rest is left out, with `stopReason: 'budget'`.
   */
  candidates?: readonly string[] | undefined;
  /**
   * The query as the user types it: words that must all match, in any order. `a/b` matches path segments in order, which
   * may be abbreviated. An empty query lists everything, directories first. A query of only punctuation finds nothing.
   *
   * A query of four letters or more may have one typo (two letters swapped, a letter missing, wrong or too many), a query
   * of nine or more two. Words of fewer than three or more than 62 letters may have no typo, words of fewer than five at
   * most one. A match with typos ranks below a match as typed, but above letters that are scattered over a path, in order
   * but not at the beginnings of words. Typos in the names of directories are accepted only if no entry matches as typed
   * (scattered letters do not count) and fewer than ten match with typos in their base names.
   *
   * Queries and names are compared in the composed form (NFC), so `é` is one letter, however it is typed or stored. An
   * absolute path below the root is relative to the root.
   *
   * At most 1,024 bytes of UTF-8, and 32 words and path segments; a longer query is rejected with `INVALID_OPTION`.
   */
  query: string;
  /**
   * With `'fzf'`, words may have the operators of fzf's extended search: `'exact`, `'boundary'`, `^prefix`, `suffix$`, `!not`,
   * `!^not`, `!not$`, and `a | b`. They are conditions on the whole path, with the `/` at the end of a directory's, and without
   * typos. A term with an upper-case letter is compared with its case. Words without signs are those of a plain query. A path
   * that holds a term with its signs matches too, and comes first.
   * @default 'plain'
   */
  syntax?: 'plain' | 'fzf' | undefined;
  /** Only files or only directories. A symbolic link counts as the kind of its target. Default: both, and broken links. */
  fileType?: typeof FileType.File | typeof FileType.Dir | undefined;
  /**
   * Only entries with names that end with one of these extensions, in any case, after at least one other character: `ts`,
   * `.ts` or `tar.gz`. An empty array is the default: all entries.
   */
  extensions?: readonly string[] | undefined;
  /**
   * The maximal number of matches.
   * @default 100
   */
  maxResults?: number | undefined;
  /**
   * Also return which characters matched.
   * @default false
   */
  includePositions?: boolean | undefined;
}

/**
 * How a path matches a query although it does not contain each word as typed.
 *
 * - `'initials'`: the letters split into pieces that each begin a word of the path, in order. These are initials,
 *   abbreviations, and words that are typed without separators or with other punctuation: `schedcore`, `ksc` and
 *   `ker/sch/cor` for `kernel/sched/core.c`.
 * - `'typo'`: `flie` for `file.c`.
 * - `'scattered'`: the letters occur in order, but not at the beginnings of words: `tmplt` for `template.ts`.
 *
 * If several words are not contained, the one that fits least decides, in this order.
 */
export type GuessKind = (typeof guessKinds)[number];

/** In the order of their numbers in the addon. */
const guessKinds = ['initials', 'typo', 'scattered'] as const;

export interface FuzzyFindMatch {
  /** Relative to the root, `/` separated; a directory's ends with `/`. With `candidates`, one of them, unchanged. */
  path: string;
  /** Whether it is a directory, or a link to one. */
  isDirectory: boolean;
  /** Higher is better; comparable within one result. */
  score: number;
  /**
   * The path is a guess: it does not contain each word of the query as typed. Absent if it does, in any order of the words and any case. A `\\`
   * of the query is a `/`; words without a letter or digit and segments `.` do not count. With `syntax: 'fzf'`, terms with
   * signs are never guesses, and of the alternatives `a | b` the best one counts.
   */
  guess?: GuessKind;
  /** Indices into `path`, in UTF-16 code units, ascending; only with `includePositions`. */
  positions?: number[];
  /** The name is not valid UTF-8: `path` shows it with U+FFFD and cannot be opened. */
  lossyPath?: true;
}

/** The best matches. */
export interface FuzzyFindResult extends ScanFacts {
  /** Best first; ties by depth, shallow first, then files before directories, then by path. */
  matches: FuzzyFindMatch[];
  /** The kind of the best match if every match is a guess; absent if `matches` is empty or one of them is not a guess. */
  guess?: GuessKind;
  /**
   * How many entries matched. Matches with typos count only if at most `maxResults` entries match as typed, and matches
   * with typos in the names of directories only if few others match: see `query`.
   */
  totalMatches: number;
}

const MAX_BYTES = 1024;
const MAX_PIECES = 32;

/** Each word and segment is compared with every directory. */
const query: OptionRule = {
  test: (value) =>
    typeof value === 'string' &&
    Buffer.byteLength(value) <= MAX_BYTES &&
    value.split(/[\s/\\]+/).filter((piece) => piece !== '').length <= MAX_PIECES,
  expected: `a string of at most ${MAX_BYTES} bytes, and ${MAX_PIECES} words and path segments`,
  required: true,
};

const extensions: OptionRule = {
  test: (value) => isArrayOf(value, (one) => typeof one === 'string' && /^\.*[^./\0][^/\0]*$/.test(one)),
  expected: "an array of extensions, such as ['ts', 'tar.gz']",
};

const rules: OptionRules<FuzzyFindOptions> = {
  ...searchRules,
  ...candidateRules,
  query,
  syntax: oneOf(['plain', 'fzf']),
  fileType: oneOf([FileType.File, FileType.Dir]),
  extensions,
  maxResults: count,
  includePositions: flag,
};

/**
 * Finds the entries below a directory, or of a list, with the paths that match a query best.
 *
 * Skips `node_modules`; follows symbolic links, each target directory once. Runs on the threads of the addon.
 *
 * @throws {CairnError} `PATH_NOT_FOUND`, `NOT_A_DIRECTORY`, `INVALID_OPTION`, `TIMEOUT`; or the reason of the signal.
 * @example
 * const { matches } = await fuzzyFind({ query: 'ker/sch/core', path: '.', cache: true });
 */
export function fuzzyFind(options: FuzzyFindOptions): Promise<FuzzyFindResult> {
  return observe('fuzzyFind', options, async (observed) => {
    checkOptions('fuzzyFind', options, rules);
    checkSource('fuzzyFind', options);
    const { signal, onTimeout, candidates, extensions, ...rest } = options;
    const native = given({
      ...rest,
      extensions: extensions && [...extensions],
      partialOnTimeout: onTimeout === 'partial',
    });
    const { columns, ...facts } = await withCancel(options, async (handle) => {
      if (!candidates) return binding.fuzzyFind(native, null, handle);
      const { list, timeoutMs } = await prepare(candidates, options);
      return binding.fuzzyFind({ ...native, ...given({ timeoutMs }) }, list, handle);
    });
    if (observed) observed.outputBytes = columns.byteLength;
    const { text, pathLengths, flags, scores, positionCounts, positions, places } = readColumns(columns);
    const hasPositions = positionCounts.length > 0;
    const turn = new Turn(text, signal);
    let position = 0;
    const read = (path: string, index: number): FuzzyFindMatch => {
      const flag = present(flags[index]);
      const isDirectory = (flag & DIRECTORY) !== 0;
      const match: FuzzyFindMatch = { path, isDirectory, score: present(scores[index]) };
      if (isDirectory && !candidates) match.path += '/';
      const guess = guessOf(flag);
      if (guess !== undefined) match.guess = guess;
      if (hasPositions) {
        const start = position;
        position += present(positionCounts[index]);
        match.positions = Array.from(positions.subarray(start, position));
      }
      if (flag & LOSSY) match.lossyPath = true;
      return match;
    };
    const fill = (matches: FuzzyFindMatch[], start: number, end: number): number => {
      for (let index = start; index < end; index++) {
        const length = candidates ? 0 : present(pathLengths[index]);
        const objects = 1 + (hasPositions ? present(positionCounts[index]) : 0);
        if (objects > turn.objects || length > text.available) return index;
        turn.objects -= objects;
        matches[index] = read(candidates ? present(candidates[present(places[index])]) : text.take(length), index);
      }
      return end;
    };
    const guess = flags.every((flag) => (flag & GUESS) !== 0) ? guessOf(flags[0] ?? 0) : undefined;
    return { matches: await readAll(flags.length, { fill }, turn), ...(guess && { guess }), ...facts };
  });
}

/** The columns of the matches: a value for each match, and for each position. */
const readColumns = columnReader({
  /** Empty with `candidates`. */
  pathLengths: 'u32',
  flags: 'u8',
  scores: 'u32',
  /** Empty without `includePositions`. */
  positionCounts: 'u32',
  positions: 'u32',
  /** Which of the `candidates` it is; empty without them. */
  places: 'u32',
});

/** The bit of `flags` that marks a directory. */
const DIRECTORY = 1;
/** The bits of `flags` that number the kind of a guess, from 1. */
const GUESS = 6;

function guessOf(flag: number): GuessKind | undefined {
  return guessKinds[((flag & GUESS) >> 1) - 1];
}
