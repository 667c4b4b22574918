import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { estimateTokens } from '@cairn/tool/prompt';
import { z } from 'zod';

type MessageContent =
  | string
  | readonly (
      | { readonly type: 'text'; readonly text: string }
      | {
          readonly type: 'image_url';
          readonly image_url: { readonly url: string; readonly detail?: string | undefined };
        }
    )[];

interface MessageToolCall {
  readonly id: string;
  readonly type: 'function';
  /** The arguments are the text that the model wrote. */
  readonly function: { readonly name: string; readonly arguments: string };
}

export type ChatMessage =
  | { readonly role: 'system' | 'developer' | 'user'; readonly content: MessageContent }
  | {
      readonly role: 'assistant';
      readonly content?: MessageContent | null | undefined;
      readonly tool_calls?: readonly MessageToolCall[] | undefined;
    }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: MessageContent };

/** A request for a chat completion. The parameters that change what a real model writes are only checked. */
interface ChatRequest {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly tools?:
    | readonly {
        readonly type: 'function';
        readonly function: {
          readonly name: string;
          readonly description?: string | undefined;
          readonly parameters?: Readonly<Record<string, unknown>> | undefined;
        };
      }[]
    | undefined;
  readonly tool_choice?: 'none' | 'auto' | 'required' | { readonly function: { readonly name: string } } | undefined;
  readonly stream?: boolean | undefined;
  readonly stream_options?: { readonly include_usage?: boolean | undefined } | undefined;
}

const content = z.union([
  z.string(),
  z
    .array(
      z.union([
        z.strictObject({ type: z.literal('text'), text: z.string() }),
        z.strictObject({
          type: z.literal('image_url'),
          image_url: z.strictObject({ url: z.string(), detail: z.enum(['auto', 'low', 'high']).optional() }),
        }),
      ]),
    )
    .min(1),
]);
const functionName = z.string().regex(/^[\w-]{1,64}$/u);
const name = z.string().optional();
const toolCall = z.strictObject({
  id: z.string().min(1),
  type: z.literal('function'),
  function: z.strictObject({ name: functionName, arguments: z.string() }),
});

/** What the server knows. Everything else is refused. */
const chatRequest: z.ZodType<ChatRequest> = z.strictObject({
  model: z.string().min(1),
  messages: z
    .array(
      z.discriminatedUnion('role', [
        z.strictObject({ role: z.enum(['system', 'developer', 'user']), content, name }),
        z.strictObject({
          role: z.literal('assistant'),
          content: content.nullish(),
          name,
          tool_calls: z.array(toolCall).min(1).optional(),
        }),
        z.strictObject({ role: z.literal('tool'), tool_call_id: z.string(), content }),
      ]),
    )
    .min(1),
  tools: z
    .array(
      z.strictObject({
        type: z.literal('function'),
        function: z.strictObject({
          name: functionName,
          description: z.string().optional(),
          parameters: z.record(z.string(), z.unknown()).optional(),
          strict: z.boolean().nullish(),
        }),
      }),
    )
    .min(1)
    .optional(),
  tool_choice: z
    .union([
      z.enum(['none', 'auto', 'required']),
      z.strictObject({ type: z.literal('function'), function: z.strictObject({ name: functionName }) }),
    ])
    .optional(),
  parallel_tool_calls: z.boolean().optional(),
  stream: z.boolean().optional(),
  stream_options: z.strictObject({ include_usage: z.boolean().optional() }).optional(),
  response_format: z.looseObject({ type: z.enum(['text', 'json_object', 'json_schema']) }).optional(),
  max_tokens: z.int().positive().optional(),
  max_completion_tokens: z.int().positive().optional(),
  temperature: z.number().min(0).max(2).optional(),
  top_p: z.number().min(0).max(1).optional(),
  frequency_penalty: z.number().optional(),
  presence_penalty: z.number().optional(),
  reasoning_effort: z.string().optional(),
  seed: z.int().optional(),
  stop: z.union([z.string(), z.array(z.string())]).optional(),
  user: z.string().optional(),
});

