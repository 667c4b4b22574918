import { stat } from 'node:fs/promises';
import type { AnswerFlags } from '../../terminal/answer.ts';
import { UsageError } from '../../terminal/errors.ts';
import { createPaint, usesColor } from '../../terminal/output.ts';
import type { Session } from '../../terminal/session.ts';
import { STANDARD_INPUT } from '../../terminal/standard-input.ts';
import { readArguments, type GrepArguments, type GrepLine } from './grep-arguments.ts';
import type { GrepForm } from './grep-lines.ts';
import type { FileFilter, GrepFlags, Matching } from './grep-options.ts';
import { checkListing, rootsOf } from './options.ts';

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
async function formOf(flags: GrepFlags, roots: readonly string[], { out, env }: Session): Promise<GrepForm> {
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

export async function planGrep(line: GrepLine, session: Session): Promise<GrepPlan> {
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
