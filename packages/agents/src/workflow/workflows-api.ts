import type { EditedTodo, Memory, Todo, WorkflowRecord } from '@cairn/memory';
import type { ToolSet } from '@cairn/tool';
import type { Language } from '@cairn/tool/kernel';
import type { Approvals } from '../approvals/approvals.ts';
import type { GuardOptions } from '../model/guard-model.ts';
import type { ModelOptions } from '../model/resolve-model.ts';
import type { OwnEvent, Usage } from '../run/agent-run.ts';
import { UsageSum } from '../run/usage-sum.ts';
import type { CallRecord } from './types.ts';

/** Options of `createWorkflows`. */
export interface WorkflowsOptions extends ModelOptions {
  /** Where the streams are defined, and where conversations, notes, facts and the records of workflows are. */
  readonly memory: Memory;
  /** Tools that workflows can call besides the functions of their streams. @default none */
  readonly toolSets?: readonly ToolSet[] | undefined;
  /** The directory of the tools, absolute. Required with `toolSets`. */
  readonly root?: string | undefined;
  /** The language of prompts and answers. @default the stream's language */
  readonly language?: Language | undefined;
  /**
   * The functions whose calls wait for a person's approval: their names, or a function that decides by the call. A name must be
   * that of a function. @default none
   */
  readonly needsApproval?:
    | readonly string[]
    | ((call: { readonly name: string; readonly input: unknown; readonly isReadOnly: boolean }) => boolean)
    | undefined;
  /**
   * Decides about the calls of tools by rules. A call that asks waits for an approval, unless a person can be asked at once. Functions
   * of streams do not count. Default: none; only `needsApproval` counts.
   */
  readonly approvals?: Approvals | undefined;
  /** Whether the notes are removed or left to expire when a workflow ends. @default 'remove' */
  readonly notes?: 'remove' | 'expire' | undefined;
  /** The largest prompt with its tools, in estimated tokens. @default 32_000 */
  readonly maxTokens?: number | undefined;
  /** The requests of one turn. @default 20 */
  readonly maxRequests?: number | undefined;
  /** A call that takes longer is stopped, in milliseconds. @default 600_000 */
  readonly functionTimeoutMs?: number | undefined;
  /** After this time without a heartbeat, another process may continue a workflow, in milliseconds. @default 30_000 */
  readonly leaseMs?: number | undefined;
  /** Time limits and retries of requests. */
  readonly requests?: Omit<GuardOptions, 'onRetry'> | undefined;
}

/** Where a message comes from. */
export interface ProcessEvent {
  readonly group: string;
  /** The name of the user. */
  readonly user?: string | undefined;
  /**
   * The id of the message, so that a repeated call stores it once. It is answered again: resume a workflow that was killed by its
   * id. @default a random one
   */
  readonly messageId?: string | undefined;
}

/** Options of every call that lets a workflow work. */
export interface WorkOptions {
  /** Ends the work. The workflow can be resumed. */
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: ((event: WorkflowEvent) => void) | undefined;
}

/** Options of {@link WorkflowStream.process}. */
export interface ProcessOptions extends WorkOptions {
  /** Streams to merge into this one: their functions, and a separate memory. @default none */
  readonly mergeStreams?: readonly string[] | undefined;
  /** Whether the model may decide on a list of todos; otherwise the answer is one turn. @default true */
  readonly enableTodo?: boolean | undefined;
  /** JSON that the record keeps as `state.settings`, to open the streams of the workflow again. @default none */
  readonly settings?: unknown;
  /** Whether to read and write the memory. Without it the workflow ends with this process. @default true */
  readonly enableMemory?: boolean | undefined;
}

/** A stream that answers. */
export interface WorkflowStream {
  /**
   * Answers a message of the user: resumes the workflow of the group that waits for it, or lets the model answer or work on a
   * list of todos.
   *
   * @throws {AgentError} of the model, `INVALID_FUNCTIONS`, `INVALID_OPTION`. @throws {MemoryError} of the store. After both, a
   *   workflow that had begun can be resumed; the event `workflow-start` has its id.
   */
  readonly process: (event: ProcessEvent, question: string, options?: ProcessOptions) => Promise<WorkflowResponse>;
}

/** Options of {@link AgentWorkflows.resume}. */
export interface ResumeOptions extends WorkOptions {
  /** The answer of the user. @default the newest message of the user after the question */
  readonly answer?: string | undefined;
}

