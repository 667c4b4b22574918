import { Option } from 'commander';
import { storeOptions, withMemory, type StoreFlags } from '../../memory/store.ts';
import { ExitCode } from '../../terminal/exit.ts';
import { filled } from '../../terminal/options.ts';
import type { Session } from '../../terminal/session.ts';
import type { CommandFactory } from '../command.ts';

interface CancelFlags extends StoreFlags {
  readonly reason?: string;
}

async function cancel(id: string, flags: CancelFlags, session: Session): Promise<number> {
  return withMemory(session, {
    flags,
    run: async (memory, { print }) => {
      const { reason } = flags;
      const record = await memory.workflows.cancel(id, { reason, signal: session.signal });
      await print([`cancelled ${record.id}`], record);
      return ExitCode.Hit;
    },
  });
}

export const workflowCancelCommand: CommandFactory = (command, session, done) => {
  command
    .description('End a workflow. A process that works on it stops before the next call.')
    .summary('end a workflow')
    .argument('<id>', 'the workflow')
    .action(async (id: string, flags: CancelFlags) => done(await cancel(id, flags, session)))
    .addOption(new Option('--reason <text>', 'why, for its record').argParser(filled('--reason')));
  for (const option of storeOptions()) command.addOption(option);
};
