import { MemoryError, type MemoryErrorCode } from '../errors.ts';

type Explained = readonly [code: MemoryErrorCode, problem: string, hint: string];

const denied: Explained = [
  'STORE_DENIED',
  'is not writable by this user',
  'Use another file, or get write permission for the file and its directory.',
];
const closed: Explained = [
  'STORE_DENIED',
  'is not accessible to this user',
  'Use another file, or get permission for the file and its directory.',
];
const full: Explained = ['STORE_FULL', 'cannot grow: the disk is full', 'Free some space, then repeat the call.'];
const corrupt: Explained = [
  'CORRUPT_STORE',
  'is not a memory file of Cairn, or is damaged',
  "The file was not changed. Use another file; 'cairn memory backup <file> --store <this file>' saves every readable record, " +
    "'cairn memory restore --store <this file>' lists backups.",
];

/** The meaning of SQLite's result codes. The lower eight bits are the kind. */
const kinds: Readonly<Record<number, Explained>> = {
  3: denied,
  5: ['STORE_LOCKED', 'is locked by other processes', 'Repeat the call, or raise busyTimeoutMs.'],
  6: ['STORE_LOCKED', 'is locked by other processes', 'Repeat the call, or raise busyTimeoutMs.'],
  8: denied,
  11: corrupt,
  13: full,
  14: ['STORE_DENIED', 'cannot be opened', 'Check that its directory exists and is writable.'],
  18: ['TOO_LARGE', 'cannot store a text of this length', 'Store a shorter text.'],
  23: denied,
  26: corrupt,
};

/** The index of the log is a separate file, which cannot be created on a full disk. */
const IOERR_SHMSIZE = 4874;

/** The meaning of system errors while the directory or the file is created. */
const systemErrors: Readonly<Record<string, Explained>> = {
  EACCES: closed,
  EPERM: closed,
  EROFS: denied,
  ENOSPC: full,
  EDQUOT: full,
};

/** Returns whether another connection holds a lock, so that waiting helps. */
export function isBusy(error: unknown): boolean {
  const code = errcodeOf(error);
  return code !== undefined && ((code & 0xff) === 5 || (code & 0xff) === 6);
}

/** Returns whether the disk is full, so that free space helps. */
export function isFull(error: unknown): boolean {
  const code = errcodeOf(error);
  return code !== undefined && ((code & 0xff) === 13 || code === IOERR_SHMSIZE);
}

export function isCorrupt(error: unknown): boolean {
  const kind = (errcodeOf(error) ?? 0) & 0xff;
  return kind === 11 || kind === 26;
}

/** Returns whether SQLite itself reported an error. */
export function isOfSqlite(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_SQLITE_ERROR';
}

function errcodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode : undefined;
}

function explanationOf(error: unknown): Explained {
  const errcode = errcodeOf(error);
  if (errcode === IOERR_SHMSIZE) return full;
  if (errcode !== undefined) {
    const known = kinds[errcode & 0xff];
    return known ?? ['STORE_FAILED', `failed (SQLite code ${errcode}: ${messageOf(error)})`, 'See the cause.'];
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (!/^E[A-Z0-9]+$/u.test(code)) return ['STORE_FAILED', `failed (${messageOf(error)})`, 'See the cause.'];
  return systemErrors[code] ?? ['STORE_FAILED', `cannot be opened (${messageOf(error)})`, 'Use another file.'];
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function errorOf(path: string, [code, problem, hint]: Explained, cause?: unknown): MemoryError {
  return new MemoryError(code, [`[memory:sqlite] ${path} ${problem}`, hint], { path, cause });
}

export function deniedError(path: string): MemoryError {
  return errorOf(path, denied);
}

/** Returns the error of a file that has no locks and was written while it was read. */
export function changedError(path: string): MemoryError {
  return errorOf(path, ['STORE_LOCKED', 'changed while it was read', 'Repeat the call, or raise busyTimeoutMs.']);
}

/** Returns the error of a write to a file whose pages are damaged. */
export function brokenError(path: string): MemoryError {
  const problem = 'is damaged, and a write may destroy what is still readable';
  const hint =
    `Nothing was written. 'cairn memory backup <file> --store ${path}' saves every readable record, then ` +
    `'cairn memory restore <file> --store ${path}' uses that copy.`;
  return errorOf(path, ['CORRUPT_STORE', problem, hint]);
}

interface Failing {
  readonly path: string;
  readonly signal: AbortSignal | undefined;
}

/** Returns the `MemoryError` for a failure at a file, or the reason of an aborted signal. */
export function explainSqliteError(error: unknown, { path, signal }: Failing): unknown {
  if (MemoryError.isInstance(error) || (signal?.aborted === true && error === signal.reason)) return error;
  return errorOf(path, explanationOf(error), error);
}
