import { escapeControls } from '@cairn/tool/paths';
import { countOf } from '../../terminal/text.ts';
import type { CommandFactory } from '../command.ts';
import { emptyHint } from './hints.ts';
import { describeKey } from './lines.ts';
import { memoryCommand } from './memory-command.ts';
import { streamOption, type GroupFlags } from './options.ts';

export const memoryGroupsCommand: CommandFactory = memoryCommand({
  description: 'List the groups that have messages.',
  options: [streamOption('only this stream')],
  run: async ({ memory, signal, printMatches, notice, where }, { stream: only }: GroupFlags) => {
    const found = await memory.listGroups({ stream: only, signal });
    if (found.length === 0) notice(await emptyHint(memory, where));
    const lines = found.map(({ stream, group, messages, bytes, expiresInMs }) =>
      escapeControls(`${stream}/${group}: ${describeKey(countOf(messages, 'message'), bytes, expiresInMs)}`),
    );
    return printMatches(lines, found);
  },
});
