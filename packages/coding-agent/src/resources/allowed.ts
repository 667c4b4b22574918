import { ToolError } from '@cairn/tool';
import type { Workspace } from '../workspace.ts';

async function isAllowed(workspace: Workspace, path: string): Promise<boolean> {
  try {
    return (await workspace.resolve(path)).stat !== undefined;
  } catch (error) {
    if (ToolError.isInstance(error)) return false;
    throw error;
  }
}

/** Returns the entries with an allowed path that exists. A search of a tree also finds links that lead out of it. */
export async function allowedOnly<T extends { readonly path: string }>(
  workspace: Workspace,
  found: readonly T[],
): Promise<T[]> {
  const allowed = await Promise.all(found.map(({ path }) => isAllowed(workspace, path)));
  return found.filter((_, index) => allowed[index]);
}
