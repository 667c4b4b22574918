import type { FlagsOf } from '../../terminal/parsed.ts';
import type {
  DeleteDetails,
  EditDetails,
  EditInput,
  PatchDetails,
  RenameDetails,
  TextEdit,
  WriteDetails,
} from '@cairn/coding-agent/internal';
import { defineCommand, type CommandFactory } from '../command.ts';
import { mutationOptions, runTool, dryRunOption, toolOptions } from './tool-command.ts';
import { once, stateOption } from '../../terminal/options.ts';
import { UsageError } from '../../terminal/errors.ts';
import { readText, readGiven } from '../../terminal/input.ts';
import type { CommandContext } from '../../terminal/command-context.ts';

export const deleteCommand: CommandFactory = defineCommand({
  description: 'Delete a file, or a directory and its content.',
  summary: 'delete a file or a directory',
  args: [['<path>', 'the file or directory']],
  options: [['--recursive', 'delete a directory and its content'], ...mutationOptions()],
  examples: `
Examples:
  $ cairn delete old.txt
  $ cairn delete old.txt --expect 1a2b3c4d    only if it did not change since it was read
  $ cairn delete build --recursive --dry-run  a directory; show how much would be deleted

Deletes a link, not its target.`,
  run: async (context, flags, path) => {
    const { recursive, dryRun } = flags;
    return runTool<DeleteDetails>(context, {
      flags,
      expected: { path, tag: flags.expect },
      run: (tools) => tools.delete.execute({ path, recursive }, { signal: context.signal, dryRun }),
      fixes: { IS_DIRECTORY: 'Use --recursive to delete the directory and its content.' },
    });
  },
});

export const renameCommand: CommandFactory = defineCommand({
  description: 'Rename or move a file or a directory, also to another file system.',
  summary: 'rename or move a file or a directory',
  args: [
    ['<from>', 'the old path'],
    ['<to>', 'the new path'],
  ],
  options: [['--overwrite', 'replace an existing file, whatever its content'], ...mutationOptions('the renamed file')],
  examples: `
Examples:
  $ cairn rename a.txt docs/b.txt              creates missing directories
  $ cairn rename a.txt b.txt --overwrite       replace b.txt, whatever its content
  $ cairn rename src lib --dry-run             check only, change nothing

The destination is the complete new path, even for a directory. Renames a link, not its target.`,
  run: async (context, flags, from, to) => {
    const { overwrite, dryRun } = flags;
    return runTool<RenameDetails>(context, {
      flags,
      overwrites: overwrite,
      expected: { path: from, tag: flags.expect },
      run: (tools) => tools.rename.execute({ from, to, overwrite }, { signal: context.signal, dryRun }),
      fixes: { EXISTS: 'Use another name, or --overwrite to replace the file.' },
    });
  },
});

export const writeCommand: CommandFactory = defineCommand({
  description: 'Create a file, or replace its whole content.',
  summary: 'create or replace a file',
  args: [['<path>', 'the file']],
  options: [
    ['--content <text>', 'the exact content (default: standard input)', once('give the whole content once')],
    ['--overwrite', 'replace an existing file, whatever its content'],
    ...mutationOptions(),
  ],
  examples: `
Examples:
  $ cairn write notes/today.md --content hello          a new file and its directories
  $ cairn write VERSION --content 1.2.0 --overwrite     whatever its content
  $ cairn write a.txt --expect 1a2b3c4d < new.txt       only if it did not change since it was read
  $ cairn write a.txt --overwrite --dry-run < new.txt   show the change only

Replaces an existing file only with --overwrite or --expect, and keeps its encoding, byte order mark and CRLF line ends.
The diff goes to standard output, the summary to standard error.`,
  run: async (context, flags, path) => {
    if (flags.overwrite === true && flags.expect !== undefined) {
      throw new UsageError('--overwrite and --expect exclude each other', 'leave one of them out');
    }
    const content = flags.content ?? (await readText(context.input, 'pipe the content, or use --content'));
    return runTool<WriteDetails>(context, {
      flags,
      overwrites: flags.overwrite,
      expected: { path, tag: flags.expect },
      run: (tools) => tools.write.execute({ path, content }, { signal: context.signal, dryRun: flags.dryRun }),
      fixes: {
        NOT_READ: "Use --expect with the tag that 'cairn read' prints, or --overwrite to replace any content.",
      },
      diffs: ({ path: to, created, diff }) => [{ from: created ? undefined : to, to, diff }],
    });
  },
});

