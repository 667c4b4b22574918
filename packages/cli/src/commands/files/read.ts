import type { ReadDetails } from '@cairn/coding-agent/internal';
import { wholeNumber } from '../../terminal/options.ts';
import type { ColorMode } from '../../terminal/output.ts';
import type { Session } from '../../terminal/session.ts';
import { defineCommand, type CommandFactory } from '../command.ts';
import { entryLines, notesAround, withOpenablePaths } from './listing-lines.ts';
import { escapeLine } from '../../terminal/text.ts';
import { runTool, toolOptions, type ToolFlags } from './tool-command.ts';

const examples = `
Examples:
  $ cairn read src/main.ts                    up to 2,000 lines, 50 KB
  $ cairn read src/main.ts --offset 2001      the next page
  $ cairn read legacy.txt --encoding latin1   text that is neither UTF-8 nor UTF-16
  $ cairn read src                            the entries of a directory

The lines go to standard output. Their numbers and the tag of the content go to standard error. Commands that change files take
the tag as --expect.`;

interface ReadFlags extends ToolFlags {
  readonly offset?: number;
  readonly limit?: number;
  readonly encoding?: string;
}

function linesOf(details: ReadDetails, session: Session, color: ColorMode): Iterable<string> {
  if (details.kind === 'directory') return entryLines(details.entries, session, color);
  if (details.kind === 'image') return [];
  return session.out.isTerminal ? details.lines.map(escapeLine) : details.lines;
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
  examples,
  run: async (session, flags: ReadFlags, path: string) => {
    const { offset, limit, encoding } = flags;
    return runTool<ReadDetails>(session, {
      flags,
      run: (tools) => tools.read.execute({ path, offset, limit, encoding }, { signal: session.signal }),
      lines: (details) => linesOf(details, session, flags.color),
      document: (details) => (details.kind === 'directory' ? withOpenablePaths(details) : details),
      notices: noticesOf,
    });
  },
});
