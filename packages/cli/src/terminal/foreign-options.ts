/**
 * What people type who know another tool: the options that a command does not have. Some have another name here, some ask for
 * what the command does anyway and are ignored; each of the others is refused with what to type instead. `cairn help ripgrep`, `cairn help fd` and
 * `cairn help fzf` print them. An option that the command has itself is never here.
 */
import { Option } from 'commander';
import { UsageError } from './errors.ts';

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

const ICONV = 'convert the text first: iconv -f ENCODING FILE | cairn grep PATTERN';
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
    '--no-require-git': 'any',
    '--no-ignore-files': 'any',
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
    '--no-ignore-dot': NO_IGNORE,
    '--no-ignore-exclude': NO_IGNORE,
    '--no-ignore-global': NO_IGNORE,
    '--no-ignore-parent': NO_IGNORE,
    '--no-ignore-vcs': NO_IGNORE,
    '--require-git': '.gitignore counts in any directory; use --no-ignore to search what it excludes',
    '--one-file-system': ONE_FILE_SYSTEM,
    '--type-add <spec>': "use a glob: -g '*.EXTENSION'",
    '--type-clear <type>': "use a glob: -g '*.EXTENSION'",
    '-b, --byte-offset': 'use --column for the place in the line',
    '--colors <spec>': 'the colours are fixed; use --color never for none',
    '--context-separator <separator>': NO_OTHER_FORM,
    '--field-context-separator <separator>': NO_OTHER_FORM,
    '--field-match-separator <separator>': NO_OTHER_FORM,
    '--hostname-bin <command>': NOT_CONFIGURABLE,
    '--include-zero': "-c shows the files with matches; 'cairn grep --files' lists all",
    '--passthru': 'use -C 1000000, which shows the lines around each match',
    '-p, --pretty': 'use --color always --heading',
    '--trim': 'leave it out; lines are printed whole',
    '--count-matches': 'count what -o prints: cairn grep -o PATTERN | wc -l',
    '--files-without-match': 'subtract two lists: LC_ALL=C comm -23 <(cairn grep --files) <(cairn grep -l PATTERN)',
    '--stats': 'use --json, which has the counts',
    '--debug': 'notices on standard error state what was left out; leave it out',
    '--trace': 'notices on standard error state what was left out; leave it out',
    '--no-messages': 'redirect standard error: 2>/dev/null',
    '--no-ignore-messages': 'redirect standard error: 2>/dev/null',
    '--generate <kind>': "use 'cairn help grep'; there are no completion scripts",
    '--pcre2-version': "use 'cairn doctor'",
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
  },
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
    '--strip-cwd-prefix [when]': ['auto', 'always'],
    '--no-require-git': 'any',
    '--relative-path': 'any',
    '--path-separator <separator>': ['/'],
    '-E, --exclude <glob>': ['.git', '.git/'],
  },
  refused: {
    '--strip-cwd-prefix [when]': 'leave it out; paths never begin with ./',
    '--path-separator <separator>': 'paths always have /',
    '-a, --absolute-path': 'give an absolute root: --path "$PWD"',
    '--min-depth <n>': "use a glob with that many names, the last one **: cairn glob '*/**'",
    '--exact-depth <n>': "use a glob with that many names: cairn glob '*/*'",
    '--prune': "exclude what is below a directory: cairn glob '*' '!DIRECTORY/**'",
    '-E, --exclude <glob>': "use another glob: cairn glob '*' '!GLOB'",
    '-S, --size <size>': "'cairn glob PATTERN --long' shows the sizes",
    '--changed-within <time>': "'cairn glob PATTERN --sort-mtime --long' lists the newest first, with times",
    '--changed-before <time>': "'cairn glob PATTERN --sort-mtime --long' lists the newest first, with times",
    '-o, --owner <owner>': 'use find . -user OWNER',
    '--batch-size <n>': 'use xargs: cairn find QUERY -0 | xargs -0 -n NUM COMMAND',
    '--ignore-file <path>': "exclude with a glob: cairn glob '*' '!GLOB'",
    '-c <when>': 'use --color WHEN',
    '--max-results <n>': 'use --limit NUM',
    '-q, --quiet': 'redirect the output: >/dev/null; the exit status is 0 if something was found',
    '--base-directory <dir>': 'use --path DIR',
    '--search-path <dir>': 'use --path DIR',
    '--one-file-system': ONE_FILE_SYSTEM,
    '--mount': ONE_FILE_SYSTEM,
    '--xdev': ONE_FILE_SYSTEM,
    '--format <format>': 'use xargs: cairn find QUERY -0 | xargs -0 printf FORMAT',
    '--hyperlink': NOT_CONFIGURABLE,
    '--gen-completions [shell]': "use 'cairn help find'; there are no completion scripts",
    '--no-ignore-vcs': NO_IGNORE,
    '--no-ignore-parent': NO_IGNORE,
    '--no-global-ignore-file': NO_IGNORE,
  },
};