export const patchCommand: CommandFactory = defineCommand({
  description: 'Apply a patch to all its files, or to none.',
  summary: 'apply a patch to several files',
  args: [['[file]', 'the patch; - reads standard input (default: standard input)']],
  options: [dryRunOption, stateOption, ...toolOptions],
  examples: `
Examples:
  $ cairn patch change.patch                       a unified diff, or a patch that starts with '*** Begin Patch'
  $ git diff | cairn patch --root ../other -       a patch from standard input
  $ cairn patch --dry-run < change.patch           check it and show the change
  $ cairn patch --dry-run --json < change.patch    the same as JSON

Applies the whole patch or nothing. The diff goes to standard output, the summary to standard error.`,
  run: async (context, flags, file) => {
    const patch = await readGiven(file, context, "name a file, or pipe the patch, as in 'cairn patch < change.patch'");
    return runTool<PatchDetails>(context, {
      flags,
      run: (tools) => tools.patch.execute({ patch }, { signal: context.signal, dryRun: flags.dryRun }),
      diffs: ({ files }) =>
        files.map(({ path, kind, to, diff }) => ({
          from: kind === 'add' ? undefined : path,
          to: kind === 'delete' ? undefined : (to ?? path),
          diff,
        })),
      notices: (_, text) => text.split('\n'),
    });
  },
});

const editOptions = [
  ['--old <text>', 'the text to replace', once('use --edits for several')],
  ['--new <text>', 'the replacement', once('use --edits for several')],
  ['--all', 'replace every occurrence'],
  ['--edits <json>', "several edits as JSON, '-' for standard input", once('put all edits in one list')],
  ...mutationOptions(),
] as const;

type EditFlags = FlagsOf<typeof editOptions>;

const EDITS_FIX = 'use a list such as [{"old_text": "a", "new_text": "b", "replace_all": true}]';

function parseEdits(json: string): readonly TextEdit[] {
  let edits: unknown;
  try {
    edits = JSON.parse(json);
  } catch (error) {
    const reason = error instanceof Error ? `: ${error.message}` : '';
    throw new UsageError(`--edits is not valid JSON${reason}`, 'correct it', { cause: error });
  }
  if (!Array.isArray(edits) || edits.length === 0) throw new UsageError('--edits is not a list of edits', EDITS_FIX);
  for (const [index, edit] of edits.entries()) {
    const { old_text: old, new_text: text, replace_all: all, ...rest }: Record<string, unknown> = Object(edit);
    const unknown = Object.keys(rest)[0];
    const problem =
      (typeof old !== 'string' && 'has no text "old_text"') ||
      (typeof text !== 'string' && 'has no text "new_text"') ||
      (all !== undefined && typeof all !== 'boolean' && 'has a "replace_all" that is neither true nor false') ||
      (unknown !== undefined && `has an unknown field ${JSON.stringify(unknown)}`);
    if (problem !== false) throw new UsageError(`edit ${index + 1} of --edits ${problem}`, EDITS_FIX);
  }
  return edits;
}

async function editsOf(flags: EditFlags, context: CommandContext): Promise<readonly TextEdit[]> {
  const { old, new: replacement, edits } = flags;
  if (edits === undefined) {
    if (old === undefined || replacement === undefined) {
      throw new UsageError('the edit is missing', 'use --old and --new, or --edits');
    }
    return [{ old_text: old, new_text: replacement, replace_all: flags.all }];
  }
  if (old !== undefined || replacement !== undefined || flags.all === true) {
    throw new UsageError('--edits excludes --old, --new and --all', 'leave them out');
  }
  return parseEdits(edits === '-' ? await readText(context.input, 'pipe the edits, or use --edits') : edits);
}

/** The options of one edit. The JSON of `--edits` has the names of the tool. */
const flagOf: Readonly<Record<string, string>> = { old_text: '--old', new_text: '--new', replace_all: '--all' };

export const editCommand: CommandFactory = defineCommand({
  description: 'Replace text in a file.',
  args: [['<path>', 'the file']],
  options: editOptions,
  examples: `
Examples:
  $ cairn edit src/main.ts --old 'let x' --new 'const x'
  $ cairn edit src/main.ts --old foo --new bar --all --dry-run   every occurrence; show the change only
  $ cairn edit a.txt --old 'obsolete' --new '' --expect 1a2b3c4d   only if it did not change since it was read
  $ cairn edit a.txt --edits - < edits.json   several edits: [{"old_text": "a", "new_text": "b"}]

The old text must occur exactly once, unless --all is given. All edits match the original file; all other bytes stay. Write
a text that starts with '-' as --old=-x. The diff goes to standard output, the summary to standard error.`,
  run: async (context, flags, path) => {
    const input: EditInput = { path, edits: await editsOf(flags, context) };
    return runTool<EditDetails>(context, {
      flags,
      expected: { path, tag: flags.expect },
      parameter: (name) => (flags.edits === undefined ? (flagOf[name] ?? name) : name),
      run: (tools) => tools.edit.execute(input, { signal: context.signal, dryRun: flags.dryRun }),
      diffs: ({ path: name, diff }) => [{ from: name, to: name, diff }],
      // The diff is on standard output already.
      notices: (_, text) => [text.replace(/; the changes:\n.*$/su, '.')],
    });
  },
});
