import { isObject, type Fields } from '@cairn/tool';
import { asStreamPart, choiceIn, finishOf, readableAnswer } from './chat-answer.ts';
import { AnswerError } from './model-failure.ts';
import { parseJson } from './parse-json.ts';
import { fetchWithinOrigin } from './redirects.ts';

/** The largest event, and the largest answer that is not streamed: an answer of the largest size with every character escaped. */
const MAX_JSON_BYTES = 48 * 1024 * 1024;

function parseObject(text: string): Fields | undefined {
  const value = parseJson(text);
  return isObject(value) ? value : undefined;
}

/** Collects the pieces of a text up to a limit. */
class Pieces {
  #pieces: string[] = [];
  #length = 0;

  add(piece: string): void {
    this.#length += piece.length;
    if (this.#length > MAX_JSON_BYTES) {
      throw new AnswerError('too-large', `sent more than ${MAX_JSON_BYTES / 1024 / 1024} MiB at once`);
    }
    this.#pieces.push(piece);
  }

  get isEmpty(): boolean {
    return this.#pieces.length === 0;
  }

  take(): string {
    const text = this.#pieces.join('');
    this.#pieces = [];
    this.#length = 0;
    return text;
  }
}

type Output = TransformStreamDefaultController<string>;

/**
 * Reads the answer to a request for a stream: a stream of events, or JSON. Its output is events as the provider reads them. The
 * event `[DONE]` ends the answer, even if the connection stays open and no reason for the end was stated.
 */
class ChatAnswer {
  readonly #line = new Pieces();
  /** The lines of the current event, which an empty line ends. */
  readonly #data = new Pieces();
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
      this.#line.add(chunk);
      return;
    }
    const [first = '', ...lines] = chunk.split('\n');
    this.#line.add(first);
    for (const line of lines) {
      this.#readLine(this.#line.take(), output);
      this.#line.add(line);
    }
  }

  flush(output: Output): void {
    const rest = this.#line.take();
    if (this.#kind === 'json') {
      const json = parseObject(rest);
      const part = json && asStreamPart(readableAnswer(json));
      if (part !== undefined) this.#send(part, output);
      return;
    }
    this.#readLine(rest, output);
    // The last event of a connection that broke may be a half one.
    const data = this.#data.take().trim();
    if (data === '[DONE]' || parseObject(data) !== undefined) this.#readEvent(data, output);
  }

  #readLine(ended: string, output: Output): void {
    const line = ended.endsWith('\r') ? ended.slice(0, -1) : ended;
    if (line.startsWith('data:')) {
      this.#data.add(`${this.#data.isEmpty ? '' : '\n'}${line.slice('data:'.length).trimStart()}`);
    } else if (line === '' && !this.#data.isEmpty) this.#readEvent(this.#data.take().trim(), output);
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
  const pieces = new Pieces();
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) pieces.add(piece);
  const text = pieces.take();
  const json = parseObject(text);
  return new Response(json === undefined ? text : JSON.stringify(readableAnswer(json)), response);
}

/**
 * Sends a request for a chat completion. Redirects are followed within the origin; answers are put into the form that the provider
 * reads, whether the server streams them or not.
 */
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
