import { CairnError } from '@cairn/natives';

/**
 * Why something could not be ranked.
 *
 * - `INVALID_OPTION`: an option is out of range.
 * - `EMBED_FAILED`: the `embed` that was given threw, or gave something else than one vector of one length per text.
 */
export type RankErrorCode = 'EMBED_FAILED' | 'INVALID_OPTION';

const marker = Symbol.for('cairn.rank-error');

/** A failure of ranking. Tell it apart with {@link RankError.isInstance}. */
export class RankError extends CairnError<RankErrorCode> {
  override readonly name: string = 'RankError';

  constructor(code: RankErrorCode, message: string, facts: { option?: string; cause?: unknown } = {}) {
    super(code, message, facts);
    Object.defineProperty(this, marker, { value: true });
  }

  /** Whether `error` is a `RankError`, of this or another copy of the package. */
  static override isInstance(error: unknown): error is RankError {
    return typeof error === 'object' && error !== null && marker in error;
  }
}
