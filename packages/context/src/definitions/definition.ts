import type { ShownPart } from '@cairn/tool';
import type { ContextMode } from '../modes/mode.ts';

/** Where a definition comes from. The first one with a name wins, in this order. */
export type DefinitionSource = 'project' | 'user' | 'claude-project' | 'claude-user';

/** What a definition can leave out, in the order of messages. */
export const SHOWN_PARTS: readonly ShownPart[] = ['facts', 'knowledge', 'tree', 'instructions'];

/** An agent, as a Markdown file with YAML front matter defines it. Also accepted where code defines one. */
export interface AgentDefinition {
  readonly name: string;
  /** When to use the agent: main reads it in the list of agents. */
  readonly description: string;
  /** The body of the file: the start of the system prompt. */
  readonly systemPrompt: string;
  /** @default 'isolated' */
  readonly contextMode?: ContextMode;
  /** The last messages of the history that the agent sees. @default all that fit into the budget */
  readonly contextWindow?: number;
  /** What the agent sees of main in the mode `selective`, such as `project uses *`. */
  readonly sharePatterns?: readonly string[];
  /** Past this number of messages of main, the older half is a summary in the mode `summarized`. @default 20 */
  readonly summarizeAfter?: number;
  /** The id of a model. @default the model of the caller */
  readonly model?: string;
  /** The names of the tools that the agent may use, of any naming profile. @default all tools of the caller */
  readonly tools?: readonly string[];
  /** The steps of one run: requests to the model. @default 50 */
  readonly maxSteps?: number;
  /** Of one run, in seconds. @default 600 */
  readonly timeout?: number;
  /** The tokens that one run may use, read and written, as the provider counts them. @default no limit */
  readonly maxTokens?: number;
  /**
   * What the agent is shown besides its prompt and its history, with the tools about it; an agent that it starts is shown no more.
   * @default all of {@link SHOWN_PARTS}
   */
  readonly shows?: readonly ShownPart[];
  /** `plan`: the agent is offered only tools that change nothing, and so is each agent that it starts. @default no limit */
  readonly permissions?: 'plan';
  readonly source?: DefinitionSource;
  /** The file, absolute. */
  readonly path?: string;
}
