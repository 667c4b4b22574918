import type { FileOperations } from './operations.ts';
import type { PathUse, ResolvedPath } from './resolve.ts';

/** The files that a call may use. */
export interface PathScope {
  /** The root directory as the caller named it. */
  readonly root: string;
  readonly operations: FileOperations;
  /** Resolves a path and checks that the policy allows it. @throws {ToolError} see `resolvePath`. */
  resolve(path: string, use?: PathUse): Promise<ResolvedPath>;
}
