import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sendStream, sendWhole, type ModelAnswer, type ModelRequest } from './model-server/answers.ts';
import { parseChat, refuse, Refused, type ModelRefusal } from './model-server/chat-request.ts';

export { busy, SlowText } from './model-server/answers.ts';
export type { ModelAnswer, ModelReply, ModelRequest } from './model-server/answers.ts';
export type { ChatMessage } from './model-server/chat-request.ts';
export { continues, systemPromptOf, toolNamesOf, transcriptOf } from './model-server/transcript.ts';

/** The answers in order, or a function that decides each. */
export type ModelScript = readonly ModelAnswer[] | ((request: ModelRequest) => ModelAnswer | Promise<ModelAnswer>);

interface ModelServerOptions {
  /** The ids of the models; requests for others are rejected. @default every id is accepted, and `scripted-1` is listed */
  readonly models?: readonly string[];
  /** Further fields of each entry in the list of models. */
  readonly modelFields?: object;
  /** Requests with another key are rejected. @default every key and none is accepted */
  readonly key?: string;
}

export interface ModelServer {
  /** The base URL, with `/v1`. */
  readonly url: string;
  /** Every request for a completion whose body is valid, in the order of arrival. */
  readonly requests: readonly ModelRequest[];
  /** Every answer that was not a completion: the status and the message. */
  readonly refusals: readonly string[];
  /** Settles when the request with this number has arrived, from 1. */
  readonly arrived: (number: number) => Promise<ModelRequest>;
  /** Ends open answers, closes the port and waits for that. */
  readonly close: () => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function checkKey({ headers }: IncomingMessage, key: string | undefined): void {
  if (key === undefined || headers.authorization === `Bearer ${key}`) return;
  const sent = headers.authorization?.replace('Bearer ', '');
  // Servers repeat the key.
  const message = sent === undefined ? "You didn't provide an API key." : `Incorrect API key provided: ${sent}.`;
  refuse(401, message, { code: 'invalid_api_key' });
}

async function send(response: ServerResponse, request: ModelRequest, answer: ModelAnswer): Promise<void> {
  if ('status' in answer && 'message' in answer) throw new Refused(answer);
  if ('never' in answer) return;
  if ('closed' in answer) {
    response.socket?.destroy();
  } else if ('body' in answer) {
    response.writeHead(answer.status ?? 200, { 'content-type': answer.contentType ?? 'text/html' });
    if (answer.isOpen === true) {
      response.flushHeaders();
      response.write(answer.body);
    } else response.end(answer.body);
  } else if (request.chat.stream === true) {
    await sendStream(response, request, answer);
  } else {
    await sendWhole(response, request, answer);
  }
}

/**
 * Starts a server that speaks the chat completions of the OpenAI API on 127.0.0.1 and a free port. A script decides what
 * the model says. A request that the server does not know, or that comes after the end of the script, is rejected with an
 * error of the API's form and a status that clients do not retry.
 */
export async function startModelServer(
  script: ModelScript,
  { models, modelFields, key }: ModelServerOptions = {},
): Promise<ModelServer> {
  const requests: ModelRequest[] = [];
  const refusals: string[] = [];
  const arrivals = new EventEmitter().setMaxListeners(0);

  const answerOf = async (request: ModelRequest): Promise<ModelAnswer> => {
    if (typeof script === 'function') return script(request);
    const answer = script[request.number - 1];
    return answer ?? refuse(400, `the script has ${script.length} answers`, { code: 'script_exhausted' });
  };

  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(incoming);
    const path = incoming.url?.split('?', 1)[0];
    if (path === '/v1/models' && incoming.method === 'GET') {
      checkKey(incoming, key);
      const data = (models ?? ['scripted-1']).map((id) => ({
        id,
        object: 'model',
        created: 0,
        owned_by: 'test',
        ...modelFields,
      }));
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ object: 'list', data }));
      return;
    }
    if (path !== '/v1/chat/completions') {
      refuse(404, `unknown URL ${incoming.url}; use /v1/chat/completions`, { code: 'unknown_url' });
    }
    if (incoming.method !== 'POST') refuse(405, `invalid method ${incoming.method}; use POST`);
    checkKey(incoming, key);
    const chat = parseChat(body);
    if (models?.includes(chat.model) === false) {
      refuse(404, `The model \`${chat.model}\` does not exist`, { code: 'model_not_found' });
    }
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const request = { number: requests.length + 1, headers: incoming.headers, body, chat, signal: gone.signal };
    requests.push(request);
    arrivals.emit('request');
    await send(response, request, await answerOf(request));
  };

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch((error: unknown) => {
      // An error of the script reaches the test through its client.
      const message = error instanceof Error ? error.message : String(error);
      const refusal: ModelRefusal =
        error instanceof Refused ? error.refusal : { status: 400, message, code: 'script_error' };
      const { status, headers, type = 'invalid_request_error', param = null, code = null } = refusal;
      refusals.push(`${status} ${message}`);
      if (response.destroyed) return;
      if (response.headersSent) {
        response.destroy();
        return;
      }
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify({ error: { message, type, param, code } }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const arrived = async (number: number): Promise<ModelRequest> => {
    for (;;) {
      const request = requests[number - 1];
      if (request) return request;
      await once(arrivals, 'request');
    }
  };
  const close = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1`, requests, refusals, arrived, close, [Symbol.asyncDispose]: close };
}
