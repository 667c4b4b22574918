/**
 * What people type who know another tool: the options that a command does not have. Some have another name here, some ask for
 * what the command does anyway and are ignored; each of the others is rejected with what to type instead. `cairn help ripgrep`, `cairn help fd` and
 * `cairn help fzf` print them. An option that the command has itself is never here.
 */

/** The options of one tool that one command lacks, each as its tool writes it. */
export interface ForeignOptions {
  readonly tool: string;
  /** Options that the command has by other names, with the values of its own options. */
  readonly same?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Options that ask for what the command does anyway: all their values, or only the listed ones. */
  readonly ignored: Readonly<Record<string, readonly string[] | 'any'>>;
  /** What to type instead. */
  readonly refused: Readonly<Record<string, string>>;
}

/** Rejects several options with the same words. */
function allOf(instead: string, flags: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(flags.map((one) => [one, instead]));
}

const ICONV = 'convert the text first: iconv -f ENCODING -t UTF-8 FILE | cairn grep PATTERN';
const NO_IGNORE = 'use --no-ignore, which applies no ignore file';
const ALL_GLOBS = "write both cases in the glob: -g '*.[mM][dD]'";
const ONE_FILE_SYSTEM = 'give the directories of this file system as paths';
const NO_OTHER_FORM = 'use --json for output that a program reads';
const NOT_CONFIGURABLE = 'leave it out';

