import { ExitCode } from '../../terminal/exit.ts';
import { filled } from '../../terminal/options.ts';
import type { CommandFactory } from '../command.ts';
import { memoryCommand } from '../memory/memory-command.ts';
import type { StoreFlags } from '../memory/options.ts';
import { workflowArgument } from './settings.ts';

interface CancelFlags extends StoreFlags {
  readonly reason?: string;
}

export const workflowCancelCommand: CommandFactory = memoryCommand({
  description: 'End a workflow. A process that works on it stops before the next call.',
  summary: 'end a workflow',
  args: [workflowArgument],
  options: [['--reason <text>', 'why, for its record', filled]],
  run: async ({ memory, signal, print }, { reason }: CancelFlags, id: string) => {
    const record = await memory.workflows.cancel(id, { reason, signal });
    await print([`cancelled ${record.id}`], record);
    return ExitCode.Hit;
  },
});
