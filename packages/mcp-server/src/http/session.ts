import { isJSONRPCNotification, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server';
import { randomUUID } from 'node:crypto';
import type { ServedClient } from '../service.ts';

/** One session of the legacy era: an SDK transport, connected to the server of its client. */
export interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  /** Disconnects and ends the session of the client. Further calls do nothing. */
  close(): Promise<void>;
}

/** Options of {@link connectSession}. */
export interface SessionEvents {
  /** Called with the id when the client has initialized the session. */
  readonly onStart: (id: string, session: Session) => void;
  /** Called when the session has ended, even when the client ended it. */
  readonly onEnd: (id: string) => void;
  readonly onError: (error: unknown) => void;
}

/** Ends the stream of a cancelled request: the SDK sends no answer to it and would leave the stream open. */
function endStreamOf(transport: WebStandardStreamableHTTPServerTransport, message: JSONRPCMessage): void {
  if (!isJSONRPCNotification(message) || message.method !== 'notifications/cancelled') return;
  const id = message.params?.['requestId'];
  if (typeof id === 'string' || typeof id === 'number') transport.closeSSEStream(id as RequestId);
}

/** Connects a client to a new transport. The client's `initialize` request gives the session its id. */
export async function connectSession(
  client: ServedClient,
  { onStart, onEnd, onError }: SessionEvents,
): Promise<Session> {
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => onStart(id, session),
  });
  const session: Session = {
    transport,
    close: async () => {
      try {
        await transport.close();
      } finally {
        await client.close();
      }
    },
  };
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
    if (transport.sessionId !== undefined) onEnd(transport.sessionId);
    client.close().catch(onError);
  };
  return session;
}
