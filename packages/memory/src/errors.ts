import { CairnError } from '@cairn/tool';

/**
 * Why a call to a memory failed.
 *
 * - `INVALID_NAME`, `INVALID_INPUT`, `INVALID_OPTION`: what was given cannot be used.
 * - `TOO_LARGE`: a content is larger than is allowed.
 * - `UNKNOWN_STREAM`, `UNKNOWN_FUNCTION`, `UNKNOWN_WORKFLOW`, `UNKNOWN_TODO`: nothing has this name.
 * - `STREAM_EXISTS`: the name of a stream is taken by another one.
 * - `WORKFLOW_EXISTS`, `WORKFLOW_BUSY`, `LEASE_LOST`: the workflow is there already, run by somebody else, or was taken over.
 * - `CORRUPT_RECORD`: what is stored under a key is not what was written there. It is left as it is.
 * - `CORRUPT_STORE`: the file is no memory, or damaged as a whole.
 * - `STORE_UNAVAILABLE`: the store did not answer in time. A write may have been done: see `MemoryError.isDone`.
 * - `STORE_LOCKED`: other processes kept the store busy for too long.
 * - `STORE_DENIED`: a wrong password, a missing permission, a store that may only be read.
 * - `STORE_FULL`: the disk or the memory of the store is full.
 * - `STORE_UNSUPPORTED`: this Node, this SQLite, or a driver that is missing cannot be used.
 * - `STORE_FAILED`: the store refused for another reason, which is in the message.
 * - `STORE_CLOSED`: the memory was closed.
 */
export type MemoryErrorCode =
  | 'CORRUPT_RECORD'
  | 'CORRUPT_STORE'
  | 'INVALID_INPUT'
  | 'INVALID_NAME'
  | 'INVALID_OPTION'
  | 'LEASE_LOST'
  | 'STORE_CLOSED'
  | 'STORE_DENIED'
  | 'STORE_FAILED'
  | 'STORE_FULL'
  | 'STORE_LOCKED'
  | 'STORE_UNAVAILABLE'
  | 'STORE_UNSUPPORTED'
  | 'STREAM_EXISTS'
  | 'TOO_LARGE'
  | 'UNKNOWN_FUNCTION'
  | 'UNKNOWN_STREAM'
  | 'UNKNOWN_TODO'
  | 'UNKNOWN_WORKFLOW'
  | 'WORKFLOW_BUSY'
  | 'WORKFLOW_EXISTS';

/** What a {@link MemoryError} is about, beside its code. */
export interface MemoryErrorFacts {
  /** The file concerned. */
  readonly path?: string | undefined;
  /** The option concerned. */
  readonly option?: string | undefined;
  /** The key of the store concerned. */
  readonly key?: string | undefined;
  /** `'unknown'` when a write was sent and nobody knows whether it was done. */
  readonly isDone?: false | 'unknown' | undefined;
  readonly cause?: unknown;
}

const marker = Symbol.for('cairn.memory-error');

/**
 * A failure that was to be expected. `summary` says what happened, `hint` what to do next; `message` is both.
 *
 * Tell it apart with {@link MemoryError.isInstance}, which also knows errors of another copy of the package.
 */
export class MemoryError extends CairnError<MemoryErrorCode> {
  override readonly name: string = 'MemoryError';
  readonly summary: string;
  readonly hint: string;
  readonly key?: string;
  /**
   * Whether the call changed the store all the same: `false` when it did not, `'unknown'` when a write was sent and the
   * answer never came.
   */
  readonly isDone: false | 'unknown';

  constructor(
    code: MemoryErrorCode,
    [summary, hint]: readonly [summary: string, hint: string],
    facts: MemoryErrorFacts = {},
  ) {
    const { path, option, cause } = facts;
    super(code, `${summary}. ${hint}`, { path, option, cause });
    Object.defineProperty(this, marker, { value: true });
    this.summary = summary;
    this.hint = hint;
    this.isDone = facts.isDone ?? false;
    if (facts.key !== undefined) this.key = facts.key;
  }

  /** Whether `error` is a `MemoryError`, of this or another copy of the package. */
  static override isInstance(error: unknown): error is MemoryError {
    return typeof error === 'object' && error !== null && marker in error;
  }
}
