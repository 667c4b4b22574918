import { ToolError } from '@cairn/tool';
import { quotePath } from '@cairn/tool/paths';
import { join } from 'node:path';
import { kindNames, withFile, type DirectoryEntry, type FileOperations } from '../files/operations.ts';

/** Yields everything below a directory with its relative path, each directory before its content. Links are not followed. */
export async function* walkTree(
  operations: FileOperations,
  directory: string,
  signal: AbortSignal | undefined,
  above: string = '',
): AsyncGenerator<DirectoryEntry & { readonly below: string }, void, undefined> {
  for (const entry of await operations.list(join(directory, above))) {
    signal?.throwIfAborted();
    const below = join(above, entry.name);
    yield { ...entry, below };
    if (entry.kind === 'directory') yield* walkTree(operations, directory, signal, below);
  }
}

const CHUNK_BYTES = 1024 * 1024;

/** Returns the error for a copy that cannot have an attribute of the original. `shown` is its path as messages show it. */
export function attributesLost(path: string, shown: string, lost: string): ToolError {
  const summary = `${shown} cannot be moved to another file system without losing attributes: ${lost}`;
  return new ToolError('PERMISSION', [summary, 'Ask the user; cp copies it without them.'], { path });
}

async function copyAttributes(operations: FileOperations, from: string, to: string): Promise<void> {
  const lost = await operations.copyAttributes(from, to);
  if (lost !== undefined) throw attributesLost(from, quotePath(from), lost);
}

async function copyFile(operations: FileOperations, from: string, to: string): Promise<void> {
  await withFile(operations, from, 'read', async (source) => {
    const { size, mtimeMs } = await source.stat();
    const target = await operations.open(to, 'create', 0o600);
    try {
      const chunk = Buffer.allocUnsafe(Math.max(1, Math.min(CHUNK_BYTES, size)));
      for (let at = 0, filled = await source.read(chunk, 0); filled > 0; filled = await source.read(chunk, at)) {
        await target.write(chunk.subarray(0, filled), at);
        at += filled;
      }
      await copyAttributes(operations, from, to);
      await target.setModified(mtimeMs);
      await target.sync();
    } finally {
      await target.close();
    }
  });
}

/**
 * Copies a file or a whole directory to a path that does not exist, for a move between file systems: content, attributes, and the
 * times of files; links as links.
 *
 * @throws {ToolError} `NOT_A_FILE` for a device, a pipe or a socket; `PERMISSION` for an attribute that cannot be copied.
 */
export async function copyTree(operations: FileOperations, from: string, to: string): Promise<void> {
  const { kind } = await operations.lstat(from);
  if (kind === 'file') {
    await copyFile(operations, from, to);
  } else if (kind === 'symlink') {
    await operations.makeLink(await operations.readLink(from), to);
  } else if (kind === 'directory') {
    await operations.makeDirectory(to);
    for (const { name } of await operations.list(from)) await copyTree(operations, join(from, name), join(to, name));
    // After the content: the directory may be read-only.
    await copyAttributes(operations, from, to);
    await operations.syncDirectory(to);
  } else {
    const summary = `${quotePath(from)} is ${kindNames[kind]}, which cannot be moved to another file system`;
    throw new ToolError('NOT_A_FILE', [summary, 'Move the other entries without it.'], { path: from });
  }
}
