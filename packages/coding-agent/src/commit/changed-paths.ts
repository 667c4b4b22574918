import type { ChangedPath } from '@cairn/tool';
import { join } from 'node:path';
import { explaining } from '@cairn/tool/internal';
import type { Step } from './commit.ts';
import type { LockedTarget } from './locked-targets.ts';
import type { ChangeContext } from './scope.ts';
import { walkTree } from './tree.ts';

/** The entries that are listed of a directory that moves or goes. */
const MAX_ENTRIES = 10_000;

/** Returns the paths of everything in a directory, relative to it, and whether it has more. */
async function entriesOf(
  { real }: LockedTarget,
  { workspace, signal }: ChangeContext,
): Promise<{ readonly entries: readonly string[]; readonly isCut: boolean }> {
  const entries: string[] = [];
  for await (const entry of walkTree(workspace.operations, real, signal)) {
    if (entries.length === MAX_ENTRIES) return { entries, isCut: true };
    entries.push(entry.below);
  }
  return { entries, isCut: false };
}

/** Returns every path that steps change. A directory that moves takes what is in it along. */
export async function changedPaths(steps: readonly Step[], context: ChangeContext): Promise<ChangedPath[]> {
  if (context.beforeChange === undefined) return [];
  const paths: ChangedPath[] = [];
  for (const { path, targets } of steps) {
    const directory = targets.find(({ stat }) => stat?.kind === 'directory');
    const { entries = [], isCut = false } = directory
      ? await explaining(path, () => entriesOf(directory, context))
      : {};
    for (const { real, absolute, stat } of targets) {
      const hasNames = stat?.kind === 'file' && stat.links > 1;
      const unlisted = isCut ? ({ unlisted: 'entries' } as const) : hasNames && ({ unlisted: 'names' } as const);
      paths.push({ path: real, named: absolute, ...unlisted });
      for (const entry of entries) paths.push({ path: join(real, entry), named: join(absolute, entry) });
    }
  }
  return paths;
}
