import { errnoOf, explaining, explainSystemError, ToolError } from '@cairn/tool';
import { dirname } from 'node:path';
import type { FileOperations } from '../files/operations.ts';
import type { Changes, PathChange } from './changes.ts';
import type { ChangeContext } from './scope.ts';

/** One change of a commit. Each part is called at most once, in this order; `undo` and `discard` only after a failure. */
export interface Step {
  /** The path for messages. */
  readonly path: string;
  /** Finds problems without writing anything. A dry run does nothing else. */
  check?(): Promise<void>;
  /** Does everything that may fail for lack of space or permission, on temporary files. */
  prepare(): Promise<void>;
  /** Checks that the file is still the one that the change was computed for. */
  verify(): Promise<void>;
  /** Makes the change, atomically where the file system can. */
  apply(): Promise<void>;
  /** Undoes `apply`. */
  undo(): Promise<void>;
  /** Removes the result of `prepare` when the step was not applied. */
  discard(): Promise<void>;
  /** Cleans up and updates the ledger when every step was applied. */
  finish(): Promise<void>;
  /** Returns what the step changes: called after it was prepared. */
  changes(): readonly PathChange[];
}

/**
 * Creates the missing directories above a path. Adds each to `made` at once, so that it is removed when a later one fails.
 */
async function makeParents(operations: FileOperations, path: string, made: string[]): Promise<void> {
  const parent = dirname(path);
  try {
    await operations.makeDirectory(parent);
    made.push(parent);
    return;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return;
    if (errnoOf(error) !== 'ENOENT' || parent === dirname(parent)) throw error;
  }
  await makeParents(operations, parent, made);
  await operations.makeDirectory(parent);
  made.push(parent);
}

/** Creates the directories that a step needs, and removes them when that step is undone. */
export function parentsStep(
  operations: FileOperations,
  target: { readonly real: string; readonly display: string },
): Step {
  const made: string[] = [];
  const remove = async (): Promise<void> => {
    for (const directory of made.toReversed()) {
      try {
        await operations.removeDirectory(directory);
      } catch (error) {
        // Another program uses the directory by now.
        if (errnoOf(error) === 'ENOTEMPTY' || errnoOf(error) === 'EEXIST') return;
        throw error;
      }
    }
  };
  return {
    path: target.display,
    prepare: () => makeParents(operations, target.real, made),
    verify: async () => undefined,
    apply: async () => {
      for (const directory of made) await syncQuietly(operations, dirname(directory));
    },
    undo: remove,
    discard: remove,
    finish: async () => undefined,
    changes: () => made.map((path) => ({ kind: 'create-directory', path })),
  };
}

/** Syncs a directory after a change. A file system that cannot sync it does not make the change fail. */
export async function syncQuietly(operations: FileOperations, directory: string): Promise<void> {
  try {
    await operations.syncDirectory(directory);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
}

async function runBack(steps: readonly Step[], part: 'undo' | 'discard'): Promise<unknown[]> {
  const failures: unknown[] = [];
  for (const step of steps.toReversed()) {
    try {
      await step[part]();
    } catch (error) {
      failures.push(explainSystemError(error, step.path));
    }
  }
  return failures;
}

/** Runs the checks of all steps and changes nothing. */
async function rehearse(steps: readonly Step[], signal: AbortSignal | undefined): Promise<void> {
  for (const step of steps) {
    signal?.throwIfAborted();
    await explaining(step.path, async () => step.check?.());
  }
}

/** How far a commit got. */
interface Progress {
  readonly prepared: Step[];
  /** `apply` was called. */
  readonly begun: Step[];
  readonly applied: Step[];
  current?: Step;
}

async function prepareAndApply(
  steps: readonly Step[],
  signal: AbortSignal | undefined,
  progress: Progress,
): Promise<void> {
  for (const step of steps) {
    progress.current = step;
    signal?.throwIfAborted();
    // Added before it runs: a part of it may have to be discarded.
    progress.prepared.push(step);
    await step.check?.();
    await step.prepare();
  }
  for (const step of steps) {
    progress.current = step;
    await step.verify();
  }
  signal?.throwIfAborted();
  for (const step of steps) {
    progress.current = step;
    progress.begun.push(step);
    await step.apply();
    progress.applied.push(step);
  }
}

/** Undoes what a failed commit did, and returns the error to throw. */
async function rollBack(
  error: unknown,
  { prepared, begun, applied, current }: Progress,
  changes: Changes,
): Promise<unknown> {
  const unapplied = prepared.filter((step) => !applied.includes(step));
  // Discarded first, so that a created directory is empty again when its creation is undone.
  await runBack(unapplied, 'discard');
  const failures = await runBack(applied, 'undo');
  const explained = explainSystemError(error, current?.path ?? '');
  const isChanged = failures.length > 0 || (ToolError.isInstance(explained) && explained.changed);
  // Also what was only prepared: a scan may have seen a directory that is gone again.
  changes.invalidate(prepared.flatMap((step) => step.changes()));
  if (isChanged) changes.announce(begun.flatMap((step) => step.changes()));
  return failures.length === 0 ? explained : halfDone(explained, failures, applied);
}

/**
 * Commits steps as one: all are prepared and verified before the first is applied, and all are undone when a later one
 * fails. The signal counts until the first step is applied; then the commit runs to its end. A dry run only checks.
 *
 * The caller holds the locks of all paths. Changes are announced once, at the end; those of a commit that was undone are not.
 *
 * @throws {ToolError} for what the system refused; `changed` when something could not be undone. The signal's reason.
 */
export async function commit(
  steps: readonly Step[],
  { workspace: { changes }, signal, dryRun }: ChangeContext,
): Promise<void> {
  if (dryRun) {
    await rehearse(steps, signal);
    return;
  }
  const progress: Progress = { prepared: [], begun: [], applied: [] };
  try {
    await prepareAndApply(steps, signal, progress);
  } catch (error) {
    throw await rollBack(error, progress, changes);
  }
  const failures = await finishAll(steps);
  changes.announce(steps.flatMap((step) => step.changes()));
  if (failures.length > 0) throw unfinished(failures, steps);
}

/** Finishes all steps, also when one of them fails. */
async function finishAll(steps: readonly Step[]): Promise<unknown[]> {
  const failures: unknown[] = [];
  for (const step of steps) {
    try {
      await step.finish();
    } catch (error) {
      failures.push(explainSystemError(error, step.path));
    }
  }
  return failures;
}

function unfinished(failures: readonly unknown[], steps: readonly Step[]): unknown {
  const [first] = failures;
  if (!ToolError.isInstance(first)) return first;
  const isAlone = new Set(steps.map(({ path }) => path)).size === 1;
  const rest = isAlone ? [] : ['all other changes were made'];
  const summary = [...failures.map(summaryOf), ...rest].join('; ');
  return new ToolError(first.code, [summary, first.hint], { path: first.path, changed: true, cause: first });
}

function halfDone(error: unknown, failures: readonly unknown[], applied: readonly Step[]): ToolError {
  const paths = [...new Set(applied.map(({ path }) => path))].join(', ');
  const why = [error, ...failures].map(summaryOf).join('; ');
  const summary = `The change failed partway, and undoing it failed too: ${why}`;
  return new ToolError('IO', [summary, `Check ${paths} before you continue.`], { changed: true, cause: error });
}

function summaryOf(error: unknown): string {
  if (ToolError.isInstance(error)) return error.summary;
  return error instanceof Error ? error.message : String(error);
}
