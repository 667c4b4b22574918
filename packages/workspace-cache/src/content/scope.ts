import { nodeFileOperations } from '@cairn/coding-agent';
import { realPathOf, resolvePath } from '@cairn/coding-agent/internal';
import type { FileOperations, Workspace } from '@cairn/coding-agent';
import type { Ledger, PathUse, ResolvedPath } from '@cairn/coding-agent/internal';
import { stat } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import type { Lifetime } from '../lifetime.ts';

/** The files that a cache may read: those of a workspace, or those below a root. */
export interface CacheScope {
  /** The root as the caller named it. */
  readonly root: string;
  readonly operations: FileOperations;
  /** What the tools have read; absent without a workspace. */
  readonly ledger?: Ledger | undefined;
  /** @throws {ToolError} when the path is not allowed. */
  resolve(path: string, use?: PathUse): Promise<ResolvedPath>;
  /** Returns the canonical root first, then the other allowed roots. */
  realRoots(): Promise<readonly string[]>;
}

/**
 * Returns the files that a cache may read. Relative paths start from its root; the policy is that of the workspace, or the same with
 * the root alone.
 *
 * @param workspaceNow the workspace, as soon as there is one: its ledger learns what was read.
 * @param lifetime after its end no path is allowed. Default: there is no end.
 */
export function createCacheScope(
  root: string,
  workspaceNow: () => Workspace | undefined,
  lifetime?: Lifetime,
): CacheScope {
  const operationsNow = (): FileOperations => workspaceNow()?.operations ?? nodeFileOperations;
  let found: string | undefined;
  /** The directory that the root led to when it was first used. A root that does not exist yet may lead anywhere later. */
  const realRoot = async (): Promise<string> => {
    const [first] = (await workspaceNow()?.realRoots()) ?? [];
    if (first !== undefined && workspaceNow()?.root === root) return first;
    if (found !== undefined) return found;
    const real = await realPathOf(operationsNow(), root);
    if (await isThere(real)) found ??= real;
    return found ?? real;
  };
  return {
    root,
    get operations() {
      return operationsNow();
    },
    get ledger() {
      return workspaceNow()?.ledger;
    },
    realRoots: async () => {
      const others = (await workspaceNow()?.realRoots()) ?? [];
      return [...new Set([await realRoot(), ...others])];
    },
    resolve: async (path, use) => {
      lifetime?.check();
      const workspace = workspaceNow();
      // An empty path and one with NUL are refused as they are.
      const absolute = path === '' || path.includes('\0') ? path : resolve(root, path);
      if (workspace) return workspace.resolve(absolute, use);
      const real = await realRoot();
      const roots = [{ named: root, real }];
      return resolvePath({ operations: nodeFileOperations, root, roots, allowed: [real] }, absolute, use);
    },
  };
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch {
    return false;
  }
}

/** Returns whether a path is the directory or below it. */
export function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}
