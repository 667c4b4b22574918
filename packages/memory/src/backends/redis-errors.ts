import { MemoryError, type MemoryErrorCode } from '../errors.ts';

type Explained = readonly [code: MemoryErrorCode, problem: string, hint: string];

const password: Explained = [
  'STORE_DENIED',
  'refuses the user or the password',
  'Put both into the URL: redis://user:password@host:6379.',
];
const busy = (problem: string): Explained => ['STORE_UNAVAILABLE', problem, 'Try again in a moment.'];

/** The meaning of the first word of an error from Redis. */
const replies: Readonly<Record<string, Explained>> = {
  WRONGPASS: password,
  NOAUTH: password,
  NOPERM: [
    'STORE_DENIED',
    'does not allow this user to run the command',
    'Run on the server: ACL SETUSER <user> ~cairn:* ~ai:notes:* +@read +@write +@scripting -@dangerous +time +info +select.',
  ],
  READONLY: ['STORE_DENIED', 'is a read-only replica', 'Use the URL of the primary.'],
  OOM: ['STORE_FULL', 'is full: maxmemory is reached', 'Raise maxmemory, or delete something.'],
  MISCONF: ['STORE_FULL', 'cannot save to its disk and refuses writes', 'Free some space on its disk.'],
  WRONGTYPE: [
    'CORRUPT_RECORD',
    'has a value of another type under this key',
    'The value was not changed; delete it or use another name.',
  ],
  LOADING: busy('is loading its data'),
  BUSY: busy('is running a long script'),
  MASTERDOWN: busy('is a replica without its primary'),
  CLUSTERDOWN: busy('is a cluster that is not complete'),
  TRYAGAIN: busy('is moving keys to another node'),
};

/** The names of the driver's error classes for a missing connection. */
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
 * Returns the word that names the kind of the error. Before Redis 7, and in KeyDB, the word of a command in a script comes
 * after the position: `ERR Error running script (call to f_…): @user_script:9: WRONGTYPE …`, or `…: -OOM …`.
 */
export function firstWord(error: Error): string {
  // A command in a script has no word of its own for a missing permission.
  if (/can't (?:run this command|access at least one of the keys)/u.test(error.message)) return 'NOPERM';
  const within = /^ERR Error running script .*?: -?([A-Z]{3,}) /su.exec(error.message);
  return within?.[1] ?? /^[A-Z]+/u.exec(error.message)?.[0] ?? '';
}

/** Returns whether an error stays the same when the call is repeated, so that waiting does not help. */
export function isRefusal(error: unknown): boolean {
  const explained = error instanceof Error ? replies[firstWord(error)] : undefined;
  return explained?.[0] === 'STORE_DENIED';
}

export function unavailable(
  where: string,
  problem: string,
  facts: { cause?: unknown; isDone?: 'unknown' },
): MemoryError {
  const doubt = facts.isDone === 'unknown' ? ' The write may have succeeded.' : '';
  const hint = `Check that the server runs; the next call connects again.${doubt}`;
  return new MemoryError('STORE_UNAVAILABLE', [`[memory:redis] ${where} ${problem}`, hint], facts);
}

function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // `name` is `Error` for all classes of the driver.
  if (connectionErrors.has(error.constructor.name)) return true;
  return 'code' in error && typeof error.code === 'string' && /^E[A-Z]+$/u.test(error.code);
}

export function explainRedisError(
  error: unknown,
  where: string,
  { key, isSent }: { readonly key: string; readonly isSent: boolean },
): MemoryError {
  if (MemoryError.isInstance(error)) return error;
  if (error instanceof Error && isConnectionError(error)) {
    // The driver did not accept the command, so that it was not sent.
    const isInDoubt = isSent && error.constructor.name !== 'ClientOfflineError';
    return unavailable(where, `is not reachable (${error.message || error.constructor.name})`, {
      cause: error,
      ...(isInDoubt && { isDone: 'unknown' as const }),
    });
  }
  const reason = error instanceof Error ? error.message : String(error);
  const isReply = /^[A-Z]{3,} /u.test(reason);
  const [code, problem, hint] = (error instanceof Error ? replies[firstWord(error)] : undefined) ?? [
    'STORE_FAILED',
    isReply ? `refused the command (${reason})` : `failed (${reason})`,
    'See the cause.',
  ];
  return new MemoryError(code, [`[memory:redis] ${where} ${problem} (key ${key})`, hint], {
    key,
    cause: error,
    // An answer of the server to the command means that nothing was written.
    ...(isSent && !isReply && code === 'STORE_FAILED' && { isDone: 'unknown' as const }),
  });
}
