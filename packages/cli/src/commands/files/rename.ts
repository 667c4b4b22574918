import type { RenameDetails } from '@cairn/coding-agent/internal';
import { defineCommand, type CommandFactory } from '../command.ts';
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

export const renameCommand: CommandFactory = defineCommand({
  description: 'Rename or move a file or a directory, also to another file system.',
  summary: 'rename or move a file or a directory',
  args: [
    ['<from>', 'the old path'],
    ['<to>', 'the new path'],
  ],
  options: [['--overwrite', 'replace an existing file, whatever its content'], ...mutationOptions('the renamed file')],
  examples,
  run: async (session, flags: RenameFlags, from: string, to: string) => {
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
  },
});
