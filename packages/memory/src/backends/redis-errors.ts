import { MemoryError } from '../errors.ts';
import type { MemoryErrorCode } from '../errors.ts';

type Explained = readonly [code: MemoryErrorCode, what: string, hint: string];

const password: Explained = [
  'STORE_DENIED',
  'refuses the user or the password',
  'Give both in the URL: redis://user:password@host:6379.',
];
const busy: Explained = ['STORE_UNAVAILABLE', 'is not ready', 'Try again in a moment.'];

/** What the first word of an error that Redis answers means. */
const replies: Readonly<Record<string, Explained>> = {
  WRONGPASS: password,
  NOAUTH: password,
  NOPERM: ['STORE_DENIED', 'does not allow it to this user', 'Allow it the commands EVAL, EVALSHA and SCAN on ai:*.'],
  READONLY: ['STORE_DENIED', 'is a replica that may only be read', 'Name the primary.'],
  OOM: ['STORE_FULL', 'is full: maxmemory is reached', 'Raise maxmemory, or forget something.'],
  MISCONF: ['STORE_FULL', 'cannot save to its disk and takes no writes', 'Free some space on its disk.'],
  WRONGTYPE: ['CORRUPT_RECORD', 'holds something of another type under this key', 'It was left as it is.'],
  LOADING: busy,
  BUSY: busy,
  MASTERDOWN: busy,
  CLUSTERDOWN: busy,
  TRYAGAIN: busy,
};

/** What the driver calls its errors when there is no connection. */
const connectionErrors: ReadonlySet<string> = new Set([
  'ClientClosedError',
  'ClientOfflineError',
  'ConnectionTimeoutError',
  'DisconnectsClientError',
  'ReconnectStrategyError',
  'RootNodesUnavailableError',
  'SocketClosedUnexpectedlyError',
  'SocketTimeoutError',
  'TimeoutError',
]);

/**
 * The word that says what kind of error it is. Before Redis 7, and in KeyDB, that of a command in a script stands behind
 * where the script was: `ERR Error running script (call to f_…): @user_script:9: WRONGTYPE …`, or `…: -OOM …`.
 */
export function firstWord(error: Error): string {
  const within = /^ERR Error running script .*?: -?([A-Z]{3,}) /su.exec(error.message);
  return within?.[1] ?? /^[A-Z]+/u.exec(error.message)?.[0] ?? '';
}

/** A refusal that another try does not change, so that nobody waits for it. */
export function isRefusal(error: unknown): boolean {
  const explained = error instanceof Error ? replies[firstWord(error)] : undefined;
  return explained?.[0] === 'STORE_DENIED';
}

/** Says that nobody answered in time. */
export function unavailable(where: string, why: string, facts: { cause?: unknown; isDone?: 'unknown' }): MemoryError {
  const doubt = facts.isDone === 'unknown' ? ' What was sent may have been done all the same.' : '';
  const hint = `Check that it runs; it is connected again by itself.${doubt}`;
  return new MemoryError('STORE_UNAVAILABLE', [`[memory:redis] ${where} ${why}`, hint], facts);
}

/** Whether an error is about the connection, so that it says nothing of the call. */
function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // The names of the driver's classes: `name` is `Error` for all of them.
  if (connectionErrors.has(error.constructor.name)) return true;
  return 'code' in error && typeof error.code === 'string' && /^E[A-Z]+$/u.test(error.code);
}

/** The `MemoryError` that an error of the driver stands for; anything that nobody expected is returned as it is. */
export function explainRedisError(
  error: unknown,
  where: string,
  { key, isSent }: { readonly key: string; readonly isSent: boolean },
): unknown {
  if (MemoryError.isInstance(error) || !(error instanceof Error)) return error;
  if (isConnectionError(error)) {
    // What the driver did not take was not done.
    const isInDoubt = isSent && error.constructor.name !== 'ClientOfflineError';
    return unavailable(where, `is not reached (${error.message || error.constructor.name})`, {
      cause: error,
      ...(isInDoubt && { isDone: 'unknown' as const }),
    });
  }
  const explained = replies[firstWord(error)];
  if (explained === undefined && !/^[A-Z]{3,} /u.test(error.message)) return error;
  const [code, what, hint] = explained ?? ['STORE_FAILED', `refused: ${error.message}`, 'Look at the cause.'];
  return new MemoryError(code, [`[memory:redis] ${where} ${what}: ${key}`, hint], {
    key,
    cause: error,
  });
}
