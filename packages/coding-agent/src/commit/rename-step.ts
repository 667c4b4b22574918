import type { FileOperations } from '../files/operations.ts';
import type { PathChange } from './changes.ts';
import { changedMeanwhile, type PreparedChange, type Step } from './commit.ts';
import type { LockedTarget } from './locked-targets.ts';
import { expects, inodeOf, markOf, type Mark } from './mark.ts';
import type { CommitScope } from './scope.ts';
import type { FileSnapshot } from './snapshot.ts';
import { copyTree } from './tree.ts';

export interface Move {
  readonly from: LockedTarget;
  readonly to: LockedTarget;
  /** The file at `to` that is replaced, as it was checked; for a link, only that it may be replaced. */
  readonly replaced?: FileSnapshot | 'link' | undefined;
}

/** Returns the mark of the file that is replaced: as it was when the call was allowed, not as it is now. */
async function markOfReplaced(operations: FileOperations, { to, replaced }: Move): Promise<Mark | undefined> {
  if (replaced === 'link') return markOf(operations, to.real);
  return replaced && { inode: inodeOf(replaced.stat), hash: replaced.hash };
}

async function prepareMove(operations: FileOperations, move: Move): Promise<readonly PreparedChange[]> {
  const { from, to } = move;
  const before = { inode: inodeOf(await operations.lstat(from.real)) };
  const replaced = await markOfReplaced(operations, move);
  if (replaced) {
    const paths = { path: to.real, temporary: from.real, spare: to.temporary };
    const change = { kind: 'replace', isSource: true, ...paths, before: replaced, after: before } as const;
    return [{ change, expected: expects(operations, replaced) }];
  }
  const change = { kind: 'move', path: from.real, to: to.real, directories: to.missing, before } as const;
  return [{ change, expected: expects(operations, before) }];
}

/** Copies next to the new path first, so that the copy is never there in part. */
async function prepareCopy(operations: FileOperations, move: Move): Promise<readonly PreparedChange[]> {
  const { from, to } = move;
  const { real: path, temporary, spare, missing: directories } = to;
  const before = await markOf(operations, from.real);
  await copyTree(operations, from.real, temporary);
  const after = await markOf(operations, temporary);
  const replaced = await markOfReplaced(operations, move);
  const arrival: PreparedChange = replaced
    ? {
        change: { kind: 'replace', path, temporary, spare, before: replaced, after },
        expected: expects(operations, replaced),
      }
    : { change: { kind: 'create', path, temporary, directories, after }, expected: async () => true };
  const departure = { kind: 'delete', path: from.real, temporary: from.temporary, before } as const;
  return [arrival, { change: departure, expected: expects(operations, before) }];
}

/** Makes the step that moves a file, a link or a directory, even to another file system. */
export function renameStep({ operations, ledger }: CommitScope, move: Move): Step {
  const { from, to } = move;
  /** The new path is on another file system. */
  let isCopied = false;
  return {
    path: from.display,
    targets: [from, to],
    undeleted: `was moved to ${to.display}, but not all of it could be deleted at its old path`,
    prepare: () => (isCopied ? prepareCopy(operations, move) : prepareMove(operations, move)),
    crossesDevices: () => {
      const isFirst = !isCopied;
      isCopied = true;
      return isFirst;
    },
    conflict: async () => changedMeanwhile(to.display),
    finish: () => ledger.move(from.real, to.real),
    changes: () => {
      const directories = to.missing.map((path): PathChange => ({ kind: 'create-directory', path }));
      return [...directories, { kind: 'rename', from: from.real, to: to.real }];
    },
  };
}
