import type { Change, ChangeKind, ChangeTools } from './change.ts';
import { create } from './kinds/create.ts';
import { deletion } from './kinds/delete.ts';
import { move } from './kinds/move.ts';
import { overwrite } from './kinds/overwrite.ts';
import { replace } from './kinds/replace.ts';
import { isThere } from './temporary.ts';

const kinds = { replace, overwrite, create, move, delete: deletion };

export function kindOf({ kind }: Change): ChangeKind<Change> {
  return kinds[kind] as ChangeKind<Change>;
}

/** Undoes a change, however far it is. What another program wrote since stays; returns false then. */
export async function revert(tools: ChangeTools, change: Change): Promise<boolean> {
  const kind = kindOf(change);
  return kind.revert(tools, change, await kind.inspect(tools, change));
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
