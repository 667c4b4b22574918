import { errnoOf, explainSystemError, ToolError } from '@cairn/tool';
import { basename, dirname } from 'node:path';
import type { FileOperations } from '../files/operations.ts';
import { syncQuietly } from './commit.ts';
import type { Step } from './commit.ts';
import { removeForGood } from './delete-step.ts';
import type { LockedTarget } from './locked-targets.ts';
import type { CommitScope } from './scope.ts';
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
export function renameStep(workspace: CommitScope, { from, to, overwrite }: Move): Step {
  const { operations, ledger } = workspace;
  const isSame = from.stat?.identity === to.stat?.identity;

  /** It was copied: its old place holds nothing more, but it is still beside it. */
  let isCopied = false;

  const leave = async (): Promise<void> => {
    try {
      await operations.rename(from.real, from.temporary);
    } catch (error) {
      if (to.stat === undefined) {
        await removeAll(operations, to.real);
        throw error;
      }
      const why = explainSystemError(error, from.display);
      const summary = `${from.display} was copied to ${to.display}, but could not be removed from its old path: ${why instanceof Error ? why.message : String(why)}`;
      throw new ToolError('PERMISSION', [summary, 'Both exist now: delete the one that is not needed.'], {
        path: from.display,
        changed: true,
        cause: error,
      });
    }
  };
  const across = async (): Promise<void> => {
    try {
      await copyTree(operations, from.real, to.temporary);
      await operations.rename(to.temporary, to.real);
    } catch (error) {
      await removeAll(operations, to.temporary);
      throw error;
    }
    await syncQuietly(operations, dirname(to.real));
    // The old place empties at once; what was there is removed when nothing can fail any more.
    await leave();
    isCopied = true;
  };
  const move = async (source: LockedTarget, target: LockedTarget): Promise<void> => {
    await operations.rename(source.real, target.real);
    // Of two names of one file the system leaves both.
    if (isSame && (await isListed(operations, source.real))) await operations.unlink(source.real);
  };
  const moveThere = async (): Promise<void> => {
    try {
      await move(from, to);
    } catch (error) {
      if (errnoOf(error) !== 'EXDEV') throw error;
      await across();
    }
    await syncQuietly(operations, dirname(to.real));
    if (dirname(from.real) !== dirname(to.real)) await syncQuietly(operations, dirname(from.real));
  };
  const moveBack = async (): Promise<void> => {
    if (!isCopied) {
      await move(to, from);
      return;
    }
    await operations.rename(from.temporary, from.real);
    await removeAll(operations, to.real);
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
    apply: moveThere,
    undo: moveBack,
    discard: async () => undefined,
    finish: async () => {
      ledger.move(from.real, to.real);
      if (isCopied)
        await removeForGood(
          workspace,
          from,
          `was moved to ${to.display}, but not all of it could be removed from its old path`,
        );
    },
    changes: () => [{ kind: 'rename', from: from.real, to: to.real }],
  };
}
