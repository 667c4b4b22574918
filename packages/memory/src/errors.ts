import { ArgumentChecks, HintedError, isNamed, type CairnErrorFacts, type ErrorText } from '@cairn/tool/kernel';

/**
 * Why a call failed.
 *
 * - `INVALID_NAME`, `INVALID_INPUT`, `INVALID_OPTION`: an argument is invalid.
 * - `SECRET`: a fact contains a key, token or password.
 * - `TOO_LARGE`: a content is larger than allowed.
 * - `UNKNOWN_STREAM`, `UNKNOWN_FUNCTION`, `UNKNOWN_WORKFLOW`, `UNKNOWN_TODO`: the name is unknown.
 * - `UNKNOWN_FACT`: the project and the user have no fact with this id.
 * - `FACT_EXISTS`, `FACT_ARCHIVED`, `FACT_CHANGED`: another fact has the text; the fact is archived or superseded; another
 *   process changed it after it was read.
 * - `NOTHING_TO_RESTORE`, `RESTORE_EXPIRED`: the fact has no earlier version, or one that ended too long ago.
 * - `STREAM_EXISTS`: another stream has the name.
 * - `MESSAGE_EXISTS`: the id belongs to a message with another content.
 * - `WORKFLOW_EXISTS`, `WORKFLOW_BUSY`, `LEASE_LOST`: the workflow exists, another runner holds it, or another runner
 *   took it over.
 * - `CORRUPT_RECORD`: the value under a key is not readable. It was not changed.
 * - `CORRUPT_STORE`: the file is not a memory, or is damaged.
 * - `STORE_UNAVAILABLE`: the store did not answer in time. A write may have succeeded: see `MemoryError.isDone`.
 * - `STORE_LOCKED`: other processes held the lock for too long.
 * - `STORE_DENIED`: a wrong password, a missing permission, or a read-only store.
 * - `STORE_FULL`: the disk or the memory of the store is full.
 * - `STORE_UNSUPPORTED`: this version of Node or SQLite is not supported, or the driver is missing.
 * - `STORE_FAILED`: the store failed for the reason in the message.
 * - `STORE_CLOSED`: the memory was closed.
 */
export type MemoryErrorCode =
  | 'CORRUPT_RECORD'
  | 'CORRUPT_STORE'
  | 'FACT_ARCHIVED'
  | 'FACT_CHANGED'
  | 'FACT_EXISTS'
  | 'INVALID_INPUT'
  | 'INVALID_NAME'
  | 'INVALID_OPTION'
  | 'LEASE_LOST'
  | 'MESSAGE_EXISTS'
  | 'NOTHING_TO_RESTORE'
  | 'RESTORE_EXPIRED'
  | 'SECRET'
  | 'STORE_CLOSED'
  | 'STORE_DENIED'
  | 'STORE_FAILED'
  | 'STORE_FULL'
  | 'STORE_LOCKED'
  | 'STORE_UNAVAILABLE'
  | 'STORE_UNSUPPORTED'
  | 'STREAM_EXISTS'
  | 'TOO_LARGE'
  | 'UNKNOWN_FACT'
  | 'UNKNOWN_FUNCTION'
  | 'UNKNOWN_STREAM'
  | 'UNKNOWN_TODO'
  | 'UNKNOWN_WORKFLOW'
  | 'WORKFLOW_BUSY'
  | 'WORKFLOW_EXISTS';

/** The subject of a {@link MemoryError}. */
export interface MemoryErrorFacts extends CairnErrorFacts {
  /** The key in the store. */
  readonly key?: string | undefined;
  /** `'unknown'` when a write was sent and its result is not known. */
  readonly isDone?: false | 'unknown' | undefined;
}

/** An expected failure. Identify it with {@link MemoryError.isInstance}, which also accepts errors of another copy of the package. */
export class MemoryError extends HintedError<MemoryErrorCode> {
  override readonly name: string = 'MemoryError';
  readonly key?: string;
  /**
   * Whether the failed call changed the store: `false` when it did not, `'unknown'` when a write was sent and no answer
   * came.
   */
  readonly isDone: false | 'unknown';

  constructor(code: MemoryErrorCode, text: ErrorText, { key, isDone = false, ...facts }: MemoryErrorFacts = {}) {
    super(code, text, facts);
    this.isDone = isDone;
    if (key !== undefined) this.key = key;
  }

  static override readonly isInstance: (error: unknown) => error is MemoryError = isNamed('MemoryError');
}

export const checkArguments: ArgumentChecks = new ArgumentChecks((...given) => new MemoryError(...given));
