import type { NativeError } from '../binding/index.js';

/**
 * Why a call failed.
 *
 * - `PATH_NOT_FOUND`: the root does not exist or cannot be looked up.
 * - `NOT_A_DIRECTORY`: the root is something else.
 * - `INVALID_GLOB`, `INVALID_REGEX`: the pattern cannot be used.
 * - `INVALID_OPTION`: an option is unknown, of the wrong type or out of range.
 * - `CANCELLED`: the call was cancelled; with a signal, its reason is thrown instead.
 * - `TIMEOUT`: `timeoutMs` passed.
 * - `INTERNAL`: a fault of ours; the process goes on.
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

const marker = Symbol.for('cairn.error');

/** What a {@link CairnError} is about, beside its code. */
export interface CairnErrorFacts {
  /** The path concerned. */
  path?: string | undefined;
  /** The glob or regular expression concerned. */
  pattern?: string | undefined;
  /** Where in `pattern`, in UTF-16 code units. */
  offset?: number | undefined;
  /** The option concerned. */
  option?: string | undefined;
  cause?: unknown;
}

/**
 * The error of every call, and the base of the errors of the packages above, which have codes of their own. The message
 * says what to do next; the facts are in the fields.
 *
 * Tell it apart with {@link CairnError.isInstance}, which also knows errors of another copy of the package.
 */
export class CairnError<Code extends string = CairnErrorCode> extends Error {
  override readonly name: string = 'CairnError';
  readonly code: Code;
  readonly path?: string;
  readonly pattern?: string;
  readonly offset?: number;
  readonly option?: string;

  constructor(code: Code, message: string, facts: CairnErrorFacts = {}) {
    super(message, 'cause' in facts ? { cause: facts.cause } : undefined);
    Object.defineProperty(this, marker, { value: true });
    this.code = code;
    if (facts.path !== undefined) this.path = facts.path;
    if (facts.pattern !== undefined) this.pattern = facts.pattern;
    if (facts.offset !== undefined) this.offset = facts.offset;
    if (facts.option !== undefined) this.option = facts.option;
  }

  /** Whether `error` is a `CairnError`, of this or another copy of the package. */
  static isInstance(error: unknown): error is CairnError<string> {
    return typeof error === 'object' && error !== null && marker in error;
  }
}

/** The error that the addon's data stands for. */
export function fromNative(error: NativeError): CairnError {
  const { code, message, path, pattern, offset } = error;
  // The addon's codes are those of `CairnErrorCode`; a pin keeps the two lists equal.
  return new CairnError(code as CairnErrorCode, message, { path, pattern, offset });
}
