import { ArgumentChecks, HintedError, isNamed } from '@cairn/tool/kernel';

/**
 * Why a call failed.
 *
 * - `INVALID_NAME`, `INVALID_INPUT`, `INVALID_OPTION`: an argument is invalid.
 * - `INVALID_MODE`: no context mode has this name.
 * - `INVALID_DEFINITION`: a file that defines an agent is invalid.
 * - `UNKNOWN_AGENT`: no agent has this name.
 * - `AGENT_EXISTS`: an agent has this name already.
 * - `TOO_LARGE`: a message is larger than allowed, or a prompt does not fit into the budget.
 */
export type ContextErrorCode =
  | 'AGENT_EXISTS'
  | 'INVALID_DEFINITION'
  | 'INVALID_INPUT'
  | 'INVALID_MODE'
  | 'INVALID_NAME'
  | 'INVALID_OPTION'
  | 'TOO_LARGE'
  | 'UNKNOWN_AGENT';

/** An expected failure. Identify it with {@link ContextError.isInstance}, which also accepts errors of another copy of the package. */
export class ContextError extends HintedError<ContextErrorCode> {
  override readonly name: string = 'ContextError';

  static override readonly isInstance: (error: unknown) => error is ContextError = isNamed('ContextError');
}

export const checkArguments: ArgumentChecks = new ArgumentChecks((...given) => new ContextError(...given));

/** @throws {ContextError} `INVALID_OPTION` unless the value is a whole number from `min`. */
export function checkWholeNumber(
  option: string,
  value: number,
  min: number,
  hint: string = `Use a whole number from ${min}.`,
): void {
  if (Number.isInteger(value) && value >= min) return;
  throw new ContextError('INVALID_OPTION', [`Invalid ${option} ${String(value)}`, hint], { option });
}
