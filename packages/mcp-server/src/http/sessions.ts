import { isInitializeRequest } from '@modelcontextprotocol/server';
import type { McpService } from '../service.ts';
import { toError } from '../transport.ts';
import { refuse } from './refusal.ts';
import { connectSession } from './session.ts';
import type { Session } from './session.ts';

/** Options of {@link createSessions}. */
export interface SessionsOptions {
  /** The limit of open sessions. */
  readonly maxSessions: number;
  /** The time after which an unused session ends. Milliseconds. */
  readonly idleMs: number;
  /** The clock, in milliseconds. */
  readonly now: () => number;
  readonly onError: (error: Error) => void;
}

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
  /** Ends all sessions. A session that is being opened ends as soon as it is open. */
  close(): Promise<void>;
}

interface OpenSession {
  readonly session: Session;
  /** The number of running exchanges, including an open event stream. */
  active: number;
  /** When the last exchange began or ended, by the clock of the options. */
  usedMs: number;
}

const UNKNOWN_SESSION = -32_001;

/** Makes the record of sessions of a service. */
export function createSessions(service: McpService, options: SessionsOptions): Sessions {
  const { maxSessions, idleMs, now, onError } = options;
  const sessions = new Map<string, OpenSession>();
  /** The number of sessions that are being opened. They count, or simultaneous requests would exceed the limit. */
  let opening = 0;
  let isClosed = false;

  const report = (error: unknown): void => onError(toError(error));
  const end = async (id: string): Promise<void> => {
    const open = sessions.get(id);
    sessions.delete(id);
    await open?.session.close();
  };
  /** Reserves a place; when all are taken, ends the session that was unused longest. Returns `false` when all are in use. */
  const reserve = (): boolean => {
    if (sessions.size + opening >= maxSessions) {
      const unused = [...sessions].filter(([, { active }]) => active === 0);
      const [oldest] = unused.toSorted(([, a], [, b]) => a.usedMs - b.usedMs);
      if (!oldest) return false;
      end(oldest[0]).catch(report);
    }
    opening += 1;
    return true;
  };
  const onStart = (id: string, session: Session): void => {
    sessions.set(id, { session, active: 0, usedMs: now() });
  };
  const begin = async ({ request, body }: SessionRequest): Promise<Response> => {
    const client = await service.open();
    let session: Session | undefined;
    let isStarted = false;
    try {
      session = await connectSession(client, { onStart, onEnd: (id) => sessions.delete(id), onError: report });
      const response = await session.transport.handleRequest(request, { parsedBody: body });
      const { sessionId } = session.transport;
      // A refused initialize starts no session.
      isStarted = sessionId !== undefined && sessions.has(sessionId) && !isClosed;
      return response;
    } finally {
      if (!isStarted) await (session ?? client).close();
    }
  };
  const use = (open: OpenSession, { request, body, onEnd }: SessionRequest): Promise<Response> => {
    open.active += 1;
    open.usedMs = now();
    onEnd(() => {
      open.active -= 1;
      open.usedMs = now();
    });
    return open.session.transport.handleRequest(request, { parsedBody: body });
  };
  return {
    get size(): number {
      return sessions.size;
    },
    handle: async (request) => {
      const id = request.request.headers.get('mcp-session-id');
      if (id !== null) {
        const open = sessions.get(id);
        const what = 'unknown session, or it has ended; send initialize again';
        return open ? use(open, request) : refuse(404, what, UNKNOWN_SESSION);
      }
      if (!isInitializeRequest(request.body)) {
        const what = 'the request has no session; send initialize, then send the Mcp-Session-Id of its answer';
        return refuse(400, what);
      }
      if (!reserve()) return refuse(503, `all ${maxSessions} sessions are in use; try again when one has ended`);
      return begin(request).finally(() => (opening -= 1));
    },
    sweep: () => {
      for (const [id, { active, usedMs }] of sessions) {
        if (active === 0 && now() - usedMs >= idleMs) end(id).catch(report);
      }
    },
    close: async () => {
      isClosed = true;
      await Promise.all([...sessions.keys()].map((id) => end(id).catch(report)));
    },
  };
}
