import { explainSystemError, ToolError } from '@cairn/tool';
import { dirname } from 'node:path';
import { syncQuietly } from './commit.ts';
import type { Step } from './commit.ts';
import type { LockedTarget } from './locked-targets.ts';
import type { CommitScope } from './scope.ts';
import { removeAll } from './temporary.ts';
import { changedMeanwhile, isThere, verifyParent } from './write-step.ts';

/** Puts back what was taken out of its place. What cannot be is not lost: the name it has by then is said. */
async function putBack({ operations }: CommitScope, { real, temporary, display }: LockedTarget): Promise<void> {
  try {
    // What somebody else has put there since stays.
    if (await isThere(operations, real)) throw changedMeanwhile(display);
    await operations.rename(temporary, real);
  } catch (error) {
    const summary = `${display} could not be restored (${messageOf(error, display)}): what remains of it is now at ${temporary}`;
    throw new ToolError('IO', [summary, `Move that back to ${display}.`], {
      path: display,
      changed: true,
      cause: error,
    });
  }
}

function messageOf(error: unknown, path: string): string {
  const explained = explainSystemError(error, path);
  if (ToolError.isInstance(explained)) return explained.summary;
  return explained instanceof Error ? explained.message : String(explained);
}

/**
 * Removes for good what was taken out of its place; what cannot be removed goes back to it.
 *
 * @param done what became of it, when it goes back: `was only partly deleted`.
 * @throws {ToolError} `PERMISSION`, `IO`.
 */
export async function removeForGood(workspace: CommitScope, target: LockedTarget, done: string): Promise<void> {
  const { temporary, display } = target;
  try {
    await removeAll(workspace.operations, temporary);
  } catch (error) {
    const summary = `${display} ${done}: ${messageOf(error, display)}`;
    try {
      await putBack(workspace, target);
    } catch (second) {
      if (!ToolError.isInstance(second)) throw second;
      const both = `${summary}; ${second.summary}`;
      throw new ToolError('PERMISSION', [both, second.hint], { path: display, changed: true, cause: error });
    }
    throw new ToolError('PERMISSION', [summary, 'List it to see what remains.'], {
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
export function deleteStep(workspace: CommitScope, target: LockedTarget): Step {
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
    undo: () => putBack(workspace, target),
    discard: async () => undefined,
    finish: async () => {
      ledger.forget(real);
      await removeForGood(workspace, target, 'was only partly deleted');
    },
    changes: () => [{ kind: 'delete', path: real }],
  };
}
