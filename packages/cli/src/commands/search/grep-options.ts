import { Option, type Command } from 'commander';
import { UsageError } from '../../terminal/errors.ts';
import { byteSize, filled, oneOf, wholeNumber } from '../../terminal/options.ts';
import type { PatternSource } from './grep-patterns.ts';
import { repeated, searchOptions, type SearchFlags } from './options.ts';

export type ModeName = 'content' | 'count' | 'files';
const modeNames: readonly ModeName[] = ['content', 'count', 'files'];

/** The options of grep, as parsed. */
export interface GrepFlags extends SearchFlags {
  /** What -e and -f gave, in their order. */
  readonly sources: readonly PatternSource[];
  /** The last one of -i, -s and -S. */
  readonly case?: 'ignore' | 'sensitive' | 'smart';
  readonly literal?: boolean;
  /** The last one of -w and -x. */
  readonly whole?: 'word' | 'line';
  readonly invertMatch?: boolean;
  readonly pcre2?: boolean;
  readonly multiline?: boolean;
  readonly glob?: readonly string[];
  readonly type?: readonly string[];
  readonly typeNot?: readonly string[];
  readonly maxDepth?: number;
  readonly maxFilesize?: number;
  readonly follow?: boolean;
  readonly text?: boolean;
  readonly binary?: boolean;
  /** How often -u is given. */
  readonly unrestricted?: number;
  readonly afterContext?: number;
  readonly beforeContext?: number;
  readonly context?: number;
  /** The last one of --mode, -c, --count-matches and -l. */
  readonly mode?: ModeName;
  readonly countMatches?: boolean;
  readonly quiet?: boolean;
  readonly files?: boolean;
  readonly typeList?: boolean;
  readonly offset?: number;
  readonly maxCount?: number;
  readonly maxColumns?: number;
  readonly onlyMatching?: boolean;
  readonly replace?: string;
  readonly column?: boolean;
  readonly vimgrep?: boolean;
  readonly heading?: boolean;
  readonly lineNumber?: boolean;
  /** The last one of -H and -I. */
  readonly paths?: boolean;
  readonly null?: boolean;
}

/** Returns what to show. */
export function modeOf({ mode = 'content' }: GrepFlags): ModeName {
  return mode;
}

/** Whether ignore files exclude files from the search. */
export function appliesIgnoreFiles({ ignore, unrestricted = 0 }: Pick<GrepFlags, 'ignore' | 'unrestricted'>): boolean {
  return ignore && unrestricted === 0;
}

function count(flags: string, name: string, description: string): Option {
  return new Option(`${flags} <n>`, description).argParser(wholeNumber(name));
}

/** Options that choose what matches. */
function matchOptions(): readonly Option[] {
  return [
    new Option('-i, --ignore-case', 'ignore upper and lower case'),
    new Option('-S, --smart-case', 'ignore case if the patterns have no upper-case letter'),
    new Option('-s, --case-sensitive', 'distinguish upper and lower case (default)'),
    new Option('-F, --literal', 'the pattern is plain text, not an expression'),
    new Option('-w, --word-regexp', 'only matches that are whole words'),
    new Option('-x, --line-regexp', 'only matches that are whole lines'),
    new Option('-v, --invert-match', 'show the lines that do not match'),
    new Option('-P, --pcre2', 'use PCRE2 (default: only for expressions that need it)'),
    new Option('-U, --multiline', 'a match may cross lines'),
  ];
}

/** Options that choose the files. */
function fileOptions(): readonly Option[] {
  return [
    new Option(
      '-g, --glob <glob>',
      'only files whose path matches the pattern; ! before it excludes them; of several, the last that matches decides',
    ).argParser(repeated(filled('--glob'))),
    new Option(
      '-t, --type <type>',
      'only files of a type (ts, rust, py ...), or with an extension; may be repeated',
    ).argParser(repeated(filled('--type'))),
    new Option('-T, --type-not <type>', 'no files of a type; may be repeated').argParser(
      repeated(filled('--type-not')),
    ),
    count('-d, --max-depth', '--max-depth', 'only N levels of directories'),
    new Option('--max-filesize <size>', 'skip larger files: bytes, or a number with K, M or G').argParser(
      byteSize('--max-filesize'),
    ),
    new Option('-L, --follow', 'follow symbolic links'),
    new Option('-a, --text', 'search binary files as text'),
    new Option('--binary', 'search binary files up to the first match'),
    new Option('-u, --unrestricted', '-u is --no-ignore, -uu is --no-ignore --hidden, -uuu adds --binary'),
    new Option('--files', 'list the files that would be searched; there is no pattern'),
    new Option('--type-list', 'list the types of files'),
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
    new Option('-c, --count', 'the same as --mode count; with -o, or with -U over lines, it counts matches'),
    new Option('--count-matches', 'show the number of matches per file'),
    new Option('-l, --files-with-matches', 'the same as --mode files'),
    new Option('-q, --quiet', 'show nothing: the exit status tells whether something matches').conflicts('json'),
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
    new Option('-o, --only-matching', 'show only the matched parts, each on a line of its own'),
    new Option(
      '-r, --replace <text>',
      'show this text in place of each match; $1 and ${name} are groups; files are never changed',
    ),
    new Option('--column', 'show the column of the first match, in bytes from 1'),
    new Option('--vimgrep', 'show each match on a line of its own, as path:line:column:text'),
    new Option('--heading', 'show the path once above the lines of a file (default in a terminal)'),
    new Option('--no-heading', 'show the path before each line (default in a pipe)'),
    new Option('-n, --line-number', 'show line numbers (default, except for standard input)'),
    new Option('-N, --no-line-number', 'leave out line numbers'),
    new Option('-H, --with-filename', 'show paths (default, except for a single file or standard input)'),
    new Option('-I, --no-filename', 'leave out paths'),
    new Option('-0, --null', 'end each path with a NUL and print names as they are'),
  ];
}