/** Workflows of agents. Each call works until the workflow waits or ends. */
export interface AgentWorkflows {
  /** Returns a stream of the memory. @throws {MemoryError} `UNKNOWN_STREAM`. */
  readonly stream: (name: string) => WorkflowStream;
  /**
   * Continues a workflow: after a kill, an error or an abort, or with the answer of the user. Without an answer, one that waits
   * goes on waiting; one that is done returns its answer again.
   *
   * @throws {MemoryError} `UNKNOWN_WORKFLOW`, `WORKFLOW_BUSY`. @throws {AgentError} `INVALID_INPUT` when it failed or was cancelled.
   */
  readonly resume: (id: string, options?: ResumeOptions) => Promise<WorkflowResponse>;
  /** Approves the call that the workflow waits with, also with other arguments. @throws {AgentError} `INVALID_INPUT` for no JSON. */
  readonly approve: (id: string, options?: WorkOptions & { readonly input?: unknown }) => Promise<WorkflowResponse>;
  /** Rejects the call that the workflow waits with, and continues. */
  readonly refuse: (
    id: string,
    options?: WorkOptions & { readonly reason?: string | undefined },
  ) => Promise<WorkflowResponse>;
  /** Tries the failed todos of a workflow again, or one of them, also after the workflow has failed or was cancelled. */
  readonly retry: (
    id: string,
    options?: WorkOptions & { readonly todo?: string | undefined },
  ) => Promise<WorkflowResponse>;
  /** Ends a workflow. Whoever works on it stops before the next call. */
  readonly cancel: (id: string, options?: { readonly reason?: string | undefined }) => Promise<WorkflowRecord>;
  /** Replaces the open todos of a workflow that waits. See `workflows.editTodos` of the memory. */
  readonly editTodos: (id: string, todos: readonly EditedTodo[]) => Promise<WorkflowRecord>;
  /** Returns a workflow with its notes. */
  readonly get: (id: string) => Promise<WorkflowRecord>;
  /** Closes the tool sets. The memory stays open. */
  readonly close: () => Promise<void>;
}

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

/** Names the answer or the approval that a call waits for. */
export function waitsForOf(call: CallRecord | undefined): NonNullable<WorkflowResponse['waitsFor']> {
  return call?.status === 'approval' ? { kind: 'approval', call } : { kind: 'answer' };
}

/** Returns the response of a call that did no work. */
export function responseWithoutWork(
  { id, todos }: WorkflowRecord,
  state: Pick<WorkflowResponse, 'status' | 'text' | 'waitsFor'>,
): WorkflowResponse {
  return { ...state, kind: 'complex', workflow: id, todos, usage: new UsageSum().sum };
}

/** What a workflow reports while it works, in order. `todo` is the id of the step; absent in a turn without one. */
export type WorkflowEvent =
  /** The record exists: from here on, `workflow` can be resumed. */
  | {
      readonly type: 'workflow-start';
      readonly workflow: string;
      readonly goal: string;
      readonly todos: readonly Todo[];
      readonly isResumed: boolean;
    }
  | { readonly type: 'decision'; readonly kind: 'simple' | 'complex'; readonly todos: readonly string[] }
  | { readonly type: 'todo-start'; readonly todo: string; readonly content: string; readonly attempt: number }
  /** A step ended, or is repeated (`pending`). `reason` states why it failed or is repeated. */
  | {
      readonly type: 'todo-end';
      readonly todo: string;
      readonly status: 'done' | 'failed' | 'pending';
      readonly completion?: number;
      readonly reason?: string;
      /** The step that was added because of it. */
      readonly added?: string;
      /** The step that made this one needless: it has not run. */
      readonly closedBy?: string;
    }
  | (Extract<OwnEvent, { readonly type: 'text' | 'reasoning' | 'tool-start' | 'tool-end' }> & {
      readonly todo?: string;
    })
  | Extract<OwnEvent, { readonly type: 'retry' | 'notice' }>
  /** The workflow waits for the answer of the user. */
  | { readonly type: 'question'; readonly workflow: string; readonly text: string }
  /** The workflow waits for a person's approval of a call. */
  | { readonly type: 'approval'; readonly workflow: string; readonly call: CallRecord }
  | { readonly type: 'end'; readonly status: string; readonly text: string };
