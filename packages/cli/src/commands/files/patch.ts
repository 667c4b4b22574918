import type { PatchDetails } from '@cairn/coding-agent/internal';
import { readGiven } from '../../terminal/input.ts';
import { stateOption } from '../../terminal/options.ts';
import { defineCommand, type CommandFactory } from '../command.ts';
import { diffNotices, dryRunOption, runTool, shownDiffs, toolOptions, type MutationFlags } from './tool-command.ts';

const examples = `
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
  examples,
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
