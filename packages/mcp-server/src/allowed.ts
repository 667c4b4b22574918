import { ToolError } from '@cairn/coding-agent';
import type { Workspace } from '@cairn/coding-agent';

async function isAllowed(workspace: Workspace, path: string): Promise<boolean> {
  try {
    await workspace.resolve(path);
    return true;
  } catch (error) {
    if (ToolError.isInstance(error)) return false;
    throw error;
  }
}

/** Those whose path may be read. A search of a tree also finds links that lead out of it, and what is behind them. */
export async function allowedOnly<T extends { readonly path: string }>(
  workspace: Workspace,
  found: readonly T[],
): Promise<T[]> {
  const allowed = await Promise.all(found.map(({ path }) => isAllowed(workspace, path)));
  return found.filter((_, index) => allowed[index]);
}
