import { formatTime, textLines } from '../../memory/lines.ts';
import { withMemory } from '../../memory/store.ts';
import type { Session } from '../../terminal/session.ts';
import type { CommandFactory } from '../command.ts';
import { nothingFoundHint } from './hints.ts';
import { addOptions, groupOf, limitOption, oneGroupOptions, type GroupFlags } from './options.ts';

const DEFAULT_LIMIT = 10;

async function search(query: string, flags: GroupFlags, session: Session): Promise<number> {
  const place = await groupOf(flags);
  const limit = flags.limit ?? DEFAULT_LIMIT;
  return withMemory(session, {
    flags,
    run: async (memory, { printMatches, notice, where }) => {
      const { contexts: found } = await memory.recall({
        ...place,
        query,
        limit,
        signal: session.signal,
        onNotice: ({ message }) => notice(message),
      });
      if (found.length === 0) notice(await nothingFoundHint(memory, where));
      const lines = found
        .filter((one) => one.kind === 'message')
        .flatMap(({ id, time, by, content }) => [...textLines(`${formatTime(time)} ${id} ${by}: `, content, session)]);
      return printMatches(lines, found, { limit });
    },
  });
}

export const memorySearchCommand: CommandFactory = (command, session, done) => {
  command
    .description('Find messages by their words, best match first.')
    .argument('<query>', 'any text')
    .action(async (query: string, flags: GroupFlags) => done(await search(query, flags, session)));
  addOptions(command, [...oneGroupOptions(), limitOption(String(DEFAULT_LIMIT))]);
};
