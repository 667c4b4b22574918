import { stat } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import type { GrepMatch, GrepOutputMode, GrepResult } from '@cairn/natives';
import { byteSize, once, oneOf, sharedOptions, wholeNumber, type SharedFlags } from '../args.ts';
import { exitCodeOf } from '../exit.ts';
import { contentLines, fileLines } from '../grep-lines.ts';
import { grepNotices, nothingFoundNotice, writeNotices } from '../notices.ts';
import { createPaint, usesColor, writeLines } from '../output.ts';
import { withProgress } from '../progress.ts';
import { pathPrefix } from '../root.ts';
import type { Session } from '../session.ts';

const examples = `
Examples:
  $ cairn grep TODO                               every line with TODO
  $ cairn grep -i 'error.*timeout' -C 2           any case, with two lines around each hit
  $ cairn grep -F 'foo(bar[0])' --path src        exactly this text, below src
  $ cairn grep 'export function' -g '*.{ts,tsx}'  only in files that fit a pattern
  $ cairn grep import -t ts -c                    matching lines per file, in TypeScript
  $ cairn grep import -l --limit 10               only the names of ten files
  $ cairn grep -U 'import {\\n.*type' -t ts        a match may cross lines
  $ cairn grep --path notes.txt -- --limit        one file; a text that starts with '-' comes after --

Names that start with a dot are searched unless --no-hidden is given; .git never is.
Paths are printed so that they open from here; --json has them relative to --path.`;

type ModeName = 'content' | 'count' | 'files';
const modeNames: readonly ModeName[] = ['content', 'count', 'files'];

interface GrepFlags extends SharedFlags {
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

async function search(pattern: string, flags: GrepFlags, session: Session): Promise<GrepResult> {
  const { grep } = await import('@cairn/natives');
  return withProgress(session, 'searching', () =>
    grep({
      pattern,
      path: flags.path,
      literal: flags.literal,
      glob: flags.glob,
      type: flags.type,
      ignoreCase: flags.ignoreCase,
      multiline: flags.multiline,
      hidden: flags.hidden,
      gitignore: flags.ignore,
      maxCount: flags.limit,
      offset: flags.offset,
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
    }),
  );
}

/** The root may be a file: its results are printed under the path it was given by. */
async function pathNaming(root: string): Promise<(path: string) => string> {
  const isFile = await stat(root).then(
    (found) => !found.isDirectory(),
    () => false,
  );
  const prefix = pathPrefix(root);
  return isFile ? () => root : (path) => prefix + path;
}

/** Rows a line may take in a terminal before it is cut around its first hit. */
const maxRows = 3;

/** Prints the result and returns how many lines were cut to the width of the terminal. */
async function print(result: GrepResult, flags: GrepFlags, session: Session): Promise<number> {
  const { isTerminal, width } = session.out;
  let linesCut = 0;
  const look = {
    paint: createPaint(usesColor(flags.color, isTerminal, session.env)),
    isTerminal,
    hasContext: (flags.context ?? 0) + (flags.beforeContext ?? 0) + (flags.afterContext ?? 0) > 0,
    columns: flags.maxColumns === undefined ? width * maxRows : undefined,
    pathOf: await pathNaming(flags.path),
    onCut: (): void => {
      linesCut += 1;
    },
  };
  const lines = modeOf(flags) === 'content' ? contentLines(result.matches, look) : fileLines(result.matches, look);
  await writeLines(session.out, lines, session.signal);
  return linesCut;
}

/** How many results were shown, in the unit `--limit` counts. */
function shownOf(matches: readonly GrepMatch[], mode: ModeName): number {
  return mode === 'count' ? matches.reduce((sum, match) => sum + (match.matchCount ?? 0), 0) : matches.length;
}

async function runGrep(pattern: string, flags: GrepFlags, session: Session): Promise<number> {
  const mode = modeOf(flags);
  const result = await search(pattern, flags, session);
  let linesCut = 0;
  if (flags.json === true) await writeLines(session.out, [JSON.stringify(result)], session.signal);
  else linesCut = await print(result, flags, session);
  const shown = shownOf(result.matches, mode);
  const facts = {
    shown,
    totalMatches: mode === 'files' ? result.filesWithMatches : result.totalMatches,
    stopReason: result.stopReason,
    isLimited: flags.limit !== undefined && shown >= flags.limit && result.limitReached === true,
    offset: flags.offset ?? 0,
    filesCut: result.filesCut ?? 0,
    linesCut: linesCut + result.matches.filter((match) => match.truncated === true).length,
    skipped: result.skipped,
    isLiteral: result.engine === 'literal' && flags.literal !== true,
    searchedPattern: result.searchedPattern,
    givenPattern: pattern,
    lossyPaths: new Set(result.matches.filter((match) => match.lossyPath === true).map((match) => match.path)).size,
  };
  const notices = grepNotices(facts);
  if (shown === 0 && notices.length === 0 && session.err.isTerminal)
    notices.push(nothingFoundNotice(flags.hidden ?? true, flags.ignore));
  await writeNotices(session, flags.color, notices);
  return exitCodeOf({ shown, stopReason: result.stopReason, unreadable: result.skipped.unreadable });
}

function addGrepOptions(command: Command): void {
  const count = (flags: string, name: string, description: string): Option =>
    new Option(`${flags} <n>`, description).argParser(wholeNumber(name));
  const options = [
    new Option('-i, --ignore-case', 'upper and lower case are the same'),
    new Option('-F, --literal', 'the pattern is plain text, not an expression'),
    new Option('-U, --multiline', 'a match may cross lines'),
    new Option('-g, --glob <glob>', 'only files whose path fits the pattern').argParser(
      once('--glob', "join patterns as '{*.ts,*.js}'"),
    ),
    new Option(
      '-t, --type <type>',
      'only files of a type (ts, rust, py ...); an unknown one is a file extension',
    ).argParser(once('--type', "use --glob '{*.ts,*.js}' for several")),
    count('-A, --after-context', '--after-context', 'show so many lines after each match'),
    count('-B, --before-context', '--before-context', 'show so many lines before each match'),
    count('-C, --context', '--context', 'show so many lines around each match'),
    new Option(
      '--mode <mode>',
      'what to show: content (lines), count (matching lines per file) or files (default: content)',
    ).argParser(oneOf('--mode', modeNames)),
    new Option('-c, --count', 'the same as --mode count').conflicts(['mode', 'filesWithMatches']),
    new Option('-l, --files-with-matches', 'the same as --mode files').conflicts(['mode', 'count']),
    count('--offset', '--offset', 'leave out the first so many results, counted as --limit counts'),
    count('--max-count-per-file', '--max-count-per-file', 'take at most so many lines from one file'),
    count(
      '--max-columns',
      '--max-columns',
      'cut longer lines around their match; 0 never cuts (in a terminal three rows are the default)',
    ),
    new Option('--max-filesize <size>', 'leave out larger files: bytes, or with K, M, G').argParser(
      byteSize('--max-filesize'),
    ),
  ];
  for (const option of options) command.addOption(option);
}

export function grepCommand(command: Command, session: Session, done: (exitCode: number) => void): void {
  command
    .description('Search the content of files by regular expression.')
    .summary('search the content of files')
    .argument('<pattern>', 'a regular expression')
    .addHelpText('after', examples)
    .action(async (pattern: string, flags: GrepFlags) => done(await runGrep(pattern, flags, session)));
  addGrepOptions(command);
  const limit = 'show at most so many matching lines (with -l files; default: all)';
  for (const option of sharedOptions({ root: 'a directory or a file', limit, searchesHidden: true }))
    command.addOption(option);
}
