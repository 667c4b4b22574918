import { Option, type Command } from 'commander';
import { UsageError } from '../../terminal/errors.ts';
import { byteSize, oneOf, once, wholeNumber } from '../../terminal/options.ts';
import { searchOptions, type SearchFlags } from './options.ts';

export type ModeName = 'content' | 'count' | 'files';
const modeNames: readonly ModeName[] = ['content', 'count', 'files'];

/** The options of grep, as parsed. */
export interface GrepFlags extends SearchFlags {
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
  readonly quiet?: boolean;
  readonly files?: boolean;
  readonly offset?: number;
  readonly maxCount?: number;
  readonly maxColumns?: number;
  readonly maxFilesize?: number;
  readonly onlyMatching?: boolean;
  readonly column?: boolean;
  readonly vimgrep?: boolean;
  readonly heading?: boolean;
  readonly lineNumber?: boolean;
  readonly filename?: boolean;
  readonly null?: boolean;
}

/** Returns what to show. */
export function modeOf(flags: GrepFlags): ModeName {
  if (flags.count === true) return 'count';
  return flags.filesWithMatches === true ? 'files' : (flags.mode ?? 'content');
}

function count(flags: string, name: string, description: string): Option {
  return new Option(`${flags} <n>`, description).argParser(wholeNumber(name));
}

/** Options that choose what matches, and in which files. */
function matchOptions(): readonly Option[] {
  return [
    new Option('-i, --ignore-case', 'ignore upper and lower case'),
    new Option('-F, --literal', 'the pattern is plain text, not an expression'),
    new Option('-U, --multiline', 'a match may cross lines'),
    new Option('-g, --glob <glob>', 'only files whose path matches the pattern; ! before it excludes them').argParser(
      once('--glob', "join patterns as '{*.ts,*.js}'"),
    ),
    new Option('-t, --type <type>', 'only files of a type (ts, rust, py ...), or with an extension').argParser(
      once('--type', "use --glob '{*.ts,*.js}' for several"),
    ),
    new Option('--max-filesize <size>', 'skip larger files: bytes, or a number with K, M or G').argParser(
      byteSize('--max-filesize'),
    ),
  ];
}

/** Options that choose how much is shown. */
function amountOptions(): readonly Option[] {
  return [
    count('-A, --after-context', '--after-context', 'show N lines after each match'),
    count('-B, --before-context', '--before-context', 'show N lines before each match'),
    count('-C, --context', '--context', 'show N lines before and after each match'),
    new Option(
      '--mode <mode>',
      'what to show: content (lines), count (matching lines per file) or files (default: content)',
    ).argParser(oneOf('--mode', modeNames)),
    new Option('-c, --count', 'the same as --mode count').conflicts(['mode', 'filesWithMatches']),
    new Option('-l, --files-with-matches', 'the same as --mode files').conflicts(['mode', 'count']),
    new Option('-q, --quiet', 'show nothing: the exit status tells whether something matches').conflicts('json'),
    new Option('--files', 'list the files that would be searched; there is no pattern'),
    count('--offset', '--offset', 'skip the first N results, in the unit of --limit'),
    count('-m, --max-count', '--max-count', 'at most N lines from each file'),
    count('--max-count-per-file', '--max-count-per-file', 'the same as --max-count').hideHelp(),
    count(
      '-M, --max-columns',
      '--max-columns',
      'shorten longer lines around their match; 0 shows whole lines (default in a terminal: three rows)',
    ),
  ];
}

/** Options that choose how a line is shown. */
function formOptions(): readonly Option[] {
  return [
    new Option('-o, --only-matching', 'show only the matched parts, each on a line of its own').conflicts('count'),
    new Option('--column', 'show the column of the first match, in bytes from 1'),
    new Option('--vimgrep', 'show each match on a line of its own, as path:line:column:text'),
    new Option('--heading', 'show the path once above the lines of a file (default in a terminal)'),
    new Option('--no-heading', 'show the path before each line (default in a pipe)'),
    new Option('-n, --line-number', 'show line numbers (default)'),
    new Option('-N, --no-line-number', 'leave out line numbers'),
    new Option('-H, --with-filename', 'show paths (default, except for standard input)'),
    new Option('-I, --no-filename', 'leave out paths'),
    new Option('-0, --null', 'end each path with a NUL character, and do not quote it'),
  ];
}

/** Sets `filename` to what the last of -H and -I asks for: commander knows no pair with two names. */
function addFilenamePair(command: Command): void {
  command.on('option:with-filename', () => command.setOptionValueWithSource('filename', true, 'cli'));
}

/** Adds the options of grep to its command. */
export function addGrepOptions(command: Command): void {
  for (const option of [...matchOptions(), ...amountOptions(), ...formOptions()]) command.addOption(option);
  // Not a default: standard input has no path unless it is asked for.
  command.setOptionValue('filename', undefined);
  addFilenamePair(command);
  command.on('option:max-count-per-file', () => {
    command.setOptionValueWithSource('maxCount', command.getOptionValue('maxCountPerFile'), 'cli');
  });
  const limit = 'at most N matching lines, or files with -l or -c (default: all)';
  for (const option of searchOptions({ root: 'a directory or a file', limit, searchesHidden: true }))
    command.addOption(option);
}

/** Refuses options that would give a wrong answer together. */
export function checkGrepFlags({ maxColumns = 0, onlyMatching, column, vimgrep }: GrepFlags): void {
  const other = [
    ['--only-matching', onlyMatching],
    ['--column', column],
    ['--vimgrep', vimgrep],
  ].find(([, isGiven]) => isGiven === true);
  // A shortened line has lost the place of its start, and matches.
  if (maxColumns > 0 && other !== undefined) {
    throw new UsageError(`--max-columns and ${String(other[0])} exclude each other`, 'leave one of them out');
  }
}
