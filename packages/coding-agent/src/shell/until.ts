/** Waits for a promise, or rejects with the reason of an abort. */
export async function until<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  // After an abort, nothing else handles its rejection.
  promise.catch(() => undefined);
  signal.throwIfAborted();
  let abort = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
