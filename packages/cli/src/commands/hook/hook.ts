import type { CommandFactory } from '../command.ts';

const examples = `
Examples:
  $ cairn hook session-start --host claude     what Claude Code runs at the start of a session
  $ cairn hook session-start --host generic    the same text, to read it

Exit status: 0; of 'session-start' also on an error.`;

export const hookCommand: CommandFactory = (command) => {
  command
    .description('Show knowledge to agent hosts at the start of a session.')
    .summary('show knowledge to agent hosts')
    .addHelpText('after', examples);
};
