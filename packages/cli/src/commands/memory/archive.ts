import { onFact } from '../../memory/find-by-id.ts';
import { factLines } from '../../memory/lines.ts';
import { withMemory, type ProjectFlags } from '../../memory/store.ts';
import { ExitCode } from '../../terminal/exit.ts';
import type { Session } from '../../terminal/session.ts';
import type { CommandFactory } from '../command.ts';
import { addFactOptions } from './options.ts';

async function change(what: 'archive' | 'restore', id: string, flags: ProjectFlags, session: Session): Promise<number> {
  const { signal } = session;
  return withMemory(session, {
    flags,
    ofProject: 'wanted',
    absent: () => ({}),
    run: async (memory, { print, notice }) => {
      const fact = await onFact(memory, { id, signal }, () => memory.facts[what](id, { signal }));
      notice(
        what === 'archive' ? `archived ${id}; 'cairn memory restore ${id}' undoes it for 30 days` : `restored ${id}`,
      );
      await print(factLines(fact, session), fact);
      return ExitCode.Hit;
    },
  });
}

export const memoryArchiveCommand: CommandFactory = (command, session, done) => {
  command
    .description('Keep a fact, but let no search find it.')
    .summary('keep a fact, but let no search find it')
    .argument('<id>', 'the fact')
    .action(async (id: string, flags: ProjectFlags) => done(await change('archive', id, flags, session)));
  addFactOptions(command);
};

export const memoryRestoreCommand: CommandFactory = (command, session, done) => {
  command
    .description('Undo the last update, replacement or archiving of a fact, for 30 days.')
    .summary('undo the last change of a fact, for 30 days')
    .argument('<id>', 'the fact')
    .action(async (id: string, flags: ProjectFlags) => done(await change('restore', id, flags, session)));
  addFactOptions(command);
};
