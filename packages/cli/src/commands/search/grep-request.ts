import type { GrepOptions, GrepOutputMode } from '@cairn/natives';
import { globsBelow, type RootPlace } from './grep-globs.ts';
import { appliesIgnoreFiles, modeOf, type GrepFlags, type ModeName } from './grep-options.ts';

const libraryModes: Readonly<Record<ModeName, GrepOutputMode>> = {
  content: 'content',
  count: 'count',
  files: 'filesWithMatches',
};

/** The options of the library that choose files; a text from standard input has none of them. */
export type FileFilter = Pick<
  GrepOptions,
  'glob' | 'type' | 'typeNot' | 'hidden' | 'gitignore' | 'maxDepth' | 'followLinks'
>;

/** Returns which files below a root to search. */
export function filterOf({ unrestricted = 0, ...flags }: GrepFlags, place: RootPlace): FileFilter {
  return {
    glob: flags.glob && globsBelow(place, flags.glob),
    type: flags.type,
    typeNot: flags.typeNot,
    hidden: unrestricted >= 2 ? true : flags.hidden,
    gitignore: appliesIgnoreFiles({ ignore: flags.ignore, unrestricted }),
    maxDepth: flags.maxDepth,
    followLinks: flags.follow,
  };
}

function binaryOf({ text, binary, unrestricted = 0 }: GrepFlags): GrepOptions['binary'] {
  if (text === true) return 'text';
  return binary === true || unrestricted >= 3 ? 'search' : undefined;
}

/** Returns what replaces a match. A match over several lines that is replaced is known to be one. */
function replacementOf({ replace, multiline, vimgrep, json }: GrepFlags): string | undefined {
  return replace ?? (multiline === true && vimgrep === true && json !== true ? '$0' : undefined);
}

function countUnitOf(flags: GrepFlags): GrepOptions['countUnit'] {
  if (modeOf(flags) !== 'count') return undefined;
  return flags.countMatches === true || flags.onlyMatching === true ? 'matches' : 'spanning';
}

/** Returns what matches, and what to return of it. */
export function matchingOf(
  patterns: readonly string[],
  flags: GrepFlags,
): Omit<GrepOptions, keyof FileFilter | 'path' | 'crlf'> {
  const [only = ''] = patterns;
  return {
    pattern: patterns.length === 1 ? only : patterns,
    literal: flags.literal,
    ignoreCase: flags.case === 'ignore' ? true : undefined,
    smartCase: flags.case === 'smart' ? true : undefined,
    wholeWord: flags.whole === 'word' ? true : undefined,
    wholeLine: flags.whole === 'line' ? true : undefined,
    invert: flags.invertMatch,
    pcre2: flags.pcre2,
    multiline: flags.multiline,
    binary: binaryOf(flags),
    replacement: replacementOf(flags),
    context: flags.context,
    contextBefore: flags.beforeContext,
    contextAfter: flags.afterContext,
    maxColumns: flags.maxColumns === 0 ? undefined : flags.maxColumns,
    maxCountPerFile: flags.maxCount,
    maxFileSize: flags.maxFilesize,
    mode: libraryModes[modeOf(flags)],
    countUnit: countUnitOf(flags),
  };
}