const ripgrep: ForeignOptions = {
  tool: 'ripgrep',
  same: { '-.': { hidden: true }, '--fixed-strings': { literal: true } },
  ignored: {
    '--no-config': 'any',
    '-j, --threads <n>': 'any',
    '--mmap': 'any',
    '--no-mmap': 'any',
    '--line-buffered': 'any',
    '--block-buffered': 'any',
    '--crlf': 'any',
    '-E, --encoding <name>': ['auto'],
    '--engine <name>': ['auto', 'default'],
    '--auto-hybrid-regex': 'any',
    '--no-auto-hybrid-regex': 'any',
    '--no-block-buffered': 'any',
    '--no-byte-offset': 'any',
    '--no-encoding': 'any',
    '--no-glob-case-insensitive': 'any',
    '--no-ignore-file-case-insensitive': 'any',
    '--no-include-zero': 'any',
    '--no-line-buffered': 'any',
    '--no-max-columns-preview': 'any',
    '--no-multiline-dotall': 'any',
    '--no-one-file-system': 'any',
    '--no-pre': 'any',
    '--no-require-git': 'any',
    '--no-search-zip': 'any',
    '--no-sort-files': 'any',
    '--no-stats': 'any',
    '--no-trim': 'any',
    '--no-ignore-files': 'any',
    '--ignore-messages': 'any',
    '--messages': 'any',
    '--unicode': 'any',
    '--pcre2-unicode': 'any',
    '--max-columns-preview': 'any',
    '--sort <by>': ['path', 'none'],
    '--sort-files': 'any',
    '--path-separator <separator>': ['/'],
    '--hyperlink-format <format>': ['none'],
  },
  refused: {
    '-E, --encoding <name>': `UTF-8, and UTF-16 with its mark, need no option; ${ICONV}. Expressions are always extended, so '-E' of grep is not needed`,
    '--engine <name>': 'use -P for PCRE2',
    '--sort <by>': "results are in the order of their paths; 'cairn glob --sort-mtime' lists the newest files first",
    '--sortr <by>': "results are in the order of their paths; 'cairn glob --sort-mtime' lists the newest files first",
    '--path-separator <separator>': 'paths always have /',
    '--hyperlink-format <format>': NOT_CONFIGURABLE,
    '--pre <command>': 'run the command yourself: COMMAND FILE | cairn grep PATTERN',
    '--pre-glob <glob>': 'run the command yourself: COMMAND FILE | cairn grep PATTERN',
    '-z, --search-zip': 'decompress the file first: zcat FILE.gz | cairn grep PATTERN',
    '--dfa-size-limit <size>': 'the limit is fixed; leave it out',
    '--regex-size-limit <size>': 'the limit is fixed; leave it out',
    '--multiline-dotall': 'write (?s) at the start of the pattern',
    '--no-unicode': 'write (?-u) at the start of the pattern',
    '--no-pcre2-unicode': 'write ASCII classes such as [0-9] for \\d and [A-Za-z0-9_] for \\w',
    '--null-data': "end the lines with line feeds first: tr '\\0' '\\n' < FILE | cairn grep PATTERN",
    '--stop-on-nonmatch': 'use -m NUM for the first matching lines of each file',
    '--glob-case-insensitive': ALL_GLOBS,
    '--iglob <glob>': ALL_GLOBS,
    '--ignore-file <path>': "exclude with globs: -g '!PATTERN'",
    '--ignore-file-case-insensitive': "exclude with globs: -g '!PATTERN'",
    ...allOf(NO_IGNORE, [
      '--no-ignore-dot',
      '--no-ignore-exclude',
      '--no-ignore-global',
      '--no-ignore-parent',
      '--no-ignore-vcs',
    ]),
    ...allOf('leave it out; ignore files are applied unless --no-ignore is given', [
      '--ignore-dot',
      '--ignore-exclude',
      '--ignore-files',
      '--ignore-global',
      '--ignore-parent',
      '--ignore-vcs',
    ]),
    '--require-git': '.gitignore counts in any directory; use --no-ignore to search what it excludes',
    '--one-file-system': ONE_FILE_SYSTEM,
    '--type-add <spec>': "use a glob: -g '*.EXTENSION'",
    '--type-clear <type>': "use a glob: -g '*.EXTENSION'",
    '-b, --byte-offset': 'use --column for the place in the line',
    '--colors <spec>': 'the colours are fixed; use --color never for none',
    ...allOf(NO_OTHER_FORM, [
      '--context-separator <separator>',
      '--no-context-separator',
      '--field-context-separator <separator>',
      '--field-match-separator <separator>',
    ]),
    '--hostname-bin <command>': NOT_CONFIGURABLE,
    '--include-zero': "-c shows the files with matches; 'cairn grep --files' lists all",
    '--passthru': "add a pattern that every line matches: -e PATTERN -e '^'",
    '-p, --pretty': 'use --color always --heading',
    '--trim': 'leave it out; lines are printed whole',
    '--files-without-match':
      "subtract two lists, in which empty files are missing: LC_ALL=C comm -23 <(cairn grep -l '') <(cairn grep -l PATTERN)",
    '--stats': 'use --json, which has the counts',
    '--debug': 'notices on standard error state what was left out; leave it out',
    '--trace': 'notices on standard error state what was left out; leave it out',
    '--no-messages': 'redirect standard error: 2>/dev/null',
    '--no-ignore-messages': 'redirect standard error: 2>/dev/null',
    '--generate <kind>': "use 'cairn help grep'; there are no completion scripts",
    '--pcre2-version': 'leave it out; PCRE2 is always there, with -P',
    '--no-fixed-strings': 'leave out -F',
    '--no-crlf': 'leave it out; $ matches before CRLF unless the pattern has \\r',
  },
};

const gnuGrep: ForeignOptions = {
  tool: 'grep',
  same: { '-y': { ignoreCase: true }, '--perl-regexp': { pcre2: true }, '--silent': { quiet: true } },
  ignored: { '--extended-regexp': 'any', '--recursive': 'any' },
  refused: {
    '-R, --dereference-recursive': 'directories are searched anyway; use -L to follow links',
    '-G, --basic-regexp': 'expressions are extended: write \\( for a plain (, and ( for a group',
    '--include <glob>': "use -g 'GLOB'",
    '--exclude <glob>': "use -g '!GLOB'",
    '--exclude-dir <glob>': "use -g '!**/DIRECTORY/**'",
    '-Z': 'use -0',
  },
};

const gitGrep: ForeignOptions = {
  tool: 'git grep',
  ignored: { '--no-index': 'any', '--untracked': 'any' },
  refused: {
    '--cached': 'use git grep --cached for what is staged',
    '--and': 'filter the lines: cairn grep ONE | cairn grep TWO',
    '--show-function': 'use -B NUM for the lines before',
    '-W, --function-context': 'use -C NUM for the lines around each match',
    '--break': 'use --heading',
  },
};

