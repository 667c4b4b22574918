import { Option } from 'commander';
import { storeOptions, withMemory, type StoreFlags } from '../../memory/store.ts';
import { ExitCode } from '../../terminal/exit.ts';
import { givenText } from '../../terminal/input.ts';
import type { Session } from '../../terminal/session.ts';
import type { CommandFactory } from '../command.ts';

interface AddFlags extends StoreFlags {
  readonly source: string;
  readonly permanent?: boolean;
}

interface Given {
  readonly workflow: string;
  readonly text: string | undefined;
}

async function add({ workflow, text }: Given, flags: AddFlags, session: Session): Promise<number> {
  const content = (await givenText(text, session.input, 'pipe the text, or give it as an argument')).replace(
    /\n$/u,
    '',
  );
  return withMemory(session, {
    flags,
    writes: true,
    run: async (memory, { print, notice }) => {
      const options = { temporary: flags.permanent !== true, signal: session.signal };
      const note = await memory.storeNote(workflow, content, flags.source, options);
      notice(`stored for ${workflow}, for ${note.temporary ? '30 minutes' : '3 days'}`);
      await print([], { workflowId: workflow, ...note });
      return ExitCode.Hit;
    },
  });
}

export const notesAddCommand: CommandFactory = (command, session, done) => {
  command
    .description('Write a note for later steps of a workflow.')
    .summary('write a note for later steps of a workflow')
    .argument('<workflow>', 'the workflow')
    .argument('[text]', 'the note; - reads standard input (default: standard input)')
    .addOption(new Option('--source <name>', 'name of the step that writes the note').default('cli', 'cli'))
    .addOption(new Option('--permanent', 'keep the note for 3 days'))
    .action(async (workflow: string, text: string | undefined, flags: AddFlags) =>
      done(await add({ workflow, text }, flags, session)),
    );
  for (const option of storeOptions()) command.addOption(option);
};
