import { nodeFileOperations, realPathOf, resolvePath } from '@cairn/coding-agent';
import type { FileOperations, Ledger, PathUse, ResolvedPath, Workspace } from '@cairn/coding-agent';
import { sep } from 'node:path';

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

/** Options of {@link createCacheScope}. */
export interface CacheScopeOptions {
  /** Absolute. */
  readonly root: string;
  /** Its policy decides which paths may be read, and its ledger learns what was read. */
  readonly workspace?: Workspace | undefined;
  /** Default: those of the workspace, or this machine's file system. */
  readonly operations?: FileOperations | undefined;
}

/** Returns the files that a cache may read. Paths resolve like those of the tools of a workspace with the same root. */
export function createCacheScope({ root, workspace, operations }: CacheScopeOptions): CacheScope {
  if (workspace) return workspace;
  const used = operations ?? nodeFileOperations;
  let roots: Promise<readonly string[]> | undefined;
  const realRoots = (): Promise<readonly string[]> => {
    roots ??= realPathOf(used, root).then(
      (real) => [real],
      (error: unknown) => {
        roots = undefined;
        throw error;
      },
    );
    return roots;
  };
  return {
    root,
    operations: used,
    realRoots,
    resolve: async (path, use) => resolvePath({ operations: used, root, allowed: await realRoots() }, path, use),
  };
}

/** Returns whether a path is the directory or below it. */
export function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}
