import { isWithin, type ResolvedPath } from '@cairn/coding-agent/internal';
import { ToolError } from '@cairn/tool';
import type { WorkspaceChange } from '@cairn/coding-agent';
import { lstat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import type { CacheScope } from '../content/scope.ts';

/** Files that decide what list functions leave out, in their directory and all below it. */
export const IGNORE_FILES: readonly string[] = ['.gitignore', '.ignore'];

export function pathsOf(change: WorkspaceChange): string[] {
  const { written, createdDirectories, deleted, renamed, unknownBelow } = change;
  const moved = renamed.flatMap(({ from, to }) => [from, to]);
  return [...written, ...createdDirectories, ...deleted, ...moved, ...unknownBelow];
}

/** Returns whether a change may make the listing of a directory wrong: something changed below it, above it, or in its ignore rules. */
export function isAffected(directory: string, changed: readonly string[]): boolean {
  return changed.some(
    (path) =>
      isWithin(path, directory) ||
      isWithin(directory, path) ||
      (IGNORE_FILES.includes(basename(path)) && isWithin(directory, dirname(path))),
  );
}

/** Returns whether something is at a path, even if it is a broken link. */
export async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}

/** Returns `undefined` for a path that is not allowed, too. */
function realOf(scope: CacheScope, path: string): Promise<string | undefined> {
  return scope.resolve(path).then(
    ({ real, stat }) => stat && real,
    () => undefined,
  );
}

/**
 * Returns the canonical path of what a path names: relative to the root, absolute, or absolute in a workspace that shows its root as
 * `/`. Returns `undefined` when nothing is there, and when both readings of an absolute path are possible.
 */
export async function locate(scope: CacheScope, path: string): Promise<string | undefined> {
  if (!isAbsolute(path)) return realOf(scope, path);
  const roots = await scope.realRoots().catch(() => []);
  if ([scope.root, ...roots].some((root) => isWithin(path, root))) return realOf(scope, path);
  if (path !== '/' && (await isThere(path))) return undefined;
  return realOf(scope, join(scope.root, path));
}

/** @throws {ToolError} with one of the hints, when a path is missing or something other than a directory. */
export function requireDirectory(
  { stat, display: path }: ResolvedPath,
  hints: { readonly missing: string; readonly other: string },
): void {
  if (stat?.kind === 'directory') return;
  if (stat === undefined) throw new ToolError('NOT_FOUND', [`${path} does not exist`, hints.missing], { path });
  throw new ToolError('NOT_A_DIRECTORY', [`${path} is not a directory`, hints.other], { path });
}
