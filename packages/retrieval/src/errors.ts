import { ArgumentChecks, CairnError, isNamed } from '@cairn/tool/kernel';

/**
 * Why a call failed.
 *
 * - `INVALID_OPTION`: an option is out of range.
 * - `EMBED_FAILED`: the `embed` function threw, or did not return one vector per text, all of the same length.
 */
export type RetrievalErrorCode = 'EMBED_FAILED' | 'INVALID_OPTION';

/** A failed call of this package. Identify it with {@link RetrievalError.isInstance}, not with `instanceof`. */
export class RetrievalError extends CairnError<RetrievalErrorCode> {
  override readonly name: string = 'RetrievalError';

  static override readonly isInstance: (error: unknown) => error is RetrievalError = isNamed('RetrievalError');
}

export const checkArguments: ArgumentChecks = new ArgumentChecks(
  (_, [summary, hint], facts) => new RetrievalError('INVALID_OPTION', `${summary}; ${hint}`, facts),
);
