import type { Language } from '@cairn/tool/kernel';
import type { Journal } from './journal.ts';
import type { WorkflowEvent } from './events.ts';
import { cutOutput } from './functions/outcome.ts';
import { loopTexts } from './loop-texts.ts';
import type { CallRecord, FunctionOutcome, WorkflowFunction } from './types.ts';

/** What calling functions needs. */
export interface CallContext {
  /** Begins the record of the workflow when it does not exist yet. */
  readonly journal: () => Promise<Journal>;
  readonly functions: readonly WorkflowFunction[];
  readonly needsApproval: (fn: WorkflowFunction, input: unknown) => boolean;
  readonly functionTimeoutMs: number;
  /** The signal of the caller; that of the lease is the journal's. */
  readonly signal: AbortSignal | undefined;
  readonly emit: (event: WorkflowEvent) => void;
  readonly language: Language;
}

/**
 * Runs a call that the record states as running, and records its outcome. A call that was aborted, or did not end in time, has an
 * unknown outcome.
 *
 * @throws {MemoryError} when the outcome cannot be recorded.
 */
export async function runCall(
  { id, todoId, input }: CallRecord,
  fn: WorkflowFunction,
  { journal: open, functionTimeoutMs, signal, emit, language }: CallContext,
): Promise<FunctionOutcome> {
  const journal = await open();
  const late = AbortSignal.timeout(functionTimeoutMs);
  const stop = AbortSignal.any([late, journal.run.signal, ...(signal ? [signal] : [])]);
  const startedAt = performance.now();
  emit({ type: 'tool-start', id, todo: todoId, name: fn.name, input });
  let outcome: FunctionOutcome;
  let status: CallRecord['status'];
  try {
    outcome = await fn.execute(input, { signal: stop, callId: id });
    status = outcome.isError ? 'failed' : 'done';
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    outcome = { isError: true, output: stop.aborted ? loopTexts[language].stopped(functionTimeoutMs) : message };
    status = stop.aborted ? 'unknown' : 'failed';
  }
  const durationMs = performance.now() - startedAt;
  emit({ type: 'tool-end', id, todo: todoId, name: fn.name, ...outcome, durationMs });
  await journal.end(id, { status, output: cutOutput(outcome.output) });
  return outcome;
}
