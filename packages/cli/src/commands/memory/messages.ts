import type { Message } from '@cairn/memory';
import { formatTime, textLines } from '../../memory/lines.ts';
import { withMemory } from '../../memory/store.ts';
import type { Session } from '../../terminal/session.ts';
import type { CommandFactory } from '../command.ts';
import { emptyHint } from './hints.ts';
import { addOptions, groupOf, limitOption, oneGroupOptions, type GroupFlags } from './options.ts';

function* messageLines(messages: Iterable<Message>, session: Session): Generator<string, void, undefined> {
  for (const { id, time, role, author, content } of messages) {
    const by = author === undefined ? role : `${role} ${author}`;
    yield* textLines(`${formatTime(time)} ${id} ${by}: `, content, session);
  }
}

async function messages(flags: GroupFlags, session: Session): Promise<number> {
  const place = await groupOf(flags);
  const { limit } = flags;
  return withMemory(session, {
    flags,
    run: async (memory, { printMatches, notice, where }) => {
      const found = await memory.messages.history(place, { limit, signal: session.signal });
      if (found.length === 0) notice(await emptyHint(memory, where));
      // The newest message is the last line, next to the prompt.
      return printMatches(messageLines(found.toReversed(), session), found, { limit });
    },
  });
}

export const memoryMessagesCommand: CommandFactory = (command, session, done) => {
  command
    .description('Show the messages of a group, newest last.')
    .summary('show the messages of a group')
    .action(async (flags: GroupFlags) => done(await messages(flags, session)));
  addOptions(command, [...oneGroupOptions(), limitOption('messages', 'all')]);
};
