import { ToolError } from '@cairn/tool';
import { describe } from './checks.ts';
import type { CacheAccess } from './content/types.ts';
import type { RunCounter } from './run-counter.ts';
import type { RunState, WorkspaceRun } from './run.ts';

/** The runs of a cache: it assigns calls of tools to them, and may outlive many, so it must not hold what they have. */
export class KnownRuns {
  readonly #states = new WeakMap<WorkspaceRun, RunState>();
  readonly #references = new Set<WeakRef<RunState>>();
  /** Of the only run so far. */
  #sole: RunCounter | undefined;
  #hasSeveral = false;
  #unassigned = 0;

  /** Calls that belong to no run, because they name none and the cache has several. */
  get unassigned(): number {
    return this.#unassigned;
  }

  add(run: WorkspaceRun, state: RunState): void {
    if (this.#states.has(run)) return;
    this.#states.set(run, state);
    this.#references.add(new WeakRef(state));
    this.#hasSeveral = this.#sole !== undefined;
    this.#sole ??= state.counter;
  }

  /** Returns the states of the runs that something else holds. */
  states(): RunState[] {
    return [...this.#references].flatMap((reference) => {
      const state = reference.deref();
      if (state === undefined) this.#references.delete(reference);
      return state ?? [];
    });
  }

  /** Counts a call that names no run. Before the first run there is nothing to count for. */
  readonly noteUnnamed = (access: CacheAccess): void => {
    if (this.#hasSeveral) this.#unassigned += 1;
    else this.#sole?.noteAccess(access);
  };

  /** Returns the counter of the calls of a run. @throws {ToolError} `INVALID_OPTION` */
  listenerOf(run: WorkspaceRun | undefined): (access: CacheAccess) => void {
    if (run === undefined) return this.noteUnnamed;
    const state = this.#states.get(run);
    if (state !== undefined) return state.counter.noteAccess;
    throw new ToolError('INVALID_OPTION', [`invalid option run: ${describe(run)}`, 'Use a run that init returned.']);
  }
}
