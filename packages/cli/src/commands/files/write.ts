import type { WriteDetails } from '@cairn/coding-agent/internal';
import { once } from '../../terminal/options.ts';
import { UsageError } from '../../terminal/errors.ts';
import { readText } from '../../terminal/input.ts';
import { defineCommand, type CommandFactory } from '../command.ts';
import { diffNotices, mutationOptions, runTool, shownDiffs, type MutationFlags } from './tool-command.ts';

const examples = `
Examples:
  $ cairn write notes/today.md --content hello          a new file and its directories
  $ cairn write VERSION --content 1.2.0 --overwrite     whatever its content
  $ cairn write a.txt --expect 1a2b3c4d < new.txt       only if it did not change since it was read
  $ cairn write a.txt --overwrite --dry-run < new.txt   show the change only

Replaces an existing file only with --overwrite or --expect, and keeps its encoding, byte order mark and CRLF line ends.
The diff goes to standard output, the summary to standard error.`;

interface WriteFlags extends MutationFlags {
  readonly content?: string;
  readonly overwrite?: boolean;
}

export const writeCommand: CommandFactory = defineCommand({
  description: 'Create a file, or replace its whole content.',
  summary: 'create or replace a file',
  args: [['<path>', 'the file']],
  options: [
    ['--content <text>', 'the exact content (default: standard input)', once('give the whole content once')],
    ['--overwrite', 'replace an existing file, whatever its content'],
    ...mutationOptions(),
  ],
  examples,
  run: async (session, flags: WriteFlags, path: string) => {
    if (flags.overwrite === true && flags.expect !== undefined) {
      throw new UsageError('--overwrite and --expect exclude each other', 'leave one of them out');
    }
    const content = flags.content ?? (await readText(session.input, 'pipe the content, or use --content'));
    const diffsOf = ({ path: to, created, diff }: WriteDetails) => [{ from: created ? undefined : to, to, diff }];
    return runTool<WriteDetails>(session, {
      flags,
      overwrites: flags.overwrite,
      expected: { path, tag: flags.expect },
      run: (tools) => tools.write.execute({ path, content }, { signal: session.signal, dryRun: flags.dryRun }),
      fixes: {
        NOT_READ: "Use --expect with the tag that 'cairn read' prints, or --overwrite to replace any content.",
      },
      lines: (details) => shownDiffs(diffsOf(details), { flags, session }),
      notices: (details, text) => [text, ...diffNotices(diffsOf(details))],
    });
  },
});
