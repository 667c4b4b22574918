import { stat } from 'node:fs/promises';
import type { AnswerFlags } from '../../terminal/answer.ts';
import { UsageError } from '../../terminal/errors.ts';
import { createPaint, usesColor } from '../../terminal/output.ts';
import type { CommandContext } from '../../terminal/command-context.ts';
import { STANDARD_INPUT } from '../../terminal/standard-input.ts';
import type { GrepForm } from './grep-lines.ts';
import type { FileFilter, GrepFlags, Matching, PatternSource } from './grep-options.ts';
import { checkListing, rootsOf, choosePlaces, type Places } from './options.ts';
import { readText, readTextFile } from '../../terminal/input.ts';

/** The part of the results that is shown, in matching lines or, in the other modes, in files. */
export interface GrepPage {
  readonly offset: number;
  readonly limit?: number | undefined;
}

/** What one command line of grep asks for. The search, its answer and its notices know no flag. */
export interface GrepPlan extends GrepArguments {
  readonly task: 'search' | 'files' | 'types';
  readonly matching: Matching;
  readonly filter: FileFilter;
  readonly page: GrepPage;
  readonly timeoutMs?: number | undefined;
  /** With `nothing`, the exit status is the answer. */
  readonly prints: 'lines' | 'document' | 'nothing';
  readonly output: AnswerFlags;
  readonly form: GrepForm;
}

/** A longer line is cut around its first match. */
const MAX_ROWS = 3;

/** Rejects options that would give a wrong answer together. */
function checkTogether({ maxColumns = 0, form = {}, vimgrep, ...flags }: GrepFlags): void {
  const places = { '--only-matching': form.onlyMatching, '--column': form.column, '--vimgrep': vimgrep };
  const other = Object.entries(places).find(([, isGiven]) => isGiven === true)?.[0];
  // A shortened line has lost the place of its start, and matches.
  if (maxColumns > 0 && other !== undefined) {
    throw new UsageError(`--max-columns and ${other} exclude each other`, 'leave one of them out');
  }
  checkListing(flags);
}

async function isOneFile([root = '.', ...others]: readonly string[]): Promise<boolean> {
  if (others.length > 0) return false;
  const found = await stat(root).catch(() => undefined);
  return found !== undefined && !found.isDirectory();
}

/** Returns the form of the printed results. As in ripgrep, the lines of standard input alone have neither path nor number. */
async function formOf(flags: GrepFlags, roots: readonly string[], { out, env }: CommandContext): Promise<GrepForm> {
  const { form = {}, matching = {}, vimgrep = false } = flags;
  const column = vimgrep || form.column === true;
  const isFromInput = roots.every((root) => root === STANDARD_INPUT);
  const { context = 0, contextBefore = 0, contextAfter = 0 } = matching;
  return {
    path: vimgrep || !(isFromInput || (await isOneFile(roots))),
    lineNumber: column || !isFromInput,
    onlyMatching: false,
    ...form,
    heading: !vimgrep && (form.heading ?? out.isTerminal),
    column,
    eachMatch: vimgrep,
    joinsLines: matching.multiline === true && (vimgrep || flags.replace !== undefined),
    nul: flags.null === true,
    hasContext: context + contextBefore + contextAfter > 0,
    columns: flags.maxColumns === undefined ? out.width * MAX_ROWS : undefined,
    paint: createPaint(usesColor(flags.color, out.isTerminal, env)),
    isTerminal: out.isTerminal,
  };
}

const modes = {
  content: { mode: 'content' },
  files: { mode: 'filesWithMatches' },
  count: { mode: 'count', countUnit: 'spanning' },
  matches: { mode: 'count', countUnit: 'matches' },
} as const;

function matchingOf(patterns: readonly string[], flags: GrepFlags): Matching {
  const [only = ''] = patterns;
  const { matching = {}, form = {}, mode = 'content', text, binary, unrestricted = 0, maxColumns } = flags;
  const searchesBinary = binary === true || unrestricted >= 3 ? 'search' : undefined;
  // A match over several lines that is replaced is known to be one.
  const marksMatches = matching.multiline === true && flags.vimgrep === true && flags.json !== true;
  return {
    ...matching,
    ...modes[mode === 'count' && form.onlyMatching === true ? 'matches' : mode],
    pattern: patterns.length === 1 ? only : patterns,
    binary: text === true ? 'text' : searchesBinary,
    replacement: flags.replace ?? (marksMatches ? '$0' : undefined),
    maxColumns: maxColumns === 0 ? undefined : maxColumns,
  };
}

export async function planGrep(line: GrepLine, session: CommandContext): Promise<GrepPlan> {
  const { args, flags: given } = line;
  const { quiet = false, json = false, files = false, typeList = false, unrestricted = 0 } = given;
  checkTogether(given);
  const listed = files ? 'files' : 'search';
  const task = typeList ? 'types' : listed;
  const found =
    task === 'search' ? await readArguments(line, session) : { patterns: [], roots: rootsOf(given, args), notices: [] };
  // One file is enough to know.
  const flags: GrepFlags = quiet && task === 'search' ? { ...given, mode: 'files', limit: 1, offset: 0 } : given;
  const form = await formOf(flags, found.roots, session);
  const answer = json ? 'document' : 'lines';
  return {
    task,
    ...found,
    matching: {
      ...matchingOf(found.patterns, flags),
      submatches: json || form.isTerminal || form.paint.isColored || form.onlyMatching || form.column,
    },
    filter: {
      ...flags.filter,
      hidden: unrestricted >= 2 ? true : flags.hidden,
      gitignore: flags.ignore && unrestricted === 0,
    },
    page: { offset: flags.offset ?? 0, limit: flags.limit },
    timeoutMs: flags.timeout,
    prints: quiet ? 'nothing' : answer,
    output: { json, color: flags.color },
    form,
  };
}

/** The command line of a search. */
export interface GrepLine {
  readonly args: readonly string[];
  readonly flags: GrepFlags;
  /** All of its words, as they were given. */
  readonly words: readonly string[];
}

/** What to search for, and where. */
interface GrepArguments extends Places {
  readonly patterns: readonly string[];
}

/** Returns the patterns of a source. As in ripgrep, an empty line of a file is a pattern that matches every line. */
async function patternsOf(source: PatternSource, { input, signal }: CommandContext): Promise<readonly string[]> {
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
async function readArguments(line: GrepLine, session: CommandContext): Promise<GrepArguments> {
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
      ...(await choosePlaces(flags, paths, { context: session, instead: 'to search files, add a path, such as .' })),
    };
  }
  const roots = rootsOf(flags, paths);
  if (roots.includes('-')) {
    throw new UsageError('-f - and the path - both need standard input', 'put the patterns or the text in a file');
  }
  return { patterns, roots, notices: [] };
}
