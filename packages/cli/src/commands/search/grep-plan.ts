import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { GrepOptions } from '@cairn/natives';
import type { AnswerFlags } from '../../terminal/answer.ts';
import { UsageError } from '../../terminal/errors.ts';
import { createPaint, usesColor } from '../../terminal/output.ts';
import type { Session } from '../../terminal/session.ts';
import { STANDARD_INPUT } from '../../terminal/standard-input.ts';
import { readArguments, type GrepArguments } from './grep-arguments.ts';
import type { GrepForm } from './grep-lines.ts';
import type { GrepFlags } from './grep-options.ts';
import { checkReplace } from './grep-replace.ts';
import { checkListing, rootsOf } from './options.ts';

/** The options of the library that choose files; text from standard input has none of them. */
export type FileFilter = Pick<GrepOptions, 'type' | 'typeNot' | 'hidden' | 'gitignore' | 'maxDepth' | 'followLinks'> & {
  readonly glob?: readonly string[] | undefined;
};

type Matching = Omit<GrepOptions, keyof FileFilter | 'path' | 'crlf' | 'maxCount' | 'offset' | 'timeoutMs'>;

/** The part of the results that is shown, in matching lines or, in the other modes, in files. */
export interface GrepPage {
  readonly offset: number;
  readonly limit?: number | undefined;
}

/** What one command line of grep asks for. The search, its answer and its notices know no flag. */
export interface GrepPlan {
  readonly task: 'search' | 'files' | 'types';
  readonly patterns: readonly string[];
  readonly roots: readonly string[];
  readonly input?: Readable | undefined;
  readonly matching: Matching;
  readonly filter: FileFilter;
  readonly page: GrepPage;
  readonly timeoutMs?: number | undefined;
  /** With `nothing`, the exit status is the answer. */
  readonly prints: 'lines' | 'document' | 'nothing';
  readonly output: AnswerFlags;
  readonly form: GrepForm;
  readonly notices: readonly string[];
}

/** A longer line is cut around its first match. */
const MAX_ROWS = 3;

/** Rejects options that would give a wrong answer together. */
function checkTogether({ maxColumns = 0, onlyMatching, column, vimgrep, ...flags }: GrepFlags): void {
  const [other] = [
    { name: '--only-matching', isGiven: onlyMatching },
    { name: '--column', isGiven: column },
    { name: '--vimgrep', isGiven: vimgrep },
  ].filter(({ isGiven }) => isGiven === true);
  // A shortened line has lost the place of its start, and matches.
  if (maxColumns > 0 && other !== undefined) {
    throw new UsageError(`--max-columns and ${other.name} exclude each other`, 'leave one of them out');
  }
  checkListing(flags);
}

async function isOneFile([root = '.', ...others]: readonly string[]): Promise<boolean> {
  if (others.length > 0) return false;
  const found = await stat(root).catch(() => undefined);
  return found !== undefined && !found.isDirectory();
}

/** Returns the form of the printed results. As in ripgrep, the lines of standard input alone have neither path nor number. */
async function formOf(flags: GrepFlags, roots: readonly string[], { out, env }: Session): Promise<GrepForm> {
  const { vimgrep = false, column = false, onlyMatching = false } = flags;
  const isFromInput = roots.every((root) => root === STANDARD_INPUT);
  return {
    paint: createPaint(usesColor(flags.color, out.isTerminal, env)),
    isTerminal: out.isTerminal,
    heading: !vimgrep && (flags.heading ?? out.isTerminal),
    path: flags.paths ?? (vimgrep || !(isFromInput || (await isOneFile(roots)))),
    lineNumber: flags.lineNumber ?? (vimgrep || column || !isFromInput),
    column: vimgrep || column,
    onlyMatching,
    eachMatch: vimgrep,
    joinsLines: flags.multiline === true && (vimgrep || flags.replace !== undefined),
    nul: flags.null === true,
    hasContext: (flags.context ?? 0) + (flags.beforeContext ?? 0) + (flags.afterContext ?? 0) > 0,
    columns: flags.maxColumns === undefined ? out.width * MAX_ROWS : undefined,
  };
}

