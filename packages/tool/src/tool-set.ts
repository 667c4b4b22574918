import type { Tools } from './definition.ts';
import type { ResourceProvider } from './resources.ts';
import type { ToolSession } from './session.ts';

/** The circumstances under which a tool set opens for one session. */
export interface ToolSetContext {
  /** The directories that the tools may use, absolute. Relative paths start from the first. */
  readonly roots: readonly [string, ...string[]];
  /** The naming profile of the tools, such as `default` or `claude`. A set that has no such profile keeps its own names. */
  readonly naming: string;
  /** The consumer offers read-only tools alone, whatever the set returns. */
  readonly readOnly: boolean;
  /** What the sets of this client share. */
  readonly session: ToolSession;
  /** Aborted when the session ends. */
  readonly signal: AbortSignal;
}

/** The tools of one session, and the resources beside them. */
export interface OpenToolSet {
  readonly tools: Tools;
  readonly resources?: ResourceProvider | undefined;
}

/**
 * Tools that are offered together. A package with tools exports one; servers and agents consume a list of them and know no
 * tool by name.
 */
export interface ToolSet {
  /** For messages, such as `memory`. */
  readonly name: string;
  /** Makes the tools of one session. What all sessions share, such as a connection, the set opens on first use and keeps. */
  open(context: ToolSetContext): OpenToolSet | Promise<OpenToolSet>;
  /** Releases what the sessions share. Called once, after the last session has ended. */
  close?(): Promise<void>;
}
