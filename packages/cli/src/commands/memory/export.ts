import type { Memory } from '@cairn/memory';
import { UsageError } from '../../terminal/errors.ts';
import { ExitCode } from '../../terminal/exit.ts';
import { oneOf } from '../../terminal/options.ts';
import { writeLines } from '../../terminal/output.ts';
import type { CommandFactory } from '../command.ts';
import { emptyHint } from './hints.ts';
import { memoryCommand } from './memory-command.ts';
import { groupOption, scopeOption, streamOption, type GroupFlags, type ProjectFlags } from './options.ts';

interface ExportFlags extends GroupFlags, ProjectFlags {
  readonly format?: 'jsonl' | 'markdown';
  readonly scope?: 'project' | 'user';
}

/** Returns the facts of one scope as Markdown; nothing when it has none. */
async function* markdownOf(
  { facts }: Memory,
  scope: 'project' | 'user',
  signal: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  const selection = { scope, allStreams: true, signal };
  const { total } = await facts.list({ ...selection, limit: 1 });
  if (total > 0) yield (await facts.toMarkdown(selection)).trimEnd();
}

export const memoryExportCommand: CommandFactory = memoryCommand<ExportFlags, []>({
  description:
    'Write everything as JSON lines, only the messages of a stream or a group, or the facts as Markdown: all of them, or those of a scope. --json affects only errors.',
  summary: 'write everything as JSON lines, or facts as Markdown',
  options: [
    [
      '--format <form>',
      'jsonl (everything, for import) or markdown (facts) (default: jsonl)',
      oneOf(['jsonl', 'markdown']),
    ],
    scopeOption('with markdown: only facts of the project, or of the user'),
    streamOption('only messages of this stream'),
    groupOption('only messages of groups with this name'),
  ],
  check: ({ format, scope, stream, group }) => {
    if (format === 'markdown' ? stream === undefined && group === undefined : scope === undefined) return;
    throw new UsageError(
      '--scope works only with --format markdown, --stream and --group only without it',
      'leave them out: Markdown has facts, JSON lines of a stream or a group have messages',
    );
  },
  ofProject: ({ scope }) => (scope === 'project' ? 'needed' : undefined),
  absent: () => undefined,
  run: async ({ memory, session, signal, notice, where }, flags) => {
    const { format = 'jsonl', scope, stream, group } = flags;
    const texts =
      scope === undefined ? memory.export({ format, stream, group, signal }) : markdownOf(memory, scope, signal);
    let count = 0;
    for await (const text of texts) {
      await writeLines(session.out, [text], signal);
      count += 1;
    }
    if (count === 0) notice(format === 'markdown' ? 'there are no facts' : await emptyHint(memory, where));
    return count > 0 ? ExitCode.Hit : ExitCode.None;
  },
});
