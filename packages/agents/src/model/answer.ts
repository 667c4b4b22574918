import { InvalidResponseDataError, type wrapLanguageModel } from 'ai';
import { AnswerError } from './model-failure.ts';

/** A model with the calls that the AI SDK makes. */
export type ModelObject = ReturnType<typeof wrapLanguageModel>;
export type CallOptions = Parameters<ModelObject['doStream']>[0];
export type StreamResult = Awaited<ReturnType<ModelObject['doStream']>>;
export type StreamPart = StreamResult['stream'] extends ReadableStream<infer Part> ? Part : never;

export interface TimeLimits {
  readonly firstByteTimeoutMs: number;
  readonly chunkTimeoutMs: number;
}

export class Watch {
  /** Aborts with the caller's signal, and when the request is late. */
  readonly signal: AbortSignal;
  readonly #stop = new AbortController();
  #reject: ((reason: unknown) => void) | undefined;

  constructor(caller: AbortSignal | undefined) {
    this.signal = caller === undefined ? this.#stop.signal : AbortSignal.any([caller, this.#stop.signal]);
    // Models may ignore the signal, or fail in their own way when it aborts.
    this.signal.addEventListener('abort', () => this.#reject?.(this.signal.reason), { once: true });
  }

  /** Waits for a promise for this time at most. A failure ends the request. */
  async within<T>(limitMs: number, what: string, promise: PromiseLike<T>): Promise<T> {
    const timer = setTimeout(() => {
      this.#stop.abort(new AnswerError('late', `${what} within ${limitMs / 1000} s`));
    }, limitMs);
    try {
      return await new Promise<T>((resolve, reject) => {
        this.#reject = reject;
        promise.then(resolve, reject);
        if (this.signal.aborted) reject(this.signal.reason);
      });
    } catch (error) {
      this.stop();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  stop(): void {
    this.#stop.abort();
  }
}

/** Names the error that the provider reports for a stream that is not one, or that ended early. */
function errorOf(error: unknown, { response }: StreamResult): unknown {
  if (!InvalidResponseDataError.isInstance(error)) return error;
  const [type = ''] = (response?.headers?.['content-type'] ?? '').split(';', 1);
  if (type === '' || type === 'text/event-stream') return new AnswerError('cut', 'cut its answer');
  // JSON is read where it is an answer.
  const what = type === 'application/json' ? 'JSON that is not a whole answer' : `${type} instead of a stream`;
  return new AnswerError('not-a-stream', `answered with ${what}`);
}

/** The largest answer: text, reasoning and the arguments of calls together, in UTF-8. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

function checkSize(bytes: number): void {
  if (bytes <= MAX_ANSWER_BYTES) return;
  throw new AnswerError('too-large', `answered with more than ${MAX_ANSWER_BYTES / 1024 / 1024} MiB of text`);
}

/** Checks an answer that was not streamed. @throws {AnswerError} `too-large`. */
export function checkContent(
  content: readonly { readonly type: string; readonly text?: unknown; readonly input?: unknown }[],
): void {
  const sizeOf = (value: unknown): number => (typeof value === 'string' ? Buffer.byteLength(value) : 0);
  checkSize(content.reduce((sum, { text, input }) => sum + sizeOf(text) + sizeOf(input), 0));
}

/** The answer to one request, part by part, within the time limits. */
export class Answer {
  readonly result: StreamResult;
  readonly #reader: ReadableStreamDefaultReader<StreamPart>;
  readonly #watch: Watch;
  readonly #limits: TimeLimits;
  readonly #begun: StreamPart[] = [];
  #deltaBytes = 0;
  #callBytes = 0;
  #isFinished = false;

  private constructor(result: StreamResult, watch: Watch, limits: TimeLimits) {
    this.result = result;
    this.#reader = result.stream.getReader();
    this.#watch = watch;
    this.#limits = limits;
  }

  static async open(
    doStream: (options: CallOptions) => PromiseLike<StreamResult>,
    options: CallOptions,
    limits: TimeLimits,
  ): Promise<Answer> {
    const watch = new Watch(options.abortSignal);
    const begin = async (): Promise<Answer> => {
      const answer = new Answer(await doStream({ ...options, abortSignal: watch.signal }), watch, limits);
      // The provider writes this part itself, before the server answers.
      while (answer.#begun.every(({ type }) => type === 'stream-start')) answer.#begun.push(await answer.#read());
      return answer;
    };
    return watch.within(limits.firstByteTimeoutMs, 'did not begin to answer', begin());
  }

  async #read(): Promise<StreamPart> {
    const { done, value } = await this.#reader.read();
    if (done) throw new AnswerError('cut', 'cut its answer');
    if (value.type === 'error') throw errorOf(value.error, this.result);
    if (value.type === 'text-delta' || value.type === 'reasoning-delta' || value.type === 'tool-input-delta') {
      this.#deltaBytes += Buffer.byteLength(value.delta);
      // Calls repeat the arguments that were streamed.
    } else if (value.type === 'tool-call') this.#callBytes += Buffer.byteLength(value.input);
    checkSize(Math.max(this.#deltaBytes, this.#callBytes));
    this.#isFinished = value.type === 'finish';
    return value;
  }

  /** Returns the next part; `undefined` after `finish`. @throws The error of the answer; an `AnswerError` for one that is cut or late. */
  async next(): Promise<StreamPart | undefined> {
    const begun = this.#begun.shift();
    if (begun) return begun;
    if (this.#isFinished) return undefined;
    return this.#watch.within(this.#limits.chunkTimeoutMs, 'did not continue its answer', this.#read());
  }

  async cancel(reason?: unknown): Promise<void> {
    this.#watch.stop();
    await this.#reader.cancel(reason);
  }
}
