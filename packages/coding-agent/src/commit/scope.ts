import type { FileScope } from '../files/scope.ts';
import type { BufferPool } from './buffer-pool.ts';
import type { Changes } from './changes.ts';
import type { Locks } from './locks.ts';
import type { Recovery } from './recovery.ts';
import type { StateDirectory } from './state-directory.ts';

export interface CommitScope extends FileScope {
  readonly staleGuard: 'strict' | 'off';
  readonly state: StateDirectory;
  readonly locks: Locks;
  readonly recovery: Recovery;
  readonly buffers: BufferPool;
  readonly changes: Changes;
}

export interface ChangeContext {
  readonly workspace: CommitScope;
  readonly signal: AbortSignal | undefined;
  readonly dryRun: boolean;
  /** The canonical paths of the files that the call has read or changed: a commit adds to it. */
  readonly touched?: Set<string> | undefined;
}
