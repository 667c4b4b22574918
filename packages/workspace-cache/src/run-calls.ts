import { ToolError } from '@cairn/tool';
import { describe } from './checks.ts';
import type { CacheAccess } from './content/types.ts';
import type { RunCounter } from './run-counter.ts';
import type { WorkspaceRun } from './run.ts';

/** Assigns calls of tools to the runs of a cache. */
export class RunCalls {
  readonly #counters = new WeakMap<WorkspaceRun, RunCounter>();
  /** The only run so far. */
  #sole: RunCounter | undefined;
  #hasSeveral = false;
  #unassigned = 0;

  /** Calls that belong to no run, because they name none and the cache has several. */
  get unassigned(): number {
    return this.#unassigned;
  }

  /** Notes a run that `init` returned. */
  add(run: WorkspaceRun, counter: RunCounter): void {
    this.#counters.set(run, counter);
    this.#hasSeveral ||= this.#sole !== undefined && this.#sole !== counter;
    this.#sole ??= counter;
  }

  /** Counts a call that names no run. Before the first run there is nothing to count for. */
  readonly noteUnnamed = (access: CacheAccess): void => {
    if (this.#hasSeveral) this.#unassigned += 1;
    else this.#sole?.noteAccess(access);
  };

  /** Returns the counter of the calls of a run. @throws {ToolError} `INVALID_OPTION` */
  listenerOf(run: WorkspaceRun | undefined): (access: CacheAccess) => void {
    if (run === undefined) return this.noteUnnamed;
    const given: unknown = run;
    const counter = typeof given === 'object' && given !== null ? this.#counters.get(run) : undefined;
    if (counter !== undefined) return counter.noteAccess;
    throw new ToolError('INVALID_OPTION', [`invalid option run: ${describe(given)}`, 'Use a run that init returned.']);
  }
}
