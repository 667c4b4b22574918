import { errnoOf, explaining, explainSystemError } from '@cairn/tool/internal';
import { ToolError } from '@cairn/tool';
import { quotePath } from '@cairn/tool/paths';
import type { FileOperations } from '../files/operations.ts';
import type { Change, ChangeTools } from './change.ts';
import { changedPaths } from './changed-paths.ts';
import { isOutOfSight, kindOf, revert } from './make-change.ts';
import type { Expectation } from './mark.ts';
import { place } from './place.ts';
import type { PathChange } from './changes.ts';
import { createJournal, type Journal } from './journal.ts';
import type { LockedTarget } from './locked-targets.ts';
import type { ChangeContext, CommitScope } from './scope.ts';
import { isThere, removeAll } from './temporary.ts';

/** A change that is ready to be applied, and the check of what it was computed from. */
export interface PreparedChange {
  readonly change: Change;
  readonly expected: Expectation;
}

/** A part of a commit. Its methods are called at most once, in this order, unless stated. */
export interface Step {
  readonly path: string;
  readonly targets: readonly LockedTarget[];
  /** Finds problems without writing anything. A dry run does nothing else. */
  check?(): Promise<void>;
  /** Does everything that may fail for lack of space or permission, on the temporary paths. Called again after `crossesDevices`. */
  prepare(): Promise<readonly PreparedChange[]>;
  /** Called when a rename leads to another file system; returns whether the step can be prepared in another way. */
  crossesDevices?(): boolean;
  /** Describes the path when not all of it could be deleted: `was only partly deleted`. */
  readonly undeleted?: string | undefined;
  /** Returns the error for a path that another program changed. Called when everything is undone. Default: `changedMeanwhile`. */
  conflict?(): Promise<ToolError>;
  finish(): void;
  /** Returns the changes of the step: called after it was prepared. */
  changes(): readonly PathChange[];
}

export function changedMeanwhile(path: string): ToolError {
  const summary = `${path} was changed by another program during the call`;
  return new ToolError('STALE', [summary, 'Read it again, then repeat the change.'], { path });
}

function movedAway(path: string): ToolError {
  const summary = `the directory of ${path} was moved or replaced, perhaps with the change`;
  return new ToolError('STALE', [summary, 'Read it where the directory is now.'], { path });
}

async function check(steps: readonly Step[], signal: AbortSignal | undefined): Promise<void> {
  for (const step of steps) {
    signal?.throwIfAborted();
    await explaining(step.path, async () => step.check?.());
  }
}

interface Task extends PreparedChange {
  readonly step: Step;
}

/** A change whose path does not hold what it was computed from. */
class Conflict extends Error {}

class Commit {
  readonly #steps: readonly Step[];
  readonly #workspace: CommitScope;
  readonly #signal: AbortSignal | undefined;
  readonly #tools: ChangeTools;
  #tasks: readonly Task[] = [];
  #begun: readonly Task[] = [];
  readonly #remains: PathChange[] = [];
  /** The step that is being worked on, for messages. */
  #current: Step | undefined;

  constructor(steps: readonly Step[], { workspace, signal }: ChangeContext) {
    this.#steps = steps;
    this.#workspace = workspace;
    this.#signal = signal;
    this.#tools = { operations: workspace.operations, rescued: [] };
  }

