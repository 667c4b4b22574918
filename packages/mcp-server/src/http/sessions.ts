import {
  isInitializeRequest,
  isJSONRPCNotification,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server';
import { randomUUID } from 'node:crypto';
import type { McpService, ServedClient } from '../service.ts';
import { toError } from '../transport.ts';
import { refuse } from './refusal.ts';

interface SessionLimits {
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

type HttpTransport = WebStandardStreamableHTTPServerTransport;

interface Session {
  readonly client: ServedClient;
  readonly transport: HttpTransport;
  /** The number of running exchanges, including an open event stream. */
  active: number;
  /** When the last exchange began or ended, by the clock of the limits. */
  usedMs: number;
}

const UNKNOWN_SESSION = -32_001;

async function disconnect(client: ServedClient, transport: HttpTransport | undefined): Promise<void> {
  try {
    await transport?.close();
  } finally {
    await client.close();
  }
}

/** Ends the stream of a cancelled request: the SDK sends no answer to it and would leave the stream open. */
function endStreamOf(transport: HttpTransport, message: JSONRPCMessage): void {
  if (!isJSONRPCNotification(message) || message.method !== 'notifications/cancelled') return;
  const id = message.params?.['requestId'];
  if (typeof id === 'string' || typeof id === 'number') transport.closeSSEStream(id as RequestId);
}

/** The sessions of the legacy era, each with its own server and tools. `initialize` opens one; every other request belongs to one. */
export class Sessions {
  readonly #service: McpService;
  readonly #limits: SessionLimits;
  readonly #sessions = new Map<string, Session>();
  /** The number of sessions that are being opened. They count, or simultaneous requests would exceed the limit. */
  #opening = 0;
  #isClosed = false;

  constructor(service: McpService, limits: SessionLimits) {
    this.#service = service;
    this.#limits = limits;
  }

  get size(): number {
    return this.#sessions.size;
  }

  async handle({ request, body, onEnd }: SessionRequest): Promise<Response> {
    const id = request.headers.get('mcp-session-id');
    if (id !== null) {
      const session = this.#sessions.get(id);
      if (session === undefined)
        return refuse(404, 'unknown session, or it has ended; send initialize again', UNKNOWN_SESSION);
      this.#use(session, 1);
      onEnd(() => this.#use(session, -1));
      return session.transport.handleRequest(request, { parsedBody: body });
    }
    if (!isInitializeRequest(body)) {
      return refuse(400, 'the request has no session; send initialize, then send the Mcp-Session-Id of its answer');
    }
    const { maxSessions } = this.#limits;
    if (this.#sessions.size + this.#opening >= maxSessions && !this.#endOldest()) {
      return refuse(503, `all ${maxSessions} sessions are in use; try again when one has ended`);
    }
    this.#opening += 1;
    try {
      return await this.#begin(request, body);
    } finally {
      this.#opening -= 1;
    }
  }

  /** Ends the sessions that were unused for too long. */
  sweep(): void {
    const { now, idleMs } = this.#limits;
    for (const [id, { active, usedMs }] of this.#sessions) {
      if (active === 0 && now() - usedMs >= idleMs) void this.#end(id);
    }
  }

  /** Ends all sessions. A session that is being opened ends after it has opened. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#sessions.keys()].map((id) => this.#end(id)));
  }

  #use(session: Session, change: 1 | -1): void {
    session.active += change;
    session.usedMs = this.#limits.now();
  }

  /** Ends the session that was unused longest. Returns `false` when all are in use. */
  #endOldest(): boolean {
    const unused = [...this.#sessions].filter(([, { active }]) => active === 0);
    const [oldest] = unused.toSorted(([, a], [, b]) => a.usedMs - b.usedMs);
    if (oldest) void this.#end(oldest[0]);
    return oldest !== undefined;
  }

  async #end(id: string): Promise<void> {
    const session = this.#sessions.get(id);
    this.#sessions.delete(id);
    if (session === undefined) return;
    await disconnect(session.client, session.transport).catch((error: unknown) => this.#limits.onError(toError(error)));
  }

  async #begin(request: Request, body: unknown): Promise<Response> {
    const client = await this.#service.open();
    let transport: HttpTransport | undefined;
    let isStarted = false;
    try {
      transport = await this.#connect(client);
      const response = await transport.handleRequest(request, { parsedBody: body });
      const { sessionId } = transport;
      // A rejected initialize starts no session.
      isStarted = sessionId !== undefined && this.#sessions.has(sessionId) && !this.#isClosed;
      return response;
    } finally {
      if (!isStarted) await disconnect(client, transport);
    }
  }

  /** Connects a client to a new transport. The client's `initialize` request gives the session its id. */
  async #connect(client: ServedClient): Promise<HttpTransport> {
    const { now, onError } = this.#limits;
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void this.#sessions.set(id, { client, transport, active: 0, usedMs: now() }),
    });
    const server = await client.createServer({ era: 'legacy' });
    await server.connect(transport);
    const { onmessage: deliver, onclose } = transport;
    transport.onmessage = (message, extra) => {
      deliver?.(message, extra);
      endStreamOf(transport, message);
    };
    // The client may end the session, too.
    transport.onclose = () => {
      onclose?.();
      if (transport.sessionId !== undefined) this.#sessions.delete(transport.sessionId);
      client.close().catch((error: unknown) => onError(toError(error)));
    };
    return transport;
  }
}
