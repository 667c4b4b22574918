import { formatTime, textLines } from '../../memory/lines.ts';
import { storeOptions, withMemory, type StoreFlags } from '../../memory/store.ts';
import type { Session } from '../../terminal/session.ts';
import type { CommandFactory } from '../command.ts';

async function list(flags: StoreFlags, session: Session): Promise<number> {
  return withMemory(session, {
    flags,
    run: async (memory, { printMatches, notice }) => {
      const all = await memory.workflows.list({ signal: session.signal });
      if (all.length === 0) notice('there are no workflows');
      const lines = all.flatMap(({ id, goal, streamName, status, done, partlyDone, todos, updatedAt }) => {
        const partly = partlyDone === 0 ? '' : `, ${partlyDone} partly`;
        const heading = `${id} ${status}, ${done - partlyDone} of ${todos} done${partly}, ${formatTime(updatedAt)}, ${streamName}: `;
        return [...textLines(heading, goal, session)];
      });
      return printMatches(lines, all);
    },
  });
}

export const workflowListCommand: CommandFactory = (command, session, done) => {
  command
    .description('List the workflows, last updated first.')
    .summary('list the workflows, last updated first')
    .action(async (flags: StoreFlags) => done(await list(flags, session)));
  for (const option of storeOptions()) command.addOption(option);
};
