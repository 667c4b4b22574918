import type { LanguageModel } from 'ai';
import type { ToolGrant } from '../tools/grant.ts';
import type { AgentEvent, Usage } from './agent-run.ts';

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
  /** Reports an event of a nested run among those of this one. */
  emit(event: AgentEvent): void;
  /** Adds the usage of a nested run to that of this one. */
  addUsage(usage: Usage): void;
}
