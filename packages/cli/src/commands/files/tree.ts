import { quotePath } from '@cairn/tool/paths';
import { resolve } from 'node:path';
import type { TreeForm, TreeMetadata, TreeOptions, WorkspaceTree } from '@cairn/workspace-cache';
import { writeAnswer } from '../../terminal/answer.ts';
import { CommandError } from '../../terminal/errors.ts';
import { exitCodeOf } from '../../terminal/exit.ts';
import type { FlagsOf } from '../../terminal/parsed.ts';
import { colorOption, oneOf, pathParser, repeated, wholeNumber } from '../../terminal/options.ts';
import { createPaint, usesColor, type Paint } from '../../terminal/output.ts';
import { withProgress } from '../../terminal/progress.ts';
import { pathBelow } from '../../terminal/path-prefix.ts';
import type { CommandContext } from '../../terminal/command-context.ts';
import { countOf, formatCount, formatMs } from '../../terminal/text.ts';
import { defineCommand, type CommandFactory } from '../command.ts';
import { unreadableNotice } from '../search/listing.ts';

const formats: readonly TreeForm[] = ['box', 'indent', 'paths'];

const options = [
  ['--depth <n>', 'N levels, auto for what suits the size, or fit for what agents get (default: 3)', depth],
  ['--chars <n>', 'at most N characters (default: 10,000; with --tokens no limit)', wholeNumber()],
  ['--tokens <n>', 'at most N tokens, estimated', wholeNumber()],
  ['--format <form>', 'box (lines, default), indent (two spaces a level) or paths (one a line)', oneOf(formats)],
  ['--hidden', 'show hidden directories'],
  ['--no-ignore', 'do not apply .gitignore, .ignore and other ignore files'],
  [
    '--allow <name>',
    'show this name though it is hidden, ignored or excluded; repeat it for more',
    repeated((name) => pathParser(name, 'use a name')),
  ],
  [
    '--focus <path>',
    'show this path, from [path] on, and what is next to it at any depth; repeat it for more',
    repeated((name) => pathParser(name, 'use a path')),
  ],
  [
    '--timeout <ms>',
    'stop after N milliseconds, print the tree so far and exit with 2 (default: 10,000)',
    wholeNumber({ unit: 'milliseconds' }),
  ],
  ['--stats', 'print the counts after the tree'],
  ['--json', 'print one JSON document, with the counts'],
  colorOption,
] as const;

type TreeFlags = FlagsOf<typeof options>;

function depth(name: string): (value: string) => number | 'auto' | 'fit' {
  return (value) => (value === 'auto' || value === 'fit' ? value : wholeNumber({ minimum: 1 })(name)(value));
}

/** The levels and the limit for a person, who pays for no token. With `--depth fit` those of agents. */
const PERSON_DEPTH = 3;
const PERSON_CHARACTERS = 10_000;

/** The directory of a line: its name, and what is after it, such as `(12)`. */
const DIRECTORY = /^((?:│ {3}| {4})*(?:[├└]── )?| *)((?:(?! -> ).)*\/)((?: \([^()]*\))?)$/u;

