import { CancelHandle } from '../binding/index.js';
import type { NativeError } from '../binding/index.js';
import { CairnError, fromNative } from './errors.ts';
import type { SearchOptions } from './options.ts';

/** A timer longer than this fires at once; the addon's own deadline serves for longer ones. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** What may end a call early. */
export type Ending = Pick<SearchOptions, 'signal' | 'timeoutMs' | 'onTimeout'>;

/**
 * Runs a native call that a signal or a timeout may end.
 *
 * An aborted signal starts nothing. One that aborts later rejects at once with its reason, and so does a timeout with code
 * `TIMEOUT`, even while the call waits for a worker; the native work, told through the handle, stops soon after. With
 * `onTimeout: 'partial'` the deadline is left to the addon, which answers with what it has. Listener and timer are removed
 * when the call settles, so one signal serves any number of calls.
 *
 * @throws the signal's reason, or the `CairnError` that the addon reported.
 */
export async function withCancel<Result extends { columns: Uint8Array }>(
  { signal, timeoutMs, onTimeout }: Ending,
  run: (handle: CancelHandle) => Promise<Result | NativeError>,
): Promise<Result> {
  signal?.throwIfAborted();
  const handle = new CancelHandle();
  const cleanups: (() => void)[] = [];
  const ended = new Promise<never>((_, reject) => {
    const end = (reason: unknown): void => {
      handle.cancel();
      reject(reason);
    };
    if (signal) {
      const abort = (): void => end(signal.reason);
      signal.addEventListener('abort', abort, { once: true });
      cleanups.push(() => signal.removeEventListener('abort', abort));
    }
    if (timeoutMs !== undefined && timeoutMs <= LONGEST_TIMER_MS && onTimeout !== 'partial') {
      const timer = setTimeout(() => end(timeoutError(timeoutMs)), timeoutMs);
      cleanups.push(() => clearTimeout(timer));
    }
  });
  try {
    const outcome = await Promise.race([run(handle), ended]);
    if ('code' in outcome) throw fromNative(outcome);
    return outcome;
  } finally {
    for (const cleanup of cleanups) cleanup();
  }
}

function timeoutError(timeoutMs: number): CairnError {
  return new CairnError(
    'TIMEOUT',
    `the call took longer than ${timeoutMs} ms; raise timeoutMs, search a smaller directory, or take what was found with onTimeout: 'partial'`,
  );
}
