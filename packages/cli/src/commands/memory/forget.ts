import { Option } from 'commander';
import { withMemory } from '../../memory/store.ts';
import { UsageError } from '../../terminal/errors.ts';
import { ExitCode } from '../../terminal/exit.ts';
import { once } from '../../terminal/options.ts';
import type { Session } from '../../terminal/session.ts';
import { countOf } from '../../terminal/text.ts';
import type { CommandFactory } from '../command.ts';
import { addOptions, groupOption, streamOption, type GroupFlags } from './options.ts';

interface ForgetFlags extends GroupFlags {
  readonly message?: string;
}

async function forget(flags: ForgetFlags, session: Session): Promise<number> {
  const { stream, group, message } = flags;
  if (stream === undefined) {
    throw new UsageError('--stream is missing', 'add --stream <name>; to delete less, also add --group or --message');
  }
  return withMemory(session, {
    flags,
    absent: () => ({ removed: 0, erased: 'done', problems: [] }),
    run: async (memory, { print, notice }) => {
      const { removed, erased, problems } = await memory.forget({ stream, group, message, signal: session.signal });
      notice(removed === 0 ? 'no message matches; nothing was deleted' : `deleted ${countOf(removed, 'message')}`);
      if (erased === 'pending') notice('another process reads the file: a later command erases the text from it');
      for (const problem of problems) notice(problem.message);
      await print([], { removed, erased, problems });
      if (problems.length > 0) return ExitCode.Error;
      return removed > 0 ? ExitCode.Hit : ExitCode.None;
    },
  });
}

export const memoryForgetCommand: CommandFactory = (command, session, done) => {
  command
    .description('Delete a message, a group or a stream.')
    .action(async (flags: ForgetFlags) => done(await forget(flags, session)));
  addOptions(command, [
    streamOption('the stream'),
    groupOption('only this group'),
    new Option('--message <id>', 'only this message').argParser(once('--message', 'run the command for each message')),
  ]);
};