/** What only find lacks of fd: its patterns are expressions, a query is letters. */
const fdFind: ForeignOptions = {
  tool: 'fd',
  ignored: { '-p, --full-path': 'any', '-i, --ignore-case': 'any', '-L, --follow': 'any' },
  refused: {
    '-d, --max-depth <n>': "use a glob: cairn glob '*WORD*' -d NUM",
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
    '-F, --fixed-strings': "use 'cairn find QUERY', which takes letters",
    '-p, --full-path': 'a pattern with / matches the whole path; leave it out',
    '--and <pattern>': "write one pattern: cairn glob '*{ONE*TWO,TWO*ONE}*'",
    '-l, --list-details': 'use --long',
    '-e, --extension <ext>': "use a pattern: cairn glob '*.EXT'",
    '-x, --exec <command>': 'use xargs: cairn glob GLOB -0 | xargs -0 -n 1 COMMAND',
    '-X, --exec-batch <command>': 'use xargs: cairn glob GLOB -0 | xargs -0 COMMAND',
  },
};

const SORTED = 'the best match is first; leave it out';
const WHOLE_LINES = 'the whole path is matched; leave it out';

/** What find lacks of `fzf --filter`. */
const fzfFilter: ForeignOptions = {
  tool: 'fzf',
  ignored: { '--extended': 'any', '--read0': 'any', '--scheme <scheme>': ['path'] },
  refused: {
    '-f, --filter <query>': 'give the query as the argument: git ls-files | cairn find QUERY',
    '--exact': 'put \' before each word: cairn find "\'WORD"',
    '--no-sort': SORTED,
    '--tac': SORTED,
    '--tiebreak <list>': SORTED,
    '--scheme <scheme>': 'queries are matched as paths; leave it out',
    '-n, --nth <fields>': WHOLE_LINES,
    '--delimiter <text>': WHOLE_LINES,
  },
};

const OWN_SCREEN = 'the picker has its own screen; leave it out';

