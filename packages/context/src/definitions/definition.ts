import type { ShownPart } from '@cairn/tool';
import { quoted } from '@cairn/tool/kernel';
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
  /**
   * `plan`: the agent is offered only tools that change nothing, and so is each agent that it starts. `ask`: every change needs a
   * person's approval, whatever the rules allow. `acceptEdits` and `bypassPermissions` allow changes of files, or every call, in the
   * user's own definitions only. @default the rules of the run
   */
  readonly permissions?: 'plan' | 'ask' | 'acceptEdits' | 'bypassPermissions';
  /** Rules that allow calls, such as `edit(docs/**)`; in the user's own definitions only. @default none */
  readonly allow?: readonly string[];
  /** Rules about calls that need a person's approval, such as `shell`, for the agent and each agent that it starts. @default none */
  readonly ask?: readonly string[];
  /** Rules about calls that are rejected, such as `*(infra/**)`, for the agent and each agent that it starts. @default none */
  readonly deny?: readonly string[];
  readonly source?: DefinitionSource;
  /** The file, absolute. */
  readonly path?: string;
}

const MAX_NAME_LENGTH = 64;
/** A history is stored under the name: its key has no room for more. */
const MAX_NAME_BYTES = 120;
const NAME = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._-]*$/u;

/** The key of the main session: no agent has this name. */
export const MAIN = '__main__';

/**
 * Returns the reason why a text is not the name of an agent; `undefined` when it is. A name is also the name of a file, a word on a command
 * line and a mention, so it has no spaces and no separators.
 */
export function agentNameProblem(name: string): string | undefined {
  if (name === MAIN) return `${MAIN} is the main session; choose another name`;
  const isShort = name.length <= MAX_NAME_LENGTH && Buffer.byteLength(name) <= MAX_NAME_BYTES;
  if (isShort && NAME.test(name) && !name.endsWith('.')) return undefined;
  return `invalid agent name ${quoted(name, 100)}; use at most ${MAX_NAME_LENGTH} letters, digits, "-", "_" and ".", and begin with a letter or a digit`;
}

/** Something that is wrong with a file that defines an agent. A file with an error defines no agent. */
export interface DefinitionProblem {
  readonly severity: 'error' | 'warning';
  readonly source: DefinitionSource;
  /** The file or directory, absolute. */
  readonly path: string;
  /** From 1. */
  readonly line?: number | undefined;
  readonly field?: string | undefined;
  /** The problem, then what to do. */
  readonly message: string;
  /** The name of the agent that the file defines, or would define. Absent for a directory. */
  readonly agent?: string | undefined;
}

export type ProblemPlace = Pick<DefinitionProblem, 'line' | 'field'>;

export type Report = (severity: DefinitionProblem['severity'], message: string, place?: ProblemPlace) => void;