const ag: ForeignOptions = {
  tool: 'ag',
  ignored: {},
  refused: { '-Q': 'use -F', '--ignore-dir <name>': "use -g '!**/DIRECTORY/**'", '--ackmate': NO_OTHER_FORM },
};

/** What find and glob lack of fd. */
const fd: ForeignOptions = {
  tool: 'fd',
  same: {
    '-H': { hidden: true },
    '-I': { ignore: false },
    '-u, --unrestricted': { hidden: true, ignore: false },
    '-1, --max-one-result': { limit: 1 },
    '--print0': { null: true },
  },
  ignored: {
    '-j, --threads <n>': 'any',
    '--max-buffer-time <ms>': 'any',
    '--show-errors': 'any',
    // fd takes its value after = only, and none stands for always.
    '--strip-cwd-prefix': 'any',
    '--no-require-git': 'any',
    '--relative-path': 'any',
    '--path-separator <separator>': ['/'],
    '-E, --exclude <glob>': ['.git', '.git/'],
  },
  refused: {
    '--path-separator <separator>': 'paths always have /',
    '-a, --absolute-path': 'give an absolute root: --path "$PWD"',
    '--min-depth <n>': "use a glob with that many names, the last one **: cairn glob '*/**'",
    '--exact-depth <n>': "use a glob with that many names: cairn glob '*/*'",
    '--prune': "exclude what is below a directory: cairn glob '*' '!DIRECTORY/**'",
    '-E, --exclude <glob>': "use another glob: cairn glob '*' '!GLOB'",
    '-S, --size <size>': "'cairn glob PATTERN --long' shows the sizes",
    ...allOf("'cairn glob PATTERN --sort-mtime --long' lists the newest first, with times", [
      '--changed-within <time>',
      '--changed-after <time>',
      '--change-newer-than <time>',
      '--newer <time>',
      '--changed-before <time>',
      '--change-older-than <time>',
      '--older <time>',
    ]),
    '-o, --owner <owner>': 'use find(1), which applies no ignore file: find . -user OWNER',
    '--batch-size <n>': 'use xargs: cairn find QUERY -0 | xargs -0 -n NUM COMMAND',
    ...allOf("exclude with a glob: cairn glob '*' '!GLOB'", ['--ignore-file <path>', '--ignore-contain <name>']),
    '-c <when>': 'use --color WHEN',
    '--max-results <n>': 'use --limit NUM',
    ...allOf('redirect the output: >/dev/null; the exit status is 0 if something was found', [
      '-q, --quiet',
      '--has-results',
    ]),
    ...allOf('use --path DIR', ['-C, --base-directory <dir>', '--search-path <dir>']),
    ...allOf(ONE_FILE_SYSTEM, ['--one-file-system', '--mount', '--xdev']),
    '--format <format>': 'use xargs: cairn find QUERY -0 | xargs -0 printf FORMAT',
    '--hyperlink': NOT_CONFIGURABLE,
    '--gen-completions [shell]': "use 'cairn help find'; there are no completion scripts",
    ...allOf(NO_IGNORE, ['--no-ignore-vcs', '--no-ignore-parent', '--no-global-ignore-file']),
    ...allOf('leave it out; ignore files count unless --no-ignore is given', ['--ignore', '--ignore-vcs']),
  },
};

/** What only find lacks of fd: its patterns are expressions, a query is letters. */
const fdFind: ForeignOptions = {
  tool: 'fd',
  ignored: { '-p, --full-path': 'any', '-i, --ignore-case': 'any', '-L, --follow': 'any' },
  refused: {
    ...allOf("use a glob: cairn glob '*WORD*' -d NUM", ['-d, --max-depth <n>', '--maxdepth <n>']),
    '--no-follow': "find follows links; 'cairn glob' does not",
    '-s, --case-sensitive': "letters match in any case; use a glob: cairn glob '*PATTERN*'",
    '-g, --glob': "use 'cairn glob GLOB'",
    '--regex': "filter the paths: cairn glob '*' | cairn grep PATTERN",
    '-F, --fixed-strings': 'put \' before each word: cairn find "\'WORD"',
    '--and <pattern>': "write the words in one query: cairn find 'ONE TWO'",
    '-l, --list-details': "use 'cairn glob GLOB --long'",
    '-x, --exec <command>': 'use xargs: cairn find QUERY -0 | xargs -0 -n 1 COMMAND',
    '-X, --exec-batch <command>': 'use xargs: cairn find QUERY -0 | xargs -0 COMMAND',
  },
};

