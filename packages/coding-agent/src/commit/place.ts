import { isMissing } from '@cairn/tool/kernel';
import { errnoOf } from '@cairn/tool/internal';
import { randomBytes } from 'node:crypto';
import { basename, dirname } from 'node:path';
import type { FileOperations } from '../files/operations.ts';
import type { ChangeTools } from './change.ts';
import type { Expectation } from './mark.ts';
import { statOf } from './temporary.ts';

/** Syncs directories after a change. A file system that cannot sync one does not make the change fail. */
export async function syncQuietly(operations: FileOperations, ...directories: readonly string[]): Promise<void> {
  for (const directory of new Set(directories)) {
    try {
      await operations.syncDirectory(directory);
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
    }
  }
}

/** Keeps content that has no place any more under a name that the user sees. */
export async function rescue({ operations, rescued }: ChangeTools, path: string, temporary: string): Promise<void> {
  const aside = `${path}.saved-${randomBytes(4).toString('hex')}`;
  await operations.rename(temporary, aside);
  rescued.push(aside);
}

/** Errors of file systems that cannot give a file a second name. */
const cannotLink: readonly (string | undefined)[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV'];

/** Gives a file a second name; returns false where that is not possible, as for a directory. */
export async function linkTo(operations: FileOperations, from: string, to: string): Promise<boolean> {
  // Some systems link the target of a link.
  if ((await operations.lstat(from)).kind !== 'file') return false;
  try {
    await operations.link(from, to);
    return true;
  } catch (error) {
    if (cannotLink.includes(errnoOf(error))) return false;
    throw error;
  }
}

/** Returns whether a directory lists exactly this name: a file system that ignores case also finds other spellings. */
export async function isListed(operations: FileOperations, path: string): Promise<boolean> {
  const entries = await operations.list(dirname(path));
  return entries.some(({ name }) => name === basename(path));
}

/** Gives something the name `to`, which must not exist; returns false when it does. */
export async function place(operations: FileOperations, from: string, to: string): Promise<boolean> {
  try {
    if (await operations.renameNoReplace(from, to)) return true;
    // A link does not replace what another program created at the last moment, either.
    if (await linkTo(operations, from, to)) {
      await operations.unlink(from);
      return true;
    }
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
  const [source, there] = [await operations.lstat(from), await statOf(operations, to)];
  if (there !== undefined && there.identity !== source.identity) return false;
  // Two names of one file stay two after a rename; two spellings of one name do not.
  if (there?.kind === 'file' && (await isListed(operations, to))) await operations.unlink(from);
  else await operations.rename(from, to);
  return true;
}

/** Moves something away to a temporary path. Returns false, and leaves it, when it is not what was expected. */
export async function takeAway(
  tools: ChangeTools,
  path: string,
  temporary: string,
  expected: Expectation,
): Promise<boolean> {
  const { operations } = tools;
  await operations.rename(path, temporary);
  if (await expected(temporary)) return true;
  if (!(await place(operations, temporary, path))) await rescue(tools, path, temporary);
  return false;
}

export async function makeDirectories(operations: FileOperations, directories: readonly string[]): Promise<void> {
  for (const directory of directories) {
    try {
      await operations.makeDirectory(directory);
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw error;
    }
    await syncQuietly(operations, dirname(directory));
  }
}

export async function removeDirectories(operations: FileOperations, directories: readonly string[]): Promise<void> {
  for (const directory of directories.toReversed()) {
    try {
      await operations.removeDirectory(directory);
    } catch (error) {
      // Missing, or another program uses it by now.
      if (isMissing(error) || ['ENOTEMPTY', 'EEXIST', 'ENAMETOOLONG'].includes(errnoOf(error) ?? '')) continue;
      throw error;
    }
  }
}
