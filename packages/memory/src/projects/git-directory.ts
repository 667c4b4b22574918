/** Finds the directories of a repository by its files, and starts no process. */
import { lstat, readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { parseGitConfig, type GitVariable } from './git-config.ts';

/** Returns the result of a read; `undefined` when there is nothing to read. */
export async function attempt<T>(read: Promise<T>): Promise<T | undefined> {
  return read.catch(() => undefined);
}

export async function isDirectory(path: string): Promise<boolean> {
  return (await attempt(stat(path)))?.isDirectory() === true;
}

async function readLine(path: string): Promise<string | undefined> {
  return (await attempt(readFile(path, 'utf8')))?.trimEnd();
}

/** Reads the configuration of a git directory; a worktree's own part comes last. */
export async function readGitConfig(directory: string): Promise<GitVariable[]> {
  const texts = ['config', 'config.worktree'].map((name) => attempt(readFile(join(directory, name), 'utf8')));
  return (await Promise.all(texts)).flatMap((text) => parseGitConfig(text ?? ''));
}

/** Whether a directory has the objects and references of a repository itself. */
async function isWhole(directory: string): Promise<boolean> {
  if ((await attempt(readFile(join(directory, 'HEAD')))) === undefined) return false;
  return (await Promise.all(['objects', 'refs'].map((name) => isDirectory(join(directory, name))))).every(Boolean);
}

/**
 * Returns the repository of a git directory; `undefined` when it is not one. The git directory of a worktree names it in
 * `commondir`, and belongs to it only if it is in its `worktrees`: anybody can write a file with any name.
 */
export async function commonDirectoryOf(path: string): Promise<string | undefined> {
  const directory = await attempt(realpath(path));
  if (directory === undefined) return undefined;
  const named = await readLine(join(directory, 'commondir'));
  if (named === undefined) return (await isWhole(directory)) ? directory : undefined;
  const common = await attempt(realpath(resolve(directory, named)));
  if (common === undefined || !(await isWhole(common))) return undefined;
  const worktrees = await attempt(realpath(join(common, 'worktrees')));
  return dirname(directory) === worktrees ? common : undefined;
}

/** Returns whether a git directory names a directory as its working tree: `gitdir` of a worktree, `core.worktree` of a submodule. */
async function pointsBack(gitDirectory: string, path: string): Promise<boolean> {
  const link = await readLine(join(gitDirectory, 'gitdir'));
  if (link !== undefined) {
    return basename(link) === '.git' && (await attempt(realpath(dirname(resolve(gitDirectory, link))))) === path;
  }
  const trees = (await readGitConfig(gitDirectory)).filter(
    ({ section, name }) => section === 'core' && name === 'worktree',
  );
  const tree = trees.at(-1)?.value;
  return tree !== undefined && (await attempt(realpath(resolve(gitDirectory, tree)))) === path;
}

/** What `.git` in a directory is. */
export type GitLink =
  | { readonly kind: 'none' }
  /** The repository of the directory. */
  | { readonly kind: 'repository'; readonly common: string }
  /** A file or link that names a git directory which does not name this directory. `target` is what it names. */
  | { readonly kind: 'unconfirmed'; readonly target: string };

/** Reads `.git` of a directory, whose path is a real one. */
export async function readGitLink(path: string): Promise<GitLink> {
  const link = join(path, '.git');
  const info = await attempt(lstat(link));
  if (info?.isDirectory() === true) {
    const common = await commonDirectoryOf(link);
    return common === undefined ? { kind: 'none' } : { kind: 'repository', common };
  }
  if (info === undefined || !(info.isFile() || info.isSymbolicLink())) return { kind: 'none' };
  const named = info.isSymbolicLink() ? link : /^gitdir: ([^\n]+)/u.exec((await readLine(link)) ?? '')?.[1]?.trimEnd();
  const target = named === undefined ? undefined : await attempt(realpath(resolve(path, named)));
  if (named === undefined || target === undefined) return { kind: 'unconfirmed', target: named ?? '' };
  const common = (await isDirectory(target)) ? await commonDirectoryOf(target) : undefined;
  if (common === undefined || !(await pointsBack(target, path))) return { kind: 'unconfirmed', target };
  return { kind: 'repository', common };
}
