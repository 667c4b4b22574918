import { setTimeout as wait } from 'node:timers/promises';
import { AgentError } from '../errors.ts';
import { modelFailure } from './model-failure.ts';
import type { ModelFailure, ModelSubject } from './model-subject.ts';

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

export class Retries {
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
