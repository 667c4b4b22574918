import {
  byteSize,
  filled,
  hidden,
  oneOf,
  repeated,
  wholeNumber,
  type OptionRow,
  type ParserOf,
} from '../../terminal/options.ts';
import type { GrepOptions } from '@cairn/natives';
import type { GrepForm } from './grep-lines.ts';
import type { FlagsOf } from '../../terminal/parsed.ts';
import { limitOptions, rootOptions } from './options.ts';

/** The options of the library that choose files; text from standard input has none of them. */
export type FileFilter = Pick<GrepOptions, 'type' | 'typeNot' | 'hidden' | 'gitignore' | 'maxDepth' | 'followLinks'> & {
  readonly glob?: readonly string[] | undefined;
};

/** The options of the library that choose what matches, and what to return of it. */
export type Matching = Omit<GrepOptions, keyof FileFilter | 'path' | 'crlf' | 'maxCount' | 'offset' | 'timeoutMs'>;

/** Where a pattern comes from: the text of `-e`, or the lines of the file of `-f`. `-` is standard input. */
export type PatternSource = { readonly text: string } | { readonly file: string };

/** The options of grep, as parsed. Only the plan reads them. */
export type GrepFlags = FlagsOf<typeof grepOptions>;

/** Returns the maker of options that set values of a part of the plan. Of those that set the same value, the last one counts. */
function setting<Part extends object, Name extends string>(part: Name) {
  type Value = readonly [name: keyof Part, parserOf: NonNullable<OptionRow[2]>];
  return (flags: string, description: string, sets: Part | Value) => {
    const parserOf: ParserOf<Part> = (option) => {
      if (!Array.isArray(sets)) return (_, all) => ({ ...all, ...(sets as Part) });
      const [name, valueOf] = sets as readonly [string, ParserOf<unknown>];
      const parse = valueOf(option);
      return (value, all) => ({ ...all, [name]: parse(value, all && Reflect.get(all, name)) }) as Part;
    };
    return [flags, description, parserOf, { name: part, isHidden: description === '' }] as const;
  };
}

const matches = setting<Partial<Matching>, 'matching'>('matching');
const selects = setting<FileFilter, 'filter'>('filter');
const prints = setting<Partial<GrepForm>, 'form'>('form');
const shows = <Mode extends string>(flags: string, description: string, mode: Mode) =>
  [flags, description, () => () => mode, { name: 'mode' }] as const;

