import { retentionOptions, withMemory } from '../../memory/store.ts';
import { ExitCode } from '../../terminal/exit.ts';
import { readGiven } from '../../terminal/input.ts';
import type { Session } from '../../terminal/session.ts';
import { countOf } from '../../terminal/text.ts';
import type { CommandFactory } from '../command.ts';
import { addOptions, type GroupFlags } from './options.ts';

/** The days that messages are kept unless a program states others. */
const DEFAULT_DAYS = 30;

async function importAll(file: string | undefined, flags: GroupFlags, session: Session): Promise<number> {
  const text = await readGiven(file, session, 'pipe the lines, or name a file');
  // Unlike `readline`, which also splits at line separators inside a message.
  const lines = text.split('\n');
  return withMemory(session, {
    flags,
    writes: true,
    run: async (memory, { print, notice }) => {
      const result = await memory.import(lines, { signal: session.signal });
      const { added, present, dropped, unknown, problems } = result;
      const already = present === 0 ? [] : [`${present} already existed`];
      const reason =
        problems.length === 0
          ? 'they are too old or too many; raise --days or --keep'
          : 'their key has a problem, or they are too old or too many';
      const over = dropped === 0 ? [] : [`${dropped} were not imported, because ${reason}`];
      const kept =
        unknown === 0 ? [] : [`${unknown} are kept as they are for the next export, because they are not readable`];
      notice([`imported ${added} of ${countOf(result.lines, 'line')}`, ...already, ...over, ...kept].join('; '));
      if ((flags.days ?? 0) > DEFAULT_DAYS) {
        notice(
          `messages older than ${DEFAULT_DAYS} days are found only by programs that keep them as long, not by these commands, and ` +
            'the next message that is kept for less removes them from its group',
        );
      }
      for (const problem of problems) notice(problem.message);
      await print([], result);
      return dropped === 0 ? ExitCode.Hit : ExitCode.Error;
    },
  });
}

export const memoryImportCommand: CommandFactory = (command, session, done) => {
  command
    .description('Read an export, or the file of the MCP memory server. Existing records stay unchanged.')
    .summary('read an export, or the file of the MCP memory server')
    .argument('[file]', 'JSON lines; - reads standard input (default: standard input)')
    .action(async (file: string | undefined, flags: GroupFlags) => done(await importAll(file, flags, session)));
  addOptions(command, retentionOptions());
};
