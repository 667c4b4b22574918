/** `cairn help ripgrep`, `cairn help fd` and `cairn help fzf`: what users of these tools type with Cairn. */
import { foreignOptionsOf, optionsIn, type ForeignOptions } from './foreign-options.ts';
import { wrapWords } from './text.ts';

interface Topic {
  readonly tool: string;
  readonly commands: readonly string[];
  readonly lines: readonly Row[];
  /** Differences between things of the same name. */
  readonly differences: readonly string[];
}

const ripgrep: Topic = {
  tool: 'ripgrep',
  commands: ['grep'],
  lines: [
    ['rg PATTERN [PATH...]', 'cairn grep PATTERN [PATH...]'],
    ["rg PATTERN -g '!*.md'", "cairn grep PATTERN -g '!*.md'"],
    ['rg --files', 'cairn grep --files'],
    ["rg --files -g '*.ts'", "cairn glob '*.ts'"],
    ['rg --json PATTERN', 'cairn grep --json PATTERN, which prints one document'],
    ['command | rg PATTERN', 'command | cairn grep PATTERN'],
  ],
  differences: [
    'Hidden names are searched, and .git never; --no-hidden skips hidden names.',
    'Results are in the order of their paths. Paths of several files and line numbers are printed in a pipe too; -I and -N leave them out.',
    '.gitignore and .ignore count outside repositories too.',
    'A pattern that is not valid is repaired or searched as plain text, and a notice states it. $ matches before CRLF.',
    '-r changes what is printed, never a file. --json prints one document instead of one for each line.',
    '-g selects from the files that would be searched: add --no-ignore for ignored ones. -g and -t both have to match.',
    '--max-columns shortens a line around its match instead of leaving it out.',
    'The status is also 2 when something could not be searched, and a notice states what.',
  ],
};

const fd: Topic = {
  tool: 'fd',
  commands: ['find', 'glob'],
  lines: [
    ['fd NAME', 'cairn find NAME'],
    ['fd NAME DIRECTORY', 'cairn find NAME DIRECTORY'],
    ["fd -g '*.md'", "cairn glob '*.md'"],
    ['fd -e md', 'cairn find -e md'],
    ['fd -t d NAME', 'cairn find -t d NAME'],
    ['fd -t x', 'find . -type f -perm -u+x, which applies no ignore file'],
    ["fd '^x.*rc$'", "cairn glob '*' | cairn grep '(^|/)x[^/]*rc$'"],
    ['fd NAME -x COMMAND', 'cairn find NAME -0 | xargs -0 -n 1 COMMAND'],
    ["fd -E '*.bak'", "cairn glob '*' '!*.bak'"],
  ],
  differences: [
    'A query of find is letters in their order, not an expression: the best match is first, and 100 are printed unless --limit says more.',
    'A pattern of glob is the whole name, or with / the whole path below --path; all matches are printed, in the order of their paths.',
    'Letters of find match in any case, and those of glob only in their own: fd ignores the case unless the pattern has a capital.',
    'The kinds of -t are f, d and, with glob, l. A link to a file counts as a file for -t f, and one to a directory for -t d.',
    'Hidden names, ignored files, node_modules and .git are skipped: --hidden, --no-ignore, and --include-node-modules of glob search them, except .git.',
  ],
};

const fzf: Topic = {
  tool: 'fzf',
  commands: ['pick', 'find'],
  lines: [
    ['fzf', 'cairn pick'],
    ['vim "$(fzf)"', 'vim "$(cairn pick)"'],
    ['command | fzf', 'command | cairn pick'],
    ['fzf -q QUERY', 'cairn pick QUERY'],
    ['command | fzf --filter QUERY', 'command | cairn find QUERY'],
    ['rg --line-number PATTERN | fzf', 'cairn pick --grep PATTERN'],
  ],
  differences: [
    "The signs of a query mean the same: 'word, ^start, end$, !not, a | b. A name that holds the signs themselves is found too.",
    'A list is read as paths, one a line; a directory ends with /.',
    'The picker chooses one path; the preview and the keys are built in.',
    '-e EXT chooses files by extension, and -0 ends paths with a NUL character. In fzf they are --exact and --exit-0.',
  ],
};

const topics: Readonly<Record<string, Topic>> = { ripgrep, rg: ripgrep, fd, fdfind: fd, fzf };

type Row = readonly [term: string, description: string];

const TERM_WIDTH = 32;
const LIST_WIDTH = 100;

/** Returns lines with a term and its description, which is below a longer term. */
function entries(rows: readonly Row[]): string {
  return rows
    .map(([term, description]) => {
      if (term.length <= TERM_WIDTH) return `  ${term.padEnd(TERM_WIDTH)}  ${description}\n`;
      return `  ${wrapWords(term, LIST_WIDTH, '  ')}\n${' '.repeat(TERM_WIDTH + 4)}${description}\n`;
    })
    .join('');
}

function rowsOf({ same = {}, refused }: ForeignOptions): readonly Row[] {
  return [
    ...Object.entries(same).map(([flags, own]): Row => [flags, `the same as ${own}`]),
    ...Object.entries(refused).map(([list, instead]): Row => [optionsIn(list).join('; '), instead]),
  ];
}

/** Returns the options of a tool, each list once, with the commands that lack them. */
function listsOf({ tool, commands }: Topic): ReadonlyMap<ForeignOptions, readonly string[]> {
  const lists = new Map<ForeignOptions, string[]>();
  for (const command of commands) {
    for (const list of foreignOptionsOf(command).filter((one) => one.tool === tool)) {
      lists.set(list, [...(lists.get(list) ?? []), `'cairn ${command}'`]);
    }
  }
  return lists;
}

export function equivalentsOf(word: string): string | undefined {
  const topic = Object.hasOwn(topics, word) ? topics[word] : undefined;
  if (topic === undefined) return undefined;
  const { tool, commands, lines, differences } = topic;
  const instead = [...listsOf(topic)].flatMap(([list, names]) => {
    const where = names.join(' and ');
    const instead = `Options of ${tool}, and what to type with ${where}:\n${entries(rowsOf(list))}`;
    if (list.ignored === undefined) return [instead];
    const ignored = wrapWords(optionsIn(list.ignored).join('; '), LIST_WIDTH, '  ');
    const work = names.length === 1 ? 'works' : 'work';
    return [instead, `Accepted, because this is how ${where} ${work} anyway:\n  ${ignored}\n`];
  });
  const help = commands.map((command) => `'cairn help ${command}'`).join(' and ');
  return [
    `What users of ${tool} type:\n${entries(lines)}`,
    `Differences:\n${differences.map((one) => `  - ${one}\n`).join('')}`,
    ...instead,
    `The other options are in ${help}. One that ${tool} has too means the same, except for the differences above.\n`,
  ].join('\n');
}
