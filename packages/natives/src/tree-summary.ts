import * as binding from '../binding/index.js';
import { withCancel } from './abort.ts';
import { LOSSY, Turn, columnReader, present, readAll } from './decode.ts';
import { observe } from './observer.ts';
import { checkOptions, flag, given, isArrayOf, searchRules } from './options.ts';
import type { OptionRule, OptionRules, SearchOptions } from './options.ts';

/** Options of {@link treeSummary}. */
export interface TreeSummaryOptions extends SearchOptions {
  /**
   * How many levels below the root are shown; 1 is the entries of the root. `'auto'` shows 4 levels if the root has fewer than 20
   * entries that are not excluded, 3 if fewer than 100, else 2; and one more level below the directories `src`, `docs`,
   * `examples` and `packages` of the root.
   * @default 3
   */
  depth?: number | 'auto' | undefined;
  /**
   * The maximal number of `entries`, at most 100,000. 0 returns the totals only.
   * @default 2000
   */
  maxEntries?: number | undefined;
  /**
   * Show directories with names that begin with a dot. Files with such names are always shown, and `.git` never.
   * @default false
   */
  hidden?: boolean | undefined;
  /** The names of directories that are left out. Default: none. */
  exclude?: readonly string[] | undefined;
  /** Names that are shown though an ignore rule, `exclude` or a dot leaves them out. Default: none. */
  allow?: readonly string[] | undefined;
  /**
   * Patterns of names that are never shown, whatever the other options: `*` is any text. A pattern that ends with `/` is for
   * directories, the others are for files and links. `!` before a pattern makes it an exception, for any kind, wherever it is
   * in the list. Compared without case. A link is judged by its own name, by that of its target, and by the directories
   * on the way to it. Default: none.
   */
  secrets?: readonly string[] | undefined;
  /**
   * Paths relative to the root that are shown at any depth, after the first level: the directories that contain the path,
   * everything in the last of these and, if the path is a directory, what is in it.
   */
  focus?: readonly string[] | undefined;
  /**
   * With `cache`: compare the cached scan with the disk first, whatever its age, so that the summary is not older than the call. Takes
   * much less time than a scan.
   * @default false
   */
  validate?: boolean | undefined;
  /**
   * Return `state`, for `treeChanges`. It holds the memory of the whole tree, about 40 bytes an entry.
   * @default false
   */
  keepState?: boolean | undefined;
}

declare const state: unique symbol;

/** The state of a whole tree at one time, in the memory of the addon: for `treeChanges`. */
export interface TreeState {
  readonly [state]: true;
}

export interface TreeEntry {
  name: string;
  /** The bytes of a name that is not valid UTF-8; `name` shows it with U+FFFD. */
  nameBytes?: Uint8Array;
  /** The index of its directory in `entries`; -1 is the root. */
  parent: number;
  kind: 'file' | 'dir' | 'symlink';
  /** How many entries a directory has that the rules do not leave out, whether they are in `entries` or not. */
  children: number;
  /**
   * Why a directory is shown without its contents: its name is in `exclude` and git tracks files in it, it is another
   * repository, or it cannot be read. `children` is 0 then.
   */
  folded?: 'excluded' | 'repository' | 'unreadable';
  /** The target of a symbolic link; absent if it cannot be read. */
  target?: string;
  /** The bytes of a target that is not valid UTF-8. */
  targetBytes?: Uint8Array;
}

export interface TreeSummary {
  /** The canonical path of the root. */
  root: string;
  depth: number;
  /** How many entries the root has that the rules do not leave out. */
  rootChildren: number;
  /**
   * The entries shown, level by level: a directory comes before what is in it, and that is in the byte order of the names.
   * If `maxEntries` cuts them, directories of the root come first, then its other entries, then what `focus` names, then
   * one level after the other, in which each directory gets the same number of entries as far as it has them.
   */
  entries: TreeEntry[];
  /** How many entries the whole tree has that the rules do not leave out. The root does not count. */
  totalEntries: number;
  /** How many entries the rules leave out; a directory counts once, and `.git` and secrets do not count. */
  excluded: number;
  /** How many entries have secret names. */
  hiddenSecrets: number;
  /**
   * A number that rises when anything changed that a summary of this tree depends on. Equal for an unchanged tree and equal
   * `hidden`, `gitignore`, `exclude`, `allow` and `secrets`.
   */
  generation: number;
  /** Whether the counts cover the whole tree, except entries that could not be read. `maxEntries` does not matter. */
  complete: boolean;
  /** Why they do not: the time ran out, or the tree has more entries than one scan may collect. */
  stopReason?: 'timeout' | 'budget';
  /** How many directories or entries could not be read; absent when none. */
  unreadable?: number;
  /** The first of them in path order, without those in what is left out; absent when none. */
  unreadablePaths?: string[];
  /** The paths of `focus` that the tree does not show; absent when none. */
  missingFocus?: string[];
  /** The state of the whole tree; absent without `keepState`. */
  state?: TreeState;
}

/** The maximal value of `maxEntries`. */
const MAX_ENTRIES = 100_000;

const names: OptionRule = {
  test: (value) => isArrayOf(value, (name) => typeof name === 'string'),
  expected: 'an array of strings',
};

