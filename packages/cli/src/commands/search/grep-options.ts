import { Option, type Command } from 'commander';
import { byteSize, filled, oneOf, wholeNumber } from '../../terminal/options.ts';
import type { PatternSource } from './grep-arguments.ts';
import { repeated, searchOptions, type SearchFlags } from './options.ts';

/** The options of grep, as parsed. Only the plan reads them. */
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
  readonly mode?: 'content' | 'count' | 'matches' | 'files';
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

/** Completes an option that is not just a switch. */
type Complete = (option: Option, name: string) => unknown;

const number: Complete = (option, name) => option.argParser(wholeNumber(name));
const size: Complete = (option, name) => option.argParser(byteSize(name));
const list: Complete = (option, name) => option.argParser(repeated(filled(name)));
const mode: Complete = (option, name) => option.argParser(oneOf(name, ['content', 'count', 'files']));
const quiet: Complete = (option) => option.conflicts('json');

/** An option: its flags, its line in the help, and what completes it. */
type Row = readonly [flags: string, description: string, complete?: Complete];

const rows: readonly Row[] = [
  // Choose matches.
  ['-i, --ignore-case', 'ignore upper and lower case'],
  ['-S, --smart-case', 'ignore case if the patterns have no upper-case letter'],
  ['-s, --case-sensitive', 'distinguish upper and lower case (default)'],
  ['-F, --literal', 'the pattern is plain text, not an expression'],
  ['-w, --word-regexp', 'only matches that are whole words'],
  ['-x, --line-regexp', 'only matches that are whole lines'],
  ['-v, --invert-match', 'show the lines that do not match'],
  ['-P, --pcre2', 'use PCRE2 (default: only for expressions that need it)'],
  ['-U, --multiline', 'a match may cross lines'],
  // Choose files.
  [
    '-g, --glob <glob>',
    'only files whose path matches the pattern; ! before it excludes them; of several, the last that matches decides',
    list,
  ],
  ['-t, --type <type>', 'only files of a type (ts, rust, py ...), or with an extension; may be repeated', list],
  ['-T, --type-not <type>', 'no files of a type; may be repeated', list],
  ['-d, --max-depth <n>', 'only N levels of directories', number],
  ['--max-filesize <size>', 'skip larger files: bytes, or a number with K, M or G', size],
  ['-L, --follow', 'follow symbolic links'],
  ['-a, --text', 'search binary files as text'],
  ['--binary', 'search binary files up to the first match'],
  ['-u, --unrestricted', '-u is --no-ignore, -uu is --no-ignore --hidden, -uuu adds --binary'],
  ['--files', 'list the files that would be searched; there is no pattern'],
  ['--type-list', 'list the types of files'],
  // Choose the amount.
  ['-A, --after-context <n>', 'show N lines after each match', number],
  ['-B, --before-context <n>', 'show N lines before each match', number],
  ['-C, --context <n>', 'show N lines before and after each match', number],
  ['--mode <mode>', 'what to show: content (lines), count (matching lines per file) or files (default: content)', mode],
  ['-c, --count', 'the same as --mode count; with -o, or with -U over lines, it counts matches'],
  ['--count-matches', 'show the number of matches per file'],
  ['-l, --files-with-matches', 'the same as --mode files'],
  ['-q, --quiet', 'show nothing: the exit status tells whether something matches', quiet],
  ['--offset <n>', 'skip the first N results, in the unit of --limit', number],
  ['-m, --max-count <n>', 'at most N lines from each file', number],
  [
    '-M, --max-columns <n>',
    'shorten longer lines around their match; 0 shows whole lines (default in a terminal: three rows)',
    number,
  ],
  // Choose the form of a line.
  ['-o, --only-matching', 'show only the matched parts, each on a line of its own'],
  ['-r, --replace <text>', 'show this text in place of each match; $1 and ${name} are groups; files are never changed'],
  ['--column', 'show the column of the first match, in bytes from 1'],
  ['--vimgrep', 'show each match on a line of its own, as path:line:column:text'],
  ['--heading', 'show the path once above the lines of a file (default in a terminal)'],
  ['--no-heading', 'show the path before each line (default in a pipe)'],
  ['-n, --line-number', 'show line numbers (default, except for standard input)'],
  ['-N, --no-line-number', 'leave out line numbers'],
  ['-H, --with-filename', 'show paths (default, except for a single file or standard input)'],
  ['-I, --no-filename', 'leave out paths'],
  ['-0, --null', 'end each path with a NUL and print names as they are'],
];

/** Options without a line in the help. Most undo others, as in ripgrep: of `--column --no-column`, the last one counts. */
const hidden: readonly string[] = [
  '--max-count-per-file <n>',
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
const shared: readonly (readonly [option: string, name: keyof GrepFlags, value: unknown])[] = [
  ['ignore-case', 'case', 'ignore'],
  ['smart-case', 'case', 'smart'],
  ['case-sensitive', 'case', 'sensitive'],
  ['word-regexp', 'whole', 'word'],
  ['line-regexp', 'whole', 'line'],
  ['count', 'mode', 'count'],
  ['count-matches', 'mode', 'matches'],
  ['files-with-matches', 'mode', 'files'],
  ['with-filename', 'paths', true],
  ['no-filename', 'paths', false],
];

function addPatternOptions(command: Command): void {
  const sources: PatternSource[] = [];
  const add = (source: PatternSource): void => void sources.push(source);
  const fileOf = filled('--file', 'use the path of a file, or -');
  const pattern = new Option('-e, --regexp <pattern>', 'a pattern; of several, each may match');
  const file = new Option('-f, --file <path>', 'patterns from a file, one a line; - is standard input');
  command.addOption(pattern.argParser((text: string) => add({ text })));
  command.addOption(file.argParser((path: string) => add({ file: fileOf(path) })));
  command.setOptionValue('sources', sources);
}

/** Adds the options of grep to its command. */
export function addGrepOptions(command: Command): void {
  addPatternOptions(command);
  for (const [flags, description, complete] of rows) {
    const option = new Option(flags, description);
    complete?.(option, option.long ?? flags);
    command.addOption(option);
  }
  const limit = 'at most N matching lines, or files with -l or -c (default: all)';
  for (const option of searchOptions({ root: 'a directory or a file', limit, searchesHidden: true }))
    command.addOption(option);
  for (const flags of hidden) command.addOption(new Option(flags).hideHelp());
  // Next to --ignore, --no-ignore has no default.
  command.addOption(new Option('--ignore').default(true).hideHelp());
  const set = (option: string, name: keyof GrepFlags, value: (given: string) => unknown): void => {
    command.on(`option:${option}`, (given: string) => command.setOptionValueWithSource(name, value(given), 'cli'));
  };
  for (const [option, name, value] of shared) set(option, name, () => value);
  set('max-count-per-file', 'maxCount', wholeNumber('--max-count-per-file'));
  let level = 0;
  set('unrestricted', 'unrestricted', () => (level += 1));
}
