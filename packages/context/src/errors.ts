import { ArgumentChecks, CairnError } from '@cairn/tool/errors';

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

/** The subject of a {@link ContextError}. */
export interface ContextErrorFacts {
  /** The file. */
  readonly path?: string | undefined;
  /** The option. */
  readonly option?: string | undefined;
  readonly cause?: unknown;
}

const marker = Symbol.for('cairn.context-error');

/**
 * An expected failure. `summary` states the problem, `hint` what to do next; `message` is both.
 *
 * Identify it with {@link ContextError.isInstance}, which also accepts errors of another copy of the package.
 */
export class ContextError extends CairnError<ContextErrorCode> {
  override readonly name: string = 'ContextError';
  readonly summary: string;
  readonly hint: string;

  constructor(
    code: ContextErrorCode,
    [summary, hint]: readonly [summary: string, hint: string],
    facts: ContextErrorFacts = {},
  ) {
    super(code, `${summary}. ${hint}`, facts);
    Object.defineProperty(this, marker, { value: true });
    this.summary = summary;
    this.hint = hint;
  }

  /** Returns whether `error` is a `ContextError`, from this or another copy of the package. */
  static override isInstance(error: unknown): error is ContextError {
    return typeof error === 'object' && error !== null && marker in error;
  }
}

export const checkArguments: ArgumentChecks = new ArgumentChecks(
  (code, text, facts) => new ContextError(code, text, facts),
);
