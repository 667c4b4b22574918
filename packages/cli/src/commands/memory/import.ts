import { ExitCode } from '../../terminal/exit.ts';
import { readGiven } from '../../terminal/input.ts';
import { wholeNumber } from '../../terminal/options.ts';
import { countOf } from '../../terminal/text.ts';
import type { CommandFactory } from '../command.ts';
import { memoryCommand } from './memory-command.ts';
import type { StoreFlags } from './options.ts';
import type { MemoryFlags } from './store.ts';

interface ImportFlags extends StoreFlags, Pick<MemoryFlags, 'keep' | 'days'> {}

/** The days that messages are kept unless a program states others. */
const DEFAULT_DAYS = 30;

export const memoryImportCommand: CommandFactory = memoryCommand({
  description: 'Read an export, or the file of the MCP memory server. Existing records stay unchanged.',
  summary: 'read an export, or the file of the MCP memory server',
  args: [['[file]', 'JSON lines; - reads standard input (default: standard input)']],
  options: [
    ['--keep <n>', 'keep the newest N messages of the group (default: 50)', wholeNumber({ minimum: 1 })],
    ['--days <n>', 'keep messages for N days (default: 30)', wholeNumber({ unit: 'days', minimum: 1 })],
  ],
  writes: true,
  run: async ({ memory, session, signal, print, notice }, flags: ImportFlags, file: string | undefined) => {
    const text = await readGiven(file, session, 'pipe the lines, or name a file');
    // Unlike `readline`, which also splits at line separators inside a message.
    const result = await memory.import(text.split('\n'), { signal });
    const { added, present, dropped, unknown, problems } = result;
    const already = present === 0 ? [] : [`${present} already existed`];
    const reason =
      problems.length === 0
        ? 'they are too old or too many; raise --days or --keep'
        : 'their key has a problem, or they are too old or too many';
    const over = dropped === 0 ? [] : [`${dropped} were not imported, because ${reason}`];
    const kept =
      unknown === 0
        ? []
        : [
            unknown === 1
              ? '1 is kept as it is for the next export, because it is not readable'
              : `${unknown} are kept as they are for the next export, because they are not readable`,
          ];
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
