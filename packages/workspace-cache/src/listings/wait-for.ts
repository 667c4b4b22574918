/** How long a call waits for an equal one that began before it. One that never ends must not stop all that follow. */
const MAX_WAIT_MS = 5000;

/** Waits for another call. Returns `undefined` when that takes too long; rejects with the reason of the signal. */
export async function waitFor<T>(waiting: Promise<T>, signal: AbortSignal | undefined): Promise<T | undefined> {
  signal?.throwIfAborted();
  let end = (): void => undefined;
  const stopped = new Promise<undefined>((resolve, reject) => {
    const abort = (): void => reject(signal?.reason as Error);
    const timer = setTimeout(() => resolve(undefined), MAX_WAIT_MS);
    signal?.addEventListener('abort', abort, { once: true });
    end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    };
  });
  try {
    return await Promise.race([waiting, stopped]);
  } finally {
    end();
  }
}
