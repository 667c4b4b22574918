/**
 * The options of other tools that people type and a command does not have. Some have another name here, and some ask for what the
 * command does anyway; each of the others is rejected with what to type instead. `cairn help ripgrep`, `cairn help fd` and
 * `cairn help fzf` print this table. An option that the command has itself is never here.
 */

/** The options of one tool that one command lacks, as the tool writes them. A list has `; ` between its options. */
export interface ForeignOptions {
  readonly tool: string;
  /** Options that the command has by other names, with its own. */
  readonly same?: Readonly<Record<string, string>>;
  /** Options that ask for what the command does anyway. A value in place of `<name>` is the only one that does: `--sort path|none`. */
  readonly ignored?: string;
  readonly refused: Readonly<Record<string, string>>;
}

export function optionsIn(list: string): readonly string[] {
  return list.trim().split(/;\s+/u);
}

/** The end of an ignored option that is rejected with any other value. */
export const VALUES: RegExp = /(?<=[\w-] )[^\s<[-]+$/u;

const NO_IGNORE = 'use --no-ignore, which applies no ignore file';
const ONE_FILE_SYSTEM = 'give the directories of this file system as paths';
const NO_OTHER_FORM = 'use --json for output that a program reads';
const NOT_CONFIGURABLE = 'leave it out';

const ripgrep: ForeignOptions = {
  tool: 'ripgrep',
  same: {
    '-.': '--hidden',
    '--fixed-strings': '--literal',
  },
  ignored: `--no-config; -j, --threads <n>; --mmap; --no-mmap; --line-buffered; --block-buffered; --crlf; -E, --encoding auto;
    --engine auto|default; --auto-hybrid-regex; --no-auto-hybrid-regex; --no-block-buffered; --no-byte-offset; --no-encoding;
    --no-glob-case-insensitive; --no-ignore-file-case-insensitive; --no-include-zero; --no-line-buffered;
    --no-max-columns-preview; --no-multiline-dotall; --no-one-file-system; --no-pre; --no-require-git; --no-search-zip;
    --no-sort-files; --no-stats; --no-trim; --no-ignore-files; --ignore-messages; --messages; --unicode; --pcre2-unicode;
    --max-columns-preview; --sort path|none; --sort-files; --path-separator /; --hyperlink-format none`,
  refused: {
    '-E, --encoding <name>': `UTF-8, and UTF-16 with its mark, need no option; convert the text first: iconv -f ENCODING -t UTF-8 FILE | cairn grep PATTERN. Expressions are always extended, so '-E' of grep is not needed`,
    '--engine <name>': 'use -P for PCRE2',
    '--sort <by>; --sortr <by>':
      "results are in the order of their paths; 'cairn glob --sort-mtime' lists the newest files first",
    '--path-separator <separator>': 'paths always have /',
    '--hyperlink-format <format>; --hostname-bin <command>': NOT_CONFIGURABLE,
    '--pre <command>; --pre-glob <glob>': 'run the command yourself: COMMAND FILE | cairn grep PATTERN',
    '-z, --search-zip': 'decompress the file first: zcat FILE.gz | cairn grep PATTERN',
    '--dfa-size-limit <size>; --regex-size-limit <size>': 'the limit is fixed; leave it out',
    '--multiline-dotall': 'write (?s) at the start of the pattern',
    '--no-unicode': 'write (?-u) at the start of the pattern',
    '--no-pcre2-unicode': 'write ASCII classes such as [0-9] for \\d and [A-Za-z0-9_] for \\w',
    '--null-data': "end the lines with line feeds first: tr '\\0' '\\n' < FILE | cairn grep PATTERN",
    '--stop-on-nonmatch': 'use -m NUM for the first matching lines of each file',
    '--glob-case-insensitive; --iglob <glob>': "write both cases in the glob: -g '*.[mM][dD]'",
    '--ignore-file <path>; --ignore-file-case-insensitive': "exclude with globs: -g '!PATTERN'",
    '--no-ignore-dot; --no-ignore-exclude; --no-ignore-global; --no-ignore-parent; --no-ignore-vcs': NO_IGNORE,
    '--ignore-dot; --ignore-exclude; --ignore-files; --ignore-global; --ignore-parent; --ignore-vcs':
      'leave it out; ignore files are applied unless --no-ignore is given',
    '--require-git': '.gitignore counts in any directory; use --no-ignore to search what it excludes',
    '--one-file-system': ONE_FILE_SYSTEM,
    '--type-add <spec>; --type-clear <type>': "use a glob: -g '*.EXTENSION'",
    '-b, --byte-offset': 'use --column for the place in the line',
    '--colors <spec>': 'the colours are fixed; use --color never for none',
    '--context-separator <separator>; --no-context-separator; --field-context-separator <separator>; --field-match-separator <separator>':
      NO_OTHER_FORM,
    '--include-zero': "-c shows the files with matches; 'cairn grep --files' lists all",
    '--passthru': "add a pattern that every line matches: -e PATTERN -e '^'",
    '-p, --pretty': 'use --color always --heading',
    '--trim': 'leave it out; lines are printed whole',
    '--files-without-match':
      "subtract two lists, in which empty files are missing: LC_ALL=C comm -23 <(cairn grep -l '') <(cairn grep -l PATTERN)",
    '--stats': 'use --json, which has the counts',
    '--debug; --trace': 'notices on standard error state what was left out; leave it out',
    '--no-messages; --no-ignore-messages': 'redirect standard error: 2>/dev/null',
    '--generate <kind>': "use 'cairn help grep'; there are no completion scripts",
    '--pcre2-version': 'leave it out; PCRE2 is always there, with -P',
    '--no-fixed-strings': 'leave out -F',
    '--no-crlf': 'leave it out; $ matches before CRLF unless the pattern has \\r',
  },
};

const gnuGrep: ForeignOptions = {
  tool: 'grep',
  same: {
    '-y': '--ignore-case',
    '--perl-regexp': '--pcre2',
    '--silent': '--quiet',
  },
  ignored: '--extended-regexp; --recursive',
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
  ignored: '--no-index; --untracked',
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
  refused: {
    '-Q': 'use -F',
    '--ignore-dir <name>': "use -g '!**/DIRECTORY/**'",
    '--ackmate': NO_OTHER_FORM,
  },
};

/** What find and glob lack of fd. `--strip-cwd-prefix` takes its value after `=` only, and none stands for always. */
const fd: ForeignOptions = {
  tool: 'fd',
  same: {
    '-H': '--hidden',
    '-I': '--no-ignore',
    '-u, --unrestricted': '--hidden --no-ignore',
    '-1, --max-one-result': '--limit 1',
    '--print0': '--null',
  },
  ignored: `-j, --threads <n>; --max-buffer-time <ms>; --show-errors; --strip-cwd-prefix; --no-require-git; --relative-path;
    --path-separator /; -E, --exclude .git|.git/`,
  refused: {
    '--path-separator <separator>': 'paths always have /',
    '-a, --absolute-path': 'give an absolute root: --path "$PWD"',
    '--min-depth <n>': "use a glob with that many names, the last one **: cairn glob '*/**'",
    '--exact-depth <n>': "use a glob with that many names: cairn glob '*/*'",
    '--prune': "exclude what is below a directory: cairn glob '*' '!DIRECTORY/**'",
    '-E, --exclude <glob>': "use another glob: cairn glob '*' '!GLOB'",
    '-S, --size <size>': "'cairn glob PATTERN --long' shows the sizes",
    [`--changed-within <time>; --changed-after <time>; --change-newer-than <time>; --newer <time>;
        --changed-before <time>; --change-older-than <time>; --older <time>`]:
      "'cairn glob PATTERN --sort-mtime --long' lists the newest first, with times",
    '-o, --owner <owner>': 'use find(1), which applies no ignore file: find . -user OWNER',
    '--batch-size <n>': 'use xargs: cairn find QUERY -0 | xargs -0 -n NUM COMMAND',
    '--ignore-file <path>; --ignore-contain <name>': "exclude with a glob: cairn glob '*' '!GLOB'",
    '-c <when>': 'use --color WHEN',
    '--max-results <n>': 'use --limit NUM',
    '-q, --quiet; --has-results': 'redirect the output: >/dev/null; the exit status is 0 if something was found',
    '-C, --base-directory <dir>; --search-path <dir>': 'use --path DIR',
    '--one-file-system; --mount; --xdev': ONE_FILE_SYSTEM,
    '--format <format>': 'use xargs: cairn find QUERY -0 | xargs -0 printf FORMAT',
    '--hyperlink': NOT_CONFIGURABLE,
    '--gen-completions [shell]': "use 'cairn help find'; there are no completion scripts",
    '--no-ignore-vcs; --no-ignore-parent; --no-global-ignore-file': NO_IGNORE,
    '--ignore; --ignore-vcs': 'leave it out; ignore files count unless --no-ignore is given',
  },
};

/** What only find lacks of fd: its patterns are expressions, a query is letters. */
const fdFind: ForeignOptions = {
  tool: 'fd',
  ignored: '-p, --full-path; -i, --ignore-case; -L, --follow',
  refused: {
    '-d, --max-depth <n>; --maxdepth <n>': "use a glob: cairn glob '*WORD*' -d NUM",
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

const fdGlob: ForeignOptions = {
  tool: 'fd',
  ignored: '-g, --glob; -s, --case-sensitive',
  refused: {
    '-i, --ignore-case': "write both cases: cairn glob '*.[mM][dD]'",
    '--regex': "filter the paths: cairn glob '*' | cairn grep PATTERN",
    '-F, --fixed-strings; --literal': "use 'cairn find QUERY', which takes letters",
    '--maxdepth <n>': 'use --max-depth NUM',
    '-p, --full-path': 'a pattern with / matches the whole path; leave it out',
    '--and <pattern>': "write one pattern: cairn glob '*{ONE*TWO,TWO*ONE}*'",
    '-l, --list-details': 'use --long',
    '-e, --extension <ext>': "use a pattern: cairn glob '*.EXT'",
    '-x, --exec <command>': 'use xargs: cairn glob GLOB -0 | xargs -0 -n 1 COMMAND',
    '-X, --exec-batch <command>': 'use xargs: cairn glob GLOB -0 | xargs -0 COMMAND',
  },
};

const SYSTEM_FIND = 'use find(1), which applies no ignore file: find .';

/** The kinds of entries that `--type` of fd has, and what to type instead. */
export const foreignKinds: readonly (readonly [instead: string, words: readonly string[]])[] = [
  ["for links use 'cairn glob' with -t l; 'cairn find' and 'cairn pick' read its output", ['l', 'symlink']],
  [`for executable files ${SYSTEM_FIND} -type f -perm -u+x`, ['x', 'executable']],
  [`for empty files and directories ${SYSTEM_FIND} -empty`, ['e', 'empty']],
  [`for sockets ${SYSTEM_FIND} -type s`, ['s', 'socket']],
  [`for pipes ${SYSTEM_FIND} -type p`, ['p', 'pipe']],
  [`for block devices ${SYSTEM_FIND} -type b`, ['b', 'block-device']],
  [`for character devices ${SYSTEM_FIND} -type c`, ['c', 'char-device']],
];

const queryIgnored = '--read0; --scheme path; --literal';

/** The rest of it. `delimiter` is how each command lacks that option, whose short form find has itself. */
function queryRefused(command: string, delimiter: string): ForeignOptions['refused'] {
  return {
    '--no-literal': 'letters with accents match only themselves; leave it out',
    '--scheme <scheme>; --algo <type>': 'queries are matched as paths; leave it out',
    '--no-extended': 'the signs of a query count, and names that hold them are found too; leave it out',
    '--no-ignore-case': 'letters match in any case; leave it out',
    '--no-sort; --tac; --tiebreak <list>': 'the best match is first; leave it out',
    [`-n, --nth <fields>; --with-nth <fields>; --accept-nth <fields>; ${delimiter}`]:
      'the whole path is matched and printed; leave it out',
    '--print-query': 'leave it out; only paths are printed',
    '--tail <n>': `give a shorter list: tail -n NUM FILE | ${command}`,
    '--ansi': `remove the colours first: ls --color=never | ${command}`,
  };
}

/** What the screen of fzf shows, and its keys. `cairn pick` has its own. */
const SCREEN = `--height <height>; --min-height <height>; --tmux [options]; --popup [options]; --style <style>; --layout <layout>;
  --margin <margin>; --padding <padding>; --border [style]; --border-label <text>; --border-label-pos <column>;
  --list-border [style]; --list-label <text>; --list-label-pos <column>; --input-border [style]; --input-label <text>;
  --input-label-pos <column>; --no-input; --header <text>; --header-first; --header-border [style];
  --header-lines-border [style]; --header-label <text>; --header-label-pos <column>; --footer <text>; --footer-border [style];
  --footer-label <text>; --footer-label-pos <column>; --info <style>; --info-command <command>; --inline-info; --no-info;
  --separator <text>; --no-separator; --prompt <text>; --ghost <text>; --pointer <text>; --marker <text>;
  --marker-multi-line <text>; --gutter <character>; --gutter-raw <character>; --ellipsis <text>; --scrollbar [characters];
  --no-scrollbar; --scroll-off <lines>; --hscroll-off <columns>; --no-hscroll; --keep-right; --freeze-left <n>;
  --freeze-right <n>; --tabstop <n>; --wrap [mode]; --wrap-sign <text>; --no-multi-line; --gap [lines]; --gap-line [text];
  --highlight-line; --raw; --track; --no-bold; --no-unicode; --no-clear`;
const PREVIEW = `--preview <command>; --preview-window <options>; --preview-border [style]; --preview-label <text>;
  --preview-label-pos <column>`;
const KEYS = '--bind <keys>; --expect <keys>; --cycle; --jump-labels <letters>; --filepath-word';

const fzfFilter: ForeignOptions = {
  tool: 'fzf',
  ignored: `${queryIgnored}; --extended`,
  refused: {
    '-f, --filter <query>': 'give the query as the argument: git ls-files | cairn find QUERY',
    '--exact': 'put \' before each word: cairn find "\'WORD"',
    ...queryRefused('cairn find QUERY', '--delimiter <text>'),
    '--query <query>': 'give the query as the argument: cairn find QUERY',
    '--select-1': 'use --limit 1 for the best match',
    '--exit-0': 'leave it out; the exit status is 1 if nothing matches',
    [`${SCREEN}; ${PREVIEW}; ${KEYS}; -m, --multi; --disabled; --no-mouse; --sync; --header-lines <n>; --history <path>; --history-size <n>`]:
      "find has no screen; use 'cairn pick', or leave it out",
  },
};

const fzf: ForeignOptions = {
  tool: 'fzf',
  same: { '--print0': '--null' },
  ignored: `${queryIgnored}; -x, --extended; --no-multi; --no-mouse; --sync; --reverse; -i, --ignore-case; --smart-case; -s, --sort`,
  refused: {
    '-q, --query <query>': 'give the query as the argument: cairn pick QUERY',
    '-f, --filter <query>': "use 'cairn find QUERY'",
    '-m, --multi': "the picker chooses one; 'cairn find QUERY' prints all matches",
    '-1, --select-1': "use 'cairn find QUERY --limit 1' for the best match",
    '--exit-0': "use 'cairn find QUERY', which exits with 1 if nothing matches",
    '--exact': 'put \' before each word: cairn pick "\'WORD"',
    ...queryRefused('cairn pick', '-d, --delimiter <text>'),
    '--disabled': "the list is searched while you type; 'cairn pick --grep' searches in files",
    [PREVIEW]: 'the preview shows the file; leave it out',
    [KEYS]: "the keys are fixed; 'cairn help pick' lists them",
    [SCREEN]: 'the picker has its own screen; leave it out',
    '--header-lines <n>': 'skip the lines first: tail -n +2 FILE | cairn pick',
    '--history <path>; --history-size <n>; --listen [address]; --listen-unsafe [address]; --with-shell <command>':
      NOT_CONFIGURABLE,
    '--no-color': 'use --color never',
    '--bash; --zsh; --fish': 'there are no scripts for shells; use vim "$(cairn pick)"',
    '--man': "use 'cairn help pick'",
    '--walker <kinds>': 'use --hidden for hidden names',
    '--walker-root <dir>': 'use --path DIR',
    '--walker-skip <names>': "give the list yourself: cairn glob '*' '!DIRECTORY/**' | cairn pick",
  },
};

const ls: ForeignOptions = {
  tool: 'ls',
  ignored: '-a, --all; -A, --almost-all; -1; -F, --classify; -p',
  refused: {
    '-l': 'use \'cairn glob "*" --no-recursive --long\'',
    '-t': 'use \'cairn glob "*" --no-recursive --sort-mtime\'',
    '-R, --recursive': 'use --depth NUM',
  },
};

const tree: ForeignOptions = {
  tool: 'tree',
  same: { '-a': '--hidden' },
  refused: {
    '-L <n>': 'use --depth NUM',
    '-d': 'use \'cairn glob "*" --type dir\'',
    '-I <pattern>': "use a glob: cairn glob '*' '!PATTERN'",
    '-J': 'use --json',
  },
};

const cat: ForeignOptions = {
  tool: 'cat',
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

export function foreignOptionsOf(command: string): readonly ForeignOptions[] {
  return byCommand[command] ?? [];
}

/** The words of find(1), which `cairn find` would read as short options. The error names the first one here. */
export const findWords: Readonly<Record<string, string>> = {
  '-name': "use a glob: cairn glob 'PATTERN', with -t f for -type f",
  '-iname': "write both cases in the glob: cairn glob '*.[mM][dD]'",
  '-path; -wholename; -ipath; -iwholename':
    "use a glob of the whole path, in which ** crosses directories: cairn glob '**/DIRECTORY/**'",
  '-regex; -iregex; -regextype': "filter the paths: cairn glob '*' | cairn grep PATTERN",
  '-type; -xtype': 'use -t f or -t d',
  '-exec; -execdir; -ok; -okdir': 'use xargs: cairn find QUERY -0 | xargs -0 COMMAND',
  '-delete': 'use xargs: cairn find QUERY -0 | xargs -0 rm',
  '-maxdepth': "use a glob: cairn glob '*WORD*' -d NUM",
  '-mindepth': "use a glob with that many names, the last one **: cairn glob '*/**'",
  '-prune': "exclude what is below a directory: cairn glob '*' '!DIRECTORY/**'",
  '-not': "use ! before a word: cairn find '!WORD'",
  '-and': "write the words in one query: cairn find 'ONE TWO'",
  '-or': "give several patterns: cairn glob 'ONE' 'TWO'",
  '-print': 'leave it out',
  '-print0': 'use -0',
  '-ls; -fls': "use 'cairn glob PATTERN --long'",
  '-quit': 'use --limit 1',
  '-follow': 'leave it out; links are followed',
  '-mount; -xdev': ONE_FILE_SYSTEM,
  [`-amin; -anewer; -atime; -cmin; -cnewer; -ctime; -mmin; -mtime; -newer; -newermt; -used; -empty; -executable; -readable;
      -writable; -perm; -size; -links; -inum; -samefile; -user; -uid; -nouser; -group; -gid; -nogroup; -fstype; -lname; -ilname;
      -context; -daystart; -depth; -files0-from; -ignore_readdir_race; -noignore_readdir_race; -noleaf; -nowarn; -warn; -true;
      -false; -fprint; -fprint0; -printf; -fprintf`]: "use 'find' of the system for this",
};
