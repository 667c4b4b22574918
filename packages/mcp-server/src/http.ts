import { createMcpHandler, isLegacyRequest } from '@modelcontextprotocol/server';
import { localhostHostValidation, localhostOriginValidation, toNodeHandler } from '@modelcontextprotocol/node';
import type { NodeServerResponseLike } from '@modelcontextprotocol/node';
import type { McpHttpHandler } from '@modelcontextprotocol/server';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpServerError } from './errors.ts';
import { readBody } from './read-body.ts';
import { refuseOn } from './refusal.ts';
import type { McpService } from './server.ts';
import { createSessions } from './sessions.ts';
import type { Sessions } from './sessions.ts';
import { GRACE_MS, MOST_MESSAGE_BYTES } from './stdio.ts';
import { LISTEN } from './stream-transport.ts';
import { createTokenCheck } from './token.ts';
import { within } from './within.ts';

/** Where it listens, and nowhere else. */
const HOST = '127.0.0.1';

/** Where clients find it. */
const PATH = '/mcp';

const MOST_SESSIONS = 64;
const IDLE_MS = 30 * 60 * 1000;
const SWEEPS_PER_IDLE_TIME = 4;

export interface ServeHttpOptions {
  /** 0 takes any free one. */
  readonly port: number;
  /** What every request has to carry as its bearer token; `undefined` lets every program of the machine in. */
  readonly token: string | undefined;
  /** Bytes of a message; a longer one is refused. Default: 10 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /**
   * Sessions that are open at once. A further one ends the one that was unused longest, or is refused while all are in use.
   * @default 64
   */
  readonly maxSessions?: number | undefined;
  /** A session that nobody has used for so long is ended. Milliseconds. Default: half an hour. */
  readonly idleMs?: number | undefined;
  /**
   * How long calls under way may go on after `close`, in milliseconds. Those that take longer are cancelled.
   * @default 5000
   */
  readonly graceMs?: number | undefined;
  /** Told of what goes wrong and is no answer to a call. Default: nobody is. */
  readonly onError?: ((error: Error) => void) | undefined;
}

/** A server that listens. */
export interface HttpListener {
  /** What clients connect to. */
  readonly url: string;
  /** How many sessions are open. */
  readonly sessions: number;
  /** Takes no more requests, finishes those under way, ends every session and stops listening. Again is fine. */
  close(): Promise<void>;
}

function listen(server: Server, port: number): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') {
        const message = `port ${port} of ${HOST} is in use; name another one, or 0 for any that is free`;
        reject(new McpServerError('PORT_IN_USE', message, { cause: error }));
      } else {
        const message = `port ${port} of ${HOST} cannot be used (${error.message}); name another one, or 0 for any that is free`;
        reject(new McpServerError('PORT_REFUSED', message, { cause: error }));
      }
    });
    server.listen(port, HOST, () => resolve(server.address() as AddressInfo));
  });
}

/** Whether a body asks for a stream that stays open until the client has heard enough. */
function isListening(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'method' in body && body.method === LISTEN;
}

/** What an exchange leaves to be done when it has ended. */
type OnEnd = (ended: () => void) => void;

/** Both eras behind one address: requests of the newer one say so, all others belong to a session. */
function createRoute(
  handler: McpHttpHandler,
  sessions: Sessions,
): (request: Request, body: unknown, onEnd: OnEnd) => Promise<Response> {
  return async (request, body, onEnd) => {
    const isLegacy = await isLegacyRequest(request, body);
    return isLegacy ? sessions.handle({ request, body, onEnd }) : handler.fetch(request, { parsedBody: body });
  };
}

/**
 * A response whose head is sent before there is a body. Node keeps it back until then, and a client that opens a stream to
 * listen would wait for the first thing that is said on it.
 */
function headFirst(response: ServerResponse): NodeServerResponseLike {
  return {
    writeHead: (status, headers) => {
      response.writeHead(status, headers);
      if (headers?.['content-type'] === 'text/event-stream') response.flushHeaders();
    },
    write: (chunk) => response.write(chunk),
    end: (chunk) => response.end(chunk),
    on: (event, listener) => response.on(event, listener),
    get destroyed(): boolean {
      return response.destroyed;
    },
  };
}

/** What the protocol uses. */
const methods: readonly string[] = ['GET', 'POST', 'DELETE'];

type Guard = (request: IncomingMessage, response: ServerResponse) => boolean;

