import { ToolError } from '@cairn/tool';
import { formatBytes } from '@cairn/tool/prompt';
import { recordOf, type Ledger } from './ledger.ts';
import { requireExisting } from './near-names.ts';
import { openResolved } from './open-resolved.ts';
import { readBytes } from './operations.ts';
import type { PathScope } from './resolve.ts';

/**
 * Reads the bytes of a whole file. With a ledger, the file counts as read: a later change is rejected if its content is different by
 * then.
 *
 * @throws {ToolError} `TOO_LARGE` above `maxBytes`, `NOT_FOUND` with near names, `IS_DIRECTORY`, `NOT_A_FILE`, and what
 * `Workspace.resolve` throws.
 */
export async function readWholeFile(
  scope: PathScope & { readonly ledger?: Ledger | undefined },
  path: string,
  options: { readonly maxBytes: number; readonly signal?: AbortSignal | undefined },
): Promise<{ readonly path: string; readonly bytes: Buffer }> {
  const { maxBytes, signal } = options;
  signal?.throwIfAborted();
  const target = await scope.resolve(path);
  await requireExisting(scope, target);
  return openResolved(scope.operations, target, 'cached', async (file, stat) => {
    if (stat.size > maxBytes) {
      const summary = `${target.display} has ${formatBytes(stat.size)}, more than the ${formatBytes(maxBytes)} that can be read at once`;
      throw new ToolError('TOO_LARGE', [summary, 'Read a part of it.'], { path: target.display });
    }
    signal?.throwIfAborted();
    const bytes = await readBytes(file);
    // The encoding that a caller has named stays the one for edits.
    const encoding = scope.ledger?.get(target.real)?.encoding;
    scope.ledger?.record(target.real, recordOf(bytes, { encoding }));
    return { path: target.path, bytes };
  });
}
