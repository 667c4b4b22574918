import { isInitializeRequest } from '@modelcontextprotocol/server';
import type { McpService } from '../service.ts';
import { toError } from '../transport.ts';
import { refuse } from './refusal.ts';
import { connectSession } from './session.ts';
import type { Session } from './session.ts';
import { createSessionTable } from './session-table.ts';
import type { SessionTableOptions } from './session-table.ts';

/** An HTTP request of the legacy era. */
interface SessionRequest {
  readonly request: Request;
  readonly body: unknown;
  /** Registers a function that runs when the exchange has ended. */
  readonly onEnd: (ended: () => void) => void;
}

/** The sessions of the legacy era, each with its own server and tools. */
export interface Sessions {
  readonly size: number;
  handle(request: SessionRequest): Promise<Response>;
  /** Ends the sessions that were unused for too long. */
  sweep(): void;
  /** Ends all sessions. A session that is being opened ends after it has opened. */
  close(): Promise<void>;
}

const UNKNOWN_SESSION = -32_001;

/** Serves the legacy era: `initialize` opens a session, every other request belongs to one. */
export function createSessions(service: McpService, options: SessionTableOptions): Sessions {
  const table = createSessionTable(options);
  const events = {
    onStart: (id: string, session: Session): void => table.add(id, session),
    onEnd: (id: string): void => table.remove(id),
    onError: (error: unknown): void => options.onError(toError(error)),
  };
  const begin = async ({ request, body }: SessionRequest): Promise<Response> => {
    const client = await service.open();
    let session: Session | undefined;
    let isStarted = false;
    try {
      session = await connectSession(client, events);
      const response = await session.transport.handleRequest(request, { parsedBody: body });
      const { sessionId } = session.transport;
      // A rejected initialize starts no session.
      isStarted = sessionId !== undefined && table.has(sessionId) && !table.isClosed;
      return response;
    } finally {
      if (!isStarted) await (session ?? client).close();
    }
  };
  const handle = async (given: SessionRequest): Promise<Response> => {
    const { request, body, onEnd } = given;
    const id = request.headers.get('mcp-session-id');
    if (id !== null) {
      const used = table.use(id);
      if (used === undefined)
        return refuse(404, 'unknown session, or it has ended; send initialize again', UNKNOWN_SESSION);
      onEnd(used.done);
      return used.session.transport.handleRequest(request, { parsedBody: body });
    }
    if (!isInitializeRequest(body)) {
      return refuse(400, 'the request has no session; send initialize, then send the Mcp-Session-Id of its answer');
    }
    if (!table.reserve()) {
      return refuse(503, `all ${options.maxSessions} sessions are in use; try again when one has ended`);
    }
    return begin(given).finally(() => table.release());
  };
  return {
    get size(): number {
      return table.size;
    },
    handle,
    sweep: () => table.sweep(),
    close: () => table.close(),
  };
}
