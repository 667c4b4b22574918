import { Option, type Command } from 'commander';
import type { EditDetails, EditInput, TextEdit } from '@cairn/coding-agent';
import { once } from '../args.ts';
import { UsageError } from '../errors.ts';
import { readText } from '../input.ts';
import type { Session } from '../session.ts';
import { diffNotices, mutationOptions, runTool, shownDiffs, type MutationFlags } from '../tool-command.ts';

const examples = `
Examples:
  $ cairn edit src/main.ts --old 'let x' --new 'const x'
  $ cairn edit src/main.ts --old foo --new bar --all --dry-run   every place; only show it
  $ cairn edit a.txt --old 'obsolete' --new '' --expect 1a2b3c4d   only if nobody changed it since it was read
  $ cairn edit a.txt --edits - < edits.json   several: [{"old_text": "a", "new_text": "b"}]

The old text must occur once, unless --all. All edits match the file as it is; every other byte stays. A text that begins
with '-' is given as --old=-x. The difference goes to standard output, what happened to standard error.`;

interface EditFlags extends MutationFlags {
  readonly old?: string;
  readonly new?: string;
  readonly all?: boolean;
  readonly edits?: string;
}

async function editsOf(flags: EditFlags, session: Session): Promise<readonly TextEdit[]> {
  const { old, new: replacement, edits } = flags;
  if (edits === undefined) {
    if (old === undefined || replacement === undefined) throw new UsageError('give --old and --new, or --edits');
    return [{ old_text: old, new_text: replacement, replace_all: flags.all }];
  }
  if (old !== undefined || replacement !== undefined || flags.all === true) {
    throw new UsageError('--edits has its own texts; leave out --old, --new and --all');
  }
  const json = edits === '-' ? await readText(session.input, 'pipe the edits, or give them with --edits') : edits;
  try {
    // The tool checks what it is given.
    return JSON.parse(json) as TextEdit[];
  } catch (error) {
    throw new UsageError(`--edits is no JSON: ${error instanceof Error ? error.message : ''}`, { cause: error });
  }
}

async function runEdit(path: string, flags: EditFlags, session: Session): Promise<number> {
  const input: EditInput = { path, edits: await editsOf(flags, session) };
  const diffsOf = ({ path: name, diff }: EditDetails) => [{ from: name, to: name, diff }];
  return runTool<EditDetails>(session, {
    flags,
    expected: { path, tag: flags.expect },
    run: (tools) => tools.edit.execute(input, { signal: session.signal, dryRun: flags.dryRun }),
    print: (details) => shownDiffs(diffsOf(details), { flags, session }),
    notices: (details, text) => [
      (text.split('\n')[0] ?? '').replace('; what changed:', '.'),
      ...diffNotices(diffsOf(details)),
    ],
  });
}

export function editCommand(command: Command, session: Session, done: (exitCode: number) => void): void {
  command
    .description('Replace text in a file.')
    .summary('replace text in a file')
    .argument('<path>', 'the file')
    .addHelpText('after', examples)
    .action(async (path: string, flags: EditFlags) => done(await runEdit(path, flags, session)))
    .addOption(new Option('--old <text>', 'what is there').argParser(once('--old', 'use --edits for several')))
    .addOption(new Option('--new <text>', 'what is to be there').argParser(once('--new', 'use --edits for several')))
    .addOption(new Option('--all', 'replace every occurrence'))
    .addOption(
      new Option('--edits <json>', "several edits as JSON, '-' for what is piped in").argParser(
        once('--edits', 'give all edits in one list'),
      ),
    );
  for (const option of mutationOptions()) command.addOption(option);
}
