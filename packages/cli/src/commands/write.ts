import { Option, type Command } from 'commander';
import type { WriteDetails } from '@cairn/coding-agent';
import { once } from '../args.ts';
import { UsageError } from '../errors.ts';
import { readText } from '../input.ts';
import type { Session } from '../session.ts';
import { diffNotices, mutationOptions, runTool, shownDiffs, type MutationFlags } from '../tool-command.ts';

const examples = `
Examples:
  $ cairn write notes/today.md --content hello          a new file, with its directories
  $ cairn write VERSION --content 1.2.0 --overwrite     whatever it held before
  $ cairn write a.txt --expect 1a2b3c4d < new.txt       only if nobody changed it since it was read
  $ cairn write a.txt --overwrite --dry-run < new.txt   what would change

A file that exists is replaced with --overwrite or --expect only. Its encoding, byte order mark and CRLF line ends stay.
The difference goes to standard output, what happened to standard error.`;

interface WriteFlags extends MutationFlags {
  readonly content?: string;
  readonly overwrite?: boolean;
}

async function runWrite(path: string, flags: WriteFlags, session: Session): Promise<number> {
  if (flags.overwrite === true && flags.expect !== undefined) {
    throw new UsageError('--overwrite replaces whatever is there and --expect only what is known; give one of them');
  }
  const content = flags.content ?? (await readText(session.input, 'pipe the content, or give it with --content'));
  const diffsOf = ({ path: to, created, diff }: WriteDetails) => [{ from: created ? undefined : to, to, diff }];
  return runTool<WriteDetails>(session, {
    flags,
    overwrites: flags.overwrite,
    expected: { path, tag: flags.expect },
    run: (tools) => tools.write.execute({ path, content }, { signal: session.signal, dryRun: flags.dryRun }),
    hints: {
      NOT_READ: `Give --expect with the tag that 'cairn read' prints, or --overwrite to replace it whatever it holds.`,
    },
    print: (details) => shownDiffs(diffsOf(details), { flags, session }),
    notices: (details, text) => [text, ...diffNotices(diffsOf(details))],
  });
}

export function writeCommand(command: Command, session: Session, done: (exitCode: number) => void): void {
  command
    .description('Create a file, or replace the whole of one.')
    .summary('create or replace a file')
    .argument('<path>', 'the file')
    .addHelpText('after', examples)
    .action(async (path: string, flags: WriteFlags) => done(await runWrite(path, flags, session)))
    .addOption(
      new Option('--content <text>', 'the content, exactly (default: what is piped in)').argParser(
        once('--content', 'it is all of the file'),
      ),
    )
    .addOption(new Option('--overwrite', 'replace a file whatever it holds'));
  for (const option of mutationOptions()) command.addOption(option);
}
