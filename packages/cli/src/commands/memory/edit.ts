import type { MarkdownResult } from '@cairn/memory';
import { applyOption, editText, keptIn, notApplied, readKept } from '../../terminal/editor.ts';
import { ExitCode } from '../../terminal/exit.ts';
import type { CommandFactory } from '../command.ts';
import { memoryCommand } from './memory-command.ts';
import { allowSecretOption, scopeOption } from './options.ts';

function applyFix(file: string): string {
  return `run 'cairn memory edit --apply ${file}' with the same options`;
}

const nothing: MarkdownResult = { added: [], updated: [], archived: [], present: [], unchanged: 0, conflicts: [] };

export const memoryEditCommand: CommandFactory = memoryCommand({
  description:
    'Edit the facts of the project, or of the user, as one Markdown file in VISUAL or EDITOR. Changes are applied by id; a fact that is removed from the file is archived.',
  summary: 'edit facts as one Markdown file in your editor',
  options: [scopeOption('the facts of the project, or of the user (default: project)'), applyOption, allowSecretOption],
  ofProject: ({ scope }) => (scope === 'user' ? undefined : 'needed'),
  writes: true,
  run: async ({ memory, context, signal, print, notice }, flags) => {
    const { scope = 'project', apply, allowSecret } = flags;
    const { facts } = memory;
    const selection = { scope, allStreams: true, signal };
    const edit = { name: `facts-of-${scope}.md`, instead: "use 'cairn memory update'", applyFix };
    const edited =
      apply === undefined
        ? await editText(await facts.toMarkdown(selection), context, edit)
        : await readKept(apply, context, { command: 'cairn memory edit' });
    if (edited === undefined || edited.text.trim() === '') {
      await edited?.remove();
      notice(
        edited === undefined
          ? 'the text was not changed; nothing was done'
          : "the text is empty; nothing was done: 'cairn memory archive' and 'cairn memory forget' remove facts",
      );
      await print([], nothing);
      return ExitCode.None;
    }
    const { file, text, original, remove } = edited;
    const applied = await facts
      .applyMarkdown(text, { ...selection, original, allowSecret })
      .catch((error: unknown) => Promise.reject(notApplied(error, file, applyFix)));
    const { added, updated, archived, present, conflicts } = applied;
    const known = present.length === 0 ? [] : [`${present.length} already known`];
    const counts = [`added ${added.length}`, `updated ${updated.length}`, `archived ${archived.length}`, ...known];
    notice(counts.join(', '));
    for (const { lineNumber, message } of conflicts) notice(`line ${lineNumber} was not applied: ${message}`);
    if (conflicts.length === 0) await remove();
    else notice(`${keptIn(file)}; correct it, then ${applyFix(file)}`);
    await print([], applied);
    if (conflicts.length > 0) return ExitCode.Error;
    return added.length + updated.length + archived.length > 0 ? ExitCode.Hit : ExitCode.None;
  },
});
