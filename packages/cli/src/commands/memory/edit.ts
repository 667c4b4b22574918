import { isUtf8 } from 'node:buffer';
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import process from 'node:process';
import { Option } from 'commander';
import type { MarkdownResult } from '@cairn/memory';
import { temporaryDirectory } from '@cairn/tool/paths';
import { withMemory } from '../../memory/store.ts';
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

/** Returns the command of the editor. @throws {CommandError} when none is set and no terminal could show one. */
function editorOf({ env, input, out }: Session): string {
  const set = env['VISUAL'] || env['EDITOR'];
  if (set) return set;
  if (input.isTerminal && out.isTerminal) return process.platform === 'win32' ? 'notepad' : 'vi';
  throw new CommandError({
    code: 'NO_EDITOR',
    message: 'there is no terminal for an editor, and VISUAL and EDITOR are not set',
    fix: "set EDITOR, or use 'cairn memory update'",
  });
}

/** Runs the editor until it ends. @returns why it failed; `undefined` when it did not. */
async function runEditor(editor: string, file: string, { env, out }: Session): Promise<string | undefined> {
  // Standard output may be a pipe or carry the JSON document; an editor draws on the terminal.
  const stdio = ['inherit', out.isTerminal ? 'inherit' : 2, 'inherit'] as const;
  // Through a shell, because the variable may hold arguments, as for git.
  const child =
    process.platform === 'win32'
      ? spawn(`${editor} "${file}"`, { shell: true, stdio: [...stdio], env })
      : spawn('/bin/sh', ['-c', `${editor} "$@"`, 'editor', file], { stdio: [...stdio], env });
  return new Promise((done) => {
    child.once('error', (error) => done(`cannot start the editor ${editor}: ${error.message}`));
    child.once('exit', (status, signal) => {
      if (status === 0) done(undefined);
      else if (signal !== null) done(`the editor ${editor} was ended by ${signal}`);
      else if (status === 127) done(`the editor ${editor} was not found`);
      else done(`the editor ${editor} failed with status ${status}`);
    });
  });
}

/** An edited text, and the one before it, which tells what was changed. */
interface Edited {
  readonly file: string;
  readonly text: string;
  readonly original: string;
  /** Removes both files. */
  readonly remove: () => Promise<void>;
}

/** Returns the file with the text before the edit. It is kept as long as the edited one. */
function originalOf(file: string): string {
  return `${file}.orig`;
}

/** States where a text is and how to go on, so that no work is lost. */
function keptIn(file: string): string {
  return `the edited text is in ${file}`;
}

function applyFix(file: string): string {
  return `run 'cairn memory edit --apply ${file}' with the same options`;
}

/** Lets the user edit a text. @returns `undefined` when it was not changed. */
async function edited(original: string, scope: string, session: Session): Promise<Edited | undefined> {
  const editor = editorOf(session);
  const directory = await mkdtemp(join(temporaryDirectory(), 'cairn-memory-'));
  const file = join(directory, `facts-of-${scope}.md`);
  const remove = (): Promise<void> => rm(directory, { recursive: true, force: true });
  for (const path of [file, originalOf(file)]) await writeFile(path, original, { mode: 0o600 });
  const problem = await runEditor(editor, file, session);
  const bytes = await readFile(file).catch(() => undefined);
  const isChanged = bytes !== undefined && !bytes.equals(Buffer.from(original));
  if (!isChanged) await remove();
  if (problem !== undefined) {
    throw new CommandError({
      code: 'EDITOR_FAILED',
      message: `${problem}; nothing was changed${isChanged ? `; ${keptIn(file)}` : ''}`,
      fix: isChanged
        ? `correct it, then ${applyFix(file)}`
        : 'set VISUAL or EDITOR to an editor that waits, such as "code --wait"',
      changed: false,
    });
  }
  if (!isChanged) return undefined;
  if (session.signal.aborted) {
    await session.err.write(`cairn: interrupted; nothing was changed; ${keptIn(file)}\n`);
    throw session.signal.reason;
  }
  // An editor with another encoding changes every character that is not ASCII, also in facts that nobody edited.
  if (!isUtf8(bytes)) {
    throw new CommandError({
      code: 'ENCODING',
      message: `the edited text is not valid UTF-8; nothing was changed; ${keptIn(file)}`,
      fix: `convert it to UTF-8, then ${applyFix(file)}`,
      changed: false,
    });
  }
  return { file, text: bytes.toString('utf8'), original, remove };
}

/** Reads a text that an earlier edit left behind. */
async function readKept(given: string, { cwd, signal }: Session): Promise<Edited> {
  const file = resolve(cwd, given);
  const text = await readTextFile(file, signal);
  const original = await readTextFile(originalOf(file), signal).catch((error: unknown) => {
    const fix = "use a file that 'cairn memory edit' has kept";
    throw new UsageError(`${file} has no ${basename(originalOf(file))} beside it, the text before the edit`, fix, {
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
          ? await edited(await facts.toMarkdown(selection), scope, session)
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
