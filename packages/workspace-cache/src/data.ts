/** The names of the host's tools that list a directory and read a file. */
export interface ToolNames {
  /** @default 'ls' */
  readonly list?: string | undefined;
  /** @default 'read' */
  readonly read?: string | undefined;
}

/** What a section of a prompt depends on, besides the workspace. */
export interface SectionOptions {
  /** The tool of this agent that lists a directory; `false` when it has none. @default the cache's tool */
  readonly list?: string | false | undefined;
  /**
   * The name of the agent, for the statistics: its later requests do not count as another agent's. Without names, each `init` of
   * the run counts as one agent.
   */
  readonly agent?: string | undefined;
}

export interface TreeMetadata {
  /** When the tree was made (ISO 8601). */
  readonly cachedAt: string;
  /** The length of the tree in UTF-16 code units. */
  readonly size: number;
  /** The levels that were asked for; with `auto`, the number that was chosen. */
  readonly depth: number;
  /** Entries of the whole workspace after exclusion. A folded line counts once. */
  readonly entries: number;
  /** Whether the limit of characters or tokens left something out. A cut by depth does not count. */
  readonly truncated: boolean;
  /** Entries that the rules leave out and no line shows. A directory counts once; `.git` and secret names do not. */
  readonly excluded: number;
  /** Entries that are never shown because names like theirs usually hold secrets. */
  readonly hiddenSecrets: number;
  readonly estimatedTokens: number;
  readonly buildTimeMs: number;
  /** How many directories and entries could not be read, so that their contents are missing. Absent when none. */
  readonly unreadable?: number;
  /** The first of their paths, relative to the root. */
  readonly unreadablePaths?: readonly string[];
  /** The paths of `focus` that do not exist or that the rules leave out. Absent when the tree can show all. */
  readonly missingFocus?: readonly string[];
  /** Why the tree is empty or incomplete. Absent when it is neither. */
  readonly error?: string;
  /** Set when the root is a link that leads to another directory than before: the tools of the workspace fail with the same code. */
  readonly errorCode?: 'ROOT_MOVED';
}

/** The facts about the tree of a run. */
interface DataMetadata extends TreeMetadata {
  /** The same number as `depth`, under the name that the source document has, too. Not enumerable. */
  readonly maxDepth: number;
}

/** An entry of a kept listing: what the `list` tool returned for it. */
export type ListedItem = Readonly<Record<string, unknown>>;

/** A directory that was listed during a run. */
export interface DynamicListing {
  readonly items: readonly ListedItem[];
  /** When it was listed (ISO 8601). */
  readonly cachedAt: string;
}

/** What prompt templates see as `workspaceCache`. Plain JSON. The format is from the source document, section "缓存结构". */
export interface WorkspaceCacheData {
  readonly static: { readonly tree: string; readonly metadata: DataMetadata };
  readonly dynamic: Readonly<Record<string, DynamicListing>>;
  /** The same object as `static.metadata`, as the first form of the source document has it. Not enumerable. */
  readonly metadata: DataMetadata;
  /** The same text as `static.tree`. Not enumerable, so that no template prints the tree twice. */
  readonly directoryTree: string;
}
