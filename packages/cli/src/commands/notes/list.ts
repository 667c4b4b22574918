import { escapeControls } from '@cairn/tool/paths';
import { describeKey, formatTime, textLines } from '../../memory/lines.ts';
import { storeOptions, withMemory, type StoreFlags } from '../../memory/store.ts';
import type { Session } from '../../terminal/session.ts';
import { countOf } from '../../terminal/text.ts';
import type { CommandFactory } from '../command.ts';

async function listWorkflows(flags: StoreFlags, session: Session): Promise<number> {
  return withMemory(session, {
    flags,
    run: async (memory, { printMatches, notice }) => {
      const all = await memory.listNotes({ signal: session.signal });
      if (all.length === 0) notice('there are no notes');
      const lines = all.map(({ workflowId, notes, bytes, expiresInMs }) =>
        escapeControls(`${workflowId}: ${describeKey(countOf(notes, 'note'), bytes, expiresInMs)}`),
      );
      return printMatches(lines, all);
    },
  });
}

async function listNotes(workflow: string, flags: StoreFlags, session: Session): Promise<number> {
  return withMemory(session, {
    flags,
    run: async (memory, { printMatches, notice }) => {
      const notes = await memory.getNotes(workflow, { signal: session.signal });
      if (notes.length === 0) notice(`the workflow ${workflow} has no notes, or they have expired`);
      const lines = notes.flatMap(({ content, source, time, temporary }) => {
        return [...textLines(`${formatTime(time)} ${source}${temporary ? '' : ' (permanent)'}: `, content, session)];
      });
      return printMatches(lines, notes);
    },
  });
}

export const notesListCommand: CommandFactory = (command, session, done) => {
  command
    .description('List the notes of a workflow, newest first, or the workflows that have notes.')
    .summary('list the notes of a workflow, or the workflows')
    .argument('[workflow]', 'the workflow')
    .action(async (workflow: string | undefined, flags: StoreFlags) =>
      done(await (workflow === undefined ? listWorkflows(flags, session) : listNotes(workflow, flags, session))),
    );
  for (const option of storeOptions()) command.addOption(option);
};
