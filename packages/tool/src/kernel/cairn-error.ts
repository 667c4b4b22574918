const marker = Symbol.for('cairn.error');

/** The facts of a {@link CairnError} besides its code. */
export interface CairnErrorFacts {
  readonly path?: string | undefined;
  readonly option?: string | undefined;
  /** The glob or regular expression concerned. */
  readonly pattern?: string | undefined;
  /** Where in `pattern` the fault is, in UTF-16 code units. */
  readonly offset?: number | undefined;
  readonly cause?: unknown;
}

/**
 * The base of every error that a Cairn package throws on purpose. `code` is stable; `message` states what is wrong and what
 * to do next; the fields hold the facts.
 *
 * Recognise it with {@link CairnError.isInstance}: `instanceof` fails for errors from another copy of a package.
 */
export class CairnError<Code extends string = string> extends Error {
  override readonly name: string = 'CairnError';
  readonly code: Code;
  readonly path?: string;
  readonly option?: string;
  // Declared, not defined: only searches set them, and other errors are printed without them.
  declare readonly pattern?: string;
  declare readonly offset?: number;

  constructor(code: Code, message: string, facts: CairnErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    Object.defineProperty(this, marker, { value: true });
    this.code = code;
    if (facts.path !== undefined) this.path = facts.path;
    if (facts.option !== undefined) this.option = facts.option;
    if (facts.pattern !== undefined) this.pattern = facts.pattern;
    if (facts.offset !== undefined) this.offset = facts.offset;
  }

  /** Returns whether `error` is a `CairnError` of any Cairn package. */
  static isInstance(error: unknown): error is CairnError {
    return typeof error === 'object' && error !== null && marker in error;
  }
}

/** Returns the check whether an error is a {@link CairnError} with this name, from this or another copy of its package. */
export function isNamed<Kind extends CairnError>(name: string): (error: unknown) => error is Kind {
  return (error): error is Kind => CairnError.isInstance(error) && error.name === name;
}

/** The problem, without a full stop, and the next step, as a sentence. */
export type ErrorText = readonly [summary: string, hint: string];

/** An expected failure. `summary` states the problem, `hint` what to do next; `message` is both. */
export class HintedError<Code extends string = string> extends CairnError<Code> {
  override readonly name: string = 'HintedError';
  readonly summary: string;
  readonly hint: string;

  constructor(code: Code, [summary, hint]: ErrorText, facts?: CairnErrorFacts) {
    super(code, `${summary}. ${hint}`, facts);
    this.summary = summary;
    this.hint = hint;
  }
}
