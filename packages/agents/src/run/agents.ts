import type {
  AgentDefinition,
  AgentDefinitions,
  AskModel,
  ContextManager,
  ContextMode,
  LeftOut,
  UnifiedMessage,
  UserMessage,
} from '@cairn/context';
import type { Knowledge } from '@cairn/knowledge';
import type { Memory } from '@cairn/memory';
import type { ShownPart, ToolSet } from '@cairn/tool';
import type { Language } from '@cairn/tool/kernel';
import type { CountTokens } from '@cairn/tool/prompt';
import type { WorkspaceCache, WorkspaceRun } from '@cairn/workspace-cache';
import type { LanguageModel } from 'ai';
import type { Approvals } from '../approvals/approvals.ts';
import type { GuardOptions } from '../model/guard-model.ts';
import type { ModelOptions } from '../model/resolve-model.ts';
import type { SystemPart } from '../prompt/system-prompt.ts';
import type { HiddenBy } from '../tools/shown-parts.ts';
import type { AgentRun, ToolRunContext } from './agent-run.ts';

/** Options of `createAgents`. */
export interface AgentsOptions extends ModelOptions, Pick<GuardOptions, 'firstByteTimeoutMs' | 'chunkTimeoutMs'> {
  /** The directory of the project, absolute. */
  readonly root: string;
  /** Where the user works in the project: the instructions in this directory and above it are the nearest. @default root */
  readonly directory?: string | undefined;
  /** The histories. The caller closes them. */
  readonly contexts: ContextManager;
  /** The agents that runs name. @default none */
  readonly definitions?: AgentDefinitions | undefined;
  /** Returns the model of an id, such as one of a definition. @default the model of that id at `baseUrl` */
  readonly models?: ((id: string) => LanguageModel | undefined) | undefined;
  /** The tools. `close` closes them. */
  readonly toolSets?: readonly ToolSet[] | undefined;
  /** Further directories that the tools may use, absolute. */
  readonly roots?: readonly string[] | undefined;
  /** The naming profile of the tools. @default 'default' */
  readonly naming?: string | undefined;
  /** Offer only tools that change nothing. @default false */
  readonly readOnly?: boolean | undefined;
  /**
   * Decides about each call that changes something, of delegated agents, too. Default: `createApprovals` without rules, so that such
   * calls are rejected.
   */
  readonly approvals?: Approvals | undefined;
  /** Its newest facts are in each system prompt. The caller closes it. */
  readonly memory?: Memory | undefined;
  /** Its index is in each system prompt, unless it has no assets. The caller closes it. */
  readonly knowledge?: Pick<Knowledge, 'payload'> | undefined;
  /**
   * Its tree is in each system prompt. It stays the same while only the tools change the workspace: what they changed is at the end
   * of the newest prompt. The caller closes it.
   */
  readonly workspaceCache?: WorkspaceCache | undefined;
  /**
   * Writes the summaries of the mode `summarized`: the model of the run, or a function. Each is made once and stored. When it fails,
   * sentences of the conversation are shown. Default: sentences, without a model.
   */
  readonly summarizer?: 'model' | AskModel | undefined;
  /** Of the texts for the model. @default 'en' */
  readonly language?: Language | undefined;
  /** The largest history and prompt of a request. The system prompt and the tools come on top. @default 32_000 */
  readonly maxContextTokens?: number | undefined;
  /** @default `estimateTokens` of `@cairn/tool` */
  readonly countTokens?: CountTokens | undefined;
}

/** The contents of a request. */
export interface RequestOptions {
  /** The name of an agent of the definitions, or a definition. */
  readonly agent: string | AgentDefinition;
  readonly prompt: UserMessage['content'];
  /** @default set by the definition, else `isolated` */
  readonly mode?: ContextMode | undefined;
  /** Continues the run with this id: of the agent's own history the model sees its turns only. */
  readonly continue?: string | undefined;
  /** Attach the files that the prompt mentions as `@path`. @default false */
  readonly mentions?: boolean | undefined;
  /** Offer only tools that change nothing. @default the setting of the agents */
  readonly readOnly?: boolean | undefined;
  /** The names of the agents that the run may start, itself and through the runs that it starts. @default all */
  readonly onlyAgents?: readonly string[] | undefined;
  /** What the run is not shown, with the tools about it, in addition to what the definition leaves out. @default nothing */
  readonly without?: readonly ShownPart[] | undefined;
  /** The run that starts this one by a tool call. */
  readonly parent?: ToolRunContext | undefined;
}

