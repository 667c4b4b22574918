import { ToolError } from '@cairn/tool';
import type { PathUse, ResolvedPath } from '../files/resolve.ts';
import type { CommitScope } from './scope.ts';

/** A resolved path that no other call changes. */
export interface LockedTarget extends ResolvedPath {
  /** The path beside it for prepared content. */
  readonly temporary: string;
}

/** A path that will be changed, as the caller named it. */
export interface NamedPath {
  readonly path: string;
  /** A link stands for itself, not for its target. */
  readonly noFollow?: boolean;
}

/**
 * Returns the extra lock of a file with several names, so that a call for another name waits too. It is not a path, so recovery has
 * nothing to do for it.
 */
function sharedFile({ stat }: ResolvedPath): string[] {
  return stat?.kind === 'file' && stat.links > 1 ? [`file ${stat.identity}`] : [];
}

/**
 * Runs a mutation with its paths locked. They are resolved before, to know what to lock, and again when they are locked.
 *
 * @throws {ToolError} what `resolve` and the locks throw; `STALE` when a name leads to another path by then.
 */
export async function withLockedTargets<T>(
  workspace: CommitScope,
  named: readonly NamedPath[],
  signal: AbortSignal | undefined,
  run: (targets: readonly LockedTarget[]) => Promise<T>,
): Promise<T> {
  const resolveAll = (): Promise<ResolvedPath[]> =>
    Promise.all(
      named.map(({ path, noFollow = false }) => workspace.resolve(path, { write: true, noFollow } satisfies PathUse)),
    );
  const known = await resolveAll();
  const paths = known.map(({ real }) => real);
  const files = known.flatMap(sharedFile);
  return workspace.locks.hold([...paths, ...files], signal, async (locked) => {
    const targets = await resolveAll();
    const isLocked = targets.flatMap(sharedFile).every((file) => files.includes(file));
    return run(
      targets.map((target, index) => {
        const lock = locked.find(({ path }) => path === target.real);
        if (lock && isLocked && target.real === paths[index]) return { ...target, temporary: lock.temporary };
        const summary = `${target.display} was moved by another program during the call`;
        throw new ToolError('STALE', [summary, 'Check where it is now, then call again.'], { path: target.display });
      }),
    );
  });
}

/** The same for one path. */
export function withLockedTarget<T>(
  workspace: CommitScope,
  named: NamedPath,
  signal: AbortSignal | undefined,
  run: (target: LockedTarget) => Promise<T>,
): Promise<T> {
  return withLockedTargets(workspace, [named], signal, async ([target]) => {
    if (target === undefined) throw new Error('one path gives one target');
    return run(target);
  });
}
