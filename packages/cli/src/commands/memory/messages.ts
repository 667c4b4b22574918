import type { Message } from '@cairn/memory';
import type { Session } from '../../terminal/session.ts';
import type { CommandFactory } from '../command.ts';
import { emptyHint } from './hints.ts';
import { formatTime, textLines } from './lines.ts';
import { memoryCommand } from './memory-command.ts';
import { groupOption, limitOption, streamOption, type GroupFlags } from './options.ts';

function* messageLines(messages: Iterable<Message>, session: Session): Generator<string, void, undefined> {
  for (const { id, time, role, author, content } of messages) {
    const by = author === undefined ? role : `${role} ${author}`;
    yield* textLines(`${formatTime(time)} ${id} ${by}: `, content, session);
  }
}

export const memoryMessagesCommand: CommandFactory = memoryCommand({
  description: 'Show the messages of a group, newest last.',
  summary: 'show the messages of a group',
  options: [
    streamOption('stream (default: agent)'),
    groupOption('group (default: default)'),
    limitOption('messages', 'all'),
  ],
  run: async ({ memory, session, signal, printMatches, notice, where }, flags: GroupFlags) => {
    const { DEFAULT_GROUP, DEFAULT_STREAM } = await import('@cairn/memory/internal');
    const { stream = DEFAULT_STREAM, group = DEFAULT_GROUP, limit } = flags;
    const found = await memory.messages.history({ stream, group }, { limit, signal });
    if (found.length === 0) notice(await emptyHint(memory, where));
    // The newest message is the last line, next to the prompt.
    return printMatches(messageLines(found.toReversed(), session), found, { limit });
  },
});
