import { CLIENT_INFO_META_KEY, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import type { CallToolRequest, CallToolResult, McpRequestContext, ServerContext } from '@modelcontextprotocol/server';
import { answerOf, unexpectedAnswer } from './answer.ts';
import { withProgress } from './progress.ts';
import { createResources } from './resources.ts';
import { isGivenStructured } from './structured.ts';
import type { StructuredWhen } from './structured.ts';
import type { Toolbox } from './toolbox.ts';

/** How a client is served. */
export interface ToolServerOptions {
  readonly toolbox: Toolbox;
  readonly roots: readonly string[];
  readonly version: string;
  readonly structured: StructuredWhen;
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
  { context, clientName }: { readonly context: ServerContext; readonly clientName: string | undefined },
): Promise<CallToolResult> {
  const tool = toolbox.tools.get(name);
  if (tool === undefined) {
    const message = `Unknown tool: ${name}. The tools are ${[...toolbox.tools.keys()].join(', ')}.`;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
  }
  const { signal } = context.mcpReq;
  try {
    const result = await withProgress({ name, intervalMs, context }, () => tool.execute(input, { signal }));
    return answerOf(result, isGivenStructured(structured, clientName));
  } catch (error) {
    // Nobody waits for the answer to a call that was cancelled.
    if (signal.aborted) throw error;
    onError(error instanceof Error ? error : new Error(String(error)));
    return unexpectedAnswer(name, error);
  }
}

/** What a client says of itself; the SDK has no type for it in an envelope. */
function implementationOf(value: unknown): { readonly name: string } | undefined {
  if (typeof value !== 'object' || value === null || !('name' in value)) return undefined;
  return typeof value.name === 'string' ? { name: value.name } : undefined;
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
  const resources = createResources(toolbox.resources);
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
    // The newer era says with each request who asks, the older one at its beginning.
    const envelope: Readonly<Record<string, unknown>> = context.mcpReq.envelope ?? {};
    const client = implementationOf(envelope[CLIENT_INFO_META_KEY]) ?? server.getClientVersion();
    return callTool(options, request, { context, clientName: client?.name });
  });
  server.setRequestHandler('resources/list', ({ params }, context) => {
    checkInitialized(context);
    return resources.list(params?.cursor, context.mcpReq.signal);
  });
  server.setRequestHandler('resources/templates/list', (_, context) => {
    checkInitialized(context);
    return { resourceTemplates: resources.templates };
  });
  server.setRequestHandler('resources/read', ({ params: { uri } }, context) => {
    checkInitialized(context);
    return resources.read(uri, context.mcpReq.signal);
  });
  server.setRequestHandler('completion/complete', ({ params }, context) => {
    checkInitialized(context);
    return resources.complete(params, context.mcpReq.signal);
  });
  return server;
}