/** What only glob lacks of fd. */
const fdGlob: ForeignOptions = {
  tool: 'fd',
  ignored: { '-g, --glob': 'any', '-s, --case-sensitive': 'any' },
  refused: {
    '-i, --ignore-case': "write both cases: cairn glob '*.[mM][dD]'",
    '--regex': "filter the paths: cairn glob '*' | cairn grep PATTERN",
    ...allOf("use 'cairn find QUERY', which takes letters", ['-F, --fixed-strings', '--literal']),
    '--maxdepth <n>': 'use --max-depth NUM',
    '-p, --full-path': 'a pattern with / matches the whole path; leave it out',
    '--and <pattern>': "write one pattern: cairn glob '*{ONE*TWO,TWO*ONE}*'",
    '-l, --list-details': 'use --long',
    '-e, --extension <ext>': "use a pattern: cairn glob '*.EXT'",
    '-x, --exec <command>': 'use xargs: cairn glob GLOB -0 | xargs -0 -n 1 COMMAND',
    '-X, --exec-batch <command>': 'use xargs: cairn glob GLOB -0 | xargs -0 COMMAND',
  },
};

const BY_SCORE = 'the best match is first; leave it out';
const WHOLE_LINES = 'the whole path is matched and printed; leave it out';
const AS_PATHS = 'queries are matched as paths; leave it out';
const ANY_CASE = 'letters match in any case; leave it out';
const SIGNS_COUNT = 'the signs of a query count, and names that hold them are found too; leave it out';

/** What both lack that take a query of fzf. */
const fzfQuery: Omit<ForeignOptions, 'tool'> = {
  ignored: { '--read0': 'any', '--scheme <scheme>': ['path'], '--literal': 'any' },
  refused: {
    '--no-literal': 'letters with accents match only themselves; leave it out',
    '--scheme <scheme>': AS_PATHS,
    '--algo <type>': AS_PATHS,
    '--no-extended': SIGNS_COUNT,
    '--no-ignore-case': ANY_CASE,
    ...allOf(BY_SCORE, ['--no-sort', '--tac', '--tiebreak <list>']),
    ...allOf(WHOLE_LINES, ['-n, --nth <fields>', '--with-nth <fields>', '--accept-nth <fields>']),
    '--print-query': 'leave it out; only paths are printed',
    '--tail <n>': 'give a shorter list: tail -n NUM FILE | cairn find QUERY',
    '--ansi': 'remove the colours first: ls --color=never | cairn find QUERY',
  },
};

/** What the screen of fzf shows, and its keys. `cairn pick` has its own. */
const SCREEN = [
  '--height <height>',
  '--min-height <height>',
  '--tmux [options]',
  '--popup [options]',
  '--style <style>',
  '--layout <layout>',
  '--margin <margin>',
  '--padding <padding>',
  '--border [style]',
  '--border-label <text>',
  '--border-label-pos <column>',
  '--list-border [style]',
  '--list-label <text>',
  '--list-label-pos <column>',
  '--input-border [style]',
  '--input-label <text>',
  '--input-label-pos <column>',
  '--no-input',
  '--header <text>',
  '--header-first',
  '--header-border [style]',
  '--header-lines-border [style]',
  '--header-label <text>',
  '--header-label-pos <column>',
  '--footer <text>',
  '--footer-border [style]',
  '--footer-label <text>',
  '--footer-label-pos <column>',
  '--info <style>',
  '--info-command <command>',
  '--inline-info',
  '--no-info',
  '--separator <text>',
  '--no-separator',
  '--prompt <text>',
  '--ghost <text>',
  '--pointer <text>',
  '--marker <text>',
  '--marker-multi-line <text>',
  '--gutter <character>',
  '--gutter-raw <character>',
  '--ellipsis <text>',
  '--scrollbar [characters]',
  '--no-scrollbar',
  '--scroll-off <lines>',
  '--hscroll-off <columns>',
  '--no-hscroll',
  '--keep-right',
  '--freeze-left <n>',
  '--freeze-right <n>',
  '--tabstop <n>',
  '--wrap [mode]',
  '--wrap-sign <text>',
  '--no-multi-line',
  '--gap [lines]',
  '--gap-line [text]',
  '--highlight-line',
  '--raw',
  '--track',
  '--no-bold',
  '--no-unicode',
  '--no-clear',
] as const;
const PREVIEW = [
  '--preview <command>',
  '--preview-window <options>',
  '--preview-border [style]',
  '--preview-label <text>',
  '--preview-label-pos <column>',
] as const;
const KEYS = ['--bind <keys>', '--expect <keys>', '--cycle', '--jump-labels <letters>', '--filepath-word'] as const;

