import {
  isInitializeRequest,
  isJSONRPCNotification,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server';
import { randomUUID } from 'node:crypto';
import { refuse } from './refusal.ts';
import type { McpService, ServedClient } from './server.ts';

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly close: () => Promise<void>;
  /** Exchanges under way, among them the stream on which a client listens. */
  active: number;
  /** When the last exchange began or ended. */
  usedMs: number;
}

export interface SessionsOptions {
  /** How many may be open at once. */
  readonly maxSessions: number;
  /** A session that nobody has used for so long is ended. Milliseconds. */
  readonly idleMs: number;
  readonly now: () => number;
  readonly onError: (error: Error) => void;
}

/** An HTTP request of the era with sessions. */
interface SessionRequest {
  readonly request: Request;
  readonly body: unknown;
  /** Called with what is to run when the exchange has ended. */
  readonly onEnd: (ended: () => void) => void;
}

/** The sessions of the protocol's older era, each with a server and tools of its own. */
export interface Sessions {
  readonly size: number;
  handle(request: SessionRequest): Promise<Response>;
  /** Ends those that nobody has used for long. */
  sweep(): void;
  /** Ends all. */
  close(): Promise<void>;
}

/** An answer to a cancelled request never comes, so the stream that it would come on is ended. */
function endStreamOf(transport: WebStandardStreamableHTTPServerTransport, message: JSONRPCMessage): void {
  if (!isJSONRPCNotification(message) || message.method !== 'notifications/cancelled') return;
  const id = message.params?.['requestId'];
  if (typeof id === 'string' || typeof id === 'number') transport.closeSSEStream(id as RequestId);
}

export function createSessions(service: McpService, options: SessionsOptions): Sessions {
  const { maxSessions, idleMs, now, onError } = options;
  const sessions = new Map<string, Session>();
  /** Those that are being opened count too, or many at once would pass the limit. */
  let opening = 0;

  const report = (error: unknown): void => onError(error instanceof Error ? error : new Error(String(error)));
  const end = async (id: string): Promise<void> => {
    const session = sessions.get(id);
    sessions.delete(id);
    await session?.close();
  };
  /** Ends the session that was unused longest, when there is none left to give. */
  const makeRoom = async (): Promise<boolean> => {
    if (sessions.size + opening < maxSessions) return true;
    const unused = [...sessions]
      .filter(([, { active }]) => active === 0)
      .toSorted(([, a], [, b]) => a.usedMs - b.usedMs);
    const [oldest] = unused;
    if (!oldest) return false;
    await end(oldest[0]);
    return true;
  };
  const connect = async (client: ServedClient): Promise<WebStandardStreamableHTTPServerTransport> => {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        sessions.set(id, { transport, close: () => closeAll(transport, client), active: 0, usedMs: now() });
      },
    });
    const server = await client.createServer({ era: 'legacy' });
    await server.connect(transport);
    const deliver = transport.onmessage;
    transport.onmessage = (message, extra) => {
      deliver?.(message, extra);
      endStreamOf(transport, message);
    };
    const onClose = transport.onclose;
    transport.onclose = () => {
      onClose?.();
      if (transport.sessionId !== undefined) sessions.delete(transport.sessionId);
      client.close().catch(report);
    };
    return transport;
  };
  const closeAll = async (transport: WebStandardStreamableHTTPServerTransport, client: ServedClient): Promise<void> => {
    await transport.close();
    await client.close();
  };
  const use = async (session: Session, { request, body, onEnd }: SessionRequest): Promise<Response> => {
    session.active += 1;
    session.usedMs = now();
    onEnd(() => {
      session.active -= 1;
      session.usedMs = now();
    });
    return session.transport.handleRequest(request, { parsedBody: body });
  };
  const begin = async (request: SessionRequest): Promise<Response> => {
    if (!(await makeRoom())) {
      const message = `${maxSessions} sessions are in use, which is all there are. Try again when one has ended.`;
      return refuse(503, message);
    }
    opening += 1;
    try {
      const client = await service.open();
      const transport = await connect(client);
      const response = await transport.handleRequest(request.request, { parsedBody: request.body });
      const session = transport.sessionId === undefined ? undefined : sessions.get(transport.sessionId);
      // An initialize that was refused began none.
      if (session === undefined) await closeAll(transport, client);
      return response;
    } finally {
      opening -= 1;
    }
  };
  return {
    get size(): number {
      return sessions.size;
    },
    handle: async (request) => {
      const id = request.request.headers.get('mcp-session-id');
      if (id !== null) {
        const session = sessions.get(id);
        return session
          ? use(session, request)
          : refuse(404, 'There is no such session, or it has ended. Send initialize again.', -32_001);
      }
      if (isInitializeRequest(request.body)) return begin(request);
      const what =
        'Not initialized: begin with initialize, and send the Mcp-Session-Id of its answer with what follows.';
      return refuse(400, what);
    },
    sweep: () => {
      for (const [id, { active, usedMs }] of sessions) {
        if (active === 0 && now() - usedMs >= idleMs) end(id).catch(report);
      }
    },
    close: async () => {
      await Promise.all([...sessions.keys()].map(end));
    },
  };
}
