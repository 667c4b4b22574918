import { errnoOf, explainSystemError, ToolError } from '@cairn/tool';
import { basename, dirname } from 'node:path';
import type { FileOperations } from '../files/operations.ts';
import type { PathChange } from './changes.ts';
import { syncQuietly } from './commit.ts';
import type { Step } from './commit.ts';
import { removeForGood } from './delete-step.ts';
import type { LockedTarget } from './locked-targets.ts';
import type { CommitScope } from './scope.ts';
import { removeAll } from './temporary.ts';
import { copyTree } from './tree.ts';
import { changedMeanwhile, isThere, verifyParent } from './write-step.ts';

/** A rename. */
export interface Move {
  readonly from: LockedTarget;
  readonly to: LockedTarget;
  /** A file at `to` may be replaced. */
  readonly overwrite: boolean;
}

/** Returns whether a directory lists exactly this name: a file system that ignores case also finds other spellings. */
export async function isListed(operations: FileOperations, path: string): Promise<boolean> {
  const entries = await operations.list(dirname(path));
  return entries.some(({ name }) => name === basename(path));
}

class RenameStep implements Step {
  readonly path: string;
  readonly #workspace: CommitScope;
  readonly #operations: FileOperations;
  readonly #move: Move;
  /** Two names of one file, or two spellings of one name. */
  readonly #isSame: boolean;
  /** The content was copied, and the original moved to its temporary path. */
  #isCopied = false;

  constructor(workspace: CommitScope, move: Move) {
    this.#workspace = workspace;
    this.#operations = workspace.operations;
    this.#move = move;
    this.path = move.from.display;
    this.#isSame = move.from.stat?.identity === move.to.stat?.identity;
  }

  async prepare(): Promise<void> {
    // Nothing to prepare: the rename itself is the first effect.
  }

  async verify(): Promise<void> {
    const { from, to, overwrite } = this.#move;
    await verifyParent(this.#operations, from);
    await verifyParent(this.#operations, to);
    if (!(await isThere(this.#operations, from.real))) throw changedMeanwhile(from.display);
    if (!overwrite && !this.#isSame && (await isThere(this.#operations, to.real))) throw changedMeanwhile(to.display);
  }

  async apply(): Promise<void> {
    const { from, to } = this.#move;
    try {
      await this.#rename(from, to);
    } catch (error) {
      if (errnoOf(error) !== 'EXDEV') throw error;
      await this.#copyAcross();
    }
    await syncQuietly(this.#operations, dirname(to.real));
    if (dirname(from.real) !== dirname(to.real)) await syncQuietly(this.#operations, dirname(from.real));
  }

  async undo(): Promise<void> {
    const { from, to } = this.#move;
    if (!this.#isCopied) {
      await this.#rename(to, from);
      return;
    }
    await this.#operations.rename(from.temporary, from.real);
    await removeAll(this.#operations, to.real);
  }

  async discard(): Promise<void> {
    // Nothing was prepared.
  }

  async finish(): Promise<void> {
    const { from, to } = this.#move;
    this.#workspace.ledger.move(from.real, to.real);
    if (!this.#isCopied) return;
    const done = `was moved to ${to.display}, but not all of it could be deleted at its old path`;
    await removeForGood(this.#workspace, from, done);
  }

  changes(): readonly PathChange[] {
    const { from, to } = this.#move;
    return [{ kind: 'rename', from: from.real, to: to.real }];
  }

  async #rename(source: LockedTarget, target: LockedTarget): Promise<void> {
    await this.#operations.rename(source.real, target.real);
    // A rename between two names of one file leaves both.
    if (this.#isSame && (await isListed(this.#operations, source.real))) await this.#operations.unlink(source.real);
  }

  /** Moves to another file system: copies beside the new path first, so that the copy is never there in part. */
  async #copyAcross(): Promise<void> {
    const { from, to } = this.#move;
    try {
      await copyTree(this.#operations, from.real, to.temporary);
      await this.#operations.rename(to.temporary, to.real);
    } catch (error) {
      await removeAll(this.#operations, to.temporary);
      throw error;
    }
    await syncQuietly(this.#operations, dirname(to.real));
    // The old path empties at once; `finish` removes the content when nothing can fail any more.
    await this.#leaveOldPath();
    this.#isCopied = true;
  }

  async #leaveOldPath(): Promise<void> {
    const { from, to } = this.#move;
    try {
      await this.#operations.rename(from.real, from.temporary);
    } catch (error) {
      if (to.stat === undefined) {
        await removeAll(this.#operations, to.real);
        throw error;
      }
      const why = explainSystemError(error, from.display);
      const summary = `${from.display} was copied to ${to.display}, but could not be deleted at its old path: ${why instanceof Error ? why.message : String(why)}`;
      throw new ToolError('PERMISSION', [summary, 'Both exist now: delete the one that is not needed.'], {
        path: from.display,
        changed: true,
        cause: error,
      });
    }
  }
}

/** Makes the step that moves a file, a link or a directory, also to another file system. */
export function renameStep(workspace: CommitScope, move: Move): Step {
  return new RenameStep(workspace, move);
}
