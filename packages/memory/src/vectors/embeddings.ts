/** Servers that turn strings into vectors, and checks of their answers. */
import type { Vector } from '@cairn/retrieval';
import type { CallOptions } from '../records/backend.ts';
import { escapeControls } from '@cairn/tool/paths';
import { unitNumbers } from './numbers.ts';
import { hashOf } from './vector-row.ts';

/** A model on a server that turns strings into vectors: strings with a similar meaning get similar vectors. */
export interface Embeddings {
  /** The model that is asked for. Vectors of another model are made again. */
  readonly model: string;
  /** The server, for people: `http://localhost:11434/v1`. */
  readonly server: string;
  /** Returns a vector for each string, in their order. */
  readonly embed: (
    texts: readonly string[],
    options: CallOptions,
  ) => Promise<{
    readonly vectors: readonly Vector[];
    /** The model that made them, as the server names it. @default the model that was asked for */
    readonly model?: string | undefined;
  }>;
  /** Whether the user allowed to send strings to the server. Asked before each request. @default 'allowed' */
  readonly consent?: (() => Promise<ConsentState>) | undefined;
  /** Whether the user allowed to send messages of sessions too. @default none is sent */
  readonly allowsSessions?: (() => Promise<boolean>) | undefined;
}

/** The decision of the user about a server. */
export type ConsentState = 'allowed' | 'declined' | 'not-asked';

/** Why a server made no vectors. */
export class EmbedFailure extends Error {
  override readonly name: string = 'EmbedFailure';
  /** `rejected`: the server answers, and rejects these strings. `declined`, `not-asked`: nothing was sent. */
  readonly kind: 'failed' | 'rejected' | Exclude<ConsentState, 'allowed'>;

  constructor(message: string, kind: EmbedFailure['kind'] = 'failed', options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/** Vectors of length 1 that can be compared with all others of the same model. */
export interface Embedded {
  /** The model that was asked for, the one that answered, and the dimension. */
  readonly model: string;
  readonly vectors: readonly Int16Array[];
}

/** After a failure, the server is not asked for this long, so that not every call waits for it. */
const REST_MS = 30_000;
const MAX_DIMENSION = 16_384;
const MAX_MODEL_NAME = 100;
/** The strings whose vectors are kept: a query is repeated for its next page. */
const MAX_KEPT = 32;

/** Asks for vectors, and checks what comes back. */
export class Embedder {
  readonly embeddings: Embeddings;
  /** The model of the last answer, see {@link Embedded}. */
  model: string | undefined;
  #restUntil = 0;
  #failure: EmbedFailure | undefined;
  readonly #kept = new Map<string, Embedded>();
  /** The requests for one string that have no answer yet. */
  readonly #asking = new Map<string, CallOptions & { readonly answer: Promise<Embedded> }>();

  constructor(embeddings: Embeddings) {
    this.embeddings = embeddings;
  }

  /** Embeds one string, or returns what it has of it. @throws {EmbedFailure} */
  async embedOne(text: string, options: CallOptions & { readonly timeoutMs: number }): Promise<Embedded> {
    const known = this.#kept.get(text);
    if (known !== undefined) return known;
    // One question goes to facts and to messages.
    const running = this.#asking.get(text);
    if (running?.signal === options.signal && running !== undefined) return running.answer;
    const answer = this.embed([text], options);
    this.#asking.set(text, { answer, signal: options.signal });
    const embedded = await answer.finally(() => this.#asking.delete(text));
    this.#kept.set(text, embedded);
    for (const first of this.#kept.keys()) {
      if (this.#kept.size <= MAX_KEPT) break;
      this.#kept.delete(first);
    }
    return embedded;
  }

  async allowsSessions(): Promise<boolean> {
    return (await this.embeddings.allowsSessions?.()) ?? false;
  }

  /** @throws {EmbedFailure} when the user did not allow the server, or when it failed a moment ago. */
  async checkReady(): Promise<void> {
    const { server, consent } = this.embeddings;
    const state = (await consent?.()) ?? 'allowed';
    if (state !== 'allowed') throw new EmbedFailure(`nothing was sent to ${server}`, state);
    if (this.#failure !== undefined && performance.now() < this.#restUntil) throw this.#failure;
  }

  /** @throws {EmbedFailure}, and the reason of the signal when it was aborted. */
  async embed(
    texts: readonly string[],
    { signal, timeoutMs }: CallOptions & { readonly timeoutMs: number },
  ): Promise<Embedded> {
    const { server } = this.embeddings;
    await this.checkReady();
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const both = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
      const answer = this.#checked(texts, await raced(this.embeddings.embed(texts, { signal: both }), both));
      this.#failure = undefined;
      this.model = answer.model;
      // Kept vectors of another model cannot be compared with those that the server makes now.
      for (const [kept, { model }] of this.#kept) if (model !== answer.model) this.#kept.delete(kept);
      return answer;
    } catch (error) {
      signal?.throwIfAborted();
      const failure = timeout.aborted
        ? new EmbedFailure(`${server} did not answer within ${timeoutMs / 1000} s`, 'failed', { cause: error })
        : failureOf(error);
      if (failure.kind === 'failed') {
        this.#failure = failure;
        this.#restUntil = performance.now() + REST_MS;
      }
      throw failure;
    }
  }

  #checked(texts: readonly string[], answer: unknown): Embedded {
    const { server, model: asked } = this.embeddings;
    const wrong = (problem: string): EmbedFailure => new EmbedFailure(`${server} returned ${problem}`);
    const { vectors, model = asked } = Object(answer) as { readonly vectors?: unknown; readonly model?: unknown };
    if (!Array.isArray(vectors) || vectors.length !== texts.length) {
      const returned = Array.isArray(vectors) ? `${vectors.length} vectors` : 'no vectors';
      throw wrong(`${returned} for ${texts.length} texts`);
    }
    const numbers = (vectors as readonly unknown[]).map((vector) => {
      if (!isVector(vector)) throw wrong('a vector that has something else than finite numbers');
      return vector;
    });
    const dimension = numbers[0]?.length ?? 0;
    if (dimension > MAX_DIMENSION) throw wrong(`a vector of ${dimension} numbers, more than ${MAX_DIMENSION}`);
    const units = numbers.map((vector) => {
      if (vector.length !== dimension) throw wrong(`vectors of ${dimension} and of ${vector.length} numbers`);
      const unit = unitNumbers(vector);
      if (unit === undefined) throw wrong('a vector of zeros, or of numbers that are too large');
      return unit;
    });
    const answering = typeof model === 'string' && model !== asked ? ` as ${nameOf(model)}` : '';
    return { model: `${asked}${answering} (${dimension})`, vectors: units };
  }
}

/** Returns the name of a model for people and for each row. A server may return any string. */
function nameOf(model: string): string {
  const name = escapeControls(model);
  return name.length <= MAX_MODEL_NAME ? name : `${name.slice(0, MAX_MODEL_NAME)}… (${hashOf(model).slice(0, 12)})`;
}

function isVector(value: unknown): value is Vector {
  if (!Array.isArray(value) && !ArrayBuffer.isView(value)) return false;
  const numbers = value as ArrayLike<unknown>;
  for (let index = 0; index < numbers.length; index++) if (!Number.isFinite(numbers[index])) return false;
  return numbers.length > 0;
}

/** Ends when the signal is aborted, even if the function that was called does not watch it. */
function raced<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

function failureOf(error: unknown): EmbedFailure {
  if (error instanceof EmbedFailure) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new EmbedFailure(message, 'failed', { cause: error });
}
