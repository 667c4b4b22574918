/** The commands that copy the whole memory. */
import { resolve } from 'node:path';
import { quotePath } from '@cairn/tool/paths';
import type { Problem } from '@cairn/memory';
import { UsageError } from '../../terminal/errors.ts';
import { ExitCode } from '../../terminal/exit.ts';
import { readGiven } from '../../terminal/input.ts';
import { oneOf, wholeNumber } from '../../terminal/options.ts';
import { writeLines } from '../../terminal/output.ts';
import { shellQuote } from '../../terminal/shell-quote.ts';
import { countOf, formatBytes } from '../../terminal/text.ts';
import type { CommandFactory } from '../command.ts';
import { memoryCommand } from './memory-command.ts';
import { emptyHint } from './messages.ts';
import { groupOption, scopeOption, streamOption } from './options.ts';

export const memoryBackupCommand: CommandFactory = memoryCommand({
  description:
    'Copy the memory to a new file while it is in use, and check the copy. The copy of a damaged memory has every readable record.',
  summary: 'copy the memory to a new file, and check the copy',
  args: [['<file>', 'the new file']],
  check: (_, file) => {
    const fix = "name a new file, such as 'memory.db'";
    if (file === '') throw new UsageError('the name of the file is empty', fix);
    if (file === '-') throw new UsageError('a backup is a file, and cannot go to standard output', fix);
  },
  absent: () => ({ bytes: 0 }),
  run: async ({ memory, context, signal, print, notice, where }, _, file) => {
    const path = resolve(context.cwd, file);
    const { bytes, problems } = await memory.backup(path, { signal });
    for (const { message } of problems) notice(message);
    const copied = `copied and checked ${formatBytes(bytes)}`;
    notice(
      problems.length === 0
        ? `${copied}; 'cairn memory stats --store ${shellQuote(path)}' describes the copy`
        : `the memory is damaged; ${copied} with every readable record; 'cairn memory restore ${shellQuote(path)} --store ${shellQuote(where)}' uses the copy instead`,
    );
    await print([quotePath(path)], { path, bytes, problems });
    return problems.length === 0 ? ExitCode.Hit : ExitCode.Error;
  },
});

const exportOptions = [
  [
    '--format <form>',
    'jsonl (everything, for import) or markdown (facts) (default: jsonl)',
    oneOf(['jsonl', 'markdown']),
  ],
  scopeOption('with markdown: only facts of the project, or of the user'),
  streamOption('only messages of this stream'),
  groupOption('only messages of groups with this name'),
] as const;

export const memoryExportCommand: CommandFactory = memoryCommand({
  description:
    'Write everything as JSON lines, only the messages of a stream or a group, or the facts as Markdown: all of them, or one scope. --json affects only errors.',
  summary: 'write everything as JSON lines, or facts as Markdown',
  options: exportOptions,
  check: ({ format, scope, stream, group }) => {
    if (format === 'markdown' ? stream === undefined && group === undefined : scope === undefined) return;
    throw new UsageError(
      '--scope works only with --format markdown, --stream and --group only without it',
      'leave them out: Markdown has facts, JSON lines of a stream or a group have messages',
    );
  },
  ofProject: ({ scope }) => (scope === 'project' ? 'needed' : undefined),
  absent: () => undefined,
  run: async ({ memory, context, signal, notice, where }, flags) => {
    const { format = 'jsonl', scope, stream, group } = flags;
    let isWhole = true;
    const onProblem = ({ message }: Problem): void => {
      isWhole = false;
      notice(message);
    };
    const texts = memory.export({ format, scope, stream, group, onProblem, signal });
    let count = 0;
    for await (const text of texts) {
      await writeLines(context.out, [text], signal);
      count += 1;
    }
    if (count === 0) notice(format === 'markdown' ? 'there are no facts' : await emptyHint(memory, where));
    if (!isWhole) return ExitCode.Error;
    return count > 0 ? ExitCode.Hit : ExitCode.None;
  },
});

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
  run: async ({ memory, context, signal, print, notice }, flags, file) => {
    const text = await readGiven(file, context, 'pipe the lines, or name a file');
    // Unlike `readline`, which also splits at line separators inside a message.
    const result = await memory.import(text.split('\n'), { signal });
    const { added, present, dropped, unknown, problems } = result;
    const already = present === 0 ? [] : [`${present} already existed`];
    const reason =
      problems.length === 0
        ? 'they are too old or too many; raise --days or --keep'
        : 'their key has a problem, or they are too old or too many';
    const over = dropped === 0 ? [] : [`${dropped} were not imported, because ${reason}`];
    const [they, are] = unknown === 1 ? ['it', 'is'] : ['they', 'are'];
    const kept =
      unknown === 0
        ? []
        : [`${unknown} ${are} kept as ${they} ${are} for the next export, because ${they} ${are} not readable`];
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