/** The options of grep. Those without a line in the help undo others: of `--column --no-column`, the last one counts. */
export const grepOptions = [
  [
    '-e, --regexp <pattern>',
    'a pattern; of several, each may match',
    repeated<PatternSource>(() => (text) => ({ text })),
    { name: 'sources' },
  ],
  [
    '-f, --file <path>',
    'patterns from a file, one a line; - is standard input',
    repeated<PatternSource>((name) => (path) => ({ file: filled(name, 'use the path of a file, or -')(path) })),
    { name: 'sources' },
  ],
  // Choose matches.
  matches('-i, --ignore-case', 'ignore upper and lower case', { ignoreCase: true, smartCase: undefined }),
  matches('-S, --smart-case', 'ignore case if the patterns have no upper-case letter', {
    ignoreCase: undefined,
    smartCase: true,
  }),
  matches('-s, --case-sensitive', 'distinguish upper and lower case (default)', {
    ignoreCase: undefined,
    smartCase: undefined,
  }),
  matches('-F, --literal', 'the pattern is plain text, not an expression', { literal: true }),
  matches('-w, --word-regexp', 'only matches that are whole words', { wholeWord: true, wholeLine: undefined }),
  matches('-x, --line-regexp', 'only matches that are whole lines', { wholeWord: undefined, wholeLine: true }),
  matches('-v, --invert-match', 'show the lines that do not match', { invert: true }),
  matches('-P, --pcre2', 'use PCRE2 (default: only for expressions that need it)', { pcre2: true }),
  matches('-U, --multiline', 'a match may cross lines', { multiline: true }),
  // Choose files.
  selects(
    '-g, --glob <glob>',
    'only files whose path matches the pattern; ! before it excludes them; of several, the last that matches decides',
    ['glob', repeated(filled)],
  ),
  selects('-t, --type <type>', 'only files of a type (ts, rust, py ...), or with an extension; may be repeated', [
    'type',
    repeated(filled),
  ]),
  selects('-T, --type-not <type>', 'no files of a type; may be repeated', ['typeNot', repeated(filled)]),
  selects('-d, --max-depth <n>', 'only N levels of directories', ['maxDepth', wholeNumber()]),
  matches('--max-filesize <size>', 'skip larger files: bytes, or a number with K, M or G', ['maxFileSize', byteSize]),
  selects('-L, --follow', 'follow symbolic links', { followLinks: true }),
  ['-a, --text', 'search binary files as text'],
  ['--binary', 'search binary files up to the first match'],
  [
    '-u, --unrestricted',
    '-u is --no-ignore, -uu is --no-ignore --hidden, -uuu adds --binary',
    () =>
      (_: string, level: number = 0) =>
        level + 1,
  ],
  ['--files', 'list the files that would be searched; there is no pattern'],
  ['--type-list', 'list the types of files'],
  // Choose the amount.
  matches('-A, --after-context <n>', 'show N lines after each match', ['contextAfter', wholeNumber()]),
  matches('-B, --before-context <n>', 'show N lines before each match', ['contextBefore', wholeNumber()]),
  matches('-C, --context <n>', 'show N lines before and after each match', ['context', wholeNumber()]),
  [
    '--mode <mode>',
    'what to show: content (lines), count (matching lines per file) or files (default: content)',
    oneOf(['content', 'count', 'files']),
  ],
  shows('-c, --count', 'the same as --mode count; with -o, or with -U over lines, it counts matches', 'count'),
  shows('--count-matches', 'show the number of matches per file', 'matches'),
  shows('-l, --files-with-matches', 'the same as --mode files', 'files'),
  ['-q, --quiet', 'show nothing: the exit status tells whether something matches', undefined, { conflicts: 'json' }],
  ['--offset <n>', 'skip the first N results, in the unit of --limit', wholeNumber()],
  matches('-m, --max-count <n>', 'at most N lines from each file', ['maxCountPerFile', wholeNumber()]),
  [
    '-M, --max-columns <n>',
    'shorten longer lines around their match; 0 shows whole lines (default in a terminal: three rows)',
    wholeNumber(),
  ],
  // Choose the form of a line.
  prints('-o, --only-matching', 'show only the matched parts, each on a line of its own', { onlyMatching: true }),
  ['-r, --replace <text>', 'show this text in place of each match; $1 and ${name} are groups; files are never changed'],
  prints('--column', 'show the column of the first match, in bytes from 1', { column: true }),
  ['--vimgrep', 'show each match on a line of its own, as path:line:column:text'],
  prints('--heading', 'show the path once above the lines of a file (default in a terminal)', { heading: true }),
  prints('--no-heading', 'show the path before each line (default in a pipe)', { heading: false }),
  prints('-n, --line-number', 'show line numbers (default, except for standard input)', { lineNumber: true }),
  prints('-N, --no-line-number', 'leave out line numbers', { lineNumber: false }),
  prints('-H, --with-filename', 'show paths (default, except for a single file or standard input)', { path: true }),
  prints('-I, --no-filename', 'leave out paths', { path: false }),
  ['-0, --null', 'end each path with a NUL and print names as they are'],
  ...rootOptions('a directory or a file', { searchesHidden: true }),
  ...limitOptions('at most N matching lines, or files with -l or -c (default: all)'),
  matches('--max-count-per-file <n>', '', ['maxCountPerFile', wholeNumber()]),
  hidden('--no-binary'),
  prints('--no-column', '', { column: false }),
  selects('--no-follow', '', { followLinks: false }),
  matches('--no-invert-match', '', { invert: false }),
  hidden('--no-json'),
  matches('--no-multiline', '', { multiline: false }),
  matches('--no-pcre2', '', { pcre2: false }),
  hidden('--no-text'),
  // Next to --ignore, --no-ignore has no default.
  hidden('--ignore', { default: true }),
] as const;