/** What find lacks of `fzf --filter`. */
const fzfFilter: ForeignOptions = {
  tool: 'fzf',
  ignored: { ...fzfQuery.ignored, '--extended': 'any' },
  refused: {
    '-f, --filter <query>': 'give the query as the argument: git ls-files | cairn find QUERY',
    '--exact': 'put \' before each word: cairn find "\'WORD"',
    ...fzfQuery.refused,
    '--delimiter <text>': WHOLE_LINES,
    '--query <query>': 'give the query as the argument: cairn find QUERY',
    '--select-1': 'use --limit 1 for the best match',
    '--exit-0': 'leave it out; the exit status is 1 if nothing matches',
    ...allOf("find has no screen; use 'cairn pick', or leave it out", [
      ...SCREEN,
      ...PREVIEW,
      ...KEYS,
      '-m, --multi',
      '--disabled',
      '--no-mouse',
      '--sync',
      '--header-lines <n>',
      '--history <path>',
      '--history-size <n>',
    ]),
  },
};

const fzf: ForeignOptions = {
  tool: 'fzf',
  same: { '--print0': { null: true } },
  ignored: {
    ...fzfQuery.ignored,
    '-x, --extended': 'any',
    '--no-multi': 'any',
    '--no-mouse': 'any',
    '--sync': 'any',
    '--reverse': 'any',
    '-i, --ignore-case': 'any',
    '--smart-case': 'any',
    '-s, --sort': 'any',
  },
  refused: {
    '-q, --query <query>': 'give the query as the argument: cairn pick QUERY',
    '-f, --filter <query>': "use 'cairn find QUERY'",
    '-m, --multi': "the picker chooses one; 'cairn find QUERY' prints all matches",
    '-1, --select-1': "use 'cairn find QUERY --limit 1' for the best match",
    '--exit-0': "use 'cairn find QUERY', which exits with 1 if nothing matches",
    '--exact': 'put \' before each word: cairn pick "\'WORD"',
    ...fzfQuery.refused,
    '-d, --delimiter <text>': WHOLE_LINES,
    '--disabled': "the list is searched while you type; 'cairn pick --grep' searches in files",
    ...allOf('the preview shows the file; leave it out', PREVIEW),
    ...allOf("the keys are fixed; 'cairn help pick' lists them", KEYS),
    ...allOf('the picker has its own screen; leave it out', SCREEN),
    '--header-lines <n>': 'skip the lines first: tail -n +2 FILE | cairn pick',
    '--tail <n>': 'give a shorter list: tail -n NUM FILE | cairn pick',
    '--ansi': 'remove the colours first: ls --color=never | cairn pick',
    ...allOf(NOT_CONFIGURABLE, [
      '--history <path>',
      '--history-size <n>',
      '--listen [address]',
      '--listen-unsafe [address]',
      '--with-shell <command>',
    ]),
    '--no-color': 'use --color never',
    ...allOf('there are no scripts for shells; use vim "$(cairn pick)"', ['--bash', '--zsh', '--fish']),
    '--man': "use 'cairn help pick'",
    '--walker <kinds>': 'use --hidden for hidden names',
    '--walker-root <dir>': 'use --path DIR',
    '--walker-skip <names>': "give the list yourself: cairn glob '*' '!DIRECTORY/**' | cairn pick",
  },
};

