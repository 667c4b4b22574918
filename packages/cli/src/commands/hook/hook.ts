import { defineGroup, type CommandFactory } from '../command.ts';

const examples = `
Examples:
  $ cairn hook install                         the hosts, and where each is installed
  $ cairn hook install claude                  the hook and the skills of Claude Code, for this project
  $ cairn hook install agents-md               a section of AGENTS.md, for hosts without hooks
  $ cairn hook remove claude                   undo it
  $ cairn hook phase                           the phase of the work, from git's state
  $ cairn hook session-start --host claude     what Claude Code runs at the start of a session
  $ cairn hook session-start --host generic    the same text, to read it

Exit status: 0 if something was done or found, 1 if not, 2 on an error; of 'session-start' always 0.`;

export const hookCommand: CommandFactory = defineGroup({
  description: 'Show knowledge to agent hosts at the start of a session, and install the hooks that do so.',
  summary: 'show knowledge to agent hosts',
  examples,
});
