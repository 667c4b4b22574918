/**
 * The options of other tools that people type and a command does not have. Some have another name here, and some ask for what the
 * command does anyway; each of the others is rejected with what to type instead. `cairn help ripgrep`, `cairn help fd` and
 * `cairn help fzf` print this table. An option that the command has itself is never here.
 */

/** The options of one tool that one command lacks, as the tool writes them. A list has `; ` between its options. */
export interface ForeignOptions {
  readonly tool: string;
  /** Options that the command has by other names, with its own. */
  readonly same?: readonly (readonly [own: string, flags: string])[];
  /** Options that ask for what the command does anyway. A value in place of `<name>` is the only one that does: `--sort path|none`. */
  readonly ignored?: string;
  readonly refused: readonly (readonly [instead: string, flags: string])[];
}

export function optionsIn(list: string): readonly string[] {
  return list.trim().split(/;\s+/u);
}

/** The end of an ignored option that is rejected with any other value. */
export const VALUES: RegExp = /(?<=[\w-] )[^\s<[-]+$/u;

const ICONV = 'convert the text first: iconv -f ENCODING -t UTF-8 FILE | cairn grep PATTERN';
const NO_IGNORE = 'use --no-ignore, which applies no ignore file';
const ALL_GLOBS = "write both cases in the glob: -g '*.[mM][dD]'";
const ONE_FILE_SYSTEM = 'give the directories of this file system as paths';
const NO_OTHER_FORM = 'use --json for output that a program reads';
const NOT_CONFIGURABLE = 'leave it out';

const ripgrep: ForeignOptions = {
  tool: 'ripgrep',
  same: [
    ['--hidden', '-.'],
    ['--literal', '--fixed-strings'],
  ],
  ignored: `--no-config; -j, --threads <n>; --mmap; --no-mmap; --line-buffered; --block-buffered; --crlf; -E, --encoding auto;
    --engine auto|default; --auto-hybrid-regex; --no-auto-hybrid-regex; --no-block-buffered; --no-byte-offset; --no-encoding;
    --no-glob-case-insensitive; --no-ignore-file-case-insensitive; --no-include-zero; --no-line-buffered;
    --no-max-columns-preview; --no-multiline-dotall; --no-one-file-system; --no-pre; --no-require-git; --no-search-zip;
    --no-sort-files; --no-stats; --no-trim; --no-ignore-files; --ignore-messages; --messages; --unicode; --pcre2-unicode;
    --max-columns-preview; --sort path|none; --sort-files; --path-separator /; --hyperlink-format none`,
  refused: [
    [
      `UTF-8, and UTF-16 with its mark, need no option; ${ICONV}. Expressions are always extended, so '-E' of grep is not needed`,
      '-E, --encoding <name>',
    ],
    ['use -P for PCRE2', '--engine <name>'],
    [
      "results are in the order of their paths; 'cairn glob --sort-mtime' lists the newest files first",
      '--sort <by>; --sortr <by>',
    ],
    ['paths always have /', '--path-separator <separator>'],
    [NOT_CONFIGURABLE, '--hyperlink-format <format>; --hostname-bin <command>'],
    ['run the command yourself: COMMAND FILE | cairn grep PATTERN', '--pre <command>; --pre-glob <glob>'],
    ['decompress the file first: zcat FILE.gz | cairn grep PATTERN', '-z, --search-zip'],
    ['the limit is fixed; leave it out', '--dfa-size-limit <size>; --regex-size-limit <size>'],
    ['write (?s) at the start of the pattern', '--multiline-dotall'],
    ['write (?-u) at the start of the pattern', '--no-unicode'],
    ['write ASCII classes such as [0-9] for \\d and [A-Za-z0-9_] for \\w', '--no-pcre2-unicode'],
    ["end the lines with line feeds first: tr '\\0' '\\n' < FILE | cairn grep PATTERN", '--null-data'],
    ['use -m NUM for the first matching lines of each file', '--stop-on-nonmatch'],
    [ALL_GLOBS, '--glob-case-insensitive; --iglob <glob>'],
    ["exclude with globs: -g '!PATTERN'", '--ignore-file <path>; --ignore-file-case-insensitive'],
    [NO_IGNORE, '--no-ignore-dot; --no-ignore-exclude; --no-ignore-global; --no-ignore-parent; --no-ignore-vcs'],
    [
      'leave it out; ignore files are applied unless --no-ignore is given',
      '--ignore-dot; --ignore-exclude; --ignore-files; --ignore-global; --ignore-parent; --ignore-vcs',
    ],
    ['.gitignore counts in any directory; use --no-ignore to search what it excludes', '--require-git'],
    [ONE_FILE_SYSTEM, '--one-file-system'],
    ["use a glob: -g '*.EXTENSION'", '--type-add <spec>; --type-clear <type>'],
    ['use --column for the place in the line', '-b, --byte-offset'],
    ['the colours are fixed; use --color never for none', '--colors <spec>'],
    [
      NO_OTHER_FORM,
      '--context-separator <separator>; --no-context-separator; --field-context-separator <separator>; --field-match-separator <separator>',
    ],
    ["-c shows the files with matches; 'cairn grep --files' lists all", '--include-zero'],
    ["add a pattern that every line matches: -e PATTERN -e '^'", '--passthru'],
    ['use --color always --heading', '-p, --pretty'],
    ['leave it out; lines are printed whole', '--trim'],
    [
      "subtract two lists, in which empty files are missing: LC_ALL=C comm -23 <(cairn grep -l '') <(cairn grep -l PATTERN)",
      '--files-without-match',
    ],
    ['use --json, which has the counts', '--stats'],
    ['notices on standard error state what was left out; leave it out', '--debug; --trace'],
    ['redirect standard error: 2>/dev/null', '--no-messages; --no-ignore-messages'],
    ["use 'cairn help grep'; there are no completion scripts", '--generate <kind>'],
    ['leave it out; PCRE2 is always there, with -P', '--pcre2-version'],
    ['leave out -F', '--no-fixed-strings'],
    ['leave it out; $ matches before CRLF unless the pattern has \\r', '--no-crlf'],
  ],
};

const gnuGrep: ForeignOptions = {
  tool: 'grep',
  same: [
    ['--ignore-case', '-y'],
    ['--pcre2', '--perl-regexp'],
    ['--quiet', '--silent'],
  ],
  ignored: '--extended-regexp; --recursive',
  refused: [
    ['directories are searched anyway; use -L to follow links', '-R, --dereference-recursive'],
    ['expressions are extended: write \\( for a plain (, and ( for a group', '-G, --basic-regexp'],
    ["use -g 'GLOB'", '--include <glob>'],
    ["use -g '!GLOB'", '--exclude <glob>'],
    ["use -g '!**/DIRECTORY/**'", '--exclude-dir <glob>'],
    ['use -0', '-Z'],
  ],
};

const gitGrep: ForeignOptions = {
  tool: 'git grep',
  ignored: '--no-index; --untracked',
  refused: [
    ['use git grep --cached for what is staged', '--cached'],
    ['filter the lines: cairn grep ONE | cairn grep TWO', '--and'],
    ['use -B NUM for the lines before', '--show-function'],
    ['use -C NUM for the lines around each match', '-W, --function-context'],
    ['use --heading', '--break'],
  ],
};

const ag: ForeignOptions = {
  tool: 'ag',
  refused: [
    ['use -F', '-Q'],
    ["use -g '!**/DIRECTORY/**'", '--ignore-dir <name>'],
    [NO_OTHER_FORM, '--ackmate'],
  ],
};

/** What find and glob lack of fd. `--strip-cwd-prefix` takes its value after `=` only, and none stands for always. */
const fd: ForeignOptions = {
  tool: 'fd',
  same: [
    ['--hidden', '-H'],
    ['--no-ignore', '-I'],
    ['--hidden --no-ignore', '-u, --unrestricted'],
    ['--limit 1', '-1, --max-one-result'],
    ['--null', '--print0'],
  ],
  ignored: `-j, --threads <n>; --max-buffer-time <ms>; --show-errors; --strip-cwd-prefix; --no-require-git; --relative-path;
    --path-separator /; -E, --exclude .git|.git/`,
  refused: [
    ['paths always have /', '--path-separator <separator>'],
    ['give an absolute root: --path "$PWD"', '-a, --absolute-path'],
    ["use a glob with that many names, the last one **: cairn glob '*/**'", '--min-depth <n>'],
    ["use a glob with that many names: cairn glob '*/*'", '--exact-depth <n>'],
    ["exclude what is below a directory: cairn glob '*' '!DIRECTORY/**'", '--prune'],
    ["use another glob: cairn glob '*' '!GLOB'", '-E, --exclude <glob>'],
    ["'cairn glob PATTERN --long' shows the sizes", '-S, --size <size>'],
    [
      "'cairn glob PATTERN --sort-mtime --long' lists the newest first, with times",
      `--changed-within <time>; --changed-after <time>; --change-newer-than <time>; --newer <time>;
        --changed-before <time>; --change-older-than <time>; --older <time>`,
    ],
    ['use find(1), which applies no ignore file: find . -user OWNER', '-o, --owner <owner>'],
    ['use xargs: cairn find QUERY -0 | xargs -0 -n NUM COMMAND', '--batch-size <n>'],
    ["exclude with a glob: cairn glob '*' '!GLOB'", '--ignore-file <path>; --ignore-contain <name>'],
    ['use --color WHEN', '-c <when>'],
    ['use --limit NUM', '--max-results <n>'],
    ['redirect the output: >/dev/null; the exit status is 0 if something was found', '-q, --quiet; --has-results'],
    ['use --path DIR', '-C, --base-directory <dir>; --search-path <dir>'],
    [ONE_FILE_SYSTEM, '--one-file-system; --mount; --xdev'],
    ['use xargs: cairn find QUERY -0 | xargs -0 printf FORMAT', '--format <format>'],
    [NOT_CONFIGURABLE, '--hyperlink'],
    ["use 'cairn help find'; there are no completion scripts", '--gen-completions [shell]'],
    [NO_IGNORE, '--no-ignore-vcs; --no-ignore-parent; --no-global-ignore-file'],
    ['leave it out; ignore files count unless --no-ignore is given', '--ignore; --ignore-vcs'],
  ],
};

/** What only find lacks of fd: its patterns are expressions, a query is letters. */
const fdFind: ForeignOptions = {
  tool: 'fd',
  ignored: '-p, --full-path; -i, --ignore-case; -L, --follow',
  refused: [
    ["use a glob: cairn glob '*WORD*' -d NUM", '-d, --max-depth <n>; --maxdepth <n>'],
    ["find follows links; 'cairn glob' does not", '--no-follow'],
    ["letters match in any case; use a glob: cairn glob '*PATTERN*'", '-s, --case-sensitive'],
    ["use 'cairn glob GLOB'", '-g, --glob'],
    ["filter the paths: cairn glob '*' | cairn grep PATTERN", '--regex'],
    ['put \' before each word: cairn find "\'WORD"', '-F, --fixed-strings'],
    ["write the words in one query: cairn find 'ONE TWO'", '--and <pattern>'],
    ["use 'cairn glob GLOB --long'", '-l, --list-details'],
    ['use xargs: cairn find QUERY -0 | xargs -0 -n 1 COMMAND', '-x, --exec <command>'],
    ['use xargs: cairn find QUERY -0 | xargs -0 COMMAND', '-X, --exec-batch <command>'],
  ],
};

const fdGlob: ForeignOptions = {
  tool: 'fd',
  ignored: '-g, --glob; -s, --case-sensitive',
  refused: [
    ["write both cases: cairn glob '*.[mM][dD]'", '-i, --ignore-case'],
    ["filter the paths: cairn glob '*' | cairn grep PATTERN", '--regex'],
    ["use 'cairn find QUERY', which takes letters", '-F, --fixed-strings; --literal'],
    ['use --max-depth NUM', '--maxdepth <n>'],
    ['a pattern with / matches the whole path; leave it out', '-p, --full-path'],
    ["write one pattern: cairn glob '*{ONE*TWO,TWO*ONE}*'", '--and <pattern>'],
    ['use --long', '-l, --list-details'],
    ["use a pattern: cairn glob '*.EXT'", '-e, --extension <ext>'],
    ['use xargs: cairn glob GLOB -0 | xargs -0 -n 1 COMMAND', '-x, --exec <command>'],
    ['use xargs: cairn glob GLOB -0 | xargs -0 COMMAND', '-X, --exec-batch <command>'],
  ],
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

const BY_SCORE = 'the best match is first; leave it out';
const WHOLE_LINES = 'the whole path is matched and printed; leave it out';
const ANY_CASE = 'letters match in any case; leave it out';
const SIGNS_COUNT = 'the signs of a query count, and names that hold them are found too; leave it out';

const queryIgnored = '--read0; --scheme path; --literal';

/** The rest of it. `delimiter` is how each command lacks that option, whose short form find has itself. */
function queryRefused(command: string, delimiter: string): ForeignOptions['refused'] {
  return [
    ['letters with accents match only themselves; leave it out', '--no-literal'],
    ['queries are matched as paths; leave it out', '--scheme <scheme>; --algo <type>'],
    [SIGNS_COUNT, '--no-extended'],
    [ANY_CASE, '--no-ignore-case'],
    [BY_SCORE, '--no-sort; --tac; --tiebreak <list>'],
    [WHOLE_LINES, `-n, --nth <fields>; --with-nth <fields>; --accept-nth <fields>; ${delimiter}`],
    ['leave it out; only paths are printed', '--print-query'],
    [`give a shorter list: tail -n NUM FILE | ${command}`, '--tail <n>'],
    [`remove the colours first: ls --color=never | ${command}`, '--ansi'],
  ];
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
  refused: [
    ['give the query as the argument: git ls-files | cairn find QUERY', '-f, --filter <query>'],
    ['put \' before each word: cairn find "\'WORD"', '--exact'],
    ...queryRefused('cairn find QUERY', '--delimiter <text>'),
    ['give the query as the argument: cairn find QUERY', '--query <query>'],
    ['use --limit 1 for the best match', '--select-1'],
    ['leave it out; the exit status is 1 if nothing matches', '--exit-0'],
    [
      "find has no screen; use 'cairn pick', or leave it out",
      `${SCREEN}; ${PREVIEW}; ${KEYS}; -m, --multi; --disabled; --no-mouse; --sync; --header-lines <n>; --history <path>; --history-size <n>`,
    ],
  ],
};

const fzf: ForeignOptions = {
  tool: 'fzf',
  same: [['--null', '--print0']],
  ignored: `${queryIgnored}; -x, --extended; --no-multi; --no-mouse; --sync; --reverse; -i, --ignore-case; --smart-case; -s, --sort`,
  refused: [
    ['give the query as the argument: cairn pick QUERY', '-q, --query <query>'],
    ["use 'cairn find QUERY'", '-f, --filter <query>'],
    ["the picker chooses one; 'cairn find QUERY' prints all matches", '-m, --multi'],
    ["use 'cairn find QUERY --limit 1' for the best match", '-1, --select-1'],
    ["use 'cairn find QUERY', which exits with 1 if nothing matches", '--exit-0'],
    ['put \' before each word: cairn pick "\'WORD"', '--exact'],
    ...queryRefused('cairn pick', '-d, --delimiter <text>'),
    ["the list is searched while you type; 'cairn pick --grep' searches in files", '--disabled'],
    ['the preview shows the file; leave it out', PREVIEW],
    ["the keys are fixed; 'cairn help pick' lists them", KEYS],
    ['the picker has its own screen; leave it out', SCREEN],
    ['skip the lines first: tail -n +2 FILE | cairn pick', '--header-lines <n>'],
    [
      NOT_CONFIGURABLE,
      '--history <path>; --history-size <n>; --listen [address]; --listen-unsafe [address]; --with-shell <command>',
    ],
    ['use --color never', '--no-color'],
    ['there are no scripts for shells; use vim "$(cairn pick)"', '--bash; --zsh; --fish'],
    ["use 'cairn help pick'", '--man'],
    ['use --hidden for hidden names', '--walker <kinds>'],
    ['use --path DIR', '--walker-root <dir>'],
    ["give the list yourself: cairn glob '*' '!DIRECTORY/**' | cairn pick", '--walker-skip <names>'],
  ],
};

const ls: ForeignOptions = {
  tool: 'ls',
  ignored: '-a, --all; -A, --almost-all; -1; -F, --classify; -p',
  refused: [
    ['use \'cairn glob "*" --no-recursive --long\'', '-l'],
    ['use \'cairn glob "*" --no-recursive --sort-mtime\'', '-t'],
    ['use --depth NUM', '-R, --recursive'],
  ],
};

const tree: ForeignOptions = {
  tool: 'tree',
  same: [['--hidden', '-a']],
  refused: [
    ['use --depth NUM', '-L <n>'],
    ['use \'cairn glob "*" --type dir\'', '-d'],
    ["use a glob: cairn glob '*' '!PATTERN'", '-I <pattern>'],
    ['use --json', '-J'],
  ],
};

const cat: ForeignOptions = {
  tool: 'cat',
  refused: [['use \'cairn grep -n "" FILE\'; read shows the numbers on standard error', '-n, --number']],
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
export const findWords: readonly (readonly [instead: string, words: string])[] = [
  ["use a glob: cairn glob 'PATTERN', with -t f for -type f", '-name'],
  ["write both cases in the glob: cairn glob '*.[mM][dD]'", '-iname'],
  [
    "use a glob of the whole path, in which ** crosses directories: cairn glob '**/DIRECTORY/**'",
    '-path; -wholename; -ipath; -iwholename',
  ],
  ["filter the paths: cairn glob '*' | cairn grep PATTERN", '-regex; -iregex; -regextype'],
  ['use -t f or -t d', '-type; -xtype'],
  ['use xargs: cairn find QUERY -0 | xargs -0 COMMAND', '-exec; -execdir; -ok; -okdir'],
  ['use xargs: cairn find QUERY -0 | xargs -0 rm', '-delete'],
  ["use a glob: cairn glob '*WORD*' -d NUM", '-maxdepth'],
  ["use a glob with that many names, the last one **: cairn glob '*/**'", '-mindepth'],
  ["exclude what is below a directory: cairn glob '*' '!DIRECTORY/**'", '-prune'],
  ["use ! before a word: cairn find '!WORD'", '-not'],
  ["write the words in one query: cairn find 'ONE TWO'", '-and'],
  ["give several patterns: cairn glob 'ONE' 'TWO'", '-or'],
  ['leave it out', '-print'],
  ['use -0', '-print0'],
  ["use 'cairn glob PATTERN --long'", '-ls; -fls'],
  ['use --limit 1', '-quit'],
  ['leave it out; links are followed', '-follow'],
  [ONE_FILE_SYSTEM, '-mount; -xdev'],
  [
    "use 'find' of the system for this",
    `-amin; -anewer; -atime; -cmin; -cnewer; -ctime; -mmin; -mtime; -newer; -newermt; -used; -empty; -executable; -readable;
      -writable; -perm; -size; -links; -inum; -samefile; -user; -uid; -nouser; -group; -gid; -nogroup; -fstype; -lname; -ilname;
      -context; -daystart; -depth; -files0-from; -ignore_readdir_race; -noignore_readdir_race; -noleaf; -nowarn; -warn; -true;
      -false; -fprint; -fprint0; -printf; -fprintf`,
  ],
];
