import type { BeforeChange } from '@cairn/tool';
import { MemoryError } from '@cairn/memory';
import type { Language } from '@cairn/tool/kernel';
import type { CallApprovals } from './call-approvals.ts';
import { ASK_USER } from './functions/ask-user.ts';
import { cutOutput } from './functions/outcome.ts';
import { resolveAction } from './functions/resolve-action.ts';
import type { Journal } from './journal.ts';
import { loopTexts } from './loop-texts.ts';
import type { CallRecord, FunctionOutcome, ParsedAction, WorkflowFunction } from './types.ts';
import type { WorkflowEvent } from './workflows-api.ts';

export interface CallContext {
  /** Begins the record of the workflow when it does not exist yet. */
  readonly journal: () => Promise<Journal>;
  readonly functions: readonly WorkflowFunction[];
  readonly approvals: CallApprovals;
  readonly functionTimeoutMs: number;
  /** The signal of the caller; that of the lease is the journal's. */
  readonly signal: AbortSignal | undefined;
  readonly emit: (event: WorkflowEvent) => void;
  readonly language: Language;
}

/** Runs a recorded call, and records its outcome: unknown after an abort. @throws {MemoryError} when it cannot be recorded. */
export async function runCall(
  { id, todoId, input }: CallRecord,
  fn: WorkflowFunction,
  { journal: open, functionTimeoutMs, signal, emit, language }: CallContext,
  beforeChange?: BeforeChange,
): Promise<FunctionOutcome> {
  const journal = await open();
  const late = AbortSignal.timeout(functionTimeoutMs);
  const stop = AbortSignal.any([late, journal.run.signal, ...(signal ? [signal] : [])]);
  const startedAt = performance.now();
  emit({ type: 'tool-start', id, todo: todoId, name: fn.name, input });
  let outcome: FunctionOutcome;
  let status: CallRecord['status'];
  try {
    outcome = await fn.execute(input, { signal: stop, callId: id, beforeChange });
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

/** Records a call and runs it, or lets it wait for a person. @returns `undefined` when it waits. */
export async function makeCall(
  context: CallContext,
  { todoId, fn, input }: { readonly todoId: string; readonly fn: WorkflowFunction; readonly input: unknown },
): Promise<FunctionOutcome | undefined> {
  const { journal: open, approvals, signal, language } = context;
  signal?.throwIfAborted();
  const decision = fn.name === ASK_USER ? undefined : await approvals.decide(fn, input, signal);
  if (decision?.verdict === 'deny') return { isError: true, output: decision.text };
  const journal = await open();
  const status = decision === undefined ? 'asked' : decision.verdict === 'ask' ? 'approval' : 'running';
  let call: CallRecord;
  try {
    call = await journal.add({ todoId, name: fn.name, input, status });
  } catch (error) {
    // It was not recorded, so it does not run.
    if (!MemoryError.isInstance(error) || error.code !== 'TOO_LARGE') throw error;
    return { isError: true, output: loopTexts[language].notRecorded(error.message) };
  }
  return decision?.verdict === 'allow' ? runCall(call, fn, context, decision.beforeChange) : undefined;
}

/** Makes a call that an answer has as text. An error has what went wrong, for the model. @returns `undefined` when it waits. */
export async function makeAction(
  context: CallContext,
  action: ParsedAction,
  todoId: string,
): Promise<(FunctionOutcome & { readonly isReadOnly?: boolean }) | undefined> {
  const { functions, language } = context;
  const resolved = await resolveAction(functions, action, { language });
  if (!resolved.isValid) return { isError: true, output: resolved.problem };
  const { fn, input } = resolved;
  const outcome = await makeCall(context, { todoId, fn, input });
  if (outcome?.isError !== true) return outcome && { ...outcome, isReadOnly: fn.isReadOnly };
  return { isError: true, output: loopTexts[language].failedCall(fn.name, outcome.output) };
}
