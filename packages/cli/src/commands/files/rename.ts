import { Option } from 'commander';
import type { RenameDetails } from '@cairn/coding-agent/internal';
import type { Session } from '../../terminal/session.ts';
import type { CommandFactory } from '../command.ts';
import { mutationOptions, runTool, type MutationFlags } from './tool-command.ts';

const examples = `
Examples:
  $ cairn rename a.txt docs/b.txt              creates missing directories
  $ cairn rename a.txt b.txt --overwrite       replace b.txt, whatever its content
  $ cairn rename src lib --dry-run             check only, change nothing

The destination is the complete new path, even for a directory. Renames a link, not its target.`;

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
    fixes: { EXISTS: 'Use another name, or --overwrite to replace the file.' },
    lines: () => [],
    notices: (_, text) => [text],
  });
}

export const renameCommand: CommandFactory = (command, session, done) => {
  command
    .description('Rename or move a file or a directory, also to another file system.')
    .summary('rename or move a file or a directory')
    .argument('<from>', 'the old path')
    .argument('<to>', 'the new path')
    .addHelpText('after', examples)
    .action(async (from: string, to: string, flags: RenameFlags) => done(await runRename([from, to], flags, session)))
    .addOption(new Option('--overwrite', 'replace an existing file, whatever its content'));
  for (const option of mutationOptions('the renamed file')) command.addOption(option);
};
