import { AgentError } from '../errors.ts';
import { runCall } from './calls.ts';
import type { Journal } from './journal.ts';
import { loopTexts } from './loop-texts.ts';
import type { WorkflowContext } from './workflow-context.ts';
import type { CallRecord, WorkflowFunction } from './types.ts';

export type ApprovalDecision =
  /** `input` replaces the arguments. */
  | { readonly isApproved: true; readonly input?: unknown }
  | { readonly isApproved: false; readonly reason?: string | undefined };

const YES = ['y', 'yes', 'ok', 'okay', 'approve', 'approved', '同意', '批准', '允许', '可以', '是', '好', '好的'];
const NO = ['n', 'no', 'refuse', 'refused', 'reject', 'deny', '拒绝', '不', '不同意', '不可以', '否', '不行', '不允许'];

/** Reads a message as a decision. Only these words approve a call, so that none runs by a misreading; others are reasons to reject. */
function decisionOf(message: string): ApprovalDecision {
  const word = message
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\s.。!！,，]+/gu, '');
  if (YES.includes(word)) return { isApproved: true };
  return NO.includes(word) ? { isApproved: false } : { isApproved: false, reason: message };
}

export interface Answered {
  readonly call: CallRecord;
  readonly answer: string | ApprovalDecision;
}

/** @throws {AgentError} `INVALID_INPUT` for arguments that the record cannot keep. */
export function checkJson(input: unknown): void {
  const text = ['The arguments of the call are not JSON', 'Pass JSON. The workflow still waits.'] as const;
  try {
    // A function has no JSON.
    if (input === undefined || (JSON.stringify(input) as string | undefined) !== undefined) return;
  } catch (error) {
    throw new AgentError('INVALID_INPUT', text, { cause: error });
  }
  throw new AgentError('INVALID_INPUT', text);
}

/** Returns the function of a call that waits for approval. @throws {AgentError} `INVALID_INPUT` */
export function functionOf({ functions }: WorkflowContext, { name }: CallRecord): WorkflowFunction {
  const fn = functions.find((one) => one.name === name);
  if (fn) return fn;
  const summary = `The function ${name}, which waits for approval, is not offered here`;
  throw new AgentError('INVALID_INPUT', [summary, 'Resume the workflow with the functions that it began with.']);
}

export async function settlePending(
  session: WorkflowContext,
  journal: Journal,
  { call, answer }: Answered,
): Promise<void> {
  if (journal.pending?.id !== call.id) {
    const summary = `The call ${call.id} of the workflow ${journal.record.id} no longer waits`;
    throw new AgentError('INVALID_INPUT', [summary, 'Read the workflow again.']);
  }
  const continued = { isContinued: true };
  if (call.status === 'asked' && typeof answer === 'string') {
    await journal.change(call.id, { status: 'done', output: answer }, continued);
    return;
  }
  const decision = typeof answer === 'string' ? decisionOf(answer) : answer;
  if (!decision.isApproved) {
    const { reason = loopTexts[session.language].noReason } = decision;
    await journal.change(call.id, { status: 'refused', output: reason }, continued);
    return;
  }
  const fn = functionOf(session, call);
  const isEdited = decision.input !== undefined;
  const input = isEdited ? decision.input : call.input;
  // From here on it may have run.
  await journal.change(call.id, { status: 'running', input, ...(isEdited && { isEdited }) }, continued);
  await runCall({ ...call, input }, fn, { ...session, journal: async () => journal });
}
