import type { ToolSet } from '@cairn/tool';
import type { McpServerFactory } from '@modelcontextprotocol/server';
import { readFileSync } from 'node:fs';
import { PROGRESS_INTERVAL_MS } from './progress.ts';
import { checkRoots } from './roots.ts';
import type { StructuredWhen } from './structured.ts';
import { createToolServer } from './tool-server.ts';
import { openToolbox } from './toolbox.ts';

/** What a server offers. */
export interface McpServerOptions {
  /** Directories, absolute. Relative paths start from the first; nothing outside of them is read or written. */
  readonly roots: readonly string[];
  /** The sets whose tools and resources it offers, in the order in which clients see them. */
  readonly toolSets: readonly ToolSet[];
  /**
   * The naming profile of the tools: each set decides which ones it knows.
   * @default 'default'
   */
  readonly naming?: string | undefined;
  /**
   * Offer only tools that are annotated to change nothing.
   * @default false
   */
  readonly readOnly?: boolean | undefined;
  /** Offer only these tools, by the names that clients know. Default: all. */
  readonly tools?: readonly string[] | undefined;
  /**
   * When the facts of an answer, which are always in its `_meta`, are its `structuredContent` too.
   * @default 'auto'
   */
  readonly structured?: StructuredWhen | undefined;
  /** Milliseconds from one progress notification of a long call to the next. Default: 1,000. */
  readonly progressIntervalMs?: number | undefined;
  /** Told of what goes wrong and is no answer to a call. Default: nobody is. */
  readonly onError?: ((error: Error) => void) | undefined;
}

/** What serves one client: a process that speaks over stdio, or a session over HTTP. */
export interface ServedClient {
  /** Makes the server of a connection or a request, for the era that it is in. */
  readonly createServer: McpServerFactory;
  /** Says that the client has gone. */
  close(): Promise<void>;
}

/** What is served, apart from how: `serveStdio` and `serveHttp` take one. */
export interface McpService {
  /** Begins to serve a client. What one client has read is not known to another. */
  open(): Promise<ServedClient>;
  /** Gives up what the tool sets share. For the end, when no client is served any more. */
  close(): Promise<void>;
}

/** A server of tools, before it is reached by a transport. */
export interface McpServer extends McpService {
  readonly roots: readonly string[];
  /** The names of the tools that clients see, in their order. */
  readonly toolNames: readonly string[];
}

function readVersion(): string {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string };
  return manifest.version;
}

/**
 * Makes a server of tools over MCP, in both eras of the protocol: with sessions (2024-11-05 to 2025-11-25) and without
 * (2026-07-28).
 *
 * @throws {McpServerError} `INVALID_ROOT`, `INVALID_OPTION`, `TOOL_NAME_TAKEN`.
 * @throws {ToolError} `INVALID_OPTION` for a naming profile that does not exist.
 */
export async function createMcpServer(options: McpServerOptions): Promise<McpServer> {
  const { toolSets, naming = 'default', readOnly = false, structured = 'auto' } = options;
  const { progressIntervalMs = PROGRESS_INTERVAL_MS, onError = () => undefined } = options;
  const roots = await checkRoots(options.roots);
  const version = readVersion();
  const openBox = (): ReturnType<typeof openToolbox> =>
    openToolbox({ roots, toolSets, naming, readOnly, only: options.tools });
  const closeSets = async (): Promise<void> => {
    await Promise.all(toolSets.map(async (set) => set.close?.()));
  };
  // What cannot be offered is found out now, and not by the first client, whose toolbox this is.
  const first = await openBox().catch(async (error: unknown) => {
    await closeSets();
    throw error;
  });
  const ready = [first];
  return {
    roots,
    toolNames: [...first.tools.keys()],
    open: async () => {
      const toolbox = ready.pop() ?? (await openBox());
      const served = { toolbox, roots, version, structured, progressIntervalMs, onError };
      return {
        createServer: (context) => createToolServer(served, context),
        close: async () => toolbox.close(),
      };
    },
    close: async () => {
      for (const toolbox of ready.splice(0)) toolbox.close();
      await closeSets();
    },
  };
}