/** A request that arrived at the server. */
export interface ModelRequest {
  /** From 1, in the order of arrival. */
  readonly number: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The body, byte for byte. */
  readonly body: Buffer;
  readonly chat: ChatRequest;
  /** Aborts when the client closes the connection before the answer is complete. */
  readonly signal: AbortSignal;
}

interface ScriptedToolCall {
  readonly name: string;
  /** An object, or the text that the model wrote where it should have written JSON. */
  readonly input: object | string;
  /** @default `call_<number of the request>_<number of the call>` */
  readonly id?: string;
}

/** What the model says. Without calls of tools it has finished. */
export interface ModelReply {
  /** A list is streamed in these pieces. */
  readonly text?: string | readonly string[];
  readonly toolCalls?: readonly ScriptedToolCall[];
  /** @default `tool_calls` with calls, otherwise `stop` */
  readonly finishReason?: 'stop' | 'length' | 'tool_calls' | 'content_filter';
}

/** An error that the API returns instead of a completion. */
interface ModelRefusal {
  readonly status: number;
  readonly message: string;
  readonly type?: string;
  readonly code?: string;
  readonly param?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

type ModelAnswer = ModelReply | ModelRefusal;

/** The answers in order, or a function that decides each. */
export type ModelScript = readonly ModelAnswer[] | ((request: ModelRequest) => ModelAnswer | Promise<ModelAnswer>);

export interface ModelServer {
  /** The base URL, with `/v1`. */
  readonly url: string;
  /** Every request for a completion whose body is valid, in the order of arrival. */
  readonly requests: readonly ModelRequest[];
  /** Every answer that was not a completion: the status and the message. */
  readonly refusals: readonly string[];
  /** Ends open answers, closes the port and waits for that. */
  readonly close: () => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

class Refused extends Error {
  readonly refusal: ModelRefusal;
  constructor(refusal: ModelRefusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

function refuse(status: number, message: string, more: Partial<ModelRefusal> = {}): never {
  throw new Refused({ status, message, ...more });
}

/** Finds a call of a tool without its result, and a result without its call. */
function checkTranscript(messages: readonly ChatMessage[]): void {
  let open = new Set<string>();
  for (const [index, message] of [...messages, undefined].entries()) {
    const param = `messages[${index}]`;
    if (message?.role === 'tool') {
      if (!open.delete(message.tool_call_id)) {
        refuse(400, `the tool message has no open tool call "${message.tool_call_id}"`, { param });
      }
      continue;
    }
    if (open.size > 0) refuse(400, `no tool message follows for the tool calls ${[...open].join(', ')}`, { param });
    if (message?.role === 'assistant') open = new Set(message.tool_calls?.map(({ id }) => id));
  }
}

function parseChat(body: Buffer): ChatRequest {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body));
  } catch {
    refuse(400, 'the body is not valid JSON in UTF-8');
  }
  const parsed = chatRequest.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const unknown = issue?.code === 'unrecognized_keys' ? issue.keys : [];
    const param = [...(issue?.path ?? []), ...unknown.slice(0, 1)].join('.');
    const code = unknown.length > 0 ? 'unknown_parameter' : 'invalid_value';
    refuse(400, `${param}: ${issue?.message}`, { param, code });
  }
  const names = parsed.data.tools?.map((tool) => tool.function.name) ?? [];
  const twice = names.find((one, index) => names.indexOf(one) < index);
  if (twice !== undefined) refuse(400, `two tools are named "${twice}"`, { param: 'tools' });
  checkTranscript(parsed.data.messages);
  return parsed.data;
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

const PIECE_LENGTH = 16;

/** Cuts a text between code points. */
function piecesOf(text: string): string[] {
  const points = [...text];
  const count = Math.ceil(points.length / PIECE_LENGTH);
  return Array.from({ length: count }, (_, index) =>
    points.slice(index * PIECE_LENGTH, (index + 1) * PIECE_LENGTH).join(''),
  );
}

interface Completion {
  readonly pieces: readonly string[];
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: string }[];
  readonly finishReason: string;
  readonly usage: object;
}

