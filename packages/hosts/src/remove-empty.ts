import { rmdir } from 'node:fs/promises';

/**
 * Codes of a directory that stays: it has files, it is gone, the user put a link or a file in its place, or the directory above it
 * does not let it go. None of them makes what was undone incomplete.
 */
const STAYS = ['ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'EBUSY', 'EROFS'];

/** Deletes each of `directories`, outermost first, that exists, is empty and can be deleted. */
export async function removeEmpty(directories: readonly string[]): Promise<void> {
  for (const directory of directories.toReversed()) {
    try {
      await rmdir(directory);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && STAYS.includes(String(error.code)))) throw error;
    }
  }
}
