import { wrapLanguageModel, type LanguageModel } from 'ai';
import { setTimeout as wait } from 'node:timers/promises';
import { AgentError } from '../errors.ts';
import { Answer, checkContent, Watch } from './answer.ts';
import type { CallOptions, ModelObject, StreamPart, StreamResult } from './answer.ts';
import { modelFailure } from './model-failure.ts';
import type { ModelFailure, ModelSubject } from './model-subject.ts';
import { ThoughtParts, withoutBlocks } from './thoughts.ts';

/** A request that is repeated. */
export interface ModelRetry {
  /** Why, on one line. */
  readonly reason: string;
  /** How long until the request is repeated. */
  readonly delayMs: number;
  /** Which repetition it is, from 1. */
  readonly attempt: number;
}

/** Which requests are repeated, and when. */
export interface RetryOptions {
  /** How often a request is repeated. A busy server (429) that does not say when to return is asked again for `busyMs`. @default 3 */
  readonly maxRetries?: number | undefined;
  /** The delay before the first repetition. It doubles for each further one, and varies by a quarter. @default 1,000 */
  readonly retryDelayMs?: number | undefined;
  /** A server that asks for a longer delay is not asked again. @default 60,000 */
  readonly maxRetryDelayMs?: number | undefined;
  /** The delays together, for a busy server that does not say when to return. No single one is longer than 30 s. @default 120,000 */
  readonly busyMs?: number | undefined;
  /** Called before each delay. */
  readonly onRetry?: ((retry: ModelRetry) => void) | undefined;
  /** Waits for a delay, and rejects when the signal aborts. @default a timer */
  readonly wait?: ((delayMs: number, signal: AbortSignal | undefined) => Promise<void>) | undefined;
}

const DEFAULT_BUSY_MS = 120_000;
const MAX_BUSY_DELAY_MS = 30_000;

async function waitByTimer(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  await wait(delayMs, undefined, signal === undefined ? {} : { signal });
}

class Retries {
  readonly #subject: ModelSubject;
  readonly #options: RetryOptions;
  #attempt = 0;
  #waitedMs = 0;

  constructor(subject: ModelSubject, options: RetryOptions) {
    this.#subject = subject;
    this.#options = options;
  }

  /** Sends a request until it succeeds, or no repetition is left. */
  async run<T>(signal: AbortSignal | undefined, request: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await request();
      } catch (error) {
        if (signal?.aborted === true) throw error;
        await this.#waitAfter(modelFailure(error, this.#subject), signal);
      }
    }
  }

  /** @throws {AgentError} of the failure when the request is not repeated. */
  async #waitAfter(failure: ModelFailure, signal: AbortSignal | undefined): Promise<void> {
    const { maxRetries = 3, maxRetryDelayMs = 60_000, busyMs = DEFAULT_BUSY_MS } = this.#options;
    const { code, summary, hint } = failure.error;
    const isBusy = code === 'MODEL_BUSY' && failure.retryAfterMs === undefined;
    const delayMs = failure.retryAfterMs ?? this.#backoff(isBusy);
    if (!failure.isTransient || maxRetries === 0 || delayMs > maxRetryDelayMs) throw failure.error;
    const isLast = isBusy ? this.#waitedMs + delayMs > busyMs : this.#attempt >= maxRetries;
    if (isLast) throw new AgentError(code, [`${summary} (after ${this.#attempt} retries)`, hint]);
    this.#attempt += 1;
    this.#waitedMs += delayMs;
    this.#options.onRetry?.({ reason: summary, delayMs, attempt: this.#attempt });
    await (this.#options.wait ?? waitByTimer)(delayMs, signal).catch(() => signal?.throwIfAborted());
  }

  /** Varied, so that agents that were sent away together do not come back together. */
  #backoff(isBusy: boolean): number {
    const { retryDelayMs = 1000, busyMs = DEFAULT_BUSY_MS } = this.#options;
    const delayMs = retryDelayMs * 2 ** this.#attempt * (0.75 + Math.random() / 2);
    // The last delay ends with the time.
    const busyDelayMs = Math.max(1, Math.min(delayMs, MAX_BUSY_DELAY_MS, busyMs - this.#waitedMs));
    return Math.round(isBusy ? busyDelayMs : delayMs);
  }
}

export interface GuardOptions extends RetryOptions {
  /** The server must begin to answer within this time. @default 180,000 */
  readonly firstByteTimeoutMs?: number | undefined;
  /** Each further part of the answer must arrive within this time. @default 180,000 */
  readonly chunkTimeoutMs?: number | undefined;
  /** Whether the next answer is read while it arrives. Otherwise it is passed on when complete; a cut one is asked for again. @default true */
  readonly isFollowed?: (() => boolean) | undefined;
  /** Called with the text of an answer that was not followed, when it was cut or aborted and is not asked for again. */
  readonly onUnsent?: ((text: string) => void) | undefined;
}

/** Models that think without showing it, and local servers that load a model first, are silent for minutes. */
const DEFAULT_TIMEOUT_MS = 180_000;
/** Timers with a longer time end at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** With an invalid number, requests would be repeated without an end. @throws {AgentError} `INVALID_OPTION` */
function checkNumbers(numbers: Readonly<Record<string, number | undefined>>, least: number): void {
  for (const [option, value] of Object.entries(numbers)) {
    if (value === undefined || (typeof value === 'number' && value >= least && value <= MAX_TIMER_MS)) continue;
    const hint = `Use a number from ${least} to ${MAX_TIMER_MS}.`;
    throw new AgentError('INVALID_OPTION', [`${option} is ${String(value)}`, hint], { option });
  }
}

