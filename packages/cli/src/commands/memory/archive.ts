import type { ProjectFlags } from '../../memory/store.ts';
import type { Session } from '../../terminal/session.ts';
import type { CommandFactory } from '../command.ts';
import { changeFact } from './change-fact.ts';
import { addFactOptions } from './options.ts';

function archive(id: string, flags: ProjectFlags, session: Session): Promise<number> {
  const { signal } = session;
  const done = `archived ${id}; 'cairn memory restore ${id}' undoes it for 30 days`;
  return changeFact({ id, run: ({ facts }) => facts.archive(id, { signal }), done }, flags, session);
}

function restore(id: string, flags: ProjectFlags, session: Session): Promise<number> {
  const { signal } = session;
  const done = `restored ${id}`;
  return changeFact({ id, run: ({ facts }) => facts.restore(id, { signal }), done }, flags, session);
}

export const memoryArchiveCommand: CommandFactory = (command, session, done) => {
  command
    .description('Keep a fact, but let no search find it.')
    .summary('keep a fact, but let no search find it')
    .argument('<id>', 'the fact')
    .action(async (id: string, flags: ProjectFlags) => done(await archive(id, flags, session)));
  addFactOptions(command);
};

export const memoryRestoreCommand: CommandFactory = (command, session, done) => {
  command
    .description('Undo the last update, replacement or archiving of a fact, for 30 days.')
    .summary('undo the last change of a fact, for 30 days')
    .argument('<id>', 'the fact')
    .action(async (id: string, flags: ProjectFlags) => done(await restore(id, flags, session)));
  addFactOptions(command);
};
