import { stat } from 'node:fs/promises';
import { UsageError } from '../../terminal/errors.ts';
import { readText, readTextFile } from '../../terminal/input.ts';
import type { Session } from '../../terminal/session.ts';
import type { GrepFlags, PatternSource } from './grep-options.ts';
import { choosePlaces, rootsOf, type Places } from './options.ts';

/** The command line of a search. */
export interface GrepLine {
  readonly args: readonly string[];
  readonly flags: GrepFlags;
  /** All of its words, as they were given. */
  readonly words: readonly string[];
}

/** What to search for, and where. */
export interface GrepArguments extends Places {
  readonly patterns: readonly string[];
}

/** Returns the patterns of a source. As in ripgrep, an empty line of a file is a pattern that matches every line. */
async function patternsOf(source: PatternSource, { input, signal }: Session): Promise<readonly string[]> {
  if ('text' in source) return [source.text];
  const { file } = source;
  const text = await (file === '-'
    ? readText(input, 'pipe the patterns into it, one a line')
    : readTextFile(file, signal));
  const lines = text.split('\n').map((line) => line.replace(/\r$/u, ''));
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** In `-rn`, what follows the r are options of grep, whose -r searches directories. */
const asInGrep = /^-[^-ABCMTdefgmr]*r(?<options>[EFGHILPRUZabchilnoqsvwxyz]+)$/u;

export const SEARCHED_ANYWAY = 'directories are searched anyway';

/** Whether the text of -r is a replacement for certain, and not a pattern. */
export function hasGroup(replace: string): boolean {
  return /\$[\w{]/u.test(replace);
}

/** Rejects -r where it was most likely typed as the -r of grep: the answer would have other text than the files. */
async function checkReplace(replace: string, { args: [pattern], flags, words }: GrepLine): Promise<void> {
  const end = words.indexOf('--');
  const options = end === -1 ? words : words.slice(0, end);
  const cluster = options.find((word) => asInGrep.exec(word)?.groups?.['options'] === replace);
  if (cluster !== undefined || (replace.startsWith('-') && options.includes(replace))) {
    const given = cluster ?? `-r ${replace}`;
    const meant = cluster === undefined ? replace : cluster.replace('r', '');
    throw new UsageError(
      `"${given}" would show "${replace}" in place of each match`,
      `${SEARCHED_ANYWAY}: 'cairn grep ${meant} PATTERN'; to replace, use --replace=${replace}`,
    );
  }
  if (flags.sources) return;
  if (pattern === undefined) {
    throw new UsageError(
      `-r shows "${replace}" in place of each match, and there is no pattern`,
      `${SEARCHED_ANYWAY}: 'cairn grep PATTERN'; to replace, add a pattern`,
    );
  }
  if (hasGroup(replace)) return;
  if ((await stat(pattern).catch(() => undefined)) === undefined) return;
  throw new UsageError(
    `-r would show "${replace}" in place of each "${pattern}", which is also a path`,
    `${SEARCHED_ANYWAY}: leave out -r to search ${pattern} for "${replace}"; to replace, put -e before the pattern`,
  );
}

/** Reads the patterns, and decides what is searched: the given paths, standard input or the current directory. */
export async function readArguments(line: GrepLine, session: Session): Promise<GrepArguments> {
  const { args, flags } = line;
  if (flags.replace !== undefined) await checkReplace(flags.replace, line);
  const { sources = args.slice(0, 1).map((text) => ({ text })) } = flags;
  const paths = flags.sources ? args : args.slice(1);
  if (sources.length === 0) {
    throw new UsageError(
      'missing argument <pattern>',
      "use 'cairn grep [options] <pattern> [path...]' (see 'cairn grep --help')",
    );
  }
  const patterns: string[] = [];
  for (const source of sources) patterns.push(...(await patternsOf(source, session)));
  const usesInput = sources.some((source) => 'file' in source && source.file === '-');
  if (!usesInput) {
    return {
      patterns,
      ...(await choosePlaces(flags, paths, { session, instead: 'to search files, add a path, such as .' })),
    };
  }
  const roots = rootsOf(flags, paths);
  if (roots.includes('-')) {
    throw new UsageError('-f - and the path - both need standard input', 'put the patterns or the text in a file');
  }
  return { patterns, roots, notices: [] };
}
