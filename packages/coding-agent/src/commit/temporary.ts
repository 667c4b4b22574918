import { isMissing } from '@cairn/tool/kernel';
import { errnoOf } from '@cairn/tool/internal';
import { randomBytes } from 'node:crypto';
import { basename, join } from 'node:path';
import { OWN_TEMPORARY, type FileOperations, type FileStat } from '../files/operations.ts';

/** Returns a new path in a directory for content that is being prepared or replaced. */
export function temporaryIn(directory: string): string {
  return join(directory, `.cairn-${randomBytes(8).toString('hex')}.tmp`);
}

/** Returns whether {@link temporaryIn} could have made the path. */
export function isTemporary(path: string): boolean {
  return OWN_TEMPORARY.test(basename(path));
}

/** Returns the entry at a path, even a broken link; `undefined` when it does not exist. */
export async function statOf(operations: FileOperations, path: string): Promise<FileStat | undefined> {
  try {
    return await operations.lstat(path);
  } catch (error) {
    // Nothing can have a name that is too long.
    if (isMissing(error) || errnoOf(error) === 'ENAMETOOLONG') return undefined;
    throw error;
  }
}

export async function isThere(operations: FileOperations, path: string): Promise<boolean> {
  return (await statOf(operations, path)) !== undefined;
}

/** Removes a file; a missing one is not an error. */
export async function removeFile(operations: FileOperations, path: string): Promise<void> {
  try {
    await operations.unlink(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** Removes a file or a whole directory; links are not followed. A missing path is not an error. */
export async function removeAll(operations: FileOperations, path: string): Promise<void> {
  try {
    const { kind } = await operations.lstat(path);
    if (kind !== 'directory') {
      await operations.unlink(path);
      return;
    }
    for (const { name } of await operations.list(path)) await removeAll(operations, join(path, name));
    await operations.removeDirectory(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}
