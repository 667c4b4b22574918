import type { DeleteDetails } from '@cairn/coding-agent/internal';
import { defineCommand, type CommandFactory } from '../command.ts';
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

export const deleteCommand: CommandFactory = defineCommand({
  description: 'Delete a file, or a directory and its content.',
  summary: 'delete a file or a directory',
  args: [['<path>', 'the file or directory']],
  options: [['--recursive', 'delete a directory and its content'], ...mutationOptions()],
  examples,
  run: async (session, flags: DeleteFlags, path: string) => {
    const { recursive, dryRun } = flags;
    return runTool<DeleteDetails>(session, {
      flags,
      expected: { path, tag: flags.expect },
      run: (tools) => tools.delete.execute({ path, recursive }, { signal: session.signal, dryRun }),
      fixes: { IS_DIRECTORY: 'Use --recursive to delete the directory and its content.' },
      lines: () => [],
      notices: (_, text) => [text],
    });
  },
});
