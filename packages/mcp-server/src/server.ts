import type { ToolSet } from '@cairn/tool';
import { readFileSync } from 'node:fs';
import type { StructuredWhen } from './answer/answer.ts';
import { checkArguments } from './errors.ts';
import { PROGRESS_INTERVAL_MS } from './protocol/progress.ts';
import { createToolServer } from './protocol/tool-server.ts';
import { NOTICE_INTERVAL_MS } from './resource-notices.ts';
import { checkRoots } from './roots.ts';
import type { McpService } from './service.ts';
import { openToolbox, type Toolbox } from './toolbox/toolbox.ts';
import { toError } from './transport.ts';

export interface McpServerOptions {
  /** The directories that tools may use, absolute. Relative paths start from the first. */
  readonly roots: readonly string[];
  /** The tool sets to offer, in the order in which clients see them. */
  readonly toolSets: readonly ToolSet[];
  /** The naming profile of the tools. A set that has no such profile keeps its own names. @default 'default' */
  readonly naming?: string | undefined;
  /** Offer only tools that are annotated as read-only. @default false */
  readonly readOnly?: boolean | undefined;
  /** Offer only these tools, by the names that clients see. Resources are not affected. Default: all tools. */
  readonly tools?: readonly string[] | undefined;
  /** When an answer has its facts as `structuredContent` too. They are always in its `_meta`. @default 'auto' */
  readonly structured?: StructuredWhen | undefined;
  /** Milliseconds between two progress notifications of a long call. Default: 1,000. */
  readonly progressIntervalMs?: number | undefined;
  /**
   * Milliseconds between two rounds of notifications about changed resources: a burst of changes is one notification for a
   * resource at its beginning and one at its end. Default: 1,000.
   */
  readonly noticeIntervalMs?: number | undefined;
  /** Called with each error that is not the answer to a call. Default: errors are ignored. */
  readonly onError?: ((error: Error) => void) | undefined;
}

/** A server of tools that is not connected to a transport yet. */
export interface McpServer extends McpService {
  readonly roots: readonly string[];
  /** The names of the tools, in the order in which clients see them. */
  readonly toolNames: readonly string[];
}

function readVersion(): string {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string };
  return manifest.version;
}

/** Closes every set, and throws the first error only after all have closed. */
async function closeAll(toolSets: readonly ToolSet[]): Promise<void> {
  const closing = toolSets.map(async (set) => set.close?.());
  await Promise.allSettled(closing);
  await Promise.all(closing);
}

/**
 * Makes a server of tools for both eras of MCP: legacy, with sessions (2024-11-05 to 2025-11-25), and modern, without
 * (2026-07-28).
 *
 * It opens the tool sets for a first client immediately, so that an invalid option or set fails here instead of at that client.
 *
 * @throws {McpServerError} `INVALID_ROOT`, `INVALID_OPTION`, `TOOL_NAME_TAKEN`.
 * @throws whatever a set's `open` throws, such as a `ToolError` with `INVALID_OPTION` for an unknown naming profile.
 */
export async function createMcpServer(options: McpServerOptions): Promise<McpServer> {
  checkArguments.options('createMcpServer', options, {
    roots: 'required',
    toolSets: 'required',
    naming: 'optional',
    readOnly: 'optional',
    tools: 'optional',
    structured: 'optional',
    progressIntervalMs: 'optional',
    noticeIntervalMs: 'optional',
    onError: 'optional',
  });
  const { toolSets, naming = 'default', readOnly = false, structured = 'auto' } = options;
  const { progressIntervalMs = PROGRESS_INTERVAL_MS, noticeIntervalMs = NOTICE_INTERVAL_MS } = options;
  const { onError = () => undefined } = options;
  const roots = await checkRoots(options.roots);
  const version = readVersion();
  const openBox = (): Promise<Toolbox> =>
    openToolbox({ roots, toolSets, naming, readOnly, only: options.tools, noticeIntervalMs });
  const first = await openBox().catch(async (error: unknown) => {
    await closeAll(toolSets).catch((thrown: unknown) => onError(toError(thrown)));
    throw error;
  });
  const ready = [first];
  let closing: Promise<void> | undefined;
  return {
    roots,
    toolNames: [...first.tools.keys()],
    open: async () => {
      if (closing !== undefined) throw new Error('the server is closed; create a new one');
      const toolbox = ready.pop() ?? (await openBox());
      const served = { toolbox, roots, version, structured, progressIntervalMs, onError };
      return {
        createServer: (context) => createToolServer(served, context),
        notices: toolbox.notices,
        close: async () => toolbox.close(),
      };
    },
    close: () => {
      for (const toolbox of ready.splice(0)) toolbox.close();
      return (closing ??= closeAll(toolSets));
    },
  };
}
