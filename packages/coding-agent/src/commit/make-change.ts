import type { FileOperations } from '../files/operations.ts';
import type { Change, ChangeKind, ChangeTools, Progress } from './change.ts';
import { create } from './kinds/create.ts';
import { deletion } from './kinds/delete.ts';
import { move } from './kinds/move.ts';
import { overwrite } from './kinds/overwrite.ts';
import { replace } from './kinds/replace.ts';
import type { Expectation } from './mark.ts';
import { isThere } from './temporary.ts';

const kinds = { replace, overwrite, create, move, delete: deletion };

/** Returns the verbs of a change. Each kind has the verbs of its own changes. */
function kindOf({ kind }: Change): ChangeKind<Change> {
  return kinds[kind] as ChangeKind<Change>;
}

/** See {@link ChangeKind.apply}. */
export function apply(tools: ChangeTools, change: Change, expected: Expectation): Promise<boolean> {
  return kindOf(change).apply(tools, change, expected);
}

/** See {@link ChangeKind.inspect}. */
export function inspect(tools: ChangeTools, change: Change): Promise<Progress> {
  return kindOf(change).inspect(tools, change);
}

/** Undoes a change, however far it is. What another program wrote since stays; returns false then. */
export async function revert(tools: ChangeTools, change: Change): Promise<boolean> {
  return kindOf(change).revert(tools, change, await inspect(tools, change));
}

/** See {@link ChangeKind.clean}. */
export function clean(operations: FileOperations, change: Change, isApplied: boolean): Promise<void> {
  return kindOf(change).clean(operations, change, isApplied);
}

/**
 * Whether a change that was begun is out of sight: another program moved its directory, and what it had done by then went along. `rescued`
 * names what has left a temporary path.
 */
export async function isOutOfSight({ operations, rescued }: ChangeTools, change: Change): Promise<boolean> {
  const { path, kind } = change;
  if (rescued.some((aside) => aside.startsWith(path))) return false;
  if (await isThere(operations, kind === 'move' ? change.to : change.temporary)) return false;
  return kind === 'replace' || kind === 'overwrite' || !(await isThere(operations, path));
}
