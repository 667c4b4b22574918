import { quotePath } from '@cairn/tool/paths';
import { stat } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import type { GrepOutputMode, GrepResult } from '@cairn/natives';
import { writeAnswer, type MatchesDocument } from '../../terminal/answer.ts';
import { exitCodeOf } from '../../terminal/exit.ts';
import { byteSize, once, oneOf, wholeNumber } from '../../terminal/options.ts';
import { createPaint, usesColor } from '../../terminal/output.ts';
import { pathPrefix } from '../../terminal/path-prefix.ts';
import { withProgress } from '../../terminal/progress.ts';
import type { Session } from '../../terminal/session.ts';
import type { CommandFactory } from '../command.ts';
import { contentLines, fileLines } from './grep-lines.ts';
import { grepNotices, nothingFoundNotice } from './notices.ts';
import { onlyRoot, searchOptions, type SearchFlags } from './options.ts';

const examples = `
Examples:
  $ cairn grep TODO                               every line with TODO
  $ cairn grep -i 'error.*timeout' -C 2           any case, with two lines around each hit
  $ cairn grep -F 'foo(bar[0])' --path src        exactly this text, below src
  $ cairn grep 'export function' -g '*.{ts,tsx}'  only in files that match a pattern
  $ cairn grep import -t ts -c                    matching lines per file, in TypeScript
  $ cairn grep import -l --limit 10               only the names of ten files
  $ cairn grep -U 'import {\\n.*type' -t ts        a match may cross lines
  $ cairn grep --path notes.txt -- --limit        one file; put -- before a pattern that starts with '-'

$ matches before CRLF too. Names that start with a dot are searched unless --no-hidden is given; .git is never searched.
Printed paths are relative to the current directory; with --json they are relative to --path.`;

type ModeName = 'content' | 'count' | 'files';
const modeNames: readonly ModeName[] = ['content', 'count', 'files'];

interface GrepFlags extends SearchFlags {
  readonly ignoreCase?: boolean;
  readonly literal?: boolean;
  readonly multiline?: boolean;
  readonly glob?: string;
  readonly type?: string;
  readonly afterContext?: number;
  readonly beforeContext?: number;
  readonly context?: number;
  readonly mode?: ModeName;
  readonly count?: boolean;
  readonly filesWithMatches?: boolean;
  readonly offset?: number;
  readonly maxCountPerFile?: number;
  readonly maxColumns?: number;
  readonly maxFilesize?: number;
}

function modeOf(flags: GrepFlags): ModeName {
  if (flags.count === true) return 'count';
  return flags.filesWithMatches === true ? 'files' : (flags.mode ?? 'content');
}

const libraryModes: Readonly<Record<ModeName, GrepOutputMode>> = {
  content: 'content',
  count: 'count',
  files: 'filesWithMatches',
};

/** Returns one page of the counts. The search has no limit of its own, which would cut a count short. */
function pageOfCounts(result: GrepResult, { limit = Infinity, offset = 0 }: GrepFlags): GrepResult {
  const matches = result.matches.slice(offset, offset + limit);
  const isCut = offset + matches.length < result.matches.length;
  return { ...result, matches, ...(isCut && { limitReached: true as const }) };
}

