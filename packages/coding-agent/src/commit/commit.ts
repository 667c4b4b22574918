import { errnoOf, explaining, explainSystemError, ToolError } from '@cairn/tool';
import { dirname } from 'node:path';
import type { FileOperations } from '../files/operations.ts';
import { invalidateFsScanAfterWrite } from './scan-cache.ts';

/** One change of a commit. Each part is called at most once, in this order; `undo` and `discard` only after a failure. */
export interface Step {
  /** How the path is shown. */
  readonly path: string;
  /** What can be said against it without writing anything; a dry run asks no more. */
  check?(): Promise<void>;
  /** Everything that may fail for want of space or permission, on temporary files. */
  prepare(): Promise<void>;
  /** Whether the file is still what the change was made for. */
  verify(): Promise<void>;
  /** Makes the change: a rename, or as good as one. */
  apply(): Promise<void>;
  /** Takes back what `apply` did. */
  undo(): Promise<void>;
  /** Removes what `prepare` made, when it was not applied. */
  discard(): Promise<void>;
  /** What remains to be done when every step was applied. */
  finish(): Promise<void>;
  /** Tells the scan cache. Called once when the step was applied, also when it was taken back. */
  announce(): void;
}

/**
 * Makes directories that are missing above a path, and adds each to `made` at once: when a later one fails they are removed.
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

/** Makes the directories that a step needs; they count as written, and are removed again when the step is. */
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
        // Somebody else has put something there: by now it is theirs.
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
    announce: () => {
      for (const directory of made) invalidateFsScanAfterWrite(directory);
    },
  };
}

/** The change is made; a file system that cannot say when it is on the disk does not make it undone. */
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

/**
 * Asks of all changes what can be said against them, and makes none.
 *
 * @throws {ToolError} for what the system would refuse. The signal's reason.
 */
export async function rehearse(steps: readonly Step[], signal: AbortSignal | undefined): Promise<void> {
  for (const step of steps) {
    signal?.throwIfAborted();
    await explaining(step.path, async () => step.check?.());
  }
}

/**
 * Makes changes as one: all are prepared and verified before the first is applied, and taken back when a later one fails.
 * The signal is looked at up to the first change; from then on the commit is finished.
 *
 * The caller holds the locks of all paths.
 *
 * @throws {ToolError} for what the system refused; `changed` when something could not be taken back. The signal's reason.
 */
export async function commit(steps: readonly Step[], signal: AbortSignal | undefined): Promise<void> {
  const prepared: Step[] = [];
  const applied: Step[] = [];
  let current: Step | undefined;
  try {
    for (const step of steps) {
      current = step;
      signal?.throwIfAborted();
      // Counted before it is done: half of it may have to be removed.
      prepared.push(step);
      await step.check?.();
      await step.prepare();
    }
    for (const step of steps) {
      current = step;
      await step.verify();
    }
    signal?.throwIfAborted();
    for (const step of steps) {
      current = step;
      await step.apply();
      applied.push(step);
    }
  } catch (error) {
    const unapplied = prepared.filter((step) => !applied.includes(step));
    // First, so that a directory is empty again when its making is taken back.
    await runBack(unapplied, 'discard');
    const failures = await runBack(applied, 'undo');
    for (const step of applied) step.announce();
    const explained = explainSystemError(error, current?.path ?? '');
    throw failures.length === 0 ? explained : halfDone(explained, failures, applied);
  }
  const failures = await finishAll(steps);
  for (const step of steps) step.announce();
  if (failures.length > 0) throw unfinished(failures, steps);
}

/** All steps are applied by now: what one of them leaves behind does not keep the others from tidying up. */
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
  const rest = isAlone ? [] : ['all else was changed as asked'];
  const summary = [...failures.map(summaryOf), ...rest].join('; ');
  return new ToolError(first.code, [summary, first.hint], { path: first.path, changed: true, cause: first });
}

function halfDone(error: unknown, failures: readonly unknown[], applied: readonly Step[]): ToolError {
  const paths = [...new Set(applied.map(({ path }) => path))].join(', ');
  const why = [error, ...failures].map(summaryOf).join('; ');
  const summary = `The change failed half way, and taking it back failed too: ${why}`;
  return new ToolError('IO', [summary, `Look at ${paths} before going on.`], { changed: true, cause: error });
}

function summaryOf(error: unknown): string {
  if (ToolError.isInstance(error)) return error.summary;
  return error instanceof Error ? error.message : String(error);
}