/** The parts that no caller acts on. The input of a tool call is not acted on before the call is complete. */
const SILENT_PART =
  /^(?:stream-start|response-metadata|raw|(?:text|reasoning|tool-input)-(?:start|end)|tool-input-delta)$/u;

/** Returns whether a caller acts on a part: shows it or runs it. Complete calls of tools wait for the end of the answer. */
function isContent(part: StreamPart): boolean {
  if (part.type === 'text-delta' || part.type === 'reasoning-delta') return part.delta !== '';
  if (part.type === 'tool-call') return part.providerExecuted === true;
  return !SILENT_PART.test(part.type);
}

/** Adds a piece of text to the last part when both are pieces of one text. Returns whether it did. */
function joinDelta(parts: StreamPart[], part: StreamPart): boolean {
  const last = parts.at(-1);
  if (last === undefined || !('delta' in part) || !('delta' in last)) return false;
  if (last.type !== part.type || last.id !== part.id || part.providerMetadata !== undefined) return false;
  parts[parts.length - 1] = { ...last, delta: last.delta + part.delta };
  return true;
}

/** Reads an answer up to what a caller acts on; one that is not followed up to what has an effect, or to its end. */
async function readHead(answer: Answer, isFollowed: boolean, head: StreamPart[]): Promise<void> {
  for (let part = await answer.next(); part; part = await answer.next()) {
    if (isFollowed || !joinDelta(head, part)) head.push(part);
    if (isContent(part) && (isFollowed || (part.type !== 'text-delta' && part.type !== 'reasoning-delta'))) break;
  }
}

/** The parts of an answer as they are passed on: calls at its end, and thoughts as reasoning. */
class Passage {
  readonly #thoughts = new ThoughtParts();
  readonly #calls: StreamPart[] = [];

  read(part: StreamPart): readonly StreamPart[] {
    return this.#thoughts.read(part).flatMap((one) => {
      if (one.type === 'tool-call' && !isContent(one)) {
        this.#calls.push(one);
        return [];
      }
      return one.type === 'finish' ? [...this.#calls, one] : [one];
    });
  }
}

function textOf(head: readonly StreamPart[]): string {
  const passage = new Passage();
  const parts = head.flatMap((part) => passage.read(part));
  return parts.map((part) => (part.type === 'text-delta' ? part.delta : '')).join('');
}

/** Passes an answer on. An error is its last part. */
function streamOf(
  answer: Answer,
  head: readonly StreamPart[],
  { subject, signal }: { readonly subject: ModelSubject; readonly signal: AbortSignal | undefined },
): ReadableStream<StreamPart> {
  const passage = new Passage();
  return new ReadableStream<StreamPart>({
    start: (controller) => {
      for (const part of head) for (const one of passage.read(part)) controller.enqueue(one);
    },
    pull: async (controller) => {
      try {
        // A pull that passes nothing on is not followed by another.
        for (let passed = 0; passed === 0;) {
          const part = await answer.next();
          if (!part) return controller.close();
          const parts = passage.read(part);
          for (const one of parts) controller.enqueue(one);
          passed = parts.length;
        }
      } catch (error) {
        if (signal?.aborted === true) throw error;
        controller.enqueue({ type: 'error', error: modelFailure(error, subject).error });
        controller.close();
      }
    },
    cancel: async (reason) => answer.cancel(reason),
  });
}

/**
 * Returns a model with time limits, retries and a largest answer. Requests are repeated unless a part of the answer was passed on.
 * Failures, but for an abort, are `AgentError`s. Tool calls are passed on at the end, so that no call of a cut answer runs.
 */
export function guardModel(
  model: Exclude<LanguageModel, string>,
  subject: ModelSubject,
  options: GuardOptions,
): ModelObject {
  const { firstByteTimeoutMs = DEFAULT_TIMEOUT_MS, chunkTimeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const limits = { firstByteTimeoutMs, chunkTimeoutMs };
  checkNumbers(limits, 1);
  const { maxRetries, retryDelayMs, maxRetryDelayMs, busyMs } = options;
  checkNumbers({ maxRetries, retryDelayMs, maxRetryDelayMs, busyMs }, 0);
  const open = async (params: CallOptions, inner: ModelObject): Promise<StreamResult> => {
    const { abortSignal: signal } = params;
    const head: StreamPart[] = [];
    let unsent = '';
    const request = async (): Promise<Answer> => {
      unsent = textOf(head) || unsent;
      head.length = 0;
      const opened = await Answer.open((one) => inner.doStream(one), params, limits);
      await readHead(opened, options.isFollowed?.() ?? true, head);
      return opened;
    };
    const answer = await new Retries(subject, options).run(signal, request).catch((error: unknown) => {
      options.onUnsent?.(textOf(head) || unsent);
      throw error;
    });
    return { ...answer.result, stream: streamOf(answer, head, { subject, signal }) };
  };
  return wrapLanguageModel({
    model,
    middleware: {
      wrapStream: async ({ params, model: inner }) => open(params, inner),
      // An answer that is not streamed begins when it is complete.
      wrapGenerate: async ({ params, model: inner }) =>
        new Retries(subject, options).run(params.abortSignal, async () => {
          const watch = new Watch(params.abortSignal);
          const answering = inner.doGenerate({ ...params, abortSignal: watch.signal });
          const whole = await watch.within(firstByteTimeoutMs, 'did not answer', answering);
          checkContent(whole.content);
          return { ...whole, content: withoutBlocks(whole.content) };
        }),
    },
  });
}
