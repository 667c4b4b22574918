import { createMcpHandler } from '@modelcontextprotocol/server';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { checkArguments, McpServerError } from '../errors.ts';
import type { McpService } from '../service.ts';
import { GRACE_MS, MAX_MESSAGE_BYTES, toError, within, type TransportOptions } from '../transport.ts';
import { createGuard, PATH } from './guard.ts';
import { Requests } from './requests.ts';
import { Sessions } from './sessions.ts';

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
