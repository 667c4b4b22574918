import type { BeforeChange } from '@cairn/tool';
import type { Ledger } from '../files/ledger.ts';
import type { PathScope } from '../files/resolve.ts';
import type { BufferPool } from './buffer-pool.ts';
import type { Changes } from './changes.ts';
import type { Locks } from './locks.ts';
import type { Recovery } from './recovery.ts';
import type { StateDirectory } from './state-directory.ts';

/** The files that the tools may use, what has been read of them, and what a commit needs to change them. */
export interface CommitScope extends PathScope {
  /** What the tools and mentions have read and written. */
  readonly ledger: Ledger;
  /** Returns the canonical root and the other allowed roots. */
  realRoots(): Promise<readonly string[]>;
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
  readonly beforeChange?: BeforeChange | undefined;
}
