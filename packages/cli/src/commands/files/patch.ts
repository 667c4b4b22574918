import type { PatchDetails } from '@cairn/coding-agent';
import { readText } from '../../terminal/input.ts';
import type { Session } from '../../terminal/session.ts';
import type { CommandFactory } from '../command.ts';
import { diffNotices, mutationOptions, runTool, shownDiffs, type MutationFlags } from './tool-command.ts';

const examples = `
Examples:
  $ cairn patch < change.patch                     a unified diff, or a patch that starts with '*** Begin Patch'
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

async function runPatch(flags: MutationFlags, session: Session): Promise<number> {
  const patch = await readText(session.input, "pipe the patch, as in 'cairn patch < change.patch'");
  return runTool<PatchDetails>(session, {
    flags,
    run: (tools) => tools.patch.execute({ patch }, { signal: session.signal, dryRun: flags.dryRun }),
    lines: (details) => shownDiffs(diffsOf(details), { flags, session }),
    notices: (details, text) => [...text.split('\n'), ...diffNotices(diffsOf(details))],
  });
}

export const patchCommand: CommandFactory = (command, session, done) => {
  command
    .description('Apply a patch from standard input to all its files, or to none.')
    .summary('apply a patch to several files')
    .addHelpText('after', examples)
    .action(async (flags: MutationFlags) => done(await runPatch(flags, session)));
  for (const option of mutationOptions()) if (option.long !== '--expect') command.addOption(option);
};
