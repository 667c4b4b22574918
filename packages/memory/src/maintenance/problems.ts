import { MemoryError, type MemoryErrorCode } from '../errors.ts';

/** A key that a call had to leave out. The others are in its result. */
export interface Problem {
  readonly key: string;
  readonly code: MemoryErrorCode;
  /** The problem, and what to do next. */
  readonly message: string;
}

export type ProblemListener = (problem: Problem) => void;

/** The codes that say something about one key, and nothing about the store. */
const OF_ONE_KEY: ReadonlySet<MemoryErrorCode> = new Set(['CORRUPT_RECORD', 'STREAM_EXISTS']);

/**
 * Runs a task on one key, and reports a value that it cannot work with, so that one bad key hides no good one. A store that fails
 * is not a problem of one key: its error is thrown.
 *
 * @returns the result; `undefined` when there was a problem.
 */
export async function onKey<T>(key: string, run: () => Promise<T>, onProblem: ProblemListener): Promise<T | undefined> {
  try {
    return await run();
  } catch (error) {
    if (!MemoryError.isInstance(error) || !OF_ONE_KEY.has(error.code)) throw error;
    onProblem({ key, code: error.code, message: error.message });
    return undefined;
  }
}
