import * as binding from '../binding/index.js';
import { withCancel } from './abort.ts';
import { LOSSY, Turn, columnReader, present, readAll } from './decode.ts';
import { FileType } from './file-type.ts';
import { observe } from './observer.ts';
import * as rule from './options.ts';
import { checkCallback, checkOptions, given, list } from './options.ts';
import type { FileSelection, OptionRules, ScanFacts, SearchOptions } from './options.ts';

/** Options of {@link glob}. `hidden` is false by default. */
export interface GlobOptions extends SearchOptions, FileSelection {
  /**
   * `*` and `?` stop at `/`, `**` as a whole component does not; `[…]` with classes such as `[[:alpha:]]`, `{a,b}` and `\`
   * work as in a gitignore file. Case-sensitive. Patterns and names are compared in the composed form (NFC): `é` is one
   * character, however it is typed or stored. A final `/` matches only directories. Empty is `*`. Rejects with
   * `INVALID_GLOB` for an open brace or bracket; for what only other dialects have: `@(a|b)`, `{1..3}`, `~/`; and for `.`,
   * the root.
   *
   * A `!` before it excludes what matches, and what is below a directory that matches; `\!` is a name with that sign. Of
   * several globs, the last one that matches decides. If all of them exclude, everything else matches.
   */
  pattern: string | readonly string[];
  /** Only entries of this kind. A symbolic link counts, and is reported, as the kind of its target. */
  fileType?: FileType | undefined;
  /**
   * A pattern without `/` matches at any depth; one with `/` always begins at the root.
   * @default true
   */
  recursive?: boolean | undefined;
  /** The maximal number of matches; 0 returns none without a scan. Default: no limit. */
  maxResults?: number | undefined;
  /**
   * Newest first, ties by path; the limit applies after the ranking. Matches then have `mtime` and `size`.
   * @default false
   */
  sortByMtime?: boolean | undefined;
  /** Include the contents of `node_modules`. Default: whether the pattern mentions it. */
  includeNodeModules?: boolean | undefined;
}

export interface GlobMatch {
  /** Relative to the root, `/` separated. */
  path: string;
  fileType: FileType;
  /** Modification time in milliseconds since the epoch; only with `sortByMtime`. */
  mtime?: number;
  /** Bytes, for regular files; only with `sortByMtime`. */
  size?: number;
  /** The name is not valid UTF-8: `path` shows it with U+FFFD and cannot be opened. */
  lossyPath?: true;
}

/** All matches. */
export interface GlobResult extends ScanFacts {
  /** In the byte order of the paths, or newest first. */
  matches: GlobMatch[];
  /** How many entries matched. Stops counting at `maxResults`, unless sorted by time. */
  totalMatches: number;
  /**
   * What an exclusion may have meant; or, if nothing matched, which options contradict one another, or what they may have
   * meant: when `pattern` has a form that means something else elsewhere, or matches in another case of its letters.
   */
  hint?: string;
}

const rules: OptionRules<GlobOptions> = {
  ...rule.searchRules,
  ...rule.selectionRules,
  pattern: { ...rule.texts, required: true },
  fileType: rule.oneOf(Object.values(FileType)),
  recursive: rule.flag,
  maxResults: rule.count,
  sortByMtime: rule.flag,
  includeNodeModules: rule.flag,
};

/**
 * Finds the entries below a directory that match a glob.
 *
 * Without the cache, only the part of the tree that can match is scanned. Symbolic links are listed, and followed only
 * with `followLinks`. Runs on the threads of the addon.
 *
 * @param onMatch called with each match, in order, before the promise settles.
 * @throws {CairnError} `PATH_NOT_FOUND`, `NOT_A_DIRECTORY`, `INVALID_GLOB`, `INVALID_OPTION`, `TIMEOUT`; or the reason of
 * the signal.
 * @example
 * const { matches, complete } = await glob({ pattern: 'src/**\/*.{ts,tsx}', path: '.' });
 */
export function glob(
  options: GlobOptions,
  onMatch?: ((error: Error | null, match: GlobMatch) => void) | null,
): Promise<GlobResult> {
  return observe('glob', options, async (observed) => {
    checkOptions('glob', options, rules);
    checkCallback('glob', onMatch);
    const { signal, onTimeout, pattern, type, typeNot, ...rest } = options;
    const native = given({
      ...rest,
      patterns: list(pattern),
      types: list(type),
      excludedTypes: list(typeNot),
      partialOnTimeout: onTimeout === 'partial',
    });
    const { columns, ...facts } = await withCancel(options, (handle) => binding.glob(native, handle));
    if (observed) observed.outputBytes = columns.byteLength;
    const { text, pathLengths, flags, mtimes, sizes } = readColumns(columns);
    const turn = new Turn(text, signal);
    const fill = (matches: GlobMatch[], start: number, end: number): number => {
      const reached = turn.takeEach(pathLengths, start, end, (path, index) => {
        matches[index] = globMatch(path, present(flags[index]));
      });
      if (mtimes.length === 0) return reached;
      for (let index = start; index < reached; index++) {
        addDetails(present(matches[index]), present(mtimes[index]), present(sizes[index]));
      }
      return reached;
    };
    return { matches: await readAll(pathLengths.length, { fill }, turn, onMatch), ...facts };
  });
}

/** The columns of the matches: a value for each match. */
const readColumns = columnReader({
  pathLengths: 'u32',
  flags: 'u8',
  /** Empty without `sortByMtime`; NaN where it is unknown. */
  mtimes: 'f64',
  /** Empty without `sortByMtime`; NaN where there is none. */
  sizes: 'f64',
});

/** The bits of `flags` that hold the file type. */
const FILE_TYPE = 3;

function globMatch(path: string, flags: number): GlobMatch {
  const match: GlobMatch = { path, fileType: (flags & FILE_TYPE) as FileType };
  if (flags & LOSSY) match.lossyPath = true;
  return match;
}

function addDetails(match: GlobMatch, mtime: number, size: number): void {
  if (!Number.isNaN(mtime)) match.mtime = mtime;
  if (!Number.isNaN(size)) match.size = size;
}
