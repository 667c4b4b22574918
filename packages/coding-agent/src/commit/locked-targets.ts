import { isMissing } from '@cairn/tool/kernel';
import { ToolError } from '@cairn/tool';
import { dirname } from 'node:path';
import type { FileOperations } from '../files/operations.ts';
import type { PathUse, ResolvedPath } from '../files/resolve.ts';
import type { CommitScope } from './scope.ts';
import { temporaryIn } from './temporary.ts';

/** A resolved path that no other call changes. */
export interface LockedTarget extends ResolvedPath {
  /** The locked directory: the nearest existing one above the path. */
  readonly place: string;
  /** Missing directories above the path, each before those inside it. */
  readonly missing: readonly string[];
  /** A path in the locked directory for prepared content. */
  readonly temporary: string;
  readonly spare: string;
}

export interface NamedPath {
  readonly path: string;
  /** A link stands for itself, not for its target. */
  readonly noFollow?: boolean;
}

async function lockable(operations: FileOperations, target: ResolvedPath): Promise<LockedTarget> {
  let place = dirname(target.real);
  const missing: string[] = [];
  while (target.stat === undefined && place !== dirname(place)) {
    try {
      await operations.lstat(place);
      break;
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    missing.unshift(place);
    place = dirname(place);
  }
  return { ...target, place, missing, temporary: temporaryIn(place), spare: temporaryIn(place) };
}

/** A file with several names is locked itself, too: another directory leads to it. */
function placesOf({ place, real, stat }: LockedTarget): string[] {
  return stat?.kind === 'file' && stat.links > 1 ? [place, real] : [place];
}

/**
 * Runs a mutation with the directories of its paths locked. The paths are resolved before, to know what to lock, and again when it
 * is locked. What a killed process left there is recovered first.
 *
 * @throws {ToolError} what `resolve` and the locks throw; `STALE` when a name leads to another path by then.
 */
export async function withLockedTargets<T>(
  workspace: CommitScope,
  named: readonly NamedPath[],
  signal: AbortSignal | undefined,
  run: (targets: readonly LockedTarget[]) => Promise<T>,
): Promise<T> {
  const { operations, locks, recovery } = workspace;
  const resolveAll = (): Promise<LockedTarget[]> =>
    Promise.all(
      named.map(async ({ path, noFollow = false }) =>
        lockable(operations, await workspace.resolve(path, { write: true, noFollow } satisfies PathUse)),
      ),
    );
  for (;;) {
    const known = await resolveAll();
    const places = known.flatMap(placesOf);
    let left: readonly string[] = [];
    const done = await locks.hold(places, { signal }, async (): Promise<{ readonly value: T } | undefined> => {
      left = await recovery.leftIn(places);
      if (left.length > 0) return undefined;
      const targets = await resolveAll();
      const moved = targets.find(({ real }, index) => real !== known[index]?.real);
      if (moved) {
        const summary = `${moved.display} was moved by another program during the call`;
        throw new ToolError('STALE', [summary, 'Check where it is now, then call again.'], { path: moved.display });
      }
      const isLocked = targets.flatMap(placesOf).every((place) => places.includes(place));
      return isLocked ? { value: await run(targets) } : undefined;
    });
    if (done) return done.value;
    await recovery.recover(left);
  }
}

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
