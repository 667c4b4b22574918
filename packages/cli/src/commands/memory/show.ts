import type { Message } from '@cairn/memory';
import { formatTime, textLines } from '../../memory/lines.ts';
import { withMemory } from '../../memory/store.ts';
import type { Session } from '../../terminal/session.ts';
import type { CommandFactory } from '../command.ts';
import { nothingFoundHint } from './hints.ts';
import { addOptions, groupOf, limitOption, oneGroupOptions, type GroupFlags } from './options.ts';

function* messageLines(messages: Iterable<Message>, session: Session): Generator<string, void, undefined> {
  for (const { id, time, role, author, content } of messages) {
    const by = author === undefined ? role : `${role} ${author}`;
    yield* textLines(`${formatTime(time)} ${id} ${by}: `, content, session);
  }
}

async function show(flags: GroupFlags, session: Session): Promise<number> {
  const place = await groupOf(flags);
  const { limit } = flags;
  return withMemory(session, {
    flags,
    run: async (memory, { printMatches, notice, where }) => {
      const messages = await memory.messages.history(place, { limit, signal: session.signal });
      if (messages.length === 0) notice(await nothingFoundHint(memory, where));
      // The newest message is the last line, next to the prompt.
      return printMatches(messageLines(messages.toReversed(), session), messages, { limit });
    },
  });
}

export const memoryShowCommand: CommandFactory = (command, session, done) => {
  command
    .description('Show the messages of a group, newest last.')
    .action(async (flags: GroupFlags) => done(await show(flags, session)));
  addOptions(command, [...oneGroupOptions(), limitOption('all')]);
};