function matchingOf(patterns: readonly string[], flags: GrepFlags): Matching {
  const { mode = 'content', unrestricted = 0, multiline, vimgrep, json } = flags;
  const [only = ''] = patterns;
  const isCount = mode === 'count' || mode === 'matches';
  const countUnit = mode === 'matches' || flags.onlyMatching === true ? 'matches' : 'spanning';
  const searchesBinary = flags.binary === true || unrestricted >= 3 ? 'search' : undefined;
  // A match over several lines that is replaced is known to be one.
  const marksMatches = multiline === true && vimgrep === true && json !== true;
  return {
    pattern: patterns.length === 1 ? only : patterns,
    literal: flags.literal,
    ignoreCase: flags.case === 'ignore' ? true : undefined,
    smartCase: flags.case === 'smart' ? true : undefined,
    wholeWord: flags.whole === 'word' ? true : undefined,
    wholeLine: flags.whole === 'line' ? true : undefined,
    invert: flags.invertMatch,
    pcre2: flags.pcre2,
    multiline,
    binary: flags.text === true ? 'text' : searchesBinary,
    replacement: flags.replace ?? (marksMatches ? '$0' : undefined),
    context: flags.context,
    contextBefore: flags.beforeContext,
    contextAfter: flags.afterContext,
    maxColumns: flags.maxColumns === 0 ? undefined : flags.maxColumns,
    maxCountPerFile: flags.maxCount,
    maxFileSize: flags.maxFilesize,
    ...(isCount ? { mode: 'count', countUnit } : { mode: mode === 'files' ? 'filesWithMatches' : 'content' }),
  };
}

function filterOf({ unrestricted = 0, ...flags }: GrepFlags): FileFilter {
  return {
    glob: flags.glob,
    type: flags.type,
    typeNot: flags.typeNot,
    hidden: unrestricted >= 2 ? true : flags.hidden,
    gitignore: flags.ignore && unrestricted === 0,
    maxDepth: flags.maxDepth,
    followLinks: flags.follow,
  };
}

export interface GrepLine {
  readonly args: readonly string[];
  readonly flags: GrepFlags;
  /** All of its words, as they were given. */
  readonly words: readonly string[];
}

async function argumentsOf({ args, flags, words }: GrepLine, session: Session): Promise<GrepArguments> {
  const { replace, sources, path } = flags;
  const isSource = sources.length > 0;
  if (replace !== undefined) await checkReplace(replace, { pattern: args[0], hasPatterns: isSource, words });
  return readArguments({ args, sources, path }, session);
}

export async function planGrep(line: GrepLine, session: Session): Promise<GrepPlan> {
  const { quiet = false, json = false, files = false, typeList = false } = line.flags;
  checkTogether(line.flags);
  const listed = files ? 'files' : 'search';
  const task = typeList ? 'types' : listed;
  const found =
    task === 'search'
      ? await argumentsOf(line, session)
      : { patterns: [], roots: rootsOf(line.flags, line.args), notices: [] };
  // One file is enough to know.
  const isQuiet = quiet && task === 'search';
  const flags: GrepFlags = isQuiet ? { ...line.flags, mode: 'files', limit: 1, offset: 0 } : line.flags;
  const form = await formOf(flags, found.roots, session);
  const usesPlaces = json || form.isTerminal || form.paint.isColored || form.onlyMatching || form.column;
  const answer = json ? 'document' : 'lines';
  return {
    task,
    ...found,
    matching: { ...matchingOf(found.patterns, flags), submatches: usesPlaces },
    filter: filterOf(flags),
    page: { offset: flags.offset ?? 0, limit: flags.limit },
    timeoutMs: flags.timeout,
    prints: quiet ? 'nothing' : answer,
    output: { json, color: flags.color },
    form,
  };
}
