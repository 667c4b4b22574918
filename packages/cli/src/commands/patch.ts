import type { Command } from 'commander';
import type { PatchDetails } from '@cairn/coding-agent';
import { readText } from '../input.ts';
import type { Session } from '../session.ts';
import { diffNotices, mutationOptions, runTool, shownDiffs, type MutationFlags } from '../tool-command.ts';

const examples = `
Examples:
  $ cairn patch < change.patch                     a unified diff, or one that begins with '*** Begin Patch'
  $ cairn patch --dry-run < change.patch           check it and show what would change
  $ cairn patch --dry-run --json < change.patch    the same for a program

All of it is applied, or nothing. The difference goes to standard output, what happened to standard error.`;

function diffsOf({ files }: PatchDetails) {
  return files.map(({ path, kind, to, diff }) => ({
    from: kind === 'add' ? undefined : path,
    to: kind === 'delete' ? undefined : (to ?? path),
    diff,
  }));
}

async function runPatch(flags: MutationFlags, session: Session): Promise<number> {
  const patch = await readText(session.input, 'pipe the patch: cairn patch < change.patch');
  return runTool<PatchDetails>(session, {
    flags,
    run: (tools) => tools.patch.execute({ patch }, { signal: session.signal, dryRun: flags.dryRun }),
    print: (details) => shownDiffs(diffsOf(details), { flags, session }),
    notices: (details, text) => [...text.split('\n'), ...diffNotices(diffsOf(details))],
  });
}

export function patchCommand(command: Command, session: Session, done: (exitCode: number) => void): void {
  command
    .description('Apply a patch that is piped in, to all its files or to none.')
    .summary('apply a patch to several files')
    .addHelpText('after', examples)
    .action(async (flags: MutationFlags) => done(await runPatch(flags, session)));
  for (const option of mutationOptions()) if (option.long !== '--expect') command.addOption(option);
}
