import type { BeforeChange, ToolDefinition } from '@cairn/tool';
import type { z } from 'zod';

export interface FunctionCallContext {
  readonly signal: AbortSignal;
  /** The id of the call in the record of the workflow. A function can use it to recognise a repeated call. */
  readonly callId: string;
  /** The last check of what a tool changes. */
  readonly beforeChange?: BeforeChange | undefined;
}

export interface FunctionOutcome {
  /** What the model reads. */
  readonly output: string;
  readonly isError: boolean;
}

/** A function that a workflow can call. */
export interface WorkflowFunction {
  /** As prompts and records name it, such as `desktop.create_excel_document`. */
  readonly name: string;
  /** The name that providers accept for a tool, such as `desktop_create_excel_document`. Unique in a list of functions. */
  readonly toolName: string;
  readonly description: string;
  readonly inputSchema: z.ZodType;
  /** Other names for `[alias:arguments]`. */
  readonly aliases: readonly string[];
  /** Whether a call changes nothing, so that it may be repeated without asking the model. */
  readonly isReadOnly: boolean;
  /** The tool that it is. Absent for a function of a stream. */
  readonly tool?: ToolDefinition | undefined;
  /** @throws the reason of an aborted signal, and unexpected errors. An expected failure is an outcome with `isError`. */
  readonly execute: (input: unknown, context: FunctionCallContext) => Promise<FunctionOutcome>;
}

/** An action that a model wrote as text: `[alias:arguments]`. */
export interface ParsedAction {
  readonly name: string;
  readonly args: string;
  readonly text: string;
}

export interface StepReply {
  /** From 0 to 1; absent when the model stated none that can be read. */
  readonly completion?: number;
  readonly actions: readonly ParsedAction[];
  /** Absent for none (`None`, `无`). */
  readonly nextStep?: string;
  readonly note?: string;
  /** What the step found or made: the text for the user. */
  readonly result?: string;
  /** The text that belongs to no field, one line each. */
  readonly unread: readonly string[];
  /** The parts that cannot be read, each with what to do instead. */
  readonly problems: readonly string[];
}

/** A call in the record of a workflow. It is written before the call runs, and again with its outcome. */
export interface CallRecord {
  /** `call_0`, `call_1`, in the order of the calls of the workflow. */
  readonly id: string;
  /** The step that made the call. */
  readonly todoId: string;
  /** The name of the function. */
  readonly name: string;
  readonly input: unknown;
  /**
   * - `approval`: it waits for a person's approval and has not run.
   * - `asked`: the user was asked, and has not answered.
   * - `running`: it began. After a kill its outcome is unknown.
   * - `unknown`: its runner was gone before it recorded the outcome: it may have run, wholly, in part, or not at all.
   * - `refused`: a person rejected it. It has not run.
   */
  readonly status: 'approval' | 'asked' | 'running' | 'done' | 'failed' | 'unknown' | 'refused';
  /** What the model reads; for a rejected call the reason, for a question the answer. Cut to 2,000 characters. */
  readonly output?: string;
  /** Whether a person changed its arguments. */
  readonly isEdited?: true;
}
