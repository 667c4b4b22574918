import type { ListedEntry, LsDetails, ReadDetails } from '@cairn/coding-agent/internal';
import { wholeNumber } from '../../terminal/options.ts';
import { createPaint, usesColor, type ColorMode } from '../../terminal/output.ts';
import type { CommandContext } from '../../terminal/command-context.ts';
import { defineCommand, type CommandFactory } from '../command.ts';
import { escapeLine } from '../../terminal/text.ts';
import { runTool, toolOptions } from './tool-command.ts';
import { quotePath } from '@cairn/tool/paths';
import { pathBelow } from '../../terminal/path-prefix.ts';
import type { MatchesDocument } from '../../terminal/answer.ts';

function linesOf(details: ReadDetails, context: CommandContext, color: ColorMode): Iterable<string> {
  if (details.kind === 'directory') return entryLines(details.entries, context, color);
  if (details.kind === 'image') return [];
  return context.out.isTerminal ? details.lines.map(escapeLine) : details.lines;
}

function shownLines(details: ReadDetails): number {
  if (details.kind === 'directory') return details.entries.length;
  return details.kind === 'text' ? details.lines.length : 0;
}

/** Returns the notices of a read. The tool continues a directory with `ls`, whose entries count from 0. */
function noticesOf(details: ReadDetails, text: string): string[] {
  const notices = notesAround(text, shownLines(details));
  if (details.kind !== 'directory') return notices;
  return notices.map((notice) => notice.replace(/--skip (\d+)$/u, (_, skip: string) => `--offset ${Number(skip) + 1}`));
}

export const readCommand: CommandFactory = defineCommand({
  description: 'Read a text file, or a page of it. A notice states what is cut and how to continue.',
  summary: 'show a file and the tag of its content',
  args: [['<path>', 'a file or a directory']],
  options: [
    ['--offset <n>', 'start at this line, from 1', wholeNumber({ minimum: 1 })],
    [
      '--limit <n>',
      'at most N lines (default: 2,000), or N entries of a directory (default: 500)',
      wholeNumber({ minimum: 1 }),
    ],
    ['--encoding <name>', 'encoding of a file that is neither UTF-8 nor UTF-16'],
    ...toolOptions,
  ],
  examples: `
Examples:
  $ cairn read src/main.ts                    up to 2,000 lines, 50 KB
  $ cairn read src/main.ts --offset 2001      the next page
  $ cairn read legacy.txt --encoding latin1   text that is neither UTF-8 nor UTF-16
  $ cairn read src                            the entries of a directory

The lines go to standard output. Their numbers and the tag of the content go to standard error. Commands that change files take
the tag as --expect.`,
  run: async (context, flags, path) => {
    const { offset, limit, encoding } = flags;
    return runTool<ReadDetails>(context, {
      flags,
      run: (tools) => tools.read.execute({ path, offset, limit, encoding }, { signal: context.signal }),
      lines: (details) => linesOf(details, context, flags.color),
      document: (details) => (details.kind === 'directory' ? withOpenablePaths(details) : details),
      notices: noticesOf,
    });
  },
});

/** The entries of a directory, one per line. A person also sees where links lead. */
function entryLines(entries: readonly ListedEntry[], context: CommandContext, color: ColorMode): string[] {
  const { isTerminal } = context.out;
  const paint = createPaint(usesColor(color, isTerminal, context.env));
  return entries.map(({ path, kind, target }) => {
    if (kind === 'directory') return paint.directory(quotePath(`${path}/`));
    if (kind !== 'symlink') return quotePath(path);
    const name = paint.link(quotePath(path));
    return isTerminal ? `${name} -> ${target === undefined ? '?' : quotePath(target)}` : name;
  });
}

/** Returns the notes before and after the content in a tool's answer. */
function notesAround(text: string, shownLines: number): string[] {
  const [first = '', ...rest] = text.split('\n');
  return [first, ...rest.slice(shownLines)].map((line) =>
    line.replace(/^\[(.*)\]$/su, '$1').replace(/'cairn ls' (?=--skip )/u, ''),
  );
}

interface Listed {
  readonly path: string;
  readonly entries: readonly { readonly path: string }[];
  readonly unreadablePaths?: readonly string[];
}

/** Returns a listing whose paths begin with the directory, as a program opens them. */
function withOpenablePaths<Listing extends Listed>(listing: Listing): Listing {
  const named = (path: string): string => pathBelow(listing.path, path);
  const entries = listing.entries.map((entry) => ({ ...entry, path: named(entry.path) }));
  const unreadablePaths = listing.unreadablePaths?.map(named);
  return { ...listing, entries, ...(unreadablePaths && { unreadablePaths }) };
}

/** The limit of the `ls` tool. */
const MAX_DEPTH = 20;

/** The entries are the matches; the other details of the tool stay. */
function documentOf({ total, ...rest }: LsDetails, skip: number = 0): MatchesDocument {
  const { entries, ...others } = withOpenablePaths(rest);
  const isCut = skip + entries.length < total;
  const complete = !isCut && rest.unreadable === 0;
  const counts = { matches: entries, shown: entries.length, totalMatches: total, complete };
  return { ...others, ...counts, ...(isCut && { stopReason: 'limit' as const }) };
}

export const lsCommand: CommandFactory = defineCommand({
  description: 'List a directory, one or more levels deep.',
  summary: 'list a directory',
  args: [['[path]', 'the directory', '.']],
  options: [
    ['--depth <n>', 'N levels, up to 20 (default: 1)', wholeNumber({ minimum: 1, maximum: MAX_DEPTH })],
    ['--limit <n>', 'at most N entries (default: 500)', wholeNumber({ minimum: 1 })],
    ['--skip <n>', 'skip the first N entries', wholeNumber()],
    ...toolOptions,
  ],
  examples: `
Examples:
  $ cairn ls                  the current directory
  $ cairn ls src --depth 2    two levels
  $ cairn ls --skip 500       the next page

Directories end with '/'. Hidden and ignored names are shown. Lines have names below the directory; with --json, paths begin
with it, so that they can be opened.`,
  run: async (context, flags, path) => {
    const { depth, limit, skip } = flags;
    return runTool<LsDetails>(context, {
      flags,
      run: (tools) => tools.ls.execute({ path, depth, limit, skip }, { signal: context.signal }),
      fixes: { NOT_A_DIRECTORY: "Use 'cairn read' to read a file, or list the directory that contains it." },
      lines: ({ entries }) => entryLines(entries, context, flags.color),
      document: (details) => documentOf(details, skip),
      isPartial: ({ unreadable }) => unreadable > 0,
      notices: ({ entries, total }, text) => notesAround(text, entries.length).slice(entries.length === total ? 1 : 0),
    });
  },
});
