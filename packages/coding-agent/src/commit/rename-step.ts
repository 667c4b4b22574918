import type { ToolError } from '@cairn/tool';
import type { FileOperations } from '../files/operations.ts';
import { expects, inodeOf, markOf, type Mark } from './mark.ts';
import type { PathChange } from './changes.ts';
import { changedMeanwhile, type PreparedChange, type Step } from './commit.ts';
import type { LockedTarget } from './locked-targets.ts';
import type { CommitScope } from './scope.ts';
import type { FileSnapshot } from './snapshot.ts';
import { copyTree } from './tree.ts';

export interface Move {
  readonly from: LockedTarget;
  readonly to: LockedTarget;
  /** The file at `to` that is replaced, as it was checked; for a link, only that it may be replaced. */
  readonly replaced?: FileSnapshot | 'link' | undefined;
}

/** Moves a file, a link or a directory, even to another file system. */
export class RenameStep implements Step {
  readonly path: string;
  readonly targets: readonly LockedTarget[];
  readonly undeleted: string;
  readonly #workspace: CommitScope;
  readonly #operations: FileOperations;
  readonly #move: Move;
  /** The new path is on another file system. */
  #isCopied = false;

  constructor(workspace: CommitScope, move: Move) {
    this.#workspace = workspace;
    this.#operations = workspace.operations;
    this.#move = move;
    this.path = move.from.display;
    this.targets = [move.from, move.to];
    this.undeleted = `was moved to ${move.to.display}, but not all of it could be deleted at its old path`;
  }

  async prepare(): Promise<readonly PreparedChange[]> {
    const { from, to } = this.#move;
    const before = { inode: inodeOf(await this.#operations.lstat(from.real)) };
    if (this.#isCopied) return this.#copy();
    const replaced = await this.#replaced();
    if (replaced) {
      const { temporary: spare } = to;
      const paths = { path: to.real, temporary: from.real, spare };
      const change = { kind: 'replace', isSource: true, ...paths, before: replaced, after: before } as const;
      return [{ change, expected: expects(this.#operations, replaced) }];
    }
    const change = { kind: 'move', path: from.real, to: to.real, directories: to.missing, before } as const;
    return [{ change, expected: expects(this.#operations, before) }];
  }

  crossesDevices(): boolean {
    const isFirst = !this.#isCopied;
    this.#isCopied = true;
    return isFirst;
  }

  async conflict(): Promise<ToolError> {
    return changedMeanwhile(this.#move.to.display);
  }

  finish(): void {
    this.#workspace.ledger.move(this.#move.from.real, this.#move.to.real);
  }

  changes(): readonly PathChange[] {
    const { from, to } = this.#move;
    const directories = to.missing.map((path): PathChange => ({ kind: 'create-directory', path }));
    return [...directories, { kind: 'rename', from: from.real, to: to.real }];
  }

  /** Returns the mark of the file that is replaced: as it was when the call was allowed, not as it is now. */
  async #replaced(): Promise<Mark | undefined> {
    const { to, replaced } = this.#move;
    if (replaced === undefined) return undefined;
    if (replaced === 'link') return markOf(this.#operations, to.real);
    return { inode: inodeOf(replaced.stat), hash: replaced.hash };
  }

  /** Copies next to the new path first, so that the copy is never there in part. */
  async #copy(): Promise<readonly PreparedChange[]> {
    const operations = this.#operations;
    const { from, to } = this.#move;
    const before = await markOf(operations, from.real);
    await copyTree(operations, from.real, to.temporary);
    const after = await markOf(operations, to.temporary);
    const replaced = await this.#replaced();
    const { temporary, spare, missing: directories } = to;
    const arrival: PreparedChange = replaced
      ? {
          change: { kind: 'replace', path: to.real, temporary, spare, before: replaced, after },
          expected: expects(operations, replaced),
        }
      : {
          change: { kind: 'create', path: to.real, temporary, directories, after },
          expected: async () => true,
        };
    const departure = { kind: 'delete', path: from.real, temporary: from.temporary, before } as const;
    return [arrival, { change: departure, expected: expects(operations, before) }];
  }
}
