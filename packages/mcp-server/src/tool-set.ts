import { createCodingTools } from '@cairn/coding-agent';
import type { NamingProfile, ToolDefinition, Workspace } from '@cairn/coding-agent';

/** Tools by the names that clients call them by. */
export type Tools = Readonly<Record<string, ToolDefinition>>;

/** What the tools of one client are made from. */
export interface ToolSetContext {
  /** The directories that may be used, absolute; relative paths start from the first. */
  readonly roots: readonly string[];
  /** Where files are looked at and changed, with what this client has read. All sets of the client share it. */
  readonly workspace: Workspace;
  /** Whose names the tools have. A set that no host knows keeps its own. */
  readonly naming: NamingProfile;
  /** Tools that change something are not offered, whatever the set returns. */
  readonly readOnly: boolean;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
}

/**
 * Tools that appear on the server together. A further set is registered by naming it where the server is made; the server
 * knows none of them.
 */
export interface ToolSet {
  /** For messages, such as `memory`. */
  readonly name: string;
  /**
   * The tools for one client: a process that speaks over stdio, or a session over HTTP. What all clients share, such as a
   * connection, is opened on first use and kept by the set.
   */
  create(context: ToolSetContext): Tools | Promise<Tools>;
  /** Gives up what the clients share. Called once, when the server has ended and every client has gone. */
  close?(): Promise<void>;
}

/** The tools of `@cairn/coding-agent`: read, write, edit, patch, delete, rename, glob, grep, ls, or a host's names for them. */
export const codingToolSet: ToolSet = {
  name: 'coding',
  create: ({ workspace, naming }) => createCodingTools({ workspace, naming }),
};