/** Lets only those in who ask for the right address and have the token. */
function createGuards(token: string | undefined, checks: readonly Guard[]): Guard {
  const hasToken = token === undefined ? undefined : createTokenCheck(token);
  return (request, response) => {
    // The check below takes a user before the host, and a path behind it, for nothing.
    if (/[^\w.:[\]-]/u.test(request.headers.host ?? '')) {
      refuseOn(response, 403, { message: `Invalid Host: ${request.headers.host}` });
      return false;
    }
    if (!checks.every((check) => check(request, response))) return false;
    if (hasToken && !hasToken(request.headers.authorization)) {
      const message = "Unauthorized: send the server's token as 'Authorization: Bearer <token>'.";
      refuseOn(response, 401, { message, headers: { 'WWW-Authenticate': 'Bearer' } });
      return false;
    }
    // As it was sent: a URL would take the beginning of `//host/mcp` for another server.
    if (request.url?.replace(/[?#].*$/u, '') !== PATH) {
      refuseOn(response, 404, { message: `Nothing is here. The server is at ${PATH}.` });
      return false;
    }
    if (!methods.includes(request.method ?? '')) {
      const Allow = methods.join(', ');
      refuseOn(response, 405, { message: `Method not allowed: use ${Allow}.`, headers: { Allow } });
      return false;
    }
    return true;
  };
}

/**
 * Serves clients over HTTP, on this machine only, at `/mcp`: the protocol's older era with a session for each client, the
 * newer one without. All clients without a session share what was read.
 *
 * @throws {McpServerError} `PORT_IN_USE`, `PORT_REFUSED`.
 */
export async function serveHttp(service: McpService, options: ServeHttpOptions): Promise<HttpListener> {
  const { maxMessageBytes = MOST_MESSAGE_BYTES, maxSessions = MOST_SESSIONS, idleMs = IDLE_MS } = options;
  const { graceMs = GRACE_MS, onError = () => undefined } = options;
  const sessions = createSessions(service, { maxSessions, idleMs, now: () => performance.now(), onError });
  const stateless = await service.open();
  const handler = createMcpHandler(stateless.createServer, {
    legacy: 'reject',
    maxRequestBodySize: maxMessageBytes,
    onerror: onError,
  });
  const route = createRoute(handler, sessions);
  const isAllowed = createGuards(options.token, [localhostHostValidation(), localhostOriginValidation()]);
  /** Calls under way. A stream on which a client listens is none. */
  const calls = new Set<Promise<void>>();
  let isClosing = false;

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (isClosing) {
      refuseOn(response, 503, { message: 'The server is about to end.', headers: { Connection: 'close' } });
      return;
    }
    if (!isAllowed(request, response)) return;
    const ended = new Promise<void>((resolve) => response.once('close', resolve));
    if (request.method === 'POST') {
      calls.add(ended);
      void ended.then(() => calls.delete(ended));
    }
    const onEnd: OnEnd = (run) => void ended.then(run);
    const read = await readBody(request, maxMessageBytes);
    if ('refused' in read) {
      refuseOn(response, read.refused.status, read.refused);
      return;
    }
    if (isListening(read.body)) calls.delete(ended);
    const respond = toNodeHandler(
      { fetch: (webRequest) => route(webRequest, read.body, onEnd) },
      { maxRequestBodySize: maxMessageBytes, onerror: onError },
    );
    // It is read; the SDK would write it anew for a request of the web's kind, where nobody looks for it.
    const stand = read.body === undefined ? undefined : null;
    // The request of a server has both.
    await respond(request as IncomingMessage & { method: string; url: string }, headFirst(response), stand);
  };
  const http = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      onError(error instanceof Error ? error : new Error(String(error)));
      response.destroy();
    });
  });
  const { port } = await listen(http, options.port).catch(async (error: unknown) => {
    await stateless.close();
    throw error;
  });
  http.on('error', onError);
  const sweeper = setInterval(() => sessions.sweep(), Math.ceil(idleMs / SWEEPS_PER_IDLE_TIME));
  sweeper.unref();

  const close = async (): Promise<void> => {
    isClosing = true;
    clearInterval(sweeper);
    const stopped = new Promise<void>((resolve) => http.close(() => resolve()));
    http.closeIdleConnections();
    await within(graceMs, Promise.all(calls));
    await handler.close();
    await sessions.close();
    await stateless.close();
    http.closeAllConnections();
    await stopped;
  };
  let closing: Promise<void> | undefined;
  return {
    url: `http://${HOST}:${port}${PATH}`,
    get sessions(): number {
      return sessions.size;
    },
    close: () => (closing ??= close()),
  };
}
