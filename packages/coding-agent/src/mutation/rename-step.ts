import { basename, dirname } from 'node:path';
import { errnoOf } from '../errors.ts';
import type { FileOperations } from '../operations.ts';
import { invalidateFsScanAfterRename } from '../tools/fs-cache-invalidation.ts';
import type { Workspace } from '../workspace.ts';
import { syncQuietly } from './commit.ts';
import type { Step } from './commit.ts';
import type { LockedTarget } from './locked-targets.ts';
import { removeAll } from './temporary.ts';
import { copyTree } from './tree.ts';
import { changedMeanwhile, isThere, verifyParent } from './write-step.ts';

/** Something that moves. */
export interface Move {
  readonly from: LockedTarget;
  readonly to: LockedTarget;
  /** A file at `to` may be replaced. */
  readonly overwrite: boolean;
}

/** Whether a directory lists the very name of a path: one that ignores case also finds it by others. */
export async function isListed(operations: FileOperations, path: string): Promise<boolean> {
  const entries = await operations.list(dirname(path));
  return entries.some(({ name }) => name === basename(path));
}

/**
 * Moves a file, a link or a directory. Between file systems it is copied beside its new place first, so that it is never
 * there in part.
 */
export function renameStep(workspace: Workspace, { from, to, overwrite }: Move): Step {
  const { operations, ledger, recency } = workspace;
  const isSame = from.stat?.identity === to.stat?.identity;

  const across = async (source: LockedTarget, target: LockedTarget): Promise<void> => {
    try {
      await copyTree(operations, source.real, target.temporary);
      await operations.rename(target.temporary, target.real);
    } catch (error) {
      await removeAll(operations, target.temporary);
      throw error;
    }
    await syncQuietly(operations, dirname(target.real));
    // The old place empties at once; what remains of it is removed at the next start at the latest.
    await operations.rename(source.real, source.temporary);
    await removeAll(operations, source.temporary);
  };
  const move = async (source: LockedTarget, target: LockedTarget): Promise<void> => {
    try {
      await operations.rename(source.real, target.real);
      // Of two names of one file the system leaves both.
      if (isSame && (await isListed(operations, source.real))) await operations.unlink(source.real);
    } catch (error) {
      if (errnoOf(error) !== 'EXDEV') throw error;
      await across(source, target);
    }
    await syncQuietly(operations, dirname(target.real));
    if (dirname(source.real) !== dirname(target.real)) await syncQuietly(operations, dirname(source.real));
  };

  return {
    path: from.display,
    prepare: async () => undefined,
    verify: async () => {
      await verifyParent(operations, from);
      await verifyParent(operations, to);
      if (!(await isThere(operations, from.real))) throw changedMeanwhile(from.display);
      if (!overwrite && !isSame && (await isThere(operations, to.real))) throw changedMeanwhile(to.display);
    },
    apply: () => move(from, to),
    undo: () => move(to, from),
    discard: async () => undefined,
    finish: async () => {
      ledger.move(from.real, to.real);
      recency.note(to.real);
    },
    announce: () => invalidateFsScanAfterRename(from.real, to.real),
  };
}
