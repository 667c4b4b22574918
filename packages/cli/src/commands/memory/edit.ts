import { rm } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { Option } from 'commander';
import type { MarkdownResult } from '@cairn/memory';
import { withMemory } from '../../memory/store.ts';
import { editText, keptIn, originalOf, type Edited } from '../../terminal/editor.ts';
import { CommandError, describe, factsOf, UsageError } from '../../terminal/errors.ts';
import { ExitCode } from '../../terminal/exit.ts';
import { readTextFile } from '../../terminal/input.ts';
import { filled } from '../../terminal/options.ts';
import type { Session } from '../../terminal/session.ts';
import type { CommandFactory } from '../command.ts';
import { addFactOptions, scopeOption, type FactFlags } from './options.ts';

interface EditFlags extends FactFlags {
  readonly apply?: string;
  readonly allowSecret?: boolean;
}

function applyFix(file: string): string {
  return `run 'cairn memory edit --apply ${file}' with the same options`;
}

/** Reads a text that an earlier edit left behind. */
async function readKept(given: string, { cwd, signal }: Session): Promise<Edited> {
  const file = resolve(cwd, given);
  const text = await readTextFile(file, signal);
  const original = await readTextFile(originalOf(file), signal).catch((error: unknown) => {
    const fix = "use a file that 'cairn memory edit' has kept";
    throw new UsageError(`${file} has no ${basename(originalOf(file))} next to it, the text before the edit`, fix, {
      cause: error,
    });
  });
  return { file, text, original, remove: async () => void (await Promise.all([rm(file), rm(originalOf(file))])) };
}

const nothing: MarkdownResult = { added: [], updated: [], archived: [], present: [], unchanged: 0, conflicts: [] };

async function edit(flags: EditFlags, session: Session): Promise<number> {
  const { scope = 'project', allowSecret } = flags;
  const { signal } = session;
  return withMemory(session, {
    flags,
    ofProject: scope === 'project' ? 'needed' : undefined,
    writes: true,
    run: async ({ facts }, { print, notice }) => {
      const selection = { scope, allStreams: true, signal };
      const result =
        flags.apply === undefined
          ? await editText(await facts.toMarkdown(selection), session, {
              name: `facts-of-${scope}.md`,
              instead: "use 'cairn memory update'",
              applyFix,
            })
          : await readKept(flags.apply, session);
      if (result === undefined || result.text.trim() === '') {
        await result?.remove();
        const removal = "'cairn memory archive' and 'cairn memory forget' remove facts";
        notice(
          `the text ${result === undefined ? 'was not changed' : 'is empty'}; nothing was done${result === undefined ? '' : `: ${removal}`}`,
        );
        await print([], nothing);
        return ExitCode.None;
      }
      const { file, text, original, remove } = result;
      const applied = await facts
        .applyMarkdown(text, { ...selection, original, allowSecret })
        .catch((error: unknown) => {
          const { code, message, fix } = factsOf(error);
          const stated = `${describe({ code, message, fix }).replace(/\.$/u, '')}; ${keptIn(file)}`;
          throw new CommandError(
            { code, message: stated, fix: `correct it, then ${applyFix(file)}`, changed: false },
            { cause: error },
          );
        });
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
}

export const memoryEditCommand: CommandFactory = (command, session, done) => {
  command
    .description(
      'Edit the facts of the project, or of the user, as one Markdown file in VISUAL or EDITOR. Changes are applied by id; a fact that is removed from the file is archived.',
    )
    .summary('edit facts as one Markdown file in your editor')
    .action(async (flags: EditFlags) => done(await edit(flags, session)));
  addFactOptions(command, [
    scopeOption('the facts of the project, or of the user (default: project)'),
    new Option('--apply <file>', 'apply a file that an earlier edit has kept, without an editor').argParser(
      filled('--apply'),
    ),
    new Option('--allow-secret', 'store a text with a key, token or password'),
  ]);
};
