import { toNodeHandler, type NodeServerResponseLike } from '@modelcontextprotocol/node';
import { isLegacyRequest, type McpHttpHandler } from '@modelcontextprotocol/server';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ResourceNotices } from '../resource-notices.ts';
import { subscribedUris, toError } from '../transport.ts';
import type { Guard } from './guard.ts';
import { refuseOn, type Refusal } from './refusal.ts';
import type { Sessions } from './sessions.ts';

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
export class Requests {
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
