import type { Tools } from './definition.ts';
import type { ResourceProvider } from './resources.ts';
import type { ToolSession } from './session.ts';

/** What an agent is shown besides its conversation: the facts, what the team knows, the directory tree, the project's instructions. */
export type ShownPart = 'facts' | 'knowledge' | 'tree' | 'instructions';

/** The argument of `open`: one session and its limits. */
export interface ToolSetContext {
  /** The directories that the tools may use, absolute. Relative paths start from the first. */
  readonly roots: readonly [string, ...string[]];
  /** The naming profile of the tools, such as `default` or `claude`. A set that has no such profile keeps its own names. */
  readonly naming: string;
  /** Whether the consumer offers only read-only tools. It filters the tools itself; a set may skip work. */
  readonly readOnly: boolean;
  /**
   * The agent that uses the tools, when it must not see the conversations of others. A set with conversations or notes then
   * offers those of this agent only. Default: the user's own session.
   */
  readonly agent?: string | undefined;
  /** What the session is not shown. A set about one of these offers nothing: no tools, no resources, no notes. @default none */
  readonly hidden?: ReadonlySet<ShownPart> | undefined;
  /**
   * The stream of a memory in which the agent works, such as that of a workflow: a set with a memory keeps and finds facts and
   * messages of this stream. Default: one of the agent's own.
   */
  readonly stream?: string | undefined;
  /** The session, in which the sets of one client share values. */
  readonly session: ToolSession;
  /** Aborts when the session ends. A set releases what it holds for the session then. */
  readonly signal: AbortSignal;
}

/** The tools and the resources of one session. */
export interface OpenToolSet {
  readonly tools: Tools;
  /**
   * When to use the tools, for the model: a few sentences that no single description can hold. Servers and agents put them into
   * their instructions.
   */
  readonly instructions?: string | undefined;
  readonly resources?: ResourceProvider | undefined;
}

/**
 * The tools and resources of one package. A package with tools exports one. Servers and agents accept a list of them and know
 * no tool by name.
 */
export interface ToolSet {
  /** The name for messages, such as `memory`. */
  readonly name: string;
  /**
   * Makes the tools of one session. The set itself holds what all sessions share, such as a connection; it opens that on first
   * use.
   *
   * @throws {ToolError} `INVALID_OPTION`, such as for an unknown naming profile.
   */
  open(context: ToolSetContext): OpenToolSet | Promise<OpenToolSet>;
  /** Releases what all sessions share. The consumer calls it once, after the last session has ended. */
  close?(): Promise<void>;
}
