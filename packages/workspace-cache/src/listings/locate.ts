import { isWithin } from '@cairn/coding-agent/internal';
import { lstat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { CacheScope } from '../content/scope.ts';

/** Returns whether something is at a path, even if it is a broken link. */
export function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

async function realOf(scope: CacheScope, path: string): Promise<string | undefined> {
  try {
    const { real, stat } = await scope.resolve(path);
    return stat && real;
  } catch {
    // It is not allowed.
    return undefined;
  }
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
