/** The identity of a project: it is the same for all worktrees of a repository. */
import { quoted } from '@cairn/tool/kernel';
import { hash } from 'node:crypto';
import { readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { MemoryError } from '../errors.ts';

/** The longest path that is an identity itself, in bytes: a name of a key has at most 512. */
const MAX_PATH_BYTES = 500;

/** Returns the result of a read; `undefined` when there is nothing to read. */
async function attempt<T>(read: Promise<T>): Promise<T | undefined> {
  return read.catch(() => undefined);
}

async function isDirectory(path: string): Promise<boolean> {
  return (await attempt(stat(path)))?.isDirectory() === true;
}

/** Returns the common directory of a directory of git; `undefined` when it is not one. A worktree has a file that names it. */
async function commonDirectoryOf(path: string): Promise<string | undefined> {
  if ((await attempt(readFile(join(path, 'HEAD')))) === undefined) return undefined;
  const common = await attempt(readFile(join(path, 'commondir'), 'utf8'));
  const directory = common === undefined ? path : resolve(path, common.trimEnd());
  const parts = await Promise.all(['objects', 'refs'].map((name) => isDirectory(join(directory, name))));
  return parts.every(Boolean) ? attempt(realpath(directory)) : undefined;
}

/** Returns the directory that `.git` is, or that the file `.git` names. */
async function gitDirectoryOf(path: string): Promise<string | undefined> {
  const link = join(path, '.git');
  const info = await attempt(stat(link));
  if (info?.isDirectory() === true) return link;
  if (info?.isFile() !== true) return undefined;
  const [, target] = /^gitdir: ([^\n]+)/u.exec((await attempt(readFile(link, 'utf8'))) ?? '') ?? [];
  return target === undefined ? undefined : resolve(path, target.trimEnd());
}

/** Finds the common directory of the repository of a directory, on its file system, like git. */
async function findCommonDirectory(directory: string): Promise<string | undefined> {
  const device = (await attempt(stat(directory)))?.dev;
  for (let path = directory; ; path = dirname(path)) {
    const linked = await gitDirectoryOf(path);
    // A bare repository, or a directory inside `.git`.
    const common =
      (linked === undefined ? undefined : await commonDirectoryOf(linked)) ?? (await commonDirectoryOf(path));
    if (common !== undefined) return common;
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
 * a project of its own. Elsewhere it is the real path of the directory.
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
  const common = await findCommonDirectory(path);
  if (common === undefined) return identityOf(path);
  return identityOf(basename(common) === '.git' ? dirname(common) : common);
}
