import { rmdir } from 'node:fs/promises';

const STAYS = ['ENOTEMPTY', 'EEXIST', 'ENOENT'];

/** Deletes each of `directories`, outermost first, that exists and is empty. */
export async function removeEmpty(directories: readonly string[]): Promise<void> {
  for (const directory of directories.toReversed()) {
    try {
      await rmdir(directory);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && STAYS.includes(String(error.code)))) throw error;
    }
  }
}
