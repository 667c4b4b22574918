import type { CommandFactory } from '../command.ts';
import { formatTime, textLines } from '../memory/lines.ts';
import { memoryCommand } from '../memory/memory-command.ts';

export const workflowListCommand: CommandFactory = memoryCommand({
  description: 'List the workflows, last updated first.',
  run: async ({ memory, session, signal, printMatches, notice }) => {
    const all = await memory.workflows.list({ signal });
    if (all.length === 0) notice('there are no workflows');
    const lines = all.flatMap(({ id, goal, streamName, status, done, partlyDone, todos, updatedAt }) => {
      const partly = partlyDone === 0 ? '' : `, ${partlyDone} partly`;
      const heading = `${id} ${status}, ${done - partlyDone} of ${todos} done${partly}, ${formatTime(updatedAt)}, ${streamName}: `;
      return [...textLines(heading, goal, session)];
    });
    return printMatches(lines, all);
  },
});
