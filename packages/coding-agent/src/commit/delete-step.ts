import { inodeOf, markOf, type Mark } from './mark.ts';
import type { Step } from './commit.ts';
import { isFresh } from './guard.ts';
import type { LockedTarget } from './locked-targets.ts';
import type { CommitScope } from './scope.ts';

/** Returns the mark of a path, and the check that it is still what the caller has seen of it. */
async function known(
  { operations, ledger, staleGuard }: CommitScope,
  { real }: LockedTarget,
  isHashed: boolean,
): Promise<{ readonly before: Mark; readonly expected: (path: string) => Promise<boolean> }> {
  const stat = await operations.lstat(real);
  const record = stat.kind === 'file' && staleGuard === 'strict' ? ledger.get(real) : undefined;
  const inode = inodeOf(stat);
  const seen = record?.length === record?.size ? record?.hash : undefined;
  const before = seen === undefined && isHashed ? await markOf(operations, real) : { inode, hash: seen };
  const expected = async (path: string): Promise<boolean> => {
    if (inodeOf(await operations.lstat(path)) !== inode) return false;
    return record === undefined || isFresh(operations, path, record);
  };
  return { before, expected };
}

/**
 * Makes the step that deletes a file, a link or a directory with its content. A rename takes it away at once; it moves back when
 * it is not what was seen, or when another step fails.
 *
 * @param isHashed the deletion is one of several changes, so recovery may have to begin it: then it compares the content.
 */
export function deleteStep(workspace: CommitScope, target: LockedTarget, isHashed: boolean = false): Step {
  const { real: path, temporary } = target;
  return {
    path: target.display,
    targets: [target],
    undeleted: 'was only partly deleted',
    prepare: async () => {
      const { before, expected } = await known(workspace, target, isHashed);
      return [{ change: { kind: 'delete', path, temporary, before }, expected }];
    },
    finish: () => workspace.ledger.forget(path),
    changes: () => [{ kind: 'delete', path }],
  };
}
