import type { DeleteDetails, PatchDetails, RenameDetails, WriteDetails } from '@cairn/coding-agent/internal';
import { defineCommand, type CommandFactory } from '../command.ts';
import {
  mutationOptions,
  runTool,
  diffNotices,
  shownDiffs,
  dryRunOption,
  toolOptions,
  type MutationFlags,
} from './tool-command.ts';
import { once, stateOption } from '../../terminal/options.ts';
import { UsageError } from '../../terminal/errors.ts';
import { readText, readGiven } from '../../terminal/input.ts';

const deleteExamples = `
Examples:
  $ cairn delete old.txt
  $ cairn delete old.txt --expect 1a2b3c4d    only if it did not change since it was read
  $ cairn delete build --recursive --dry-run  a directory; show how much would be deleted

Deletes a link, not its target.`;

interface DeleteFlags extends MutationFlags {
  readonly recursive?: boolean;
}

export const deleteCommand: CommandFactory = defineCommand({
  description: 'Delete a file, or a directory and its content.',
  summary: 'delete a file or a directory',
  args: [['<path>', 'the file or directory']],
  options: [['--recursive', 'delete a directory and its content'], ...mutationOptions()],
  examples: deleteExamples,
  run: async (session, flags: DeleteFlags, path: string) => {
    const { recursive, dryRun } = flags;
    return runTool<DeleteDetails>(session, {
      flags,
      expected: { path, tag: flags.expect },
      run: (tools) => tools.delete.execute({ path, recursive }, { signal: session.signal, dryRun }),
      fixes: { IS_DIRECTORY: 'Use --recursive to delete the directory and its content.' },
      lines: () => [],
      notices: (_, text) => [text],
    });
  },
});

const renameExamples = `
Examples:
  $ cairn rename a.txt docs/b.txt              creates missing directories
  $ cairn rename a.txt b.txt --overwrite       replace b.txt, whatever its content
  $ cairn rename src lib --dry-run             check only, change nothing

The destination is the complete new path, even for a directory. Renames a link, not its target.`;

interface RenameFlags extends MutationFlags {
  readonly overwrite?: boolean;
}

export const renameCommand: CommandFactory = defineCommand({
  description: 'Rename or move a file or a directory, also to another file system.',
  summary: 'rename or move a file or a directory',
  args: [
    ['<from>', 'the old path'],
    ['<to>', 'the new path'],
  ],
  options: [['--overwrite', 'replace an existing file, whatever its content'], ...mutationOptions('the renamed file')],
  examples: renameExamples,
  run: async (session, flags: RenameFlags, from: string, to: string) => {
    const { overwrite, dryRun } = flags;
    return runTool<RenameDetails>(session, {
      flags,
      overwrites: overwrite,
      expected: { path: from, tag: flags.expect },
      run: (tools) => tools.rename.execute({ from, to, overwrite }, { signal: session.signal, dryRun }),
      fixes: { EXISTS: 'Use another name, or --overwrite to replace the file.' },
      lines: () => [],
      notices: (_, text) => [text],
    });
  },
});

const writeExamples = `
Examples:
  $ cairn write notes/today.md --content hello          a new file and its directories
  $ cairn write VERSION --content 1.2.0 --overwrite     whatever its content
  $ cairn write a.txt --expect 1a2b3c4d < new.txt       only if it did not change since it was read
  $ cairn write a.txt --overwrite --dry-run < new.txt   show the change only

Replaces an existing file only with --overwrite or --expect, and keeps its encoding, byte order mark and CRLF line ends.
The diff goes to standard output, the summary to standard error.`;

interface WriteFlags extends MutationFlags {
  readonly content?: string;
  readonly overwrite?: boolean;
}

export const writeCommand: CommandFactory = defineCommand({
  description: 'Create a file, or replace its whole content.',
  summary: 'create or replace a file',
  args: [['<path>', 'the file']],
  options: [
    ['--content <text>', 'the exact content (default: standard input)', once('give the whole content once')],
    ['--overwrite', 'replace an existing file, whatever its content'],
    ...mutationOptions(),
  ],
  examples: writeExamples,
  run: async (session, flags: WriteFlags, path: string) => {
    if (flags.overwrite === true && flags.expect !== undefined) {
      throw new UsageError('--overwrite and --expect exclude each other', 'leave one of them out');
    }
    const content = flags.content ?? (await readText(session.input, 'pipe the content, or use --content'));
    const diffsOf = ({ path: to, created, diff }: WriteDetails) => [{ from: created ? undefined : to, to, diff }];
    return runTool<WriteDetails>(session, {
      flags,
      overwrites: flags.overwrite,
      expected: { path, tag: flags.expect },
      run: (tools) => tools.write.execute({ path, content }, { signal: session.signal, dryRun: flags.dryRun }),
      fixes: {
        NOT_READ: "Use --expect with the tag that 'cairn read' prints, or --overwrite to replace any content.",
      },
      lines: (details) => shownDiffs(diffsOf(details), { flags, session }),
      notices: (details, text) => [text, ...diffNotices(diffsOf(details))],
    });
  },
});

const patchExamples = `
Examples:
  $ cairn patch change.patch                       a unified diff, or a patch that starts with '*** Begin Patch'
  $ git diff | cairn patch --root ../other -       a patch from standard input
  $ cairn patch --dry-run < change.patch           check it and show the change
  $ cairn patch --dry-run --json < change.patch    the same as JSON

Applies the whole patch or nothing. The diff goes to standard output, the summary to standard error.`;

function diffsOf({ files }: PatchDetails) {
  return files.map(({ path, kind, to, diff }) => ({
    from: kind === 'add' ? undefined : path,
    to: kind === 'delete' ? undefined : (to ?? path),
    diff,
  }));
}

export const patchCommand: CommandFactory = defineCommand({
  description: 'Apply a patch to all its files, or to none.',
  summary: 'apply a patch to several files',
  args: [['[file]', 'the patch; - reads standard input (default: standard input)']],
  options: [dryRunOption, stateOption, ...toolOptions],
  examples: patchExamples,
  run: async (session, flags: MutationFlags, file: string | undefined) => {
    const patch = await readGiven(file, session, "name a file, or pipe the patch, as in 'cairn patch < change.patch'");
    return runTool<PatchDetails>(session, {
      flags,
      run: (tools) => tools.patch.execute({ patch }, { signal: session.signal, dryRun: flags.dryRun }),
      lines: (details) => shownDiffs(diffsOf(details), { flags, session }),
      notices: (details, text) => [...text.split('\n'), ...diffNotices(diffsOf(details))],
    });
  },
});
