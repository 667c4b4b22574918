import type { ConfigObject } from '../install/config-format.ts';

/** For whom a server is configured: one directory, or everything that a user opens. */
export type Scope = 'project' | 'user';

export const scopes: readonly Scope[] = ['project', 'user'];

/** What decides where a host looks for its files. */
export interface HostContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's home, absolute. */
  readonly home: string;
  /** The project's directory, absolute. */
  readonly project: string;
  readonly platform: NodeJS.Platform;
}

/** How a server is started. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** A program that starts MCP servers, and how it is told to. */
export interface Host {
  readonly id: string;
  /** As its makers write it. */
  readonly title: string;
  readonly format: 'json' | 'toml';
  /** Where the configuration may be: the first one that exists counts, or the first one when none does. */
  readonly files: (scope: Scope, context: HostContext) => readonly string[];
  /** Where in the file a server's entry stands, under its name; that may depend on what is there. */
  readonly servers: (config: ConfigObject) => readonly string[];
  /** The entry of a server that is started by a command. */
  readonly entry: (server: ServerCommand, config: ConfigObject) => ConfigObject;
  /** Keys of an entry that say it is something else than a command; they go when it becomes one. */
  readonly foreignKeys: readonly string[];
  /**
   * What stands for the directory that is open, when the host knows such a thing; by scope. Without it a project is named by
   * its path, and for a user nothing is named: the host starts servers in the directory it was started in.
   */
  readonly directory?: Readonly<Partial<Record<Scope, string>>>;
  /** What to do in the host before it uses the server. */
  readonly next: (scope: Scope) => string;
  /** What a name of a server must be, and how to say that. */
  readonly names?: { readonly pattern: RegExp; readonly rule: string };
}

/** The value of a variable, unless it is empty. */
export function setting(context: HostContext, name: string): string | undefined {
  const value = context.env[name];
  return value === '' ? undefined : value;
}

/** The entry that most hosts share. */
export function stdioEntry({ command, args }: ServerCommand): ConfigObject {
  return { command, args };
}

/** Keys by which most hosts reach a server at an address. */
export const remoteKeys: readonly string[] = ['url', 'serverUrl', 'httpUrl', 'headers'];
