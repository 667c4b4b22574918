import type { FileOperations } from '../files/operations.ts';
import type { Expectation, Mark } from './mark.ts';

export interface Replacement {
  readonly path: string;
  readonly temporary: string;
  readonly spare: string;
  readonly before: Mark;
  readonly after: Mark;
}

/** A path that will exist, and the missing directories on the way to it, each before those inside it. */
interface Arrival {
  readonly directories: readonly string[];
}

/**
 * One change of a commit, as its journal states it. Each can be inspected, done and undone from what is on the disk alone, so a
 * later process can finish or undo it.
 */
export type Change =
  /** Exchanges a file and its new content. `isSource`: the new content is a path of the user, not a temporary one. */
  | ({ readonly kind: 'replace'; readonly isSource?: boolean } & Replacement)
  /** Writes the new content over the file; `spare` holds the old one. Keeps hard links and what only the owner may set. */
  | ({ readonly kind: 'overwrite' } & Replacement)
  | ({ readonly kind: 'create'; readonly path: string; readonly temporary: string; readonly after: Mark } & Arrival)
  | ({ readonly kind: 'move'; readonly path: string; readonly to: string; readonly before: Mark } & Arrival)
  | { readonly kind: 'delete'; readonly path: string; readonly temporary: string; readonly before: Mark };

export interface ChangeTools {
  readonly operations: FileOperations;
  /** Receives the paths of other programs' content that lost its place to a later one. */
  readonly rescued: string[];
}

/** How far a change is; `conflict`: another program changed the path. */
export type Progress = 'applied' | 'unapplied' | 'conflict';

export interface ChangeKind<One extends Change> {
  /**
   * Makes a change that is `unapplied`. Returns false when the path did not hold what was expected; then it holds that again.
   *
   * @param expected what the change was computed from. A move carries its content along, whatever it is.
   */
  apply(tools: ChangeTools, change: One, expected: Expectation): Promise<boolean>;
  /** Returns the progress of a change. Content of another program that the change had moved away goes back at once. */
  inspect(tools: ChangeTools, change: One): Promise<Progress>;
  /** Undoes a change that is as far as `progress`. What another program wrote since stays; returns false then. */
  revert(tools: ChangeTools, change: One, progress: Progress): Promise<boolean>;
  /** Removes what a change leaves, after it was applied or undone. */
  clean(operations: FileOperations, change: One, isApplied: boolean): Promise<void>;
}
