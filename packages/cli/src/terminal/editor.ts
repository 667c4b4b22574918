import { isUtf8 } from 'node:buffer';
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import process from 'node:process';
import { temporaryDirectory } from '@cairn/tool/internal';
import { CommandError, describe, factsOf, UsageError } from './errors.ts';
import { readTextFile } from './input.ts';
import { filled } from './options.ts';
import type { CommandContext } from './command-context.ts';

export const applyOption = [
  '--apply <file>',
  'apply a file that an earlier edit has kept, without an editor',
  filled,
] as const;

function editorOf({ env, input, out }: CommandContext, instead: string): string {
  const set = env['VISUAL'] || env['EDITOR'];
  if (set) return set;
  if (input.kind === 'terminal' && out.isTerminal) return process.platform === 'win32' ? 'notepad' : 'vi';
  throw new CommandError({
    code: 'NO_EDITOR',
    message: 'there is no terminal for an editor, and VISUAL and EDITOR are not set',
    fix: `set EDITOR, or ${instead}`,
  });
}

/** Runs the editor until it ends. @returns the reason of a failure; `undefined` without one. */
async function runEditor(editor: string, file: string, { env, out }: CommandContext): Promise<string | undefined> {
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
export interface Edited {
  readonly file: string;
  readonly text: string;
  readonly original: string;
  readonly remove: () => Promise<void>;
}

/** Returns the file with the text before the edit. It is kept as long as the edited one. */
function originalOf(file: string): string {
  return `${file}.orig`;
}

export function keptIn(file: string): string {
  return `the edited text is in ${file}`;
}

export interface EditOptions {
  readonly name: string;
  /** What to do where no editor can be used. */
  readonly instead: string;
  /** How to go on with an edited text that was kept. */
  readonly applyFix: (file: string) => string;
}

/** Lets the user edit a string. @returns `undefined` when it was not changed. */
export async function editText(
  original: string,
  context: CommandContext,
  { name, instead, applyFix }: EditOptions,
): Promise<Edited | undefined> {
  const editor = editorOf(context, instead);
  const directory = await mkdtemp(join(temporaryDirectory(), 'cairn-edit-'));
  const file = join(directory, name);
  const remove = (): Promise<void> => rm(directory, { recursive: true, force: true });
  for (const path of [file, originalOf(file)]) await writeFile(path, original, { mode: 0o600 });
  const problem = await runEditor(editor, file, context);
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
  if (context.signal.aborted) {
    await context.err.write(`cairn: interrupted; nothing was changed; ${keptIn(file)}\n`);
    throw context.signal.reason;
  }
  // An editor with another encoding changes every character that is not ASCII, even in unedited places.
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

/** Reads the draft that an earlier edit kept, and the string it began with, which is `current` if none was kept. */
export async function readKept(
  given: string,
  { cwd, signal }: Pick<CommandContext, 'cwd' | 'signal'>,
  { command, current }: { readonly command: string; readonly current?: string },
): Promise<Edited> {
  const file = resolve(cwd, given);
  const before = originalOf(file);
  const text = await readTextFile(file, signal);
  try {
    const original = await readTextFile(before, signal);
    return { file, text, original, remove: async () => void (await Promise.all([rm(file), rm(before)])) };
  } catch (cause) {
    if (current !== undefined) return { file, text, original: current, remove: () => Promise.resolve() };
    const message = `${file} has no ${basename(before)} next to it, the text before the edit`;
    throw new UsageError(message, `use a file that '${command}' has kept`, { cause });
  }
}

export function notApplied(cause: unknown, file: string, applyFix: EditOptions['applyFix']): CommandError {
  const { code, message, fix } = factsOf(cause);
  const stated = `${describe({ code, message, fix }).replace(/\.$/u, '')}; ${keptIn(file)}`;
  return new CommandError(
    { code, message: stated, fix: `correct it, then ${applyFix(file)}`, changed: false },
    { cause },
  );
}
