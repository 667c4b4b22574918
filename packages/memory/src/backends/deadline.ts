/** When a call gives up waiting. */
export interface Deadline {
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  /** Makes the error of a call that takes too long. */
  readonly timeoutError: () => Error;
}

/** Waits for a promise until the timeout passes or the signal is aborted. */
export async function withDeadline<T>(promise: Promise<T>, { timeoutMs, signal, timeoutError }: Deadline): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let onAbort: (() => void) | undefined;
  const ended = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(timeoutError()), timeoutMs);
    onAbort = () => reject(signal?.reason as Error);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
  // After the deadline a late rejection has no handler.
  promise.catch(() => undefined);
  try {
    return await Promise.race([promise, ended]);
  } finally {
    clearTimeout(timer);
    if (onAbort) signal?.removeEventListener('abort', onAbort);
  }
}
