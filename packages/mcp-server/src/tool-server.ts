import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import type { CallToolRequest, CallToolResult, McpRequestContext, ServerContext } from '@modelcontextprotocol/server';
import { answerOf, unexpectedAnswer } from './answer.ts';
import { withProgress } from './progress.ts';
import { completePath, FILE_TEMPLATE } from './resource-completion.ts';
import { listResources } from './resource-list.ts';
import { readResource } from './resource-read.ts';
import type { Toolbox } from './toolbox.ts';

/** How a client is served. */
export interface ToolServerOptions {
  readonly toolbox: Toolbox;
  readonly roots: readonly string[];
  readonly version: string;
  readonly structured: boolean;
  readonly progressIntervalMs: number;
  readonly onError: (error: Error) => void;
}

function instructionsFor([root, ...others]: readonly string[]): string {
  const also = others.length > 0 ? ` Absolute paths below ${others.join(', ')} are allowed too.` : '';
  return `Paths are relative to ${root}.${also} What an answer leaves out, it says.`;
}

async function callTool(
  { toolbox, structured, progressIntervalMs: intervalMs, onError }: ToolServerOptions,
  { params: { name, arguments: input = {} } }: CallToolRequest,
  context: ServerContext,
): Promise<CallToolResult> {
  const tool = toolbox.tools.get(name);
  if (tool === undefined) {
    const message = `Unknown tool: ${name}. The tools are ${[...toolbox.tools.keys()].join(', ')}.`;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
  }
  const { signal } = context.mcpReq;
  try {
    const result = await withProgress({ name, intervalMs, context }, () => tool.execute(input, { signal }));
    return answerOf(result, structured);
  } catch (error) {
    // Nobody waits for the answer to a call that was cancelled.
    if (signal.aborted) throw error;
    onError(error instanceof Error ? error : new Error(String(error)));
    return unexpectedAnswer(name, error);
  }
}

/**
 * Makes the server of one connection, session or request, in the era of the protocol that it is for. It holds nothing but
 * its toolbox, which outlives it.
 *
 * The plain `Server` and not `McpServer`, which would check input a second time, with messages of its own, convert every
 * schema anew for each request of the stateless protocol, and has no pages for resources.
 */
export function createToolServer(options: ToolServerOptions, { era }: McpRequestContext): Server {
  const { toolbox, roots, version, onError } = options;
  const server = new Server(
    { name: 'cairn', title: 'Cairn', version },
    { capabilities: { tools: {}, resources: {}, completions: {} }, instructions: instructionsFor(roots) },
  );
  server.onerror = onError;
  const places = { workspace: toolbox.workspace, roots };
  /** In the older era a connection begins with `initialize`; the newer one says with each request what it speaks. */
  const checkInitialized = ({ mcpReq: { method } }: ServerContext): void => {
    if (era === 'modern' || server.getNegotiatedProtocolVersion() !== undefined) return;
    const message = `The connection is not initialized: send initialize before ${method}.`;
    throw new ProtocolError(ProtocolErrorCode.InvalidRequest, message);
  };
  server.setRequestHandler('tools/list', (_, context) => {
    checkInitialized(context);
    return { tools: [...toolbox.list] };
  });
  server.setRequestHandler('tools/call', (request, context) => {
    checkInitialized(context);
    return callTool(options, request, context);
  });
  server.setRequestHandler('resources/list', ({ params }, context) => {
    checkInitialized(context);
    return listResources(places, params?.cursor, context.mcpReq.signal);
  });
  server.setRequestHandler('resources/templates/list', (_, context) => {
    checkInitialized(context);
    return { resourceTemplates: [FILE_TEMPLATE] };
  });
  server.setRequestHandler('resources/read', ({ params: { uri } }, context) => {
    checkInitialized(context);
    return readResource(toolbox.workspace, uri, context.mcpReq.signal);
  });
  server.setRequestHandler('completion/complete', ({ params }, context) => {
    checkInitialized(context);
    return completePath(places, params, context.mcpReq.signal);
  });
  return server;
}
