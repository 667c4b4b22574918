import { CancelHandle, type NativeError } from '../binding/index.js';
import { CairnError } from '@cairn/tool/kernel';
import { fromNative } from './errors.ts';
import type { SearchOptions } from './options.ts';

/** The maximal delay of a timer: a longer one fires immediately. The deadline of the addon covers longer timeouts. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The options that can end a call early. */
export type EndOptions = Pick<SearchOptions, 'signal' | 'timeoutMs' | 'onTimeout'>;

/**
 * Runs a native call that a signal or a timeout may end.
 *
 * If the signal has aborted, the call does not start. If it aborts later, the promise rejects immediately with its reason; if
 * the time runs out, it rejects with code `TIMEOUT`. Both also work while the call waits for a worker. The handle then
 * stops the native work soon after. With `onTimeout: 'partial'` the addon handles the deadline and returns a partial result.
 * `run` may ask whether the call has ended so. Listener and timer are removed when the call settles, so one signal can be used for any number of calls.
 *
 * @throws the reason of the signal, or the `CairnError` that the addon reported.
 */
export async function withCancel<Result extends { columns: Uint8Array }>(
  { signal, timeoutMs, onTimeout }: EndOptions,
  run: (handle: CancelHandle, hasEnded: () => boolean) => Promise<Result | NativeError>,
): Promise<Result> {
  signal?.throwIfAborted();
  const handle = new CancelHandle();
  let hasEnded = false;
  let reject: (reason: unknown) => void = () => undefined;
  const ended = new Promise<never>((_, rejectEnded) => (reject = rejectEnded));
  const end = (reason: unknown): void => {
    hasEnded = true;
    handle.cancel();
    reject(reason);
  };
  const abort = (): void => end(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  const isTimed = timeoutMs !== undefined && timeoutMs <= MAX_TIMER_MS && onTimeout !== 'partial';
  const timer = isTimed ? setTimeout(() => end(timeoutError(timeoutMs)), timeoutMs) : undefined;
  try {
    const outcome = await Promise.race([run(handle, () => hasEnded), ended]);
    if ('code' in outcome) throw fromNative(outcome);
    return outcome;
  } finally {
    signal?.removeEventListener('abort', abort);
    clearTimeout(timer);
  }
}

function timeoutError(timeoutMs: number): CairnError {
  return new CairnError(
    'TIMEOUT',
    `the call took longer than ${timeoutMs} ms; raise timeoutMs, search a smaller directory, or set onTimeout: 'partial' for a partial result`,
  );
}