const fzf: ForeignOptions = {
  tool: 'fzf',
  same: { '--print0': { null: true } },
  ignored: {
    '-x, --extended': 'any',
    '--no-multi': 'any',
    '--scheme <scheme>': ['path'],
    '--no-mouse': 'any',
    '--read0': 'any',
    '--sync': 'any',
    '--reverse': 'any',
    '--smart-case': 'any',
  },
  refused: {
    '--exact': 'put \' before each word: cairn pick "\'WORD"',
    '--scheme <scheme>': 'queries are matched as paths; leave it out',
    '-q, --query <query>': 'give the query as the argument: cairn pick QUERY',
    '-f, --filter <query>': "use 'cairn find QUERY'",
    '-m, --multi': "the picker chooses one; 'cairn find QUERY' prints all matches",
    '-1, --select-1': "use 'cairn find QUERY --limit 1' for the best match",
    '--exit-0': "use 'cairn find QUERY', which exits with 1 if nothing matches",
    '-i, --ignore-case': 'letters match in any case; leave it out',
    '--no-sort': SORTED,
    '--tac': SORTED,
    '--tiebreak <list>': SORTED,
    '-n, --nth <fields>': WHOLE_LINES,
    '--with-nth <fields>': WHOLE_LINES,
    '-d, --delimiter <text>': WHOLE_LINES,
    '--preview <command>': 'the preview shows the file; leave it out',
    '--preview-window <options>': 'the preview shows the file; leave it out',
    '--bind <keys>': "the keys are fixed; 'cairn help pick' lists them",
    '--expect <keys>': "the keys are fixed; 'cairn help pick' lists them",
    '--cycle': "the keys are fixed; 'cairn help pick' lists them",
    '--height <height>': OWN_SCREEN,
    '--tmux [options]': OWN_SCREEN,
    '--style <style>': OWN_SCREEN,
    '--layout <layout>': OWN_SCREEN,
    '--border [style]': OWN_SCREEN,
    '--margin <margin>': OWN_SCREEN,
    '--padding <padding>': OWN_SCREEN,
    '--info <style>': OWN_SCREEN,
    '--prompt <text>': OWN_SCREEN,
    '--pointer <text>': OWN_SCREEN,
    '--marker <text>': OWN_SCREEN,
    '--header <text>': OWN_SCREEN,
    '--header-lines <n>': 'skip the lines first: tail -n +2 FILE | cairn pick',
    '--ansi': 'remove the colours first: ls --color=never | cairn pick',
    '--print-query': 'leave it out; only the choice is printed',
    '--history <path>': NOT_CONFIGURABLE,
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
  grep: [ripgrep, gnuGrep],
  pick: [fzf],
  ls: [ls],
  tree: [tree],
  read: [cat],
};

/** Returns what a command lacks of other tools. */
export function foreignOptionsOf(command: string): readonly ForeignOptions[] {
  return byCommand[command] ?? [];
}

/** Tools with a page of equivalents in the help. */
const toolsWithHelp: readonly string[] = ['ripgrep', 'fd', 'fzf'];

function refusal(tool: string, flags: string, instead: string, value: string = ''): UsageError {
  const given = value === '' ? '' : ` with "${value}"`;
  const see = toolsWithHelp.includes(tool) ? ` (see 'cairn help ${tool}')` : '';
  return new UsageError(`option "${flags}" of ${tool} is not supported${given}`, `${instead}${see}`);
}

const GLOB_OF_NAME = "use a glob: cairn glob 'PATTERN'";
const XARGS = 'use xargs: cairn find QUERY -0 | xargs -0 COMMAND';
const FIND_OF_SYSTEM = "use 'find' of the system for this test";

/** The words of find(1), which `cairn find` would read as short options, such as `-type` as `-t`. */
const findWords: Readonly<Record<string, string>> = {
  '-name': GLOB_OF_NAME,
  '-iname': ALL_GLOBS.replace('-g ', 'cairn glob '),
  '-path': GLOB_OF_NAME,
  '-wholename': GLOB_OF_NAME,
  '-regex': "filter the paths: cairn glob '*' | cairn grep PATTERN",
  '-type': 'use -t f or -t d',
  '-print': 'leave it out',
  '-print0': 'use -0',
  '-exec': XARGS,
  '-execdir': XARGS,
  '-delete': 'use xargs: cairn find QUERY -0 | xargs -0 rm',
  '-maxdepth': "use a glob: cairn glob '*WORD*' -d NUM",
  '-mindepth': "use a glob with that many names, the last one **: cairn glob '*/**'",
  '-prune': "exclude what is below a directory: cairn glob '*' '!DIRECTORY/**'",
  '-not': "use ! before a word: cairn find '!WORD'",
  '-empty': FIND_OF_SYSTEM,
  '-mtime': FIND_OF_SYSTEM,
  '-newer': FIND_OF_SYSTEM,
  '-perm': FIND_OF_SYSTEM,
  '-size': FIND_OF_SYSTEM,
  '-user': FIND_OF_SYSTEM,
};

/** Returns the error for arguments of find(1): `cairn find . -name '*.c'`. */
export function findWordError([command, ...args]: readonly string[]): UsageError | undefined {
  if (command !== 'find') return undefined;
  const end = args.indexOf('--');
  const word = args.slice(0, end === -1 ? undefined : end).find((one) => Object.hasOwn(findWords, one));
  if (word === undefined) return undefined;
  return new UsageError(`option "${word}" of find(1) is not supported`, `${findWords[word]} (see 'cairn help find')`);
}

/** Returns the error for a word that is an option of another tool: `-z`, `-z5`, `--sort=path`. */
export function foreignOptionError(command: string, word: string): UsageError | undefined {
  const given = word.startsWith('--') ? word.replace(/=.*$/su, '') : word.slice(0, 2);
  for (const { tool, refused } of foreignOptionsOf(command)) {
    for (const [flags, instead] of Object.entries(refused)) {
      const { long, short } = new Option(flags);
      if (given === long || given === short) return refusal(tool, flags, instead);
    }
  }
  return undefined;
}

/** Returns the options, absent from the help, that a command accepts for users of other tools. */
export function acceptedOptions(command: string): readonly Option[] {
  return foreignOptionsOf(command).flatMap(({ tool, same = {}, ignored, refused }) => [
    ...Object.entries(same).map(([flags, values]) => new Option(flags).hideHelp().implies(values)),
    ...Object.entries(ignored).map(([flags, values]) => {
      const option = new Option(flags).hideHelp();
      if (values === 'any') return option;
      return option.argParser((value: string) => {
        if (!values.includes(value)) throw refusal(tool, flags, refused[flags] ?? 'leave it out', value);
        return value;
      });
    }),
  ]);
}
