import type { Ledger } from './ledger.ts';
import type { FileOperations } from './operations.ts';
import type { PathUse, ResolvedPath } from './resolve.ts';

/** The files that a call may use. */
export interface PathScope {
  readonly root: string;
  readonly operations: FileOperations;
  /** Resolves a path and checks that the policy allows it. @throws {ToolError} see `resolvePath`. */
  resolve(path: string, use?: PathUse): Promise<ResolvedPath>;
}

/** The files that the tools may use, and what has been read of them. */
export interface FileScope extends PathScope {
  /** What the tools and mentions have read and written. */
  readonly ledger: Ledger;
  /** Returns the canonical root and the other allowed roots. */
  realRoots(): Promise<readonly string[]>;
}