const ls: ForeignOptions = {
  tool: 'ls',
  ignored: { '-a, --all': 'any', '-A, --almost-all': 'any', '-1': 'any', '-F, --classify': 'any', '-p': 'any' },
  refused: {
    '-l': 'use \'cairn glob "*" --no-recursive --long\'',
    '-t': 'use \'cairn glob "*" --no-recursive --sort-mtime\'',
    '-R, --recursive': 'use --depth NUM',
  },
};

const tree: ForeignOptions = {
  tool: 'tree',
  same: { '-a': { hidden: true } },
  ignored: {},
  refused: {
    '-L <n>': 'use --depth NUM',
    '-d': 'use \'cairn glob "*" --type dir\'',
    '-I <pattern>': "use a glob: cairn glob '*' '!PATTERN'",
    '-J': 'use --json',
  },
};

const cat: ForeignOptions = {
  tool: 'cat',
  ignored: {},
  refused: { '-n, --number': 'use \'cairn grep -n "" FILE\'; read shows the numbers on standard error' },
};

const byCommand: Readonly<Record<string, readonly ForeignOptions[]>> = {
  find: [fd, fdFind, fzfFilter],
  glob: [fd, fdGlob],
  grep: [ripgrep, gnuGrep, gitGrep, ag],
  pick: [fzf],
  ls: [ls],
  tree: [tree],
  read: [cat],
};

/** Returns the options of other tools that a command lacks. */
export function foreignOptionsOf(command: string): readonly ForeignOptions[] {
  return byCommand[command] ?? [];
}

const XARGS = 'use xargs: cairn find QUERY -0 | xargs -0 COMMAND';

/** The words of find(1) without a counterpart. */
const SYSTEM_ONLY =
  `-amin -anewer -atime -cmin -cnewer -ctime -mmin -mtime -newer -newermt -used -empty -executable -readable -writable
  -perm -size -links -inum -samefile -user -uid -nouser -group -gid -nogroup -fstype -lname -ilname -context -daystart -depth
  -files0-from -ignore_readdir_race -noignore_readdir_race -noleaf -nowarn -warn -true -false -fprint -fprint0 -printf
  -fprintf`.split(/\s+/u);

/** The words of find(1), which `cairn find` would read as short options, such as `-type` as `-t`. The error names the first one here. */
export const findWords: Readonly<Record<string, string>> = {
  '-name': "use a glob: cairn glob 'PATTERN', with -t f for -type f",
  '-iname': ALL_GLOBS.replace('-g ', 'cairn glob '),
  ...allOf("use a glob of the whole path, in which ** crosses directories: cairn glob '**/DIRECTORY/**'", [
    '-path',
    '-wholename',
    '-ipath',
    '-iwholename',
  ]),
  ...allOf("filter the paths: cairn glob '*' | cairn grep PATTERN", ['-regex', '-iregex', '-regextype']),
  ...allOf('use -t f or -t d', ['-type', '-xtype']),
  ...allOf(XARGS, ['-exec', '-execdir', '-ok', '-okdir']),
  '-delete': 'use xargs: cairn find QUERY -0 | xargs -0 rm',
  '-maxdepth': "use a glob: cairn glob '*WORD*' -d NUM",
  '-mindepth': "use a glob with that many names, the last one **: cairn glob '*/**'",
  '-prune': "exclude what is below a directory: cairn glob '*' '!DIRECTORY/**'",
  '-not': "use ! before a word: cairn find '!WORD'",
  '-and': "write the words in one query: cairn find 'ONE TWO'",
  '-or': "give several patterns: cairn glob 'ONE' 'TWO'",
  '-print': 'leave it out',
  '-print0': 'use -0',
  ...allOf("use 'cairn glob PATTERN --long'", ['-ls', '-fls']),
  '-quit': 'use --limit 1',
  '-follow': 'leave it out; links are followed',
  ...allOf(ONE_FILE_SYSTEM, ['-mount', '-xdev']),
  ...allOf("use 'find' of the system for this", SYSTEM_ONLY),
};
