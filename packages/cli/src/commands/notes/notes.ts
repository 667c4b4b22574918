import { escapeControls } from '@cairn/tool/paths';
import { ExitCode } from '../../terminal/exit.ts';
import { givenText } from '../../terminal/input.ts';
import { countOf } from '../../terminal/text.ts';
import { defineGroup, type CommandFactory } from '../command.ts';
import { describeKey, formatTime, textLines } from '../memory/lines.ts';
import { memoryCommand, type MemoryPlace } from '../memory/memory-command.ts';

export const notesCommand: CommandFactory = defineGroup({
  description: 'Show and write the notes that the steps of a workflow leave for later steps.',
  summary: 'notes between the steps of a workflow',
  examples: `
Examples:
  $ cairn notes add build 'the tests need redis-server'   for later steps of the workflow build
  $ cairn notes list build                                its notes, newest first
  $ cairn notes list                                      all workflows that have notes

A note expires after 30 minutes, or after 3 days with --permanent. A workflow keeps its newest 100 notes.`,
});

async function listWorkflows({ memory, signal, printMatches, notice }: MemoryPlace): Promise<number> {
  const all = await memory.listNotes({ signal });
  if (all.length === 0) notice('there are no notes');
  const lines = all.map(({ workflowId, notes, bytes, expiresInMs }) =>
    escapeControls(`${workflowId}: ${describeKey(countOf(notes, 'note'), bytes, expiresInMs)}`),
  );
  return printMatches(lines, all);
}

export const notesListCommand: CommandFactory = memoryCommand({
  description: 'List the notes of a workflow, newest first, or the workflows that have notes.',
  summary: 'list the notes of a workflow, or the workflows',
  args: [['[workflow]', 'the workflow']],
  run: async (place, _, workflow) => {
    if (workflow === undefined) return listWorkflows(place);
    const { memory, context, signal, printMatches, notice } = place;
    const notes = await memory.getNotes(workflow, { signal });
    if (notes.length === 0) notice(`the workflow ${workflow} has no notes, or they have expired`);
    const lines = notes.flatMap(({ content, source, time, temporary }) => {
      return [...textLines(`${formatTime(time)} ${source}${temporary ? '' : ' (permanent)'}: `, content, context)];
    });
    return printMatches(lines, notes);
  },
});

export const notesAddCommand: CommandFactory = memoryCommand({
  description: 'Write a note for later steps of a workflow.',
  args: [
    ['<workflow>', 'the workflow'],
    ['[text]', 'the note; - reads standard input (default: standard input)'],
  ],
  options: [
    ['--source <name>', 'name of the step that writes the note (default: cli)'],
    ['--permanent', 'keep the note for 3 days'],
  ],
  writes: true,
  run: async (place, { source = 'cli', permanent = false }, workflow, given) => {
    const { memory, context, signal, print, notice } = place;
    const text = await givenText(given, context.input, 'pipe the text, or give it as an argument');
    const options = { temporary: !permanent, signal };
    const note = await memory.storeNote(workflow, text.replace(/\n$/u, ''), source, options);
    notice(`stored for ${workflow}, for ${note.temporary ? '30 minutes' : '3 days'}`);
    await print([], { workflowId: workflow, ...note });
    return ExitCode.Hit;
  },
});
