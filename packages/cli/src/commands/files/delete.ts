import { Option } from 'commander';
import type { DeleteDetails } from '@cairn/coding-agent/internal';
import type { Session } from '../../terminal/session.ts';
import type { CommandFactory } from '../command.ts';
import { mutationOptions, runTool, type MutationFlags } from './tool-command.ts';

const examples = `
Examples:
  $ cairn delete old.txt
  $ cairn delete old.txt --expect 1a2b3c4d    only if it did not change since it was read
  $ cairn delete build --recursive --dry-run  a directory; show how much would be deleted

Deletes a link, not its target.`;

interface DeleteFlags extends MutationFlags {
  readonly recursive?: boolean;
}

async function runDelete(path: string, flags: DeleteFlags, session: Session): Promise<number> {
  const { recursive, dryRun } = flags;
  return runTool<DeleteDetails>(session, {
    flags,
    expected: { path, tag: flags.expect },
    run: (tools) => tools.delete.execute({ path, recursive }, { signal: session.signal, dryRun }),
    fixes: { IS_DIRECTORY: 'Use --recursive to delete the directory and its content.' },
    lines: () => [],
    notices: (_, text) => [text],
  });
}

export const deleteCommand: CommandFactory = (command, session, done) => {
  command
    .description('Delete a file, or a directory and its content.')
    .summary('delete a file or a directory')
    .argument('<path>', 'the file or directory')
    .addHelpText('after', examples)
    .action(async (path: string, flags: DeleteFlags) => done(await runDelete(path, flags, session)))
    .addOption(new Option('--recursive', 'delete a directory and its content'));
  for (const option of mutationOptions()) command.addOption(option);
};
