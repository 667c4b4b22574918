import { createMcpHandler, isLegacyRequest, type McpHttpHandler } from '@modelcontextprotocol/server';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNodeHandler, type NodeServerResponseLike } from '@modelcontextprotocol/node';
import { checkArguments, McpServerError } from '../errors.ts';
import type { McpService } from '../service.ts';
import { GRACE_MS, MAX_MESSAGE_BYTES, subscribedUris, toError, within, type TransportOptions } from '../transport.ts';
import { createGuard, PATH, type Guard } from './guard.ts';
import { Sessions } from './sessions.ts';
import type { ResourceNotices } from '../resource-notices.ts';
import { refuseOn, type Refusal } from './refusal.ts';

interface RequestsOptions {
  /** Serves the modern era. */
  readonly handler: McpHttpHandler;
  /** Serve the legacy era. */
  readonly sessions: Sessions;
  readonly isAllowed: Guard;
  /** Changes of the resources of the modern era. */
  readonly notices: ResourceNotices | undefined;
  readonly maxMessageBytes: number;
  readonly onError: (error: Error) => void;
}

/**
 * Wraps a response so that its head is sent before there is a body. Node delays the head until then, and a client that opens
 * an event stream would wait for the first event.
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

function tooLong(maxBytes: number): { readonly refused: Refusal } {
  const message = `the message is longer than the limit of ${maxBytes} bytes; send a shorter message`;
  // The rest of the body stays unread, so the connection cannot be used again.
  return { refused: { status: 413, message, headers: { Connection: 'close' } } };
}

/**
 * Reads the body of a POST as JSON, or returns the answer to an invalid body. Other methods have no body.
 *
 * The SDK would replace bytes that are not valid UTF-8, and a tool would then write the replacements into a file.
 */
async function readBody(
  request: IncomingMessage,
  maxBytes: number,
): Promise<{ readonly body: unknown } | { readonly refused: Refusal }> {
  if (request.method !== 'POST') return { body: undefined };
  if (Number(request.headers['content-length']) > maxBytes) return tooLong(maxBytes);
  const chunks: Buffer[] = [];
  let length = 0;
  // Destroying the request would close the connection before the client has the reason.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) return tooLong(maxBytes);
    chunks.push(chunk);
  }
  try {
    return { body: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))) as unknown };
  } catch (error) {
    const message = `parse error: ${toError(error).message}; send one JSON object, in UTF-8`;
    return { refused: { status: 400, message, code: -32_700 } };
  }
}

/** The HTTP requests of a server: guard, body, then the era of the request decides who answers. */
class Requests {
  readonly #options: RequestsOptions;
  readonly #calls = new Set<Promise<void>>();
  #isStopped = false;

  constructor(options: RequestsOptions) {
    this.#options = options;
  }

