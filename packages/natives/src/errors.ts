import type { NativeError } from '../binding/index.js';

/**
 * Why a call failed.
 *
 * - `PATH_NOT_FOUND`: the root does not exist or cannot be resolved.
 * - `NOT_A_DIRECTORY`: the root is not a directory.
 * - `INVALID_GLOB`, `INVALID_REGEX`: the pattern is not valid.
 * - `INVALID_OPTION`: an option is unknown, of the wrong type or out of range.
 * - `CANCELLED`: the call was cancelled; with a signal, its reason is thrown instead.
 * - `TIMEOUT`: `timeoutMs` passed.
 * - `INTERNAL`: a bug in this package; the process continues.
 */
export type CairnErrorCode =
  | 'PATH_NOT_FOUND'
  | 'NOT_A_DIRECTORY'
  | 'INVALID_GLOB'
  | 'INVALID_REGEX'
  | 'INVALID_OPTION'
  | 'CANCELLED'
  | 'TIMEOUT'
  | 'INTERNAL';

/** The mark of every error of a Cairn package. `@cairn/tool` sets the same mark, so that neither package loads the other. */
const marker = Symbol.for('cairn.error');

/** The facts of a {@link CairnError} besides its code. */
export interface CairnErrorFacts {
  /** The path concerned. */
  path?: string | undefined;
  /** The glob or regular expression concerned. */
  pattern?: string | undefined;
  /** Where in `pattern` the fault is, in UTF-16 code units. */
  offset?: number | undefined;
  /** The option concerned. */
  option?: string | undefined;
  cause?: unknown;
}

/**
 * The error of every call of this package. The message states what is wrong and what to do next; the fields hold the facts.
 *
 * Recognise it with {@link CairnError.isInstance}: `instanceof` fails for errors from another copy of the package.
 */
export class CairnError extends Error {
  override readonly name: string = 'CairnError';
  readonly code: CairnErrorCode;
  readonly path?: string;
  readonly pattern?: string;
  readonly offset?: number;
  readonly option?: string;

  constructor(code: CairnErrorCode, message: string, facts: CairnErrorFacts = {}) {
    super(message, 'cause' in facts ? { cause: facts.cause } : undefined);
    Object.defineProperty(this, marker, { value: true });
    this.code = code;
    if (facts.path !== undefined) this.path = facts.path;
    if (facts.pattern !== undefined) this.pattern = facts.pattern;
    if (facts.offset !== undefined) this.offset = facts.offset;
    if (facts.option !== undefined) this.option = facts.option;
  }

  /**
   * Returns whether `error` was thrown on purpose by a Cairn package: this one, another copy of it, or one with the error
   * base of `@cairn/tool`, which has other codes.
   */
  static isInstance(error: unknown): error is Omit<CairnError, 'code'> & { readonly code: string } {
    return typeof error === 'object' && error !== null && marker in error;
  }
}

/** Returns the error that the addon reported as data. */
export function fromNative(error: NativeError): CairnError {
  const { code, message, path, pattern, offset, option } = error;
  // The codes of the addon are those of `CairnErrorCode`; a pin keeps the two lists equal.
  return new CairnError(code as CairnErrorCode, message, { path, pattern, offset, option });
}
