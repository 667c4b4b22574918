import type { LsDetails } from '@cairn/coding-agent/internal';
import type { MatchesDocument } from '../../terminal/answer.ts';
import { wholeNumber } from '../../terminal/options.ts';
import { defineCommand, type CommandFactory } from '../command.ts';
import { entryLines, notesAround, withOpenablePaths } from './listing-lines.ts';
import { runTool, toolOptions, type ToolFlags } from './tool-command.ts';

const examples = `
Examples:
  $ cairn ls                  the current directory
  $ cairn ls src --depth 2    two levels
  $ cairn ls --skip 500       the next page

Directories end with '/'. Hidden and ignored names are shown. Lines have names below the directory; with --json, paths begin
with it, so that they can be opened.`;

/** The limit of the `ls` tool. */
const MAX_DEPTH = 20;

interface LsFlags extends ToolFlags {
  readonly depth?: number;
  readonly limit?: number;
  readonly skip?: number;
}

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
  examples,
  run: async (session, flags: LsFlags, path: string) => {
    const { depth, limit, skip } = flags;
    return runTool<LsDetails>(session, {
      flags,
      run: (tools) => tools.ls.execute({ path, depth, limit, skip }, { signal: session.signal }),
      fixes: { NOT_A_DIRECTORY: "Use 'cairn read' to read a file, or list the directory that contains it." },
      lines: ({ entries }) => entryLines(entries, session, flags.color),
      document: (details) => documentOf(details, skip),
      isPartial: ({ unreadable }) => unreadable > 0,
      notices: ({ entries, total }, text) => notesAround(text, entries.length).slice(entries.length === total ? 1 : 0),
    });
  },
});
