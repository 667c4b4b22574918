/** Answers of servers that speak the chat completions of the OpenAI API almost, in the form that the provider reads. */
import { isObject, type Fields } from '@cairn/tool';
import { AnswerError } from './model-failure.ts';
import { parseJson } from './parse-json.ts';
import { fetchWithinOrigin } from './redirects.ts';
import { readableUsage } from './usage.ts';

/** Returns the calls of a message or a delta. Some servers write the arguments as an object. */
function callsOf(calls: unknown): unknown {
  if (!Array.isArray(calls)) return calls;
  return calls.map((call: unknown) => {
    if (!isObject(call) || !isObject(call['function'])) return call;
    const { arguments: input } = call['function'];
    if (!isObject(input)) return call;
    return { ...call, function: { ...call['function'], arguments: JSON.stringify(input) } };
  });
}

function messageOf(message: unknown): unknown {
  return isObject(message) && message['tool_calls'] !== undefined
    ? { ...message, tool_calls: callsOf(message['tool_calls']) }
    : message;
}

/** Returns a choice. An empty reason counts as missing. */
function choiceOf(choice: unknown): unknown {
  if (!isObject(choice)) return choice;
  const { finish_reason: reason, message, delta } = choice;
  return {
    ...choice,
    finish_reason: typeof reason === 'string' && reason !== '' ? reason : null,
    ...(message !== undefined && { message: messageOf(message) }),
    ...(delta !== undefined && { delta: messageOf(delta) }),
  };
}

/** Returns an answer, or a part of one, as the provider reads it: odd counts of tokens do not fail it. */
function readableAnswer(answer: Fields): Fields {
  const { error, usage, choices, ...rest } = answer;
  if (typeof error === 'string') return { ...rest, error: { message: error } };
  if (error !== undefined && error !== null) return answer;
  const counts = readableUsage(usage);
  return {
    ...rest,
    ...(Array.isArray(choices) && { choices: choices.map(choiceOf) }),
    // Some servers leave the list out where only the usage is.
    ...((choices === undefined || choices === null) && usage !== undefined && { choices: [] }),
    ...(counts !== undefined && { usage: counts }),
  };
}

function choiceIn({ choices }: Fields): Fields | undefined {
  const first: unknown = Array.isArray(choices) ? choices[0] : undefined;
  return isObject(first) ? first : undefined;
}

function finishOf(hasCalls: boolean): 'stop' | 'tool_calls' {
  return hasCalls ? 'tool_calls' : 'stop';
}

/** Returns a whole answer as the only part of a stream; `undefined` for JSON that is not an answer. */
function asStreamPart(answer: Fields): Fields | undefined {
  if (isObject(answer['error'])) return answer;
  const message = choiceIn(answer)?.['message'];
  if (!isObject(message)) return undefined;
  const { tool_calls: calls } = message;
  const indexed = Array.isArray(calls)
    ? calls.map((call: unknown, index) => (isObject(call) ? { ...call, index } : call))
    : undefined;
  const reason = choiceIn(answer)?.['finish_reason'] ?? finishOf(indexed !== undefined && indexed.length > 0);
  const delta = { ...message, ...(calls !== undefined && { tool_calls: indexed }) };
  return { ...answer, choices: [{ index: 0, delta, finish_reason: reason }] };
}

/** The largest event, and the largest answer that is not streamed: an answer of the largest size with every character escaped. */
const MAX_JSON_BYTES = 48 * 1024 * 1024;

function parseObject(text: string): Fields | undefined {
  const value = parseJson(text);
  return isObject(value) ? value : undefined;
}

/** Adds a piece to a string, up to the limit. */
function join(text: string, piece: string): string {
  if (text.length + piece.length <= MAX_JSON_BYTES) return text + piece;
  throw new AnswerError('too-large', `sent more than ${MAX_JSON_BYTES / 1024 / 1024} MiB at once`);
}

