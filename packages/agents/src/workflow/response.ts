import type { Todo, WorkflowRecord } from '@cairn/memory';
import type { Usage } from '../run/agent-run.ts';
import { UsageSum } from '../run/usage-sum.ts';
import type { CallRecord } from './types.ts';

/** What the user gets, and the state of the workflow. */
export interface WorkflowResponse {
  /** The answer, the question that the workflow waits with, or why it stopped. */
  readonly text: string;
  /** `running`: another process already goes on with it. */
  readonly status: 'done' | 'failed' | 'waiting' | 'cancelled' | 'running';
  /** `simple`: one turn of the model. `complex`: a list of todos. */
  readonly kind: 'simple' | 'complex';
  /** The id of the workflow. Absent for a turn without calls. */
  readonly workflow?: string;
  readonly todos: readonly Todo[];
  /** What a workflow waits for: the next message of the user, or a person's approval of a call. */
  readonly waitsFor?: { readonly kind: 'answer' } | { readonly kind: 'approval'; readonly call: CallRecord };
  /** Why it failed or was cancelled. */
  readonly reason?: string;
  /** The tokens of this call of the engine. */
  readonly usage: Usage;
}

/** Returns the response of a call that did no work. */
export function responseWithoutWork(
  { id, todos }: WorkflowRecord,
  state: Pick<WorkflowResponse, 'status' | 'text' | 'waitsFor'>,
): WorkflowResponse {
  return { ...state, kind: 'complex', workflow: id, todos, usage: new UsageSum().sum };
}
