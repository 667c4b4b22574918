import { setTimeout as delay } from 'node:timers/promises';

export interface RetryOptions {
  readonly attempts: number;
  /**
   * The longest pause between two attempts. A pause is random, so that two processes do not repeat in step, and shorter than
   * the number of attempts so far. Default: no pause.
   */
  readonly maxWaitMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Repeats an attempt that another process may forestall, until it returns a value. Returns `undefined` if no attempt did.
 *
 * @throws the reason of the signal, checked after each attempt without a value
 */
export async function retry<T>(
  attempt: (count: number) => Promise<T | undefined>,
  { attempts, maxWaitMs = 0, signal }: RetryOptions,
): Promise<T | undefined> {
  for (let count = 0; count < attempts; count++) {
    const result = await attempt(count);
    if (result !== undefined) return result;
    const waitMs = Math.random() * Math.min(count, maxWaitMs);
    // The check below throws the reason of the signal.
    if (waitMs > 0) await delay(waitMs, undefined, { signal }).catch(() => undefined);
    signal?.throwIfAborted();
  }
  return undefined;
}
