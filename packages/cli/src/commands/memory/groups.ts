import { escapeControls } from '@cairn/tool/paths';
import { describeKey } from '../../memory/lines.ts';
import { withMemory } from '../../memory/store.ts';
import type { Session } from '../../terminal/session.ts';
import { countOf } from '../../terminal/text.ts';
import type { CommandFactory } from '../command.ts';
import { emptyHint } from './hints.ts';
import { addOptions, streamOption, type GroupFlags } from './options.ts';

async function groups(flags: GroupFlags, session: Session): Promise<number> {
  return withMemory(session, {
    flags,
    run: async (memory, { printMatches, notice, where }) => {
      const found = await memory.listGroups({ stream: flags.stream, signal: session.signal });
      if (found.length === 0) notice(await emptyHint(memory, where));
      const lines = found.map(({ stream, group, messages, bytes, expiresInMs }) =>
        escapeControls(`${stream}/${group}: ${describeKey(countOf(messages, 'message'), bytes, expiresInMs)}`),
      );
      return printMatches(lines, found);
    },
  });
}

export const memoryGroupsCommand: CommandFactory = (command, session, done) => {
  command
    .description('List the groups that have messages.')
    .summary('list the groups that have messages')
    .action(async (flags: GroupFlags) => done(await groups(flags, session)));
  addOptions(command, [streamOption('only this stream')]);
};
