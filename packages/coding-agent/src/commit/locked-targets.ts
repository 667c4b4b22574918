import { ToolError } from '@cairn/tool';
import type { PathUse, ResolvedPath } from '../files/resolve.ts';
import type { CommitScope } from './scope.ts';

/** A resolved path that nobody else changes. */
export interface LockedTarget extends ResolvedPath {
  /** Beside it, for what is being prepared. */
  readonly temporary: string;
}

/** A path that will be changed, as it was named. */
export interface NamedPath {
  readonly path: string;
  /** It is meant itself when it is a link, not what it leads to. */
  readonly noFollow?: boolean;
}

/**
 * What is locked of a file with several names, beside the name: whoever changes it by another name waits too. It stands for no
 * path, so there is nothing at it to be put in order.
 */
function sharedFile({ stat }: ResolvedPath): string[] {
  return stat?.kind === 'file' && stat.links > 1 ? [`file ${stat.identity}`] : [];
}

/**
 * Runs a mutation with its paths locked. They are looked up before, to know what to lock, and again when they are locked.
 *
 * @throws {ToolError} what `resolve` and the locks throw; `STALE` when a name leads elsewhere by then.
 */
export async function withLockedTargets<T>(
  workspace: CommitScope,
  named: readonly NamedPath[],
  signal: AbortSignal | undefined,
  run: (targets: readonly LockedTarget[]) => Promise<T>,
): Promise<T> {
  const look = (): Promise<ResolvedPath[]> =>
    Promise.all(
      named.map(({ path, noFollow = false }) => workspace.resolve(path, { write: true, noFollow } satisfies PathUse)),
    );
  const known = await look();
  const paths = known.map(({ real }) => real);
  const files = known.flatMap(sharedFile);
  return workspace.locks.hold([...paths, ...files], signal, async (locked) => {
    const targets = await look();
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
