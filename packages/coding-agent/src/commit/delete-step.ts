import { explainSystemError, ToolError } from '@cairn/tool';
import { quotePath } from '@cairn/tool/paths';
import { dirname } from 'node:path';
import { syncQuietly } from './commit.ts';
import type { FileOperations } from '../files/operations.ts';
import type { PathChange } from './changes.ts';
import type { Step } from './commit.ts';
import type { LockedTarget } from './locked-targets.ts';
import type { CommitScope } from './scope.ts';
import { removeAll } from './temporary.ts';
import { changedMeanwhile, isThere, verifyParent } from './write-step.ts';

/** Moves the deleted path back. When that fails, nothing is lost: the error names its temporary path. */
async function putBack({ operations }: CommitScope, { real, temporary, display }: LockedTarget): Promise<void> {
  try {
    // A file that another program created there stays.
    if (await isThere(operations, real)) throw changedMeanwhile(display);
    await operations.rename(temporary, real);
  } catch (error) {
    const summary = `${display} could not be restored (${messageOf(error, display)}): its remaining content is now at ${quotePath(temporary)}`;
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
 * Removes the moved path for good. Whatever cannot be removed moves back.
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

/** Returns what to announce, beside its deletion, about a path that could not be removed and is back. */
async function remainsOf(operations: FileOperations, path: string): Promise<readonly PathChange[]> {
  try {
    const { kind } = await operations.lstat(path);
    return [{ kind: kind === 'directory' ? 'create-directory' : 'write', path }];
  } catch {
    // It does not exist, or nobody can tell.
    return [];
  }
}

/**
 * Makes the step that deletes a file, a link or a directory with its content. A rename takes it away at once; it moves back when a
 * later step fails.
 */
export function deleteStep(workspace: CommitScope, target: LockedTarget): Step {
  const { operations, ledger } = workspace;
  const { real, temporary, display } = target;
  let remains: readonly PathChange[] = [];
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
      try {
        await removeForGood(workspace, target, 'was only partly deleted');
      } catch (error) {
        remains = await remainsOf(operations, real);
        throw error;
      }
    },
    changes: () => [{ kind: 'delete', path: real }, ...remains],
  };
}