type Output = TransformStreamDefaultController<string>;

/** Reads a streamed answer, or JSON, as events for the provider. `[DONE]` ends it, even without a stated reason for the end. */
class ChatAnswer {
  #line = '';
  /** The lines of the current event, which an empty line ends. */
  #data: string | undefined;
  #kind: 'unknown' | 'json' | 'events' = 'unknown';
  #hasChoice = false;
  #hasCalls = false;
  #isFinished = false;

  transform(chunk: string, output: Output): void {
    if (this.#kind === 'unknown') {
      const text = chunk.trimStart();
      if (text === '') return;
      this.#kind = text.startsWith('{') ? 'json' : 'events';
    }
    if (this.#kind === 'json') {
      this.#line = join(this.#line, chunk);
      return;
    }
    const [first = '', ...lines] = chunk.split('\n');
    this.#line = join(this.#line, first);
    for (const line of lines) {
      this.#readLine(this.#line, output);
      this.#line = join('', line);
    }
  }

  flush(output: Output): void {
    if (this.#kind === 'json') {
      const json = parseObject(this.#line);
      const part = json && asStreamPart(readableAnswer(json));
      if (part !== undefined) this.#send(part, output);
      return;
    }
    this.#readLine(this.#line, output);
    // The last event of a connection that broke may be a half one.
    const data = this.#data?.trim() ?? '';
    if (data === '[DONE]' || parseObject(data) !== undefined) this.#readEvent(data, output);
  }

  #readLine(ended: string, output: Output): void {
    const line = ended.endsWith('\r') ? ended.slice(0, -1) : ended;
    if (line.startsWith('data:')) {
      const data = line.slice('data:'.length).trimStart();
      this.#data = this.#data === undefined ? data : join(this.#data, `\n${data}`);
    } else if (line === '' && this.#data !== undefined) {
      const data = this.#data.trim();
      this.#data = undefined;
      this.#readEvent(data, output);
    }
  }

  #readEvent(data: string, output: Output): void {
    if (data === '[DONE]') {
      if (this.#hasChoice && !this.#isFinished) {
        this.#send({ choices: [{ index: 0, delta: {}, finish_reason: finishOf(this.#hasCalls) }] }, output);
      }
      output.terminate();
      return;
    }
    const json = parseObject(data);
    // The provider reports what is not readable.
    if (json === undefined) output.enqueue(`data: ${data.replaceAll('\n', ' ')}\n\n`);
    else this.#send(readableAnswer(json), output);
  }

  #send(part: Fields, output: Output): void {
    const choice = choiceIn(part);
    const delta = choice?.['delta'];
    this.#hasChoice ||= choice !== undefined;
    this.#hasCalls ||= isObject(delta) && Array.isArray(delta['tool_calls']) && delta['tool_calls'].length > 0;
    this.#isFinished ||= part['error'] !== undefined || typeof choice?.['finish_reason'] === 'string';
    output.enqueue(`data: ${JSON.stringify(part)}\n\n`);
  }
}

/** Reads JSON up to the limit, and returns it as the provider reads it. */
async function readWhole(response: Response): Promise<Response> {
  let text = '';
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) text = join(text, piece);
  const json = parseObject(text);
  return new Response(json === undefined ? text : JSON.stringify(readableAnswer(json)), response);
}

/** Sends a request for a chat completion, follows redirects within the origin, and puts the answer into the provider's form. */
export const chatFetch: typeof fetch = async (input, init = {}) => {
  const response = await fetchWithinOrigin(input instanceof Request ? input.url : input, init);
  if (!response.ok || response.body === null) return response;
  const isStream = typeof init.body === 'string' && parseObject(init.body)?.['stream'] === true;
  if (!isStream) return readWhole(response);
  const body = response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new TransformStream<string, string>(new ChatAnswer()))
    .pipeThrough(new TextEncoderStream());
  return new Response(body, response);
};