  readonly serve = (request: IncomingMessage, response: ServerResponse): void => {
    this.#serve(request, response).catch((error: unknown) => {
      this.#options.onError(toError(error));
      response.destroy();
    });
  };

  stop(): void {
    this.#isStopped = true;
  }

  /** Resolves when the running calls have ended. Open subscriptions do not count. */
  settled(): Promise<unknown> {
    return Promise.all(this.#calls);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { handler, sessions, isAllowed, notices, maxMessageBytes, onError } = this.#options;
    if (this.#isStopped) {
      const message = 'the server is shutting down; connect again when it has restarted';
      refuseOn(response, { status: 503, message, headers: { Connection: 'close' } });
      return;
    }
    if (!isAllowed(request, response)) return;
    const ended = new Promise<void>((resolve) => response.once('close', resolve));
    if (request.method === 'POST') {
      this.#calls.add(ended);
      void ended.then(() => this.#calls.delete(ended));
    }
    const read = await readBody(request, maxMessageBytes);
    if ('refused' in read) {
      refuseOn(response, read.refused);
      return;
    }
    const { body } = read;
    const uris = subscribedUris(body);
    if (uris !== undefined) {
      // The stream of a subscription stays open until the client ends it.
      this.#calls.delete(ended);
      const unsubscribe = notices?.subscribe(uris);
      void ended.then(unsubscribe);
    }
    const answer = async (webRequest: Request): Promise<Response> => {
      if (!(await isLegacyRequest(webRequest, body))) return handler.fetch(webRequest, { parsedBody: body });
      return sessions.handle({ request: webRequest, body, onEnd: (run) => void ended.then(run) });
    };
    const respond = toNodeHandler({ fetch: answer }, { maxRequestBodySize: maxMessageBytes, onerror: onError });
    // `null`: the body is already read. The SDK would otherwise serialize it into the web request, which nothing reads.
    const alreadyRead = body === undefined ? undefined : null;
    // The request of a server always has both.
    await respond(request as IncomingMessage & { method: string; url: string }, headFirst(response), alreadyRead);
  }
}

/** The only address that the server listens on. */
const HOST = '127.0.0.1';

const MAX_SESSIONS = 64;
const IDLE_MS = 30 * 60 * 1000;
const SWEEPS_PER_IDLE_TIME = 4;

export interface ServeHttpOptions extends TransportOptions {
  /** The port; 0 for any free one. */
  readonly port: number;
  /** The bearer token that every request must send. `undefined`: every program on this machine may use the tools. */
  readonly token: string | undefined;
  /**
   * The limit of open sessions. A further one ends the session that was unused longest, or is rejected while all are in use.
   * @default 64
   */
  readonly maxSessions?: number | undefined;
  /** The time after which an unused session ends, in milliseconds. Default: 30 minutes. */
  readonly idleMs?: number | undefined;
}

/** A server that listens. */
export interface HttpListener {
  /** The URL for clients. */
  readonly url: string;
  /** The number of open sessions. */
  readonly sessions: number;
  /** Rejects further requests, finishes the running calls, ends every session and stops listening. Further calls do nothing. */
  close(): Promise<void>;
}

/** Starts to listen. Returns the port. @throws {McpServerError} `PORT_IN_USE`, `PORT_REFUSED`. */
function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void => {
      const isInUse = error.code === 'EADDRINUSE';
      const what = isInUse ? 'is in use' : `cannot be used (${error.message})`;
      const message = `port ${port} of ${HOST} ${what}; use another port, or 0 for any free one`;
      reject(new McpServerError(isInUse ? 'PORT_IN_USE' : 'PORT_REFUSED', message, { cause: error }));
    };
    server.once('error', fail);
    server.listen(port, HOST, () => {
      server.off('error', fail);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/**
 * Serves clients on this machine over HTTP at `/mcp`: each legacy client in a separate session, modern clients without
 * one. All modern clients share one session of the tools, because nothing tells them apart.
 *
 * @throws {McpServerError} `PORT_IN_USE`, `PORT_REFUSED`.
 */
export async function serveHttp(service: McpService, options: ServeHttpOptions): Promise<HttpListener> {
  checkArguments.options('serveHttp', options, {
    port: 'required',
    token: 'required',
    maxMessageBytes: 'optional',
    maxSessions: 'optional',
    idleMs: 'optional',
    graceMs: 'optional',
    onError: 'optional',
  });
  const { maxMessageBytes = MAX_MESSAGE_BYTES, maxSessions = MAX_SESSIONS, idleMs = IDLE_MS } = options;
  const { graceMs = GRACE_MS, onError = () => undefined } = options;
  const sessions = new Sessions(service, { maxSessions, idleMs, now: () => performance.now(), onError });
  const stateless = await service.open();
  const handler = createMcpHandler(stateless.createServer, {
    legacy: 'reject',
    maxRequestBodySize: maxMessageBytes,
    onerror: onError,
  });
  const { notices } = stateless;
  // A server of the modern era lives for one request, so its notifications go to the open subscriptions.
  notices?.listen({
    updated: (uri) => handler.notify.resourceUpdated(uri),
    listChanged: () => handler.notify.resourcesChanged(),
  });
  const isAllowed = createGuard(options.token);
  const requests = new Requests({ handler, sessions, isAllowed, notices, maxMessageBytes, onError });
  const http = createServer(requests.serve);
  const port = await listen(http, options.port).catch(async (error: unknown) => {
    await stateless.close();
    throw error;
  });
  http.on('error', onError);
  const sweeper = setInterval(() => sessions.sweep(), Math.ceil(idleMs / SWEEPS_PER_IDLE_TIME));
  sweeper.unref();

  const close = async (): Promise<void> => {
    requests.stop();
    clearInterval(sweeper);
    const stopped = new Promise<void>((resolve) => http.close(() => resolve()));
    http.closeIdleConnections();
    await within(graceMs, requests.settled());
    for (const part of [handler, sessions, stateless]) {
      // A failure of one part must not leave the others open.
      await part.close().catch((error: unknown) => onError(toError(error)));
    }
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
