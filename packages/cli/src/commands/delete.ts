import { Option, type Command } from 'commander';
import type { DeleteDetails } from '@cairn/coding-agent';
import type { Session } from '../session.ts';
import { mutationOptions, runTool, type MutationFlags } from '../tool-command.ts';

const examples = `
Examples:
  $ cairn delete old.txt
  $ cairn delete old.txt --expect 1a2b3c4d    only if nobody changed it since it was read
  $ cairn delete build --recursive --dry-run  a directory: how much would go

A link is deleted itself, not what it leads to.`;

interface DeleteFlags extends MutationFlags {
  readonly recursive?: boolean;
}

async function runDelete(path: string, flags: DeleteFlags, session: Session): Promise<number> {
  const { recursive, dryRun } = flags;
  return runTool<DeleteDetails>(session, {
    flags,
    expected: { path, tag: flags.expect },
    run: (tools) => tools.delete.execute({ path, recursive }, { signal: session.signal, dryRun }),
    hints: { IS_DIRECTORY: 'Give --recursive to delete it with all it holds.' },
    print: () => [],
    notices: (_, text) => [text],
  });
}

export function deleteCommand(command: Command, session: Session, done: (exitCode: number) => void): void {
  command
    .description('Delete a file, or a directory with all it holds.')
    .summary('delete a file or a directory')
    .argument('<path>', 'the file or directory')
    .addHelpText('after', examples)
    .action(async (path: string, flags: DeleteFlags) => done(await runDelete(path, flags, session)))
    .addOption(new Option('--recursive', 'delete a directory with all it holds'));
  for (const option of mutationOptions()) command.addOption(option);
}
