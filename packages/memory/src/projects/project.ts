/** The identity of a project: it is the same for all worktrees of a repository. */
import { quoted } from '@cairn/tool/kernel';
import { hash } from 'node:crypto';
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { MemoryError } from '../errors.ts';
import { attempt, commonDirectoryOf, isDirectory, readGitLink } from './git-directory.ts';

/** The longest path that is an identity itself, in bytes: a name of a key has at most 512. */
const MAX_PATH_BYTES = 500;

/**
 * Finds the repository of a directory, on its file system, like git. A directory whose `.git` names a repository that does not
 * name the directory is a project of its own, so that a file in a downloaded directory gets no memory of another project.
 */
async function findProject(directory: string): Promise<string | undefined> {
  const device = (await attempt(stat(directory)))?.dev;
  for (let path = directory; ; path = dirname(path)) {
    const link = await readGitLink(path);
    if (link.kind === 'unconfirmed') return path;
    // A bare repository, or a directory inside `.git`.
    const common = link.kind === 'repository' ? link.common : await commonDirectoryOf(path);
    if (common !== undefined) return basename(common) === '.git' ? dirname(common) : common;
    const parent = dirname(path);
    if (parent === path || (await attempt(stat(parent)))?.dev !== device) return undefined;
  }
}

/** Returns a path as a name; a long or unusual one is cut, with a hash of the whole. */
function identityOf(path: string): string {
  // eslint-disable-next-line no-control-regex -- control characters are what this finds
  if (Buffer.byteLength(path) <= MAX_PATH_BYTES && !/[\u0000-\u001f\u007f\p{Cs}]/u.test(path)) return path;
  // eslint-disable-next-line no-control-regex -- control characters are what this finds
  const name = [...basename(path).replaceAll(/[\u0000-\u001f\u007f\p{Cs}]/gu, '?')].slice(-50).join('');
  return `${name} sha256:${hash('sha256', path)}`;
}

/**
 * Returns the identity of the project of a directory. In a git repository it is git's common directory, so that all worktrees
 * share it; a common directory `.git` stands for the directory that has it, so that `git init` changes nothing. A submodule is
 * a project of its own. A `.git` file counts only if the repository that it names points back to its directory. Elsewhere it is
 * the real path of the directory.
 *
 * It reads the files of git and starts no process. It is a path of this machine: a store that machines share needs an explicit
 * identity.
 *
 * @throws {MemoryError} `INVALID_INPUT` when the directory does not exist.
 */
export async function projectOf(directory: string): Promise<string> {
  const path = await attempt(realpath(directory));
  if (path === undefined || !(await isDirectory(path))) {
    const summary = `The project directory ${quoted(directory)} does not exist or is not a directory`;
    throw new MemoryError('INVALID_INPUT', [summary, 'Pass another directory, or the identity of the project.']);
  }
  return identityOf((await findProject(path)) ?? path);
}
