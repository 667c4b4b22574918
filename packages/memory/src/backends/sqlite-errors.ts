import { MemoryError } from '../errors.ts';
import type { MemoryErrorCode } from '../errors.ts';

type Explained = readonly [code: MemoryErrorCode, what: string, hint: string];

const denied: Explained = [
  'STORE_DENIED',
  'may not be written, or not by you',
  'Choose another file, or ask for the permission; its directory has to be writable too.',
];
const full: Explained = ['STORE_FULL', 'cannot grow: the disk is full', 'Free some space and try again.'];
const corrupt: Explained = [
  'CORRUPT_STORE',
  'is no memory of Cairn, or is damaged',
  'It was left as it is: name another file, or restore it from a backup.',
];

/** What SQLite's result codes mean for whoever called. The lower eight bits say the kind. */
const kinds: Readonly<Record<number, Explained>> = {
  3: denied,
  5: ['STORE_LOCKED', 'was kept busy by other processes', 'Try again, or give busyTimeoutMs more time.'],
  6: ['STORE_LOCKED', 'was kept busy by other processes', 'Try again, or give busyTimeoutMs more time.'],
  8: denied,
  11: corrupt,
  13: full,
  14: ['STORE_DENIED', 'cannot be opened', 'Check that its directory exists and that you may write to it.'],
  18: ['TOO_LARGE', 'does not take a text as long as this', 'Store less at once.'],
  23: denied,
  26: corrupt,
};

/** The index of the log is a file of its own; where the disk is full it cannot be made. */
const IOERR_SHMSIZE = 4874;

/** What system errors mean, while the directory or the file is made. */
const systemErrors: Readonly<Record<string, Explained>> = {
  EACCES: denied,
  EPERM: denied,
  EROFS: denied,
  ENOSPC: full,
  EDQUOT: full,
};

/** Whether another connection stands in the way, so that waiting helps. */
export function isBusy(error: unknown): boolean {
  const code = errcodeOf(error);
  return code !== undefined && ((code & 0xff) === 5 || (code & 0xff) === 6);
}

function errcodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode : undefined;
}

function explanationOf(error: unknown): Explained | undefined {
  const errcode = errcodeOf(error);
  if (errcode === IOERR_SHMSIZE) return full;
  if (errcode !== undefined) {
    const known = kinds[errcode & 0xff];
    return known ?? ['STORE_FAILED', `refused (SQLite code ${errcode}: ${messageOf(error)})`, 'Look at the cause.'];
  }
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  if (!/^E[A-Z0-9]+$/u.test(error.code)) return undefined;
  return systemErrors[error.code] ?? ['STORE_FAILED', `cannot be opened (${messageOf(error)})`, 'Name another file.'];
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The `MemoryError` that a failure at a file stands for; anything that nobody expected is returned as it is. */
export function explainSqliteError(error: unknown, path: string): unknown {
  if (MemoryError.isInstance(error)) return error;
  const explained = explanationOf(error);
  if (explained === undefined) return error;
  const [code, what, hint] = explained;
  return new MemoryError(code, [`[memory:sqlite] ${path} ${what}`, hint], { path, cause: error });
}
