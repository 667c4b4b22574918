import { Option, type Command } from 'commander';
import type { RenameDetails } from '@cairn/coding-agent';
import type { Session } from '../session.ts';
import { mutationOptions, runTool, type MutationFlags } from '../tool-command.ts';

const examples = `
Examples:
  $ cairn rename a.txt docs/b.txt              makes the directories it needs
  $ cairn rename a.txt b.txt --overwrite       replace b.txt whatever it holds
  $ cairn rename src lib --dry-run             check it, but change nothing

The destination is the whole new path, also when it is a directory. A link is renamed itself, not what it leads to.`;

interface RenameFlags extends MutationFlags {
  readonly overwrite?: boolean;
}

async function runRename([from, to]: readonly [string, string], flags: RenameFlags, session: Session): Promise<number> {
  const { overwrite, dryRun } = flags;
  return runTool<RenameDetails>(session, {
    flags,
    overwrites: overwrite,
    expected: { path: from, tag: flags.expect },
    run: (tools) => tools.rename.execute({ from, to, overwrite }, { signal: session.signal, dryRun }),
    hints: { EXISTS: 'Choose another name, or give --overwrite to replace a file.' },
    print: () => [],
    notices: (_, text) => [text],
  });
}

export function renameCommand(command: Command, session: Session, done: (exitCode: number) => void): void {
  command
    .description('Rename or move a file or a directory, also to another file system.')
    .summary('rename or move a file or a directory')
    .argument('<from>', 'what is renamed')
    .argument('<to>', 'its new path')
    .addHelpText('after', examples)
    .action(async (from: string, to: string, flags: RenameFlags) => done(await runRename([from, to], flags, session)))
    .addOption(new Option('--overwrite', 'replace a file that is there, whatever it holds'));
  for (const option of mutationOptions('the renamed file has this tag, as cairn read prints it'))
    command.addOption(option);
}