async function search(pattern: string, flags: GrepFlags, session: Session): Promise<GrepResult> {
  const { CairnError, grep } = await import('@cairn/natives');
  const isCount = modeOf(flags) === 'count';
  const searchLines = (crlf: boolean): Promise<GrepResult> =>
    grep({
      pattern,
      path: onlyRoot(flags),
      literal: flags.literal,
      glob: flags.glob,
      type: flags.type,
      ignoreCase: flags.ignoreCase,
      multiline: flags.multiline,
      crlf,
      hidden: flags.hidden,
      gitignore: flags.ignore,
      maxCount: isCount ? undefined : flags.limit,
      offset: isCount ? undefined : flags.offset,
      context: flags.context,
      contextBefore: flags.beforeContext,
      contextAfter: flags.afterContext,
      maxColumns: flags.maxColumns === 0 ? undefined : flags.maxColumns,
      maxCountPerFile: flags.maxCountPerFile,
      maxFileSize: flags.maxFilesize,
      mode: libraryModes[modeOf(flags)],
      timeoutMs: flags.timeout,
      onTimeout: 'partial',
      signal: session.signal,
    });
  const result = await withProgress(session, 'searching', async () => {
    try {
      return await searchLines(true);
    } catch (error) {
      if (!CairnError.isInstance(error) || error.code !== 'INVALID_REGEX') throw error;
      // The pattern may ask for the carriage return itself.
      return searchLines(false);
    }
  });
  return isCount ? pageOfCounts(result, flags) : result;
}

type PathNaming = (path: string) => string;

/** Returns how to print a path. When the root is a file, its results have the path that was given. */
async function pathNaming(root: string): Promise<PathNaming> {
  const isFile = await stat(root).then(
    (found) => !found.isDirectory(),
    () => false,
  );
  const prefix = pathPrefix(root);
  return isFile ? () => root : (path) => prefix + path;
}

/** A longer line is cut around its first match. */
const MAX_ROWS = 3;

/** Returns the lines to print. `onCut` is called for each line that is cut to the width of the terminal. */
function linesOf(
  result: GrepResult,
  flags: GrepFlags,
  { session, pathOf, onCut }: { readonly session: Session; readonly pathOf: PathNaming; readonly onCut: () => void },
): Iterable<string> {
  const { isTerminal, width } = session.out;
  const style = {
    paint: createPaint(usesColor(flags.color, isTerminal, session.env)),
    isTerminal,
    hasContext: (flags.context ?? 0) + (flags.beforeContext ?? 0) + (flags.afterContext ?? 0) > 0,
    columns: flags.maxColumns === undefined ? width * MAX_ROWS : undefined,
    pathOf,
    onCut,
  };
  return modeOf(flags) === 'content' ? contentLines(result.matches, style) : fileLines(result.matches, style);
}

/** The document counts in `matches`: lines in content mode, files in the other modes. */
function documentOf(result: GrepResult, mode: ModeName): MatchesDocument & Readonly<Record<string, unknown>> {
  const { matches, totalMatches, filesWithMatches, complete, limitReached, stopReason, ...rest } = result;
  const reason = stopReason ?? (limitReached === true ? 'limit' : undefined);
  return {
    matches,
    shown: matches.length,
    totalMatches: mode === 'content' ? totalMatches : filesWithMatches,
    complete: complete && reason === undefined && result.skipped.unreadable === 0 && result.filesCut === undefined,
    ...(reason !== undefined && { stopReason: reason }),
    ...(mode === 'count' && { totalLines: totalMatches }),
    filesWithMatches,
    ...rest,
  };
}

interface NoticeFacts {
  readonly pattern: string;
  readonly pathOf: PathNaming;
  readonly linesCut: number;
  readonly session: Session;
}

function noticesOf(
  result: GrepResult,
  flags: GrepFlags,
  { pattern, pathOf, linesCut, session }: NoticeFacts,
): string[] {
  const mode = modeOf(flags);
  const { matches } = result;
  const shown = matches.length;
  const hasLineFeed =
    flags.multiline === true && (flags.literal === true ? /\n/u : /\n|\\n/u).test(pattern) && !/\r|\\r/u.test(pattern);
  const notices = grepNotices({
    isForLineFeeds: hasLineFeed && result.totalMatches === 0,
    shown,
    totalMatches: mode === 'content' ? result.totalMatches : result.filesWithMatches,
    stopReason: result.stopReason,
    isLimited: flags.limit !== undefined && shown >= flags.limit && result.limitReached === true,
    offset: flags.offset ?? 0,
    filesCut: result.filesCut ?? 0,
    linesCut: linesCut + matches.filter((match) => match.truncated === true).length,
    skipped: result.skipped,
    unreadablePaths: result.unreadablePaths,
    isLiteral: result.engine === 'literal' && flags.literal !== true,
    searchedPattern: result.searchedPattern,
    asTyped: result.asTyped && { ...result.asTyped, path: quotePath(pathOf(result.asTyped.path)) },
    globs: result.globs,
    hint: result.hint,
    givenPattern: pattern,
    lossyPaths: new Set(matches.filter((match) => match.lossyPath === true).map((match) => match.path)).size,
  });
  const isForPerson = session.err.isTerminal && flags.json !== true;
  if (shown > 0 || notices.length > 0 || !isForPerson) return notices;
  return [nothingFoundNotice(flags.hidden ?? true, flags.ignore)];
}

