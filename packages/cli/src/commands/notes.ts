import { Option, type Command } from 'commander';
import { ExitCode } from '../exit.ts';
import { readText } from '../input.ts';
import { describeKey, formatTime, textLines } from '../memory/lines.ts';
import { storeOptions, withMemory, type StoreFlags } from '../memory/store.ts';
import type { Session } from '../session.ts';
import { countOf } from '../text.ts';

const examples = `
Examples:
  $ cairn notes add build 'the tests need redis-server'   for the later steps of the workflow build
  $ cairn notes list build                                its notes, newest first
  $ cairn notes list                                      the workflows that have notes

A note ends after 30 minutes, or with --permanent after 3 days. A workflow keeps its newest 100.`;

interface NotesFlags extends StoreFlags {
  readonly source: string;
  readonly permanent?: boolean;
}

async function list(workflow: string | undefined, flags: NotesFlags, session: Session): Promise<number> {
  return withMemory(session, {
    flags,
    run: async (memory, { print, notice }) => {
      if (workflow === undefined) {
        const all = await memory.listNotes({ signal: session.signal });
        const lines = all.map(({ workflowId, notes, bytes, expiresInMs }) => {
          return `${workflowId}: ${describeKey(countOf(notes, 'note'), bytes, expiresInMs)}`;
        });
        await print(
          lines.flatMap((line) => [...textLines('', line, session)]),
          all,
        );
        if (all.length === 0) await notice('there are no notes');
        return all.length > 0 ? ExitCode.Hit : ExitCode.None;
      }
      const notes = await memory.getNotes(workflow, { signal: session.signal });
      const lines = notes.flatMap(({ content, source, time, temporary }) => {
        return [...textLines(`${formatTime(time)} ${source}${temporary ? '' : ' (permanent)'}: `, content, session)];
      });
      await print(lines, notes);
      if (notes.length === 0) await notice(`the workflow ${workflow} has no notes, or they have ended`);
      return notes.length > 0 ? ExitCode.Hit : ExitCode.None;
    },
  });
}

interface Given {
  readonly workflow: string;
  readonly text: string | undefined;
}

async function add({ workflow, text }: Given, flags: NotesFlags, session: Session): Promise<number> {
  const content =
    text ?? (await readText(session.input, 'pipe the text, or give it as an argument')).replace(/\n$/u, '');
  return withMemory(session, {
    flags,
    writes: true,
    run: async (memory, { print, notice }) => {
      const options = { temporary: flags.permanent !== true, signal: session.signal };
      const note = await memory.storeNote(workflow, content, flags.source, options);
      await print([], { workflowId: workflow, ...note });
      await notice(`noted for ${workflow}, for ${note.temporary ? '30 minutes' : '3 days'}`);
      return ExitCode.Hit;
    },
  });
}

type CommandFactory = (command: Command, session: Session, done: (exitCode: number) => void) => void;

function finish(command: Command): void {
  for (const option of storeOptions()) command.addOption(option);
}

/** The commands by what is typed. */
export const notesCommands: Readonly<Record<string, CommandFactory>> = {
  notes: (command) =>
    command
      .description('The notes that the steps of a workflow leave for one another.')
      .summary('notes of the steps of a workflow')
      .addHelpText('after', examples),
  'notes list': (command, session, done) => {
    command
      .description('List the notes of a workflow, newest first, or the workflows that have notes.')
      .argument('[workflow]', 'the workflow')
      .action(async (workflow: string | undefined, flags: NotesFlags) => done(await list(workflow, flags, session)));
    finish(command);
  },
  'notes add': (command, session, done) => {
    command
      .description('Leave a note for the later steps of a workflow.')
      .argument('<workflow>', 'the workflow')
      .argument('[text]', 'the note (default: what is piped in)')
      .addOption(new Option('--source <name>', 'which step writes it').default('cli', 'cli'))
      .addOption(new Option('--permanent', 'keep it for 3 days'))
      .action(async (workflow: string, text: string | undefined, flags: NotesFlags) =>
        done(await add({ workflow, text }, flags, session)),
      );
    finish(command);
  },
};
