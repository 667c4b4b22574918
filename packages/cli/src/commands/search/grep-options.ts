import type { Command } from 'commander';
import {
  addOptions,
  byteSize,
  filled,
  hidden,
  oneOf,
  repeated,
  wholeNumber,
  type OptionRow,
} from '../../terminal/options.ts';
import type { PatternSource } from './grep-arguments.ts';
import { limitOptions, rootOptions, type SearchFlags } from './options.ts';

/** The options of grep, as parsed. Only the plan reads them. */
export interface GrepFlags extends SearchFlags {
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

const rows: readonly OptionRow[] = [
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
    repeated(filled),
  ],
  [
    '-t, --type <type>',
    'only files of a type (ts, rust, py ...), or with an extension; may be repeated',
    repeated(filled),
  ],
  ['-T, --type-not <type>', 'no files of a type; may be repeated', repeated(filled)],
  ['-d, --max-depth <n>', 'only N levels of directories', wholeNumber()],
  ['--max-filesize <size>', 'skip larger files: bytes, or a number with K, M or G', byteSize],
  ['-L, --follow', 'follow symbolic links'],
  ['-a, --text', 'search binary files as text'],
  ['--binary', 'search binary files up to the first match'],
  ['-u, --unrestricted', '-u is --no-ignore, -uu is --no-ignore --hidden, -uuu adds --binary'],
  ['--files', 'list the files that would be searched; there is no pattern'],
  ['--type-list', 'list the types of files'],
  // Choose the amount.
  ['-A, --after-context <n>', 'show N lines after each match', wholeNumber()],
  ['-B, --before-context <n>', 'show N lines before each match', wholeNumber()],
  ['-C, --context <n>', 'show N lines before and after each match', wholeNumber()],
  [
    '--mode <mode>',
    'what to show: content (lines), count (matching lines per file) or files (default: content)',
    oneOf(['content', 'count', 'files']),
  ],
  ['-c, --count', 'the same as --mode count; with -o, or with -U over lines, it counts matches'],
  ['--count-matches', 'show the number of matches per file'],
  ['-l, --files-with-matches', 'the same as --mode files'],
  ['-q, --quiet', 'show nothing: the exit status tells whether something matches', undefined, { conflicts: 'json' }],
  ['--offset <n>', 'skip the first N results, in the unit of --limit', wholeNumber()],
  ['-m, --max-count <n>', 'at most N lines from each file', wholeNumber()],
  [
    '-M, --max-columns <n>',
    'shorten longer lines around their match; 0 shows whole lines (default in a terminal: three rows)',
    wholeNumber(),
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

/** Most undo others, as in ripgrep: of `--column --no-column`, the last one counts. */
const hiddenRows: readonly OptionRow[] = [
  hidden('--max-count-per-file <n>'),
  hidden('--no-binary'),
  hidden('--no-column'),
  hidden('--no-follow'),
  hidden('--no-invert-match'),
  hidden('--no-json'),
  hidden('--no-multiline'),
  hidden('--no-pcre2'),
  hidden('--no-text'),
  // Next to --ignore, --no-ignore has no default.
  hidden('--ignore', { default: true }),
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

function patternOptions(sources: PatternSource[]): readonly OptionRow[] {
  const add = (source: PatternSource): void => void sources.push(source);
  const fileOf = filled('--file', 'use the path of a file, or -');
  return [
    ['-e, --regexp <pattern>', 'a pattern; of several, each may match', () => (text) => add({ text })],
    [
      '-f, --file <path>',
      'patterns from a file, one a line; - is standard input',
      () => (path) => add({ file: fileOf(path) }),
    ],
  ];
}

export function addGrepOptions(command: Command): void {
  const sources: PatternSource[] = [];
  command.setOptionValue('sources', sources);
  const limit = 'at most N matching lines, or files with -l or -c (default: all)';
  const places = rootOptions('a directory or a file', { searchesHidden: true });
  addOptions(command, [...patternOptions(sources), ...rows, ...places, ...limitOptions(limit), ...hiddenRows]);
  const set = (option: string, name: keyof GrepFlags, value: (given: string) => unknown): void => {
    command.on(`option:${option}`, (given: string) => command.setOptionValueWithSource(name, value(given), 'cli'));
  };
  for (const [option, name, value] of shared) set(option, name, () => value);
  set('max-count-per-file', 'maxCount', wholeNumber()('--max-count-per-file'));
  let level = 0;
  set('unrestricted', 'unrestricted', () => (level += 1));
}
