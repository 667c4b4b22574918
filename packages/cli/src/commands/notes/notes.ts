import type { CommandFactory } from '../command.ts';

const examples = `
Examples:
  $ cairn notes add build 'the tests need redis-server'   for later steps of the workflow build
  $ cairn notes list build                                its notes, newest first
  $ cairn notes list                                      all workflows that have notes

A note expires after 30 minutes, or after 3 days with --permanent. A workflow keeps its newest 100 notes.`;

export const notesCommand: CommandFactory = (command) => {
  command
    .description('Show and write the notes that the steps of a workflow leave for later steps.')
    .summary('notes between the steps of a workflow')
    .addHelpText('after', examples);
};