  async run(): Promise<void> {
    const { changes, operations, state } = this.#workspace;
    const targets = this.#steps.flatMap((step) => step.targets);
    const temporaries = targets.flatMap(({ temporary, spare }) => [temporary, spare]);
    await check(this.#steps, this.#signal);
    const header = { paths: targets.map(({ real }) => real), locks: targets.map(({ place }) => place), temporaries };
    const journal = await state.use((directory) => createJournal(operations, directory, header));
    try {
      await this.#prepare();
    } catch (error) {
      try {
        for (const path of temporaries) await removeAll(operations, path);
        await journal.remove();
      } catch {
        // The next call finds the journal and tries again.
        await journal.close();
      }
      throw explainSystemError(error, this.#current?.path);
    }
    try {
      await this.#apply(journal);
    } catch (error) {
      throw await this.#fail(error, journal);
    }
    const failures = await this.#finish(journal);
    changes.announce(this.#changes());
    if (failures.length > 0) throw unfinished(failures, this.#steps);
  }

  async #prepare(): Promise<void> {
    const tasks: Task[] = [];
    for (const step of this.#steps) {
      this.#current = step;
      this.#signal?.throwIfAborted();
      for (const prepared of await step.prepare()) tasks.push({ ...prepared, step });
    }
    this.#signal?.throwIfAborted();
    const rank = ({ change: { kind } }: Task): number => (kind === 'delete' ? 1 : 0);
    this.#tasks = tasks.toSorted((a, b) => rank(a) - rank(b));
  }

  async #apply(journal: Journal): Promise<void> {
    const changes = this.#tasks.map(({ change }) => change);
    const [first] = changes;
    // One change that is made in one step needs no journal that survives a power failure.
    await journal.begin(changes, changes.length > 1 || first?.kind === 'overwrite');
    for (const [index, { step, change, expected }] of this.#tasks.entries()) {
      this.#current = step;
      this.#begun = this.#tasks.slice(0, index + 1);
      if (!(await kindOf(change).apply(this.#tools, change, expected))) throw new Conflict();
    }
  }

  /** Undoes what was applied, and returns the error to throw. */
  async #fail(error: unknown, journal: Journal): Promise<unknown> {
    const { changes } = this.#workspace;
    const path = this.#current?.path ?? '';
    const explained = error instanceof Conflict ? changedMeanwhile(path) : explainSystemError(error, path);
    const failures = await this.#undo(journal);
    // Also what was only prepared: a scan may have seen a directory that is gone again.
    changes.invalidate(this.#changes());
    if (failures.length > 0) {
      changes.announce(this.#begun.flatMap(({ step }) => step.changes()));
      return halfDone(explained, failures, this.#begun);
    }
    if (!(error instanceof Conflict)) return explained;
    const stale = (await this.#current?.conflict?.()) ?? changedMeanwhile(path);
    const [aside] = this.#tools.rescued;
    if (aside === undefined) return stale;
    const hint = `${stale.hint} An earlier version that another program had saved is now at ${quotePath(aside)}.`;
    return new ToolError(stale.code, [stale.summary, hint], { path: stale.path, context: stale.context });
  }

  async #undo(journal: Journal): Promise<readonly unknown[]> {
    const failures: unknown[] = [];
    try {
      await journal.turn('U');
      for (const { change, step } of this.#begun.toReversed()) {
        try {
          if (await isOutOfSight(this.#tools, change)) throw movedAway(step.path);
          await revert(this.#tools, change);
        } catch (error) {
          failures.push(explainSystemError(error, step.path));
        }
      }
      if (failures.length === 0) {
        for (const { change } of this.#tasks) await kindOf(change).clean(this.#tools.operations, change, false);
        await journal.remove();
        return failures;
      }
    } catch (error) {
      failures.push(explainSystemError(error, this.#current?.path));
    }
    // The next call finds the journal and tries again.
    await journal.close();
    return failures;
  }

  /** Removes what was replaced. Returns the paths that could not be removed; that is back at its path. */
  async #finish(journal: Journal): Promise<unknown[]> {
    if (this.#tasks.length > 1) await journal.turn('D');
    const failures: unknown[] = [];
    for (const step of this.#steps) step.finish();
    for (const task of this.#tasks) {
      try {
        await kindOf(task.change).clean(this.#tools.operations, task.change, true);
      } catch (error) {
        failures.push(await this.#putBack(task, explainSystemError(error, task.step.path)));
      }
    }
    try {
      await journal.remove();
    } catch {
      // The next call finds the journal. Everything in it is done.
      await journal.close();
    }
    return failures;
  }

  /** Moves back what a deletion could not remove. When that fails, nothing is lost: the error names its temporary path. */
  async #putBack({ change, step: { path, undeleted } }: Task, error: unknown): Promise<unknown> {
    const { operations } = this.#workspace;
    const parts = [`${path} ${undeleted ?? 'has a temporary file that could not be removed'}: ${summaryOf(error)}`];
    let hint = 'List it to see what remains.';
    if (change.kind !== 'move' && (await isThere(operations, change.temporary))) {
      try {
        if (change.kind !== 'delete') throw new Error('its place is taken');
        if (!(await place(operations, change.temporary, change.path))) throw changedMeanwhile(path);
        this.#remains.push(await remainsOf(operations, change.path));
      } catch (second) {
        const why = summaryOf(explainSystemError(second, path));
        parts.push(
          `${path} could not be restored (${why}): its remaining content is now at ${quotePath(change.temporary)}`,
        );
        hint = `Move that back to ${path}.`;
      }
    }
    return new ToolError('PERMISSION', [parts.join('; '), hint], { path, changed: true, cause: error });
  }

  #changes(): PathChange[] {
    return [...this.#steps.flatMap((step) => step.changes()), ...this.#remains];
  }
}

/** Returns the change to announce, next to its deletion, about a path that could not be removed and is back. */
async function remainsOf(operations: FileOperations, path: string): Promise<PathChange> {
  const { kind } = await operations.lstat(path);
  return kind === 'directory' ? { kind: 'create-directory', path } : { kind: 'write', path, isNew: false };
}

function isCrossing(error: unknown): boolean {
  return error instanceof Error && (errnoOf(error) === 'EXDEV' || errnoOf(error.cause) === 'EXDEV');
}

/**
 * Commits steps as one: all are prepared before the first change, and all are undone when a later one fails. After a kill, the next
 * start undoes or finishes all. Deletions come last. The signal counts until the first change; then the commit runs to its end. A dry
 * run only checks.
 *
 * The caller holds the locks of all targets. Changes are announced once, at the end; the changes of a commit that was undone are not.
 *
 * @throws {ToolError} `STALE` when another program changed a path during the call; for the system's errors; `changed` when
 * something could not be undone. The signal's reason.
 */
export async function commit(steps: readonly Step[], context: ChangeContext): Promise<void> {
  if (context.dryRun) await check(steps, context.signal);
  context.beforeChange?.(await changedPaths(steps, context));
  if (context.dryRun) return;
  try {
    await new Commit(steps, context).run();
  } catch (error) {
    if (!isCrossing(error) || !steps.map((step) => step.crossesDevices?.() ?? false).some(Boolean)) throw error;
    await new Commit(steps, context).run();
  }
  for (const change of steps.flatMap((step) => step.changes())) {
    if (change.kind === 'write') context.touched?.add(change.path);
    if (change.kind === 'rename') context.touched?.add(change.to);
  }
}

function unfinished(failures: readonly unknown[], steps: readonly Step[]): unknown {
  const [first] = failures;
  if (!ToolError.isInstance(first)) return first;
  const isAlone = new Set(steps.map(({ path }) => path)).size === 1;
  const rest = isAlone ? [] : ['all other changes were made'];
  const summary = [...failures.map(summaryOf), ...rest].join('; ');
  return new ToolError(first.code, [summary, first.hint], { path: first.path, changed: true, cause: first });
}

function halfDone(error: unknown, failures: readonly unknown[], begun: readonly Task[]): ToolError {
  const paths = [...new Set(begun.map(({ step }) => step.path))].join(', ');
  const why = [error, ...failures].map(summaryOf).join('; ');
  const summary = `The change failed partway, and undoing it failed too: ${why}`;
  return new ToolError('IO', [summary, `Check ${paths} before you continue.`], { changed: true, cause: error });
}

function summaryOf(error: unknown): string {
  if (ToolError.isInstance(error)) return error.summary;
  return error instanceof Error ? error.message : String(error);
}
