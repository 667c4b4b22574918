import { isObject } from '@cairn/tool/kernel';
import { escapeControls } from '@cairn/tool/paths';
import { CLIENT_INFO_META_KEY, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import type {
  CallToolRequest,
  CallToolResult,
  HandlerResultTypeMap,
  McpRequestContext,
  RequestMethod,
  RequestTypeMap,
  ServerContext,
} from '@modelcontextprotocol/server';
import { answerOf, unexpectedAnswer, wantsStructured, type StructuredWhen } from '../answer/answer.ts';
import type { ResourceNotices } from '../resource-notices.ts';
import type { Resources } from '../toolbox/resources.ts';
import type { Toolbox } from '../toolbox/toolbox.ts';
import { toError } from '../transport.ts';
import { withProgress } from './progress.ts';

interface ToolServerOptions {
  readonly toolbox: Toolbox;
  readonly roots: readonly string[];
  readonly version: string;
  readonly structured: StructuredWhen;
  readonly progressIntervalMs: number;
  readonly onError: (error: Error) => void;
}

function instructionsFor([root, ...others]: readonly string[], ofSets: readonly string[]): string {
  const also = others.length > 0 ? ` Absolute paths below ${others.join(', ')} are also allowed.` : '';
  const general = `Paths are relative to ${root}.${also} Each answer states what it leaves out.`;
  return [general, ...ofSets].join('\n\n');
}

async function callTool(
  { toolbox, structured, progressIntervalMs: intervalMs, onError }: ToolServerOptions,
  { params: { name, arguments: input = {} } }: CallToolRequest,
  { context, clientName }: { readonly context: ServerContext; readonly clientName: string | undefined },
): Promise<CallToolResult> {
  const tool = toolbox.tools.get(name);
  if (tool === undefined) {
    const message = `unknown tool ${escapeControls(JSON.stringify(name))}; the tools are ${[...toolbox.tools.keys()].join(', ')}`;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
  }
  const { signal } = context.mcpReq;
  try {
    const result = await withProgress({ name, intervalMs, context }, (onProgress) =>
      tool.execute(input, { signal, onProgress }),
    );
    const kind = tool.hasStructuredDetails === true ? 'details' : 'facts';
    return answerOf(result, wantsStructured(structured, clientName) ? kind : undefined);
  } catch (error) {
    // A cancelled call has no answer.
    if (signal.aborted) throw error;
    onError(toError(error));
    return unexpectedAnswer(name, error);
  }
}

/** Returns the name in the client information of a request. The SDK has no type for it in an envelope. */
function clientNameIn(value: unknown): string | undefined {
  return isObject(value) && typeof value['name'] === 'string' ? value['name'] : undefined;
}

/** Registers the handler of a method. */
type Handle = <Method extends RequestMethod>(
  method: Method,
  handler: (
    request: RequestTypeMap[Method],
    context: ServerContext,
  ) => HandlerResultTypeMap[Method] | Promise<HandlerResultTypeMap[Method]>,
) => void;

function handleResources(handle: Handle, resources: Resources): void {
  handle('resources/list', ({ params }, { mcpReq: { signal } }) => resources.list(params?.cursor, signal));
  handle('resources/templates/list', () => ({ resourceTemplates: resources.templates }));
  handle('resources/read', ({ params: { uri } }, { mcpReq: { signal } }) => resources.read(uri, signal));
  if (!resources.completes) return;
  handle('completion/complete', ({ params }, { mcpReq: { signal } }) => resources.complete(params, signal));
}

/** Sends the notifications of the session over this connection until the server closes. */
function sendNotices(server: Server, notices: ResourceNotices, onError: (error: Error) => void): void {
  const send = (notification: Promise<void>): void => {
    notification.catch((error: unknown) => onError(toError(error)));
  };
  const isInitialized = (): boolean => server.getNegotiatedProtocolVersion() !== undefined;
  server.onclose = notices.listen({
    updated: (uri) => isInitialized() && send(server.sendResourceUpdated({ uri })),
    listChanged: () => isInitialized() && send(server.sendResourceListChanged()),
  });
}

/** Handles the subscriptions of the legacy era. In the modern era the SDK does, and the transport counts the URIs. */
function handleSubscriptions(handle: Handle, notices: ResourceNotices): void {
  const subscriptions = new Map<string, () => void>();
  handle('resources/subscribe', ({ params: { uri } }) => {
    if (!notices.announces(uri)) {
      const what = `the resource ${escapeControls(JSON.stringify(uri))} announces no changes`;
      const message = `${what}; read it again when it matters, or subscribe to the URI of a file or a tree as resources/list gives it`;
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, message, { uri });
    }
    if (!subscriptions.has(uri)) subscriptions.set(uri, notices.subscribe([uri]));
    return {};
  });
  handle('resources/unsubscribe', ({ params: { uri } }) => {
    subscriptions.get(uri)?.();
    subscriptions.delete(uri);
    return {};
  });
}

/**
 * Makes the SDK server of one connection, session or request, for its era of the protocol. It is cheap, because the stateless
 * era needs one for each request: everything of value is in the toolbox, which outlives it.
 *
 * It is a plain `Server`. `McpServer` would check input a second time, with different messages, convert every schema again
 * for each stateless request, and has no pages for resources.
 */
export function createToolServer(options: ToolServerOptions, { era, requestInfo }: McpRequestContext): Server {
  const { toolbox, roots, version, onError } = options;
  const { resources, notices } = toolbox;
  const capabilities = {
    tools: {},
    ...(resources && { resources: notices ? { subscribe: true, listChanged: true } : {} }),
    ...(resources?.completes && { completions: {} }),
  };
  const server = new Server(
    { name: 'cairn', title: 'Cairn', version },
    { capabilities, instructions: instructionsFor(roots, toolbox.instructions) },
  );
  server.onerror = onError;
  /** In the legacy era a connection begins with `initialize`; in the modern era each request states its version. */
  const handle: Handle = (method, handler) =>
    server.setRequestHandler(method, (request, context) => {
      if (era === 'modern' || server.getNegotiatedProtocolVersion() !== undefined) return handler(request, context);
      const message = `the connection is not initialized; send initialize before ${method}`;
      throw new ProtocolError(ProtocolErrorCode.InvalidRequest, message);
    });
  handle('tools/list', () => ({ tools: [...toolbox.list] }));
  handle('tools/call', (request, context) => {
    // In the modern era each request names its client, in the legacy era only `initialize`.
    const envelope: Readonly<Record<string, unknown>> = context.mcpReq.envelope ?? {};
    const clientName = clientNameIn(envelope[CLIENT_INFO_META_KEY]) ?? server.getClientVersion()?.name;
    return callTool(options, request, { context, clientName });
  });
  if (resources) handleResources(handle, resources);
  // A server for one HTTP request sends none: the HTTP handler sends them to the open subscriptions.
  if (notices && requestInfo === undefined) {
    sendNotices(server, notices, onError);
    if (era === 'legacy') handleSubscriptions(handle, notices);
  }
  return server;
}