/** A line that counts entries. No name contains a slash or begins with `…`. */
const COUNT = /^(?:[│├└─ ]*|(?:(?! -> ).)*\/)… \d+ more$|^\.\.\. \(/u;

function painted(line: string, paint: Paint): string {
  const parts = DIRECTORY.exec(line);
  if (parts === null) return COUNT.test(line) ? paint.dim(line) : line;
  const [, indent = '', name = '', rest = ''] = parts;
  return indent + paint.directory(name) + paint.dim(rest);
}

function* linesOf({ tree, metadata }: WorkspaceTree, flags: TreeFlags, context: CommandContext): Generator<string> {
  const paint = createPaint(usesColor(flags.color, context.out.isTerminal, context.env));
  if (tree !== '') for (const line of tree.split('\n')) yield paint.isColored ? painted(line, paint) : line;
  if (flags.stats !== true) return;
  if (tree !== '') yield '';
  yield* statLines(metadata);
}

function statLines({ entries, excluded, hiddenSecrets, ...rest }: TreeMetadata): string[] {
  const { depth: levels, size, estimatedTokens, buildTimeMs } = rest;
  const secrets = hiddenSecrets === 0 ? '' : `, ${countOf(hiddenSecrets, 'secret name')}`;
  return [
    `${countOf(entries, 'entry', 'entries')}, ${formatCount(excluded)} left out${secrets}`,
    `depth ${levels}, ${countOf(size, 'character')}, about ${countOf(estimatedTokens, 'token')}, ${formatMs(buildTimeMs)}`,
  ];
}

/** No tree shows more entries, whatever its limits are. */
const MAX_ENTRIES = 100_000;

function cutNotice({ tree, metadata: { entries, depth: levels } }: WorkspaceTree, flags: TreeFlags): string {
  const given = (['chars', 'tokens'] as const).filter((name) => flags[name] !== undefined).map((name) => `--${name}`);
  const flag = given.length === 0 ? '--chars' : given.join(' or ');
  const isLongest = tree.length > MAX_ENTRIES && tree.split('\n').length > MAX_ENTRIES;
  const what = isLongest ? `at most ${formatCount(MAX_ENTRIES)}` : 'a part';
  const fixes = [...(isLongest ? [] : [`a larger ${flag}`]), ...(levels > 1 ? ['a smaller --depth'] : [])];
  const use = fixes.length > 0 ? `use ${fixes.join(', ')}, or ` : '';
  return `the tree is cut and shows ${what} of ${countOf(entries, 'entry', 'entries')}; ${use}name a directory`;
}

function missingNotice(paths: readonly string[]): string {
  const what = `not in the tree: ${paths.map(quotePath).join(', ')}`;
  return `${what}; --focus needs a path that exists, that no rule leaves out and that does not lead through a link`;
}

function leftOutNotice({ excluded, hiddenSecrets }: TreeMetadata, { hidden, ignore }: TreeFlags): string[] {
  const what = [
    ...(excluded > 0 ? [`${countOf(excluded, 'ignored, hidden or excluded name')}`] : []),
    ...(hiddenSecrets > 0 ? [countOf(hiddenSecrets, 'secret name')] : []),
  ];
  if (what.length === 0) return [];
  const flags = [...(hidden === true ? [] : ['--hidden']), ...(ignore ? ['--no-ignore'] : []), '--allow <name>'];
  return [`not shown: ${what.join(' and ')}${excluded > 0 ? `; use ${flags.join(', ')} to see more` : ''}`];
}

/** The advice of the library, which the command gives in its own terms. */
const TIMED_OUT = 'raise timeoutMs';

function noticesOf(answer: WorkspaceTree, flags: TreeFlags): string[] {
  const { tree, metadata } = answer;
  const { truncated, unreadable = 0, unreadablePaths = [], missingFocus = [], error } = metadata;
  return [
    ...(tree === '' && metadata.entries === 0 && error === undefined ? ['the directory has no entries to show'] : []),
    ...(truncated ? [cutNotice(answer, flags)] : []),
    ...leftOutNotice(metadata, flags),
    ...(missingFocus.length > 0 ? [missingNotice(missingFocus)] : []),
    ...(error === undefined ? [] : [error.replace(TIMED_OUT, 'use a longer --timeout')]),
    ...unreadableNotice(unreadable, 'directory or entry', 'directories or entries', unreadablePaths),
  ];
}

/** Returns a tree with paths as they are named from the current directory. */
function withNamedPaths(tree: WorkspaceTree, path: string): WorkspaceTree {
  const { metadata } = tree;
  const unreadablePaths = metadata.unreadablePaths?.map((one) => pathBelow(path, one));
  return { ...tree, metadata: { ...metadata, ...(unreadablePaths && { unreadablePaths }) } };
}

/** Returns the reason why there is no tree at all, as the searches report it. */
async function failureOf(path: string, { metadata }: WorkspaceTree): Promise<unknown> {
  const { treeSummary } = await import('@cairn/natives');
  try {
    await treeSummary({ path, maxEntries: 0, depth: 1 });
  } catch (error) {
    return error;
  }
  const message = metadata.error ?? `${path} cannot be read`;
  return new CommandError({ code: 'EACCES', message, path });
}

export const treeCommand: CommandFactory = defineCommand({
  description: 'Show a directory as a tree that fits into a prompt: levels, characters or tokens limit it.',
  summary: 'show a directory as a tree that fits into a prompt',
  args: [['[path]', 'the directory', '.']],
  options,
  examples: `
Examples:
  $ cairn tree                               the current directory, three levels, at most 10,000 characters
  $ cairn tree src --depth auto              more levels in a small directory, fewer in a large one
  $ cairn tree --depth fit                   as agents get it in their prompts: short, within 1,000 tokens
  $ cairn tree --depth 1 --focus src/main.ts
                                             one level, and the way to one file with what is next to it
  $ cairn tree --format paths --stats        one path a line, then the counts

Left out are ignored files, hidden directories except .github, and
dist, build, target, node_modules and the like; secret names, such as .env, are never shown.
'name/ (12)' is a directory with 12 entries that are not shown.`,
  run: async (context, flags, given) => {
    const { ALLOWED_NAMES, createWorkspaceCache } = await import('@cairn/workspace-cache');
    const path = pathParser('the path', "use a directory, or '.' for the current one")(given);
    const root = resolve(context.cwd, path);
    const isForAgents = flags.depth === 'fit';
    const options: TreeOptions = {
      depth: flags.depth ?? PERSON_DEPTH,
      maxCharacters: flags.chars ?? (isForAgents || flags.tokens !== undefined ? undefined : PERSON_CHARACTERS),
      maxTokens: flags.tokens,
      format: flags.format ?? (isForAgents ? 'indent' : 'box'),
      hidden: flags.hidden,
      gitignore: flags.ignore,
      focus: flags.focus,
      timeoutMs: flags.timeout,
      ...(flags.allow && { allow: [...ALLOWED_NAMES, ...flags.allow] }),
    };
    // The metadata holds every warning.
    const cache = createWorkspaceCache({ root, onWarning: () => undefined });
    const built = await withProgress(context, 'reading the tree', () =>
      cache.tree({ ...options, signal: context.signal }),
    );
    const tree = withNamedPaths(built, path);
    const { metadata, tree: text } = tree;
    const { error, missingFocus = [], unreadable = 0 } = metadata;
    const isFailure = error !== undefined && metadata.entries === 0 && !error.endsWith(TIMED_OUT);
    if (isFailure) throw await failureOf(path, tree);
    await writeAnswer(context, flags, {
      lines: linesOf(tree, flags, context),
      document: { root, tree: text, metadata },
      notices: () => noticesOf(tree, flags),
    });
    // A tree without entries is an answer, too.
    const stopReason = error === undefined && missingFocus.length === 0 ? undefined : 'budget';
    return exitCodeOf({ shown: 1, stopReason, unreadable });
  },
});
