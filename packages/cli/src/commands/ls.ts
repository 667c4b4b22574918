import { Option, type Command } from 'commander';
import type { LsDetails } from '@cairn/coding-agent';
import { wholeNumber } from '../args.ts';
import { entryLines, linesOfEntries, notesAround } from '../listing-lines.ts';
import type { Session } from '../session.ts';
import { runTool, toolOptions, type ToolFlags } from '../tool-command.ts';

const examples = `
Examples:
  $ cairn ls                  what is in the current directory
  $ cairn ls src --depth 2    and in the directories below it
  $ cairn ls --skip 500       the next page

Directories end with '/'. Hidden and ignored names are there.`;

interface LsFlags extends ToolFlags {
  readonly depth?: number;
  readonly limit?: number;
  readonly skip?: number;
}

async function runLs(path: string, flags: LsFlags, session: Session): Promise<number> {
  const { depth, limit, skip } = flags;
  return runTool<LsDetails>(session, {
    flags,
    run: (tools) => tools.ls.execute({ path, depth, limit, skip }, { signal: session.signal }),
    print: ({ entries }) => entryLines(entries, session.out.isTerminal),
    // That all is shown needs no word.
    notices: ({ path: shown, entries, total }, text) =>
      notesAround(text, shown, linesOfEntries(entries)).slice(entries.length === total ? 1 : 0),
  });
}

export function lsCommand(command: Command, session: Session, done: (exitCode: number) => void): void {
  command
    .description('List a directory, also several levels of it.')
    .summary('list a directory')
    .argument('[path]', 'the directory', '.')
    .addHelpText('after', examples)
    .action(async (path: string, flags: LsFlags) => done(await runLs(path, flags, session)))
    .addOption(
      new Option('--depth <n>', 'so many levels, up to 20 (default: 1)').argParser(wholeNumber('--depth', '', 1)),
    )
    .addOption(new Option('--limit <n>', 'so many entries (default: 500)').argParser(wholeNumber('--limit', '', 1)))
    .addOption(new Option('--skip <n>', 'leave out the first ones').argParser(wholeNumber('--skip')));
  for (const option of toolOptions()) command.addOption(option);
}