function completionOf({ number, body }: ModelRequest, reply: ModelReply): Completion {
  const { text = [], toolCalls = [] } = reply;
  const pieces = typeof text === 'string' ? piecesOf(text) : text;
  const calls = toolCalls.map(({ id = '', name, input }, index) => ({
    id: id === '' ? `call_${number}_${index + 1}` : id,
    name,
    input: typeof input === 'string' ? input : JSON.stringify(input),
  }));
  const prompt = estimateTokens(body.toString());
  const written = estimateTokens([...pieces, ...calls.flatMap((call) => [call.name, call.input])].join(''));
  return {
    pieces,
    calls,
    finishReason: reply.finishReason ?? (calls.length > 0 ? 'tool_calls' : 'stop'),
    usage: { prompt_tokens: prompt, completion_tokens: written, total_tokens: prompt + written },
  };
}

/** The fields that every answer to a request has. The time is fixed, so that equal runs have equal answers. */
function headOf({ number, chat }: ModelRequest, object: string): object {
  return { id: `chatcmpl-${number}`, object, created: 0, model: chat.model };
}

function sendWhole(response: ServerResponse, request: ModelRequest, completion: Completion): void {
  const { pieces, calls, finishReason, usage } = completion;
  const message = {
    role: 'assistant',
    content: pieces.length > 0 ? pieces.join('') : null,
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ id, name, input }) => ({ id, type: 'function', function: { name, arguments: input } })),
    }),
  };
  const choices = [{ index: 0, message, finish_reason: finishReason }];
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ ...headOf(request, 'chat.completion'), choices, usage }));
}

function sendStream(response: ServerResponse, request: ModelRequest, completion: Completion): void {
  const { pieces, calls, finishReason, usage } = completion;
  const head = headOf(request, 'chat.completion.chunk');
  const send = (choices: readonly object[], more: object = {}): void => {
    response.write(`data: ${JSON.stringify({ ...head, choices, ...more })}\n\n`);
  };
  const delta = (value: object): void => send([{ index: 0, delta: value, finish_reason: null }]);
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  delta({ role: 'assistant', content: '' });
  for (const piece of pieces) delta({ content: piece });
  for (const [index, { id, name, input }] of calls.entries()) {
    delta({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] });
    for (const piece of piecesOf(input)) delta({ tool_calls: [{ index, function: { arguments: piece } }] });
  }
  send([{ index: 0, delta: {}, finish_reason: finishReason }]);
  if (request.chat.stream_options?.include_usage === true) send([], { usage });
  response.end('data: [DONE]\n\n');
}

/**
 * Starts a server that speaks the chat completions of the OpenAI API on 127.0.0.1 and a free port. A script decides what
 * the model says. A request that the server does not know, or that comes after the end of the script, is refused with an
 * error of the API's form and a status that clients do not retry.
 */
export async function startModelServer(script: ModelScript): Promise<ModelServer> {
  const requests: ModelRequest[] = [];
  const refusals: string[] = [];

  const answerOf = async (request: ModelRequest): Promise<ModelAnswer> => {
    if (typeof script === 'function') return script(request);
    const answer = script[request.number - 1];
    return answer ?? refuse(400, `the script has ${script.length} answers`, { code: 'script_exhausted' });
  };

  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(incoming);
    if (incoming.url !== '/v1/chat/completions') {
      refuse(404, `unknown URL ${incoming.url}; use /v1/chat/completions`, { code: 'unknown_url' });
    }
    if (incoming.method !== 'POST') refuse(405, `invalid method ${incoming.method}; use POST`);
    const chat = parseChat(body);
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const request = { number: requests.length + 1, headers: incoming.headers, body, chat, signal: gone.signal };
    requests.push(request);
    const answer = await answerOf(request);
    if ('status' in answer) throw new Refused(answer);
    const completion = completionOf(request, answer);
    if (chat.stream === true) sendStream(response, request, completion);
    else sendWhole(response, request, completion);
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
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify({ error: { message, type, param, code } }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1`, requests, refusals, close, [Symbol.asyncDispose]: close };
}