/** Options that undo others, as in ripgrep: of `--column --no-column`, the last one counts. */
const opposites: readonly string[] = [
  '--no-binary',
  '--no-column',
  '--no-follow',
  '--no-invert-match',
  '--no-json',
  '--no-multiline',
  '--no-pcre2',
  '--no-text',
];

/** Options that share a value: the last one counts. commander knows only pairs such as --x and --no-x. */
function addSharedValues(command: Command): void {
  const set = (option: string, name: string, value: () => unknown): void => {
    command.on(`option:${option}`, () => command.setOptionValueWithSource(name, value(), 'cli'));
  };
  set('ignore-case', 'case', () => 'ignore');
  set('smart-case', 'case', () => 'smart');
  set('case-sensitive', 'case', () => 'sensitive');
  set('word-regexp', 'whole', () => 'word');
  set('line-regexp', 'whole', () => 'line');
  const setMode = (option: string, mode: () => unknown): void => {
    set(option, 'mode', mode);
    set(option, 'countMatches', () => option === 'count-matches');
  };
  setMode('mode', () => command.getOptionValue('mode'));
  setMode('count', () => 'count');
  setMode('count-matches', () => 'count');
  setMode('files-with-matches', () => 'files');
  set('with-filename', 'paths', () => true);
  set('no-filename', 'paths', () => false);
  set('max-count-per-file', 'maxCount', () => command.getOptionValue('maxCountPerFile'));
  let level = 0;
  set('unrestricted', 'unrestricted', () => (level += 1));
}

function addPatternOptions(command: Command): void {
  const sources: PatternSource[] = [];
  const collect = (source: PatternSource): readonly PatternSource[] => {
    sources.push(source);
    return sources;
  };
  command
    .addOption(
      new Option('-e, --regexp <pattern>', 'a pattern; of several, each may match').argParser((text: string) =>
        collect({ text }),
      ),
    )
    .addOption(
      new Option('-f, --file <path>', 'patterns from a file, one a line; - is standard input').argParser(
        (file: string) => collect({ file: filled('--file', 'use the path of a file, or -')(file) }),
      ),
    );
  command.setOptionValue('sources', sources);
}

/** Adds the options of grep to its command. */
export function addGrepOptions(command: Command): void {
  addPatternOptions(command);
  for (const option of [...matchOptions(), ...fileOptions(), ...amountOptions(), ...formOptions()]) {
    command.addOption(option);
  }
  addSharedValues(command);
  const limit = 'at most N matching lines, or files with -l or -c (default: all)';
  for (const option of searchOptions({ root: 'a directory or a file', limit, searchesHidden: true }))
    command.addOption(option);
  for (const flags of opposites) command.addOption(new Option(flags).hideHelp());
  // Beside --ignore, --no-ignore has no default.
  command.addOption(new Option('--ignore').default(true).hideHelp());
}

/** Refuses options that would give a wrong answer together. */
export function checkGrepFlags(flags: GrepFlags): void {
  const { maxColumns = 0, onlyMatching, column, vimgrep, null: endsWithNull, json } = flags;
  const [other] = [
    { name: '--only-matching', isGiven: onlyMatching },
    { name: '--column', isGiven: column },
    { name: '--vimgrep', isGiven: vimgrep },
  ].filter(({ isGiven }) => isGiven === true);
  // A shortened line has lost the place of its start, and matches.
  if (maxColumns > 0 && other !== undefined) {
    throw new UsageError(`--max-columns and ${other.name} exclude each other`, 'leave one of them out');
  }
  if (endsWithNull === true && json === true) {
    throw new UsageError('--null and --json exclude each other', 'use one of them; --json has names as they are, too');
  }
}
