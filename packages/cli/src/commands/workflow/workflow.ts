import { defineGroup, type CommandFactory } from '../command.ts';

const examples = `
Examples:
  $ cairn workflow run 'Make a table of the team'           works in steps, and asks what it must know
  $ cairn workflow resume workflow_1703123456789_abc123     continues it, also after a kill
  $ cairn workflow list                                   all workflows, last updated first
  $ cairn workflow show workflow_1703123456789_abc123     its steps, their results and its notes

A workflow expires 3 days after its last update.`;

export const workflowCommand: CommandFactory = defineGroup({
  description: 'Let a model work on a goal in steps, and show the workflows and their progress.',
  summary: 'goals that a model works on in steps',
  examples,
});
