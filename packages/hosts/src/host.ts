import type { DirectoryContext } from '@cairn/tool/paths';
import type { ConfigObject } from './formats/config-format.ts';

/** Which sessions of a host see an entry: those in one project, or all of one user. */
export type ConfigScope = 'project' | 'user';

export const configScopes: readonly ConfigScope[] = ['project', 'user'];

/** What the location of a host's files depends on. */
export interface HostContext extends DirectoryContext {
  /** The project's directory, absolute. */
  readonly project: string;
}

export interface NameRule {
  readonly pattern: RegExp;
  /** The rule in words: completes "use …". */
  readonly words: string;
}

/**
 * How an entry is one element of an array that other programs and people use too. Their elements stay, and so do their parts of
 * the element that has the entry.
 */
export interface ElementRule {
  readonly matches: (element: unknown, name: string) => boolean;
  /** Returns an element that has the entry, with the entry of `wanted` in its place. */
  readonly merge: (element: unknown, wanted: unknown, name: string) => unknown;
  /** Returns an element that has the entry without it; `undefined` when nothing else is in it. */
  readonly without: (element: unknown, name: string) => unknown;
}

/**
 * How a host keeps one kind of entry: in which files, where in a file, and in which form. `Value` is what an entry is made
 * from.
 */
export interface EntryKind<Value> {
  /** Names the kind in undo notes: `mcp-server`. */
  readonly id: string;
  /** `section`: Markdown between two marks. `file`: the whole file is the entry. */
  readonly format: 'json' | 'toml' | 'section' | 'file';
  /** Returns the files that may hold the entry. The first that exists is used; if none exists, the first is created. */
  readonly files: (scope: ConfigScope, context: HostContext, name: string) => readonly string[];
  /** Returns the keys that lead to an entry, or to the array that has it. They may depend on the content of the file. */
  readonly path: (name: string, config: ConfigObject) => readonly string[];
  /** Present when the entry is an element of an array. Only JSON has such entries. */
  readonly element?: ElementRule | undefined;
  /** Returns the entry for a value. It may depend on what the file holds. */
  readonly render: (value: Value, config: ConfigObject) => unknown;
  /** Keys of an existing entry that contradict the new one. They are removed; other keys stay. */
  readonly conflictingKeys: readonly string[];
  /** Returns the next step of the user in the host, so that it uses the entry. */
  readonly nextStep: (scope: ConfigScope) => string;
}

/** The command line that starts an MCP server. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** How a host keeps MCP servers that are started by a command. */
export interface McpServerKind extends EntryKind<ServerCommand> {
  readonly names: NameRule;
  /**
   * The variable that the host replaces by the open project directory, for each scope that has one. Without it, an entry for
   * a project names the directory by its path; an entry for a user names none, because such a host starts servers in its own
   * working directory.
   */
  readonly projectVariable?: Readonly<Partial<Record<ConfigScope, string>>>;
}

export interface HostName {
  readonly id: string;
  /** The name as its makers write it. */
  readonly title: string;
}

/** A program that a person runs agents with, such as Claude Code, and how it keeps MCP servers. */
export interface Host extends HostName {
  readonly mcpServers: McpServerKind;
}

/** The keys that most hosts use for a server at a URL. */
export const remoteKeys: readonly string[] = ['url', 'serverUrl', 'httpUrl', 'headers'];

export const commonServers: Omit<McpServerKind, 'files' | 'path' | 'nextStep'> = {
  id: 'mcp-server',
  format: 'json',
  render: ({ command, args }) => ({ type: 'stdio', command, args }),
  conflictingKeys: remoteKeys,
  names: { pattern: /^[\w-]{1,64}$/u, words: 'up to 64 letters, digits, hyphens and underscores' },
};

export function byScope<T>(project: T, user: T): (scope: ConfigScope) => T {
  return (scope) => (scope === 'project' ? project : user);
}

/** Returns the value of an environment variable. An empty one counts as unset. */
export function setting(context: HostContext, name: string): string | undefined {
  const value = context.env[name];
  return value === '' ? undefined : value;
}
