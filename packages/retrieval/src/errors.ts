import { ArgumentChecks, CairnError } from '@cairn/tool/errors';

/**
 * Why a call failed.
 *
 * - `INVALID_OPTION`: an option is out of range.
 * - `EMBED_FAILED`: the `embed` function threw, or did not return one vector per text, all of the same length.
 * - `CORRUPT_INDEX`: a row of a stored segment was changed since it was written, or belongs to another place.
 */
export type RetrievalErrorCode = 'CORRUPT_INDEX' | 'EMBED_FAILED' | 'INVALID_OPTION';

const marker = Symbol.for('cairn.retrieval-error');

/** A failed call of this package. Identify it with {@link RetrievalError.isInstance}, not with `instanceof`. */
export class RetrievalError extends CairnError<RetrievalErrorCode> {
  override readonly name: string = 'RetrievalError';

  constructor(code: RetrievalErrorCode, message: string, facts: { option?: string; cause?: unknown } = {}) {
    super(code, message, facts);
    Object.defineProperty(this, marker, { value: true });
  }

  /** Returns whether `error` is a `RetrievalError`, from this or another copy of the package. */
  static override isInstance(error: unknown): error is RetrievalError {
    return typeof error === 'object' && error !== null && marker in error;
  }
}

export const checkArguments: ArgumentChecks = new ArgumentChecks(
  (_, [summary, hint], facts) => new RetrievalError('INVALID_OPTION', `${summary}; ${hint}`, facts),
);
