import { errnoOf } from '@cairn/tool/internal';
import { ToolError } from '@cairn/tool';
import type { Workspace } from '../workspace.ts';

async function isAllowed(workspace: Workspace, path: string): Promise<boolean> {
  try {
    const { real } = await workspace.resolve(path);
    // Follows no directory that has become a link since.
    await workspace.operations.lstat(real);
    return true;
  } catch (error) {
    if (ToolError.isInstance(error) || errnoOf(error) !== undefined) return false;
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
