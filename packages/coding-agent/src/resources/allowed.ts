import { errnoOf } from '@cairn/tool/internal';
import { ToolError } from '@cairn/tool';
import type { Workspace } from '../workspace.ts';

/** Returns the entries with an allowed path that exists. A search of a tree also finds links that lead out of it. */
export async function allowedOnly<T extends { readonly path: string }>(
  workspace: Workspace,
  found: readonly T[],
): Promise<T[]> {
  const isAllowed = await Promise.all(
    found.map(async ({ path }) => {
      try {
        const { real } = await workspace.resolve(path);
        // Follows no directory that has become a link since.
        return await workspace.operations.lstat(real);
      } catch (error) {
        if (ToolError.isInstance(error) || errnoOf(error) !== undefined) return undefined;
        throw error;
      }
    }),
  );
  return found.filter((_, index) => isAllowed[index]);
}
