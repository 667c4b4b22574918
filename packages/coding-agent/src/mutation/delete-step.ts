import { dirname } from 'node:path';
import { explainSystemError, ToolError } from '../errors.ts';
import { invalidateFsScanAfterDelete } from '../tools/fs-cache-invalidation.ts';
import type { Workspace } from '../workspace.ts';
import { syncQuietly } from './commit.ts';
import type { Step } from './commit.ts';
import type { LockedTarget } from './locked-targets.ts';
import { removeAll } from './temporary.ts';
import { changedMeanwhile, isThere, verifyParent } from './write-step.ts';

/** Removes the last of what was taken away; what cannot be removed goes back to its place. */
async function removeForGood(workspace: Workspace, { real, temporary, display }: LockedTarget): Promise<void> {
  try {
    await removeAll(workspace.operations, temporary);
  } catch (error) {
    await workspace.operations.rename(temporary, real);
    const why = explainSystemError(error, display);
    const summary = `${display} could only be deleted in part: ${why instanceof Error ? why.message : String(why)}`;
    throw new ToolError('PERMISSION', [summary, 'List it to see what is left.'], {
      path: display,
      changed: true,
      cause: error,
    });
  }
}

/**
 * Removes a file, a link or a directory with all it holds. It leaves its place at once, by a rename, and comes back when a
 * later step fails.
 */
export function deleteStep(workspace: Workspace, target: LockedTarget): Step {
  const { operations, ledger } = workspace;
  const { real, temporary, display } = target;
  return {
    path: display,
    prepare: async () => undefined,
    verify: async () => {
      await verifyParent(operations, target);
      if (!(await isThere(operations, real))) throw changedMeanwhile(display);
    },
    apply: async () => {
      await operations.rename(real, temporary);
      await syncQuietly(operations, dirname(real));
    },
    undo: () => operations.rename(temporary, real),
    discard: async () => undefined,
    finish: async () => {
      ledger.forget(real);
      await removeForGood(workspace, target);
    },
    announce: () => invalidateFsScanAfterDelete(real),
  };
}
