import type { Memory, Message } from '@cairn/memory';
import { escapeControls } from '@cairn/tool/paths';
import type { CommandContext } from '../../terminal/command-context.ts';
import { countOf } from '../../terminal/text.ts';
import type { CommandFactory } from '../command.ts';
import { describeKey, formatTime, textLines } from './lines.ts';
import { memoryCommand } from './memory-command.ts';
import { groupOption, limitOption, streamOption } from './options.ts';

/** Returns a notice with the messages of the whole memory, for a selection that is empty. */
export async function emptyHint(memory: Memory, where: string): Promise<string> {
  const { groups, streams, messages } = await memory.stats();
  if (messages === 0) return `the memory at ${where} has no messages`;
  const all = `${countOf(messages, 'message')} in ${countOf(groups, 'group')} of ${countOf(streams, 'stream')}`;
  return `nothing found; the memory has ${all}: see 'cairn memory groups', choose with --stream and --group`;
}

export const memoryGroupsCommand: CommandFactory = memoryCommand({
  description: 'List the groups that have messages.',
  options: [streamOption('only this stream')],
  run: async ({ memory, signal, printMatches, notice, where }, { stream: only }) => {
    const found = await memory.listGroups({ stream: only, signal });
    if (found.length === 0) notice(await emptyHint(memory, where));
    const lines = found.map(({ stream, group, messages, bytes, expiresInMs }) =>
      escapeControls(`${stream}/${group}: ${describeKey(countOf(messages, 'message'), bytes, expiresInMs)}`),
    );
    return printMatches(lines, found);
  },
});

function* messageLines(messages: Iterable<Message>, context: CommandContext): Generator<string, void, undefined> {
  for (const { id, time, role, author, content } of messages) {
    const by = author === undefined ? role : `${role} ${author}`;
    yield* textLines(`${formatTime(time)} ${id} ${by}: `, content, context);
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
  run: async ({ memory, context, signal, printMatches, notice, where }, flags) => {
    const { DEFAULT_GROUP, DEFAULT_STREAM } = await import('@cairn/memory/internal');
    const { stream = DEFAULT_STREAM, group = DEFAULT_GROUP, limit } = flags;
    const found = await memory.messages.history({ stream, group }, { limit, signal });
    if (found.length === 0) notice(await emptyHint(memory, where));
    // The newest message is the last line, next to the prompt.
    return printMatches(messageLines(found.toReversed(), context), found, { limit });
  },
});
