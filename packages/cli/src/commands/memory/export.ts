import { Option } from 'commander';
import type { Memory } from '@cairn/memory';
import { withMemory, type ProjectFlags } from '../../memory/store.ts';
import { UsageError } from '../../terminal/errors.ts';
import { ExitCode } from '../../terminal/exit.ts';
import { oneOf } from '../../terminal/options.ts';
import { writeLines } from '../../terminal/output.ts';
import type { Session } from '../../terminal/session.ts';
import type { CommandFactory } from '../command.ts';
import { emptyHint } from './hints.ts';
import { addFactOptions, groupOption, scopeOption, streamOption, type GroupFlags } from './options.ts';

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

async function exportAll(flags: ExportFlags, session: Session): Promise<number> {
  const { format = 'jsonl', scope, stream, group } = flags;
  const { signal } = session;
  if (format === 'markdown' ? stream !== undefined || group !== undefined : scope !== undefined) {
    throw new UsageError(
      '--scope works only with --format markdown, --stream and --group only without it',
      'leave them out: Markdown has facts, JSON lines of a stream or a group have messages',
    );
  }
  return withMemory(session, {
    flags,
    ofProject: scope === 'project' ? 'needed' : undefined,
    absent: () => undefined,
    run: async (memory, { notice, where }) => {
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
}

export const memoryExportCommand: CommandFactory = (command, session, done) => {
  command
    .description(
      'Write everything as JSON lines, only the messages of a stream or a group, or the facts as Markdown: all of them, or those of a scope. --json affects only errors.',
    )
    .summary('write everything as JSON lines, or facts as Markdown')
    .action(async (flags: ExportFlags) => done(await exportAll(flags, session)));
  addFactOptions(command, [
    new Option('--format <form>', 'jsonl (everything, for import) or markdown (facts) (default: jsonl)').argParser(
      oneOf('--format', ['jsonl', 'markdown'] as const),
    ),
    scopeOption('with markdown: only facts of the project, or of the user'),
    streamOption('only messages of this stream'),
    groupOption('only messages of groups with this name'),
  ]);
};
