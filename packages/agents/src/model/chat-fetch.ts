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

/** Adds a piece to a text, up to the limit. */
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
