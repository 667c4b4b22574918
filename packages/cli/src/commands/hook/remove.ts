import { stateOption } from '../../terminal/options.ts';
import { defineCommand, type CommandFactory } from '../command.ts';
import { confirmOptions, placeOptions, type EntryFlags } from '../mcp/entry-options.ts';
import { hookRequest } from './install.ts';

const examples = `
Examples:
  $ cairn hook remove claude                  from this project; shows the changes and asks first
  $ cairn hook remove codex --scope user --yes
  $ cairn hook remove agents-md --dry-run     show the changes only

Restores the files as they were. If a file was changed since, only the hook or the section is removed from it; a skill that
was changed stays. A hook that another person installed in a shared repository is removed too.

Exit status: 0 if it is removed, 1 if nothing is installed or you answered no, 2 on an error.`;

export const hookRemoveCommand: CommandFactory = defineCommand({
  description: "Remove what 'cairn hook install' added to a host. Shows the changes first.",
  summary: 'undo an installation',
  args: [['<host>', 'claude, codex, or agents-md']],
  options: [...placeOptions, stateOption, ...confirmOptions],
  examples,
  run: async (session, flags: EntryFlags, id: string) => {
    const request = await hookRequest(id, flags, session);
    const { runRemove } = await import('./run-hook.ts');
    return runRemove(request, session);
  },
});
