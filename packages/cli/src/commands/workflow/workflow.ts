import type { CommandFactory } from '../command.ts';

const examples = `
Examples:
  $ cairn workflow list                                   all workflows, last updated first
  $ cairn workflow show workflow_1703123456789_abc123     its steps, their results and its notes

A workflow expires 3 days after its last update.`;

export const workflowCommand: CommandFactory = (command) => {
  command
    .description('Show the workflows of agents and their progress.')
    .summary('workflows of agents and their progress')
    .addHelpText('after', examples);
};