async function runGrep(pattern: string, flags: GrepFlags, session: Session): Promise<number> {
  const mode = modeOf(flags);
  const result = await search(pattern, flags, session);
  let linesCut = 0;
  const onCut = (): void => {
    linesCut += 1;
  };
  const pathOf = await pathNaming(onlyRoot(flags));
  await writeAnswer(session, flags, {
    lines: linesOf(result, flags, { session, pathOf, onCut }),
    document: documentOf(result, mode),
    notices: () => noticesOf(result, flags, { pattern, pathOf, linesCut, session }),
  });
  const { stopReason, skipped } = result;
  return exitCodeOf({ shown: result.matches.length, stopReason, unreadable: skipped.unreadable });
}

function addGrepOptions(command: Command): void {
  const count = (flags: string, name: string, description: string): Option =>
    new Option(`${flags} <n>`, description).argParser(wholeNumber(name));
  const options = [
    new Option('-i, --ignore-case', 'ignore upper and lower case'),
    new Option('-F, --literal', 'the pattern is plain text, not an expression'),
    new Option('-U, --multiline', 'a match may cross lines'),
    new Option('-g, --glob <glob>', 'only files whose path matches the pattern; ! before it excludes them').argParser(
      once('--glob', "join patterns as '{*.ts,*.js}'"),
    ),
    new Option('-t, --type <type>', 'only files of a type (ts, rust, py ...), or with an extension').argParser(
      once('--type', "use --glob '{*.ts,*.js}' for several"),
    ),
    count('-A, --after-context', '--after-context', 'show N lines after each match'),
    count('-B, --before-context', '--before-context', 'show N lines before each match'),
    count('-C, --context', '--context', 'show N lines before and after each match'),
    new Option(
      '--mode <mode>',
      'what to show: content (lines), count (matching lines per file) or files (default: content)',
    ).argParser(oneOf('--mode', modeNames)),
    new Option('-c, --count', 'the same as --mode count').conflicts(['mode', 'filesWithMatches']),
    new Option('-l, --files-with-matches', 'the same as --mode files').conflicts(['mode', 'count']),
    count('--offset', '--offset', 'skip the first N results, in the unit of --limit'),
    count('--max-count-per-file', '--max-count-per-file', 'at most N lines from one file'),
    count(
      '--max-columns',
      '--max-columns',
      'shorten longer lines around their match; 0 shows whole lines (default in a terminal: three rows)',
    ),
    new Option('--max-filesize <size>', 'skip larger files: bytes, or a number with K, M or G').argParser(
      byteSize('--max-filesize'),
    ),
  ];
  for (const option of options) command.addOption(option);
}

export const grepCommand: CommandFactory = (command, session, done) => {
  command
    .description('Search the content of files by regular expression.')
    .summary('search the content of files')
    .argument('<pattern>', 'a regular expression')
    .addHelpText('after', examples)
    .action(async (pattern: string, flags: GrepFlags) => done(await runGrep(pattern, flags, session)));
  addGrepOptions(command);
  const limit = 'at most N matching lines, or files with -l or -c (default: all)';
  for (const option of searchOptions({ root: 'a directory or a file', limit, searchesHidden: true }))
    command.addOption(option);
};
