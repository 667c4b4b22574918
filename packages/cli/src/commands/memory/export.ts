import { withMemory } from '../../memory/store.ts';
import { ExitCode } from '../../terminal/exit.ts';
import { writeLines } from '../../terminal/output.ts';
import type { Session } from '../../terminal/session.ts';
import type { CommandFactory } from '../command.ts';
import { nothingFoundHint } from './hints.ts';
import { addOptions, groupOption, streamOption, type GroupFlags } from './options.ts';

async function exportAll(flags: GroupFlags, session: Session): Promise<number> {
  const { stream, group } = flags;
  return withMemory(session, {
    flags,
    absent: () => undefined,
    run: async (memory, { notice, where }) => {
      let lines = 0;
      for await (const line of memory.export({ stream, group, signal: session.signal })) {
        await writeLines(session.out, [line], session.signal);
        lines += 1;
      }
      if (lines === 0) notice(await nothingFoundHint(memory, where));
      return lines > 0 ? ExitCode.Hit : ExitCode.None;
    },
  });
}

export const memoryExportCommand: CommandFactory = (command, session, done) => {
  command
    .description(
      'Write everything as JSON lines, or only the messages of a stream or a group. --json affects only errors.',
    )
    .action(async (flags: GroupFlags) => done(await exportAll(flags, session)));
  addOptions(command, [
    streamOption('only messages of this stream'),
    groupOption('only messages of groups with this name'),
  ]);
};
