import type { ToolCallPart, UnifiedMessage } from '@cairn/context';
import type { LanguageModel } from 'ai';
import type { ApprovalOutcome } from '../approvals/approvals.ts';
import type { ToolGrant } from '../tools/grant.ts';

/** What a run reports while it works, in order. Events of nested runs carry the `run` of theirs and their `depth`. */
export type AgentEvent = EventPlace &
  (
    | { readonly type: 'start'; readonly agent: string; readonly mode: string; readonly model: string }
    /** A request to the model begins. From 1. */
    | { readonly type: 'step'; readonly step: number }
    | { readonly type: 'text'; readonly text: string }
    | { readonly type: 'reasoning'; readonly text: string }
    | { readonly type: 'tool-start'; readonly id: string; readonly name: string; readonly input: ToolCallPart['input'] }
    | {
        readonly type: 'tool-end';
        readonly id: string;
        readonly name: string;
        readonly isError: boolean;
        /** What the model reads. */
        readonly output: string;
        readonly durationMs: number;
      }
    /**
     * A call needs an approval: a person is asked, or it was decided. A call that a rule allows has no such event. `reason` is that of
     * the person, the rule that denies it, or how the user can allow it.
     */
    | {
        readonly type: 'approval';
        readonly id: string;
        readonly name: string;
        readonly state: 'asked' | 'allowed' | 'rejected';
        readonly by?: 'rule' | 'person' | 'nobody';
        readonly reason?: string;
      }
    /** The server did not answer as it should; the request is repeated after `delayMs`. */
    | { readonly type: 'retry'; readonly reason: string; readonly delayMs: number; readonly attempt: number }
    /** What the user should know and the model need not, such as what was left out of the history. */
    | { readonly type: 'notice'; readonly text: string }
    | { readonly type: 'end'; readonly finishReason: FinishReason }
  );

/** An event without the place of its run. */
export type OwnEvent = AgentEvent extends infer Event
  ? Event extends AgentEvent
    ? Omit<Event, 'run' | 'depth'>
    : never
  : never;

interface EventPlace {
  /** The id of the run. */
  readonly run: string;
  /** 0 for the run that the caller started, 1 and 2 for delegated ones. */
  readonly depth: number;
}

/**
 * Why a run ended: the model had finished; the limit of steps, of tokens or of time; the caller's signal; an error of the model
 * or its server; or the model was cut by its own limit (`length`) or by a filter.
 */
export type FinishReason = 'stop' | 'steps' | 'tokens' | 'timeout' | 'aborted' | 'error' | 'length' | 'content-filter';

/** The tokens that a run used, as the provider counts them. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The part of `inputTokens` that the provider had cached. */
  readonly cachedInputTokens: number;
  /** Whether every answer stated its usage. */
  readonly isComplete: boolean;
}

/** The result of a run, including one that was ended by a limit or an abort. */
export interface AgentResult {
  /** The id to continue the run by. */
  readonly run: string;
  readonly agent: string;
  readonly finishReason: FinishReason;
  /** The last text of the model. */
  readonly text: string;
  /** The whole turn as it was appended to the history: the prompt first. */
  readonly messages: readonly UnifiedMessage[];
  readonly steps: number;
  readonly usage: Usage;
  /** Whether the mode shows something of main, and main had no message when the run began. */
  readonly isMainEmpty?: true;
  /** What the user should know, such as what was left out of the history. */
  readonly notices: readonly string[];
  /** Why the run ended with `error`. */
  readonly error?: Error;
}

/** A run that works. Iterating it yields its events; `result` settles when the turn is stored, also without iterating. */
export interface AgentRun extends AsyncIterable<AgentEvent> {
  readonly run: string;
  readonly result: Promise<AgentResult>;
  /** The tokens that it has used so far. */
  readonly usage: Usage;
}

/** What the executor passes to `execute` of each tool as `context`: the run that the call belongs to. */
export interface ToolRunContext {
  /** The id of the run. */
  readonly run: string;
  /** 0 for the run that the caller started. */
  readonly depth: number;
  /** The names of the agents from the first run to this one. */
  readonly agents: readonly string[];
  /** The model of the run: nested runs use it unless their definition names another. */
  readonly model: LanguageModel;
  /** What the run may call. */
  readonly grant: ToolGrant;
  /** Whether events have the text of the model while it is written. */
  readonly partialText: boolean;
  /** Reports a decision about a call, or without an outcome that a person is asked. */
  onApproval(id: string, name: string, outcome: ApprovalOutcome | undefined): void;
  /** Reports an event of a nested run as an event of this one. */
  emit(event: AgentEvent): void;
  /** Adds the usage of a nested run to this one. */
  addUsage(usage: Usage): void;
}