/** Options of {@link Agents.prepare}. */
export type PrepareOptions = Omit<RequestOptions, 'prompt'> & Partial<Pick<RequestOptions, 'prompt'>>;

/** Options of {@link Agents.run}. */
export interface RunOptions extends RequestOptions {
  /** A model of the AI SDK, or an id. @default the model of the definition, of the parent, of the agents */
  readonly model?: LanguageModel | undefined;
  /** Requests to the model. @default set by the definition, else 50 */
  readonly maxSteps?: number | undefined;
  /** The tokens that the run may use, read and written, as the provider counts them. @default set by the definition, else no limit */
  readonly maxTokens?: number | undefined;
  /** @default set by the definition, else 600_000 */
  readonly timeoutMs?: number | undefined;
  /** For a turn that is aborted or fails: `close` stores what was done, with the reason; `drop` stores nothing. @default 'close' */
  readonly onFailure?: 'close' | 'drop' | undefined;
  /**
   * Whether events have the text of the model while it is written. Otherwise, and while the run is not iterated, each answer is one
   * event when it is complete, so that an answer which the server cuts is asked for again.
   * @default true
   */
  readonly partialText?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A part of the system prompt, as it is sent. */
export interface PreparedPart extends SystemPart {
  readonly tokens: number;
}

/** A part that a definition can leave out. */
export interface PreparedShow {
  readonly part: ShownPart;
  /** In the system prompt: 0 when there is nothing to show, or when it is hidden. */
  readonly tokens: number;
  /** The reason why the agent is not shown it, nor offered its tools. Absent for a part that is shown. */
  readonly hiddenBy?: HiddenBy;
}

/** A tool, as the model is offered it. */
export interface PreparedTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema. */
  readonly inputSchema: object;
  readonly tokens: number;
}

/** The size of a request by its parts. */
export interface RequestSize {
  readonly system: number;
  readonly messages: number;
  readonly tools: number;
  readonly total: number;
}

/** What a run would send first. Tokens are estimated, or counted by `countTokens`. */
export interface PreparedRequest {
  readonly agent: string;
  readonly mode: ContextMode;
  /** Joined by an empty line, they are the system prompt. */
  readonly system: readonly PreparedPart[];
  /** What the agent sees of the histories, then the prompt if there is one. */
  readonly messages: readonly UnifiedMessage[];
  readonly tools: readonly PreparedTool[];
  /** Each part that a definition can leave out. */
  readonly shows: readonly PreparedShow[];
  /** What the histories have and the request has not. */
  readonly leftOut: readonly LeftOut[];
  readonly tokens: RequestSize;
  /** Of the texts in UTF-8, and of images and files in base64, as they are sent. The protocol's own words come on top. */
  readonly bytes: RequestSize;
  /** Whether the mode shows something of main, and main has no message. */
  readonly isMainEmpty?: true;
  /** What the user should know, such as what was left out. */
  readonly notices: readonly string[];
}

/** Agents that share histories, tools and a model. */
export interface Agents {
  readonly definitions: AgentDefinitions;
  readonly contexts: ContextManager;
  /** Starts a run. Every failure, including an invalid argument, is in its result. */
  run(options: RunOptions): AgentRun;
  /**
   * Returns the request that a run would send, without sending it. Needs no model.
   *
   * @throws {ContextError} `UNKNOWN_AGENT`, `INVALID_DEFINITION`, `INVALID_MODE`, `TOO_LARGE`
   * @throws {AgentError} `INVALID_INPUT`, `INVALID_OPTION`, `UNKNOWN_RUN`
   */
  prepare(options: PrepareOptions): Promise<PreparedRequest>;
  /** Returns the run of the workspace cache whose tree the last request showed, with what it saved; `undefined` before the first. */
  workspaceRun(): WorkspaceRun | undefined;
  /** Aborts the runs that work, waits for their ends, and closes the tools. A second call does nothing. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
