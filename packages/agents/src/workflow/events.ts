import type { Todo } from '@cairn/memory';
import type { CallRecord } from './types.ts';

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
  | { readonly type: 'text'; readonly text: string; readonly todo?: string }
  | { readonly type: 'reasoning'; readonly text: string; readonly todo?: string }
  | {
      readonly type: 'tool-start';
      readonly id: string;
      readonly todo?: string;
      readonly name: string;
      readonly input: unknown;
    }
  | {
      readonly type: 'tool-end';
      readonly id: string;
      readonly todo?: string;
      readonly name: string;
      readonly isError: boolean;
      readonly output: string;
      readonly durationMs: number;
    }
  /** The server did not answer as it should; the request is repeated after `delayMs`. */
  | { readonly type: 'retry'; readonly reason: string; readonly delayMs: number; readonly attempt: number }
  | { readonly type: 'notice'; readonly text: string }
  /** The workflow waits for the answer of the user. */
  | { readonly type: 'question'; readonly workflow: string; readonly text: string }
  /** The workflow waits for a person's approval of a call. */
  | { readonly type: 'approval'; readonly workflow: string; readonly call: CallRecord }
  | { readonly type: 'end'; readonly status: string; readonly text: string };
