import { CancelHandle } from '../binding/index.js';
import type { NativeOutcome } from '../binding/index.js';
import { fromNative } from './errors.ts';

/**
 * Runs a native call under an `AbortSignal`.
 *
 * An aborted signal starts nothing. One that aborts later rejects at once with its reason; the native work, told through
 * the handle, stops soon after. The listener is removed when the call settles, so one signal serves any number of calls.
 *
 * @throws the signal's reason, or the `CairnError` that the addon reported.
 */
export async function withCancel(
  signal: AbortSignal | undefined,
  run: (handle: CancelHandle) => Promise<NativeOutcome>,
): Promise<Uint8Array> {
  signal?.throwIfAborted();
  const handle = new CancelHandle();
  if (!signal) return unwrap(await run(handle));
  let removeListener = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    const cancel = (): void => {
      handle.cancel();
      reject(signal.reason);
    };
    signal.addEventListener('abort', cancel, { once: true });
    removeListener = () => signal.removeEventListener('abort', cancel);
  });
  try {
    return unwrap(await Promise.race([run(handle), aborted]));
  } finally {
    removeListener();
  }
}

function unwrap(outcome: NativeOutcome): Uint8Array {
  if (outcome.data) return outcome.data;
  throw fromNative(outcome.error ?? { code: 'INTERNAL', message: 'the addon returned neither a result nor an error' });
}
