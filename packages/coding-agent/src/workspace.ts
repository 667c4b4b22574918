import { ToolError } from '@cairn/tool';
import { tmpdir } from 'node:os';
import { isAbsolute, join, resolve, sep } from 'node:path';
import { createLedger } from './ledger.ts';
import type { Ledger } from './ledger.ts';
import { createRecency } from './mentions/recency.ts';
import type { Recency } from './mentions/recency.ts';
import { createBufferPool } from './mutation/buffer-pool.ts';
import type { BufferPool } from './mutation/buffer-pool.ts';
import { createLocks } from './mutation/locks.ts';
import type { Locks } from './mutation/locks.ts';
import { nodeFileOperations } from './operations.ts';
import type { FileOperations } from './operations.ts';
import { isWithin, realPathOf, resolvePath } from './sandbox.ts';
import type { PathUse, ResolvedPath, Territory } from './sandbox.ts';

/** What the tools are allowed to do. */
export interface ToolPolicy {
  /**
   * Keep every path below the root and the allowed roots.
   * @default true
   */
  readonly confine?: boolean | undefined;
  /** Other directories that may be used, absolute. Default: none. */
  readonly allowedRoots?: readonly string[] | undefined;
  /**
   * `strict`: refuse to change a file that is not what was last read, and to overwrite one that never was. `off`: do as told.
   * @default 'strict'
   */
  readonly staleGuard?: 'strict' | 'off' | undefined;
}

/** What a workspace is made of. */
export interface WorkspaceOptions {
  /** The directory that relative paths start from: absolute. */
  readonly root: string;
  readonly policy?: ToolPolicy | undefined;
  /** Milliseconds since the epoch. Default: the system's clock. */
  readonly clock?: (() => number) | undefined;
  /** Default: this machine's file system. */
  readonly operations?: FileOperations | undefined;
  /**
   * Where locks and the notes of commits under way are kept: a directory of this machine, for this user alone, the same for
   * all processes that work on the tree. Default: `cairn-<uid>` in the system's directory for temporary files.
   */
  readonly stateDirectory?: string | undefined;
}

/** What the tools of one set share: where they may go, what they have read, who changes what. */
export interface Workspace {
  /** As it was named. */
  readonly root: string;
  readonly staleGuard: 'strict' | 'off';
  readonly clock: () => number;
  readonly operations: FileOperations;
  /** What was read and written. Mentions record here too. */
  readonly ledger: Ledger;
  /** What was written, moved and mentioned, for the order in which files are suggested. */
  readonly recency: Recency;
  readonly locks: Locks;
  /** Where the content of a file is while it is being changed. */
  readonly buffers: BufferPool;
  /**
   * Looks a path up and checks that it is allowed.
   *
   * @throws {ToolError} see `resolvePath`.
   */
  resolve(path: string, use?: PathUse): Promise<ResolvedPath>;
  /** The canonical root and the other allowed ones. */
  realRoots(): Promise<readonly string[]>;
}

function checkRoot(name: string, root: unknown): string {
  if (typeof root === 'string' && isAbsolute(root) && !root.includes('\0')) return resolve(root);
  const summary = `${name} must be an absolute path, not ${JSON.stringify(root)}`;
  throw new ToolError('INVALID_OPTION', [summary, 'Make it absolute with path.resolve.']);
}

function defaultStateDirectory(): string {
  return join(tmpdir(), `cairn-${process.getuid?.() ?? 'user'}`);
}

/**
 * Makes a workspace. Nothing is looked at before the first call; the first one puts in order what a killed process left.
 *
 * @throws {ToolError} `INVALID_OPTION` when the root or an allowed root is not absolute.
 */
export function createWorkspace(options: WorkspaceOptions): Workspace {
  const { policy = {}, clock = Date.now, operations = nodeFileOperations } = options;
  const root = checkRoot('root', options.root);
  const roots = [root, ...(policy.allowedRoots ?? []).map((allowed) => checkRoot('an allowed root', allowed))];
  const locks = createLocks(options.stateDirectory ?? defaultStateDirectory(), operations);
  let opened: Promise<readonly string[]> | undefined;

  const open = async (): Promise<readonly string[]> => {
    const allowed = await Promise.all(roots.map((directory) => realPathOf(operations, directory)));
    await locks.recover((path) => allowed.some((directory) => isWithin(path, directory)));
    return allowed;
  };
  /** Once for all calls; again when it failed. */
  const opening = (): Promise<readonly string[]> => {
    opened ??= open().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
  const territory = async (): Promise<Territory> => {
    const allowed = await opening();
    return { operations, root, allowed: policy.confine === false ? undefined : allowed };
  };
  return {
    root,
    staleGuard: policy.staleGuard ?? 'strict',
    clock,
    operations,
    ledger: createLedger(sep),
    recency: createRecency(clock),
    locks,
    buffers: createBufferPool(),
    resolve: async (path, use) => resolvePath(await territory(), path, use),
    realRoots: opening,
  };
}