/** The rules of {@link TreeSummaryOptions}. */
export const treeRules: OptionRules<TreeSummaryOptions> = {
  ...searchRules,
  depth: {
    test: (value) => value === 'auto' || (Number.isSafeInteger(value) && (value as number) >= 1),
    expected: "a whole number from 1, or 'auto'",
  },
  maxEntries: {
    test: (value) => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_ENTRIES,
    expected: `a whole number from 0 to ${MAX_ENTRIES}`,
  },
  exclude: names,
  allow: names,
  secrets: names,
  focus: names,
  validate: flag,
  keepState: flag,
};

/**
 * Summarises a tree: the entries of its first levels, and how many entries there are. Only what it shows is passed to
 * JavaScript.
 *
 * For each entry the first of these decides: a secret name, `allow`, the ignore rules, `exclude` and `hidden`. Symbolic links
 * are listed, not followed. A directory with a `.git` in it is shown without its contents. Runs on the threads of the
 * addon.
 *
 * @throws {CairnError} `PATH_NOT_FOUND`, `NOT_A_DIRECTORY`, `INVALID_OPTION`, `TIMEOUT`; or the reason of the signal.
 * @example
 * const { entries, totalEntries } = await treeSummary({ path: '.', exclude: ['node_modules'], cache: true });
 */
export function treeSummary(options: TreeSummaryOptions): Promise<TreeSummary> {
  return observe('treeSummary', options, async (observed) => {
    checkOptions('treeSummary', options, treeRules);
    const { signal } = options;
    const native = nativeOptions(options);
    const { columns, state, ...facts } = await withCancel(options, (handle) => binding.treeSummary(native, handle));
    if (observed) observed.outputBytes = columns.byteLength;
    const entries = await readEntries(columns, signal);
    // The addon made it, and only the addon reads it.
    return { ...facts, entries, ...(state && { state: state as TreeState }) };
  });
}

/** Returns the options as the addon takes them. */
export function nativeOptions(options: TreeSummaryOptions): binding.NativeTreeOptions {
  const { signal: _signal, onTimeout, depth, exclude, allow, secrets, focus, ...rest } = options;
  return given({
    ...rest,
    // The addon takes 0 as `auto`.
    depth: depth === 'auto' ? 0 : depth,
    // Copied: the addon takes arrays that can change.
    exclude: exclude && [...exclude],
    allow: allow && [...allow],
    secrets: secrets && [...secrets],
    focus: focus && [...focus],
    partialOnTimeout: onTimeout === 'partial',
  });
}

/** The columns of the entries: a value for each entry, each target, and each text that is not valid UTF-8. */
const readColumns = columnReader({
  nameLengths: 'u32',
  /** 0 is the root, and others are one more than the index. */
  parents: 'u32',
  children: 'u32',
  flags: 'u8',
  targetLengths: 'u32',
  /** Names first, then targets. */
  rawLengths: 'u32',
  raw: 'u8',
});

/** What the bits of `flags` mean, next to {@link LOSSY}. */
const KIND = 3;
const FOLDED = 0x30;
const FOLDED_SHIFT = 4;
const TARGET = 0x40;
const LOSSY_TARGET = 0x80;

const kinds = [undefined, 'file', 'dir', 'symlink'] as const;
const foldeds = [undefined, 'excluded', 'repository', 'unreadable'] as const;

async function readEntries(columns: Uint8Array, signal: AbortSignal | undefined): Promise<TreeEntry[]> {
  const { text, nameLengths, parents, children, flags, targetLengths, rawLengths, raw } = readColumns(columns);
  let rawTexts = 0;
  let rawAt = 0;
  const takeRaw = (): Uint8Array => {
    const start = rawAt;
    rawAt += present(rawLengths[rawTexts++]);
    return raw.slice(start, rawAt);
  };
  const turn = new Turn(text, signal);
  const fillNames = (entries: TreeEntry[], start: number, end: number): number =>
    turn.takeEach(nameLengths, start, end, (name, index) => {
      const flag = present(flags[index]);
      const entry: TreeEntry = {
        name,
        parent: present(parents[index]) - 1,
        kind: present(kinds[flag & KIND]),
        children: present(children[index]),
      };
      const folded = foldeds[(flag & FOLDED) >> FOLDED_SHIFT];
      if (folded) entry.folded = folded;
      if (flag & LOSSY) entry.nameBytes = takeRaw();
      entries[index] = entry;
    });
  const entries = await readAll(nameLengths.length, { fill: fillNames }, turn);
  if (targetLengths.length === 0) return entries;
  const links = entries.filter((_, index) => present(flags[index]) & TARGET);
  const lossy = flags.filter((flag) => flag & TARGET).map((flag) => flag & LOSSY_TARGET);
  const fillTargets = (targets: string[], start: number, end: number): number =>
    turn.takeEach(targetLengths, start, end, (target, index) => {
      const link = present(links[index]);
      link.target = target;
      if (lossy[index]) link.targetBytes = takeRaw();
      targets[index] = target;
    });
  await readAll(targetLengths.length, { fill: fillTargets }, turn);
  return entries;
}
