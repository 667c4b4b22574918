import { estimateTokens } from '@cairn/tool/prompt';
import type { ServerResponse } from 'node:http';
import { refuse, type ChatRequest, type ModelRefusal } from './chat-request.ts';

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
  /** A list is streamed in these pieces; an iterable decides when each piece is sent, such as a {@link SlowText}. */
  readonly text?: string | readonly string[] | AsyncIterable<string>;
  /** Sent before the text. */
  readonly reasoning?: string;
  readonly toolCalls?: readonly ScriptedToolCall[];
  /** @default `tool_calls` with calls, otherwise `stop` */
  readonly finishReason?: 'stop' | 'length' | 'tool_calls' | 'content_filter';
  /** The model answers with other text than the requested JSON. Without this, such a text is an error of the script. */
  readonly ignoresFormat?: boolean;
  /** @default true */
  readonly reportsUsage?: boolean;
  /**
   * Ends a streamed answer early: after this number of events; the first has the role alone, the text pieces follow, and
   * each call has one event with its name and some with its arguments. `close` breaks the connection, `end` ends the body
   * in the regular way, and an object is sent as the error of the API.
   */
  readonly cut?: { readonly afterEvents: number; readonly by: 'close' | 'end' | object };
}

/** An answer outside the protocol. */
interface RawAnswer {
  readonly body: string;
  /** @default 200 */
  readonly status?: number;
  /** @default text/html */
  readonly contentType?: string;
  /** The body has no end. */
  readonly isOpen?: boolean;
}

/** No answer: the connection stays open until the client closes it. */
interface NoAnswer {
  readonly never: true;
}

/** The connection is closed instead of an answer. */
interface ClosedConnection {
  readonly closed: true;
}

export type ModelAnswer = ModelReply | ModelRefusal | RawAnswer | NoAnswer | ClosedConnection;

/** An answer with 429. `retryAfter`: seconds, or a date. */
export function busy(retryAfter?: number | Date): ModelRefusal {
  const text = retryAfter instanceof Date ? retryAfter.toUTCString() : retryAfter?.toString();
  return {
    status: 429,
    message: 'Rate limit reached',
    type: 'requests',
    code: 'rate_limit_exceeded',
    ...(text !== undefined && { headers: { 'retry-after': text } }),
  };
}

/** A text that is sent piece by piece by the test. */
export class SlowText implements AsyncIterable<string> {
  readonly #pieces: string[] = [];
  #isEnded = false;
  #wake: (() => void) | undefined;

  send(...pieces: readonly string[]): void {
    this.#pieces.push(...pieces);
    this.#wake?.();
  }

  end(): void {
    this.#isEnded = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string, void, void> {
    for (;;) {
      yield* this.#pieces.splice(0);
      if (this.#pieces.length > 0) continue;
      if (this.#isEnded) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
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

interface WrittenCall {
  readonly id: string;
  readonly name: string;
  readonly input: string;
}

function callsOf({ number }: ModelRequest, { toolCalls = [] }: ModelReply): readonly WrittenCall[] {
  return toolCalls.map(({ id = '', name, input }, index) => ({
    id: id === '' ? `call_${number}_${index + 1}` : id,
    name,
    input: typeof input === 'string' ? input : JSON.stringify(input),
  }));
}

function finishReasonOf({ finishReason, toolCalls = [] }: ModelReply): string {
  return finishReason ?? (toolCalls.length > 0 ? 'tool_calls' : 'stop');
}

function usageOf({ body }: ModelRequest, text: string, calls: readonly WrittenCall[]): object {
  const prompt = estimateTokens(body.toString());
  const written = estimateTokens([text, ...calls.flatMap((call) => [call.name, call.input])].join(''));
  return { prompt_tokens: prompt, completion_tokens: written, total_tokens: prompt + written };
}

/** The fields that every answer to a request has. The time is fixed, so that equal runs have equal answers. */
function headOf({ number, chat }: ModelRequest, object: string): object {
  return { id: `chatcmpl-${number}`, object, created: 0, model: chat.model };
}

/** Rejects a text that is not the JSON that the request asks for. */
function checkFormat({ chat }: ModelRequest, { ignoresFormat = false }: ModelReply, text: string): void {
  if (ignoresFormat || text === '' || !chat.response_format || chat.response_format.type === 'text') return;
  try {
    JSON.parse(text);
  } catch {
    refuse(400, 'the script answers with text instead of the JSON that the request asks for', { code: 'script_error' });
  }
}

export async function sendWhole(response: ServerResponse, request: ModelRequest, reply: ModelReply): Promise<void> {
  const { text = [], reasoning, reportsUsage = true } = reply;
  const whole = typeof text === 'string' ? text : (await Array.fromAsync(text)).join('');
  checkFormat(request, reply, whole);
  const calls = callsOf(request, reply);
  const message = {
    role: 'assistant',
    content: whole === '' ? null : whole,
    ...(reasoning !== undefined && { reasoning_content: reasoning }),
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ id, name, input }) => ({ id, type: 'function', function: { name, arguments: input } })),
    }),
  };
  const choices = [{ index: 0, message, finish_reason: finishReasonOf(reply) }];
  const usage = reportsUsage ? { usage: usageOf(request, whole, calls) } : {};
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ ...headOf(request, 'chat.completion'), choices, ...usage }));
}

async function* eventsOf(request: ModelRequest, reply: ModelReply): AsyncGenerator<object, void, void> {
  const { text = [], reasoning, reportsUsage = true } = reply;
  const head = headOf(request, 'chat.completion.chunk');
  const delta = (value: object): object => ({
    ...head,
    choices: [{ index: 0, delta: value, finish_reason: null }],
  });
  yield delta({ role: 'assistant', content: '' });
  if (reasoning !== undefined) yield delta({ reasoning_content: reasoning });
  let written = '';
  for await (const piece of typeof text === 'string' ? piecesOf(text) : text) {
    written += piece;
    yield delta({ content: piece });
  }
  const calls = callsOf(request, reply);
  for (const [index, { id, name, input }] of calls.entries()) {
    yield delta({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] });
    for (const piece of piecesOf(input)) yield delta({ tool_calls: [{ index, function: { arguments: piece } }] });
  }
  yield { ...head, choices: [{ index: 0, delta: {}, finish_reason: finishReasonOf(reply) }] };
  if (reportsUsage && request.chat.stream_options?.include_usage === true) {
    yield { ...head, choices: [], usage: usageOf(request, written, calls) };
  }
}

export async function sendStream(response: ServerResponse, request: ModelRequest, reply: ModelReply): Promise<void> {
  const { text = '', cut } = reply;
  if (typeof text === 'string' || Array.isArray(text)) checkFormat(request, reply, [text].flat().join(''));
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  response.flushHeaders();
  const send = (data: string): boolean => response.write(`data: ${data}\n\n`);
  let count = 0;
  for await (const event of eventsOf(request, reply)) {
    if (request.signal.aborted) return;
    if (count === cut?.afterEvents) break;
    send(JSON.stringify(event));
    count += 1;
  }
  if (cut && count === cut.afterEvents) {
    // The events arrive before the connection breaks.
    if (cut.by === 'close') response.socket?.end();
    else if (cut.by === 'end') response.end();
    else response.end(`data: ${JSON.stringify({ error: cut.by })}\n\n`);
    return;
  }
  response.end('data: [DONE]\n\n');
}
