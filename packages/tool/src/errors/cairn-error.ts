const marker = Symbol.for('cairn.error');

/** The facts of a {@link CairnError} besides its code. */
export interface CairnErrorFacts {
  /** The path concerned. */
  readonly path?: string | undefined;
  /** The option concerned. */
  readonly option?: string | undefined;
  readonly cause?: unknown;
}

/**
 * The base of every error that a Cairn package throws on purpose. `code` is stable; `message` states what is wrong and what
 * to do next.
 *
 * `@cairn/natives` has a separate error class with the same mark, so that neither package loads the other. To recognise both, use
 * {@link CairnError.isInstance}, which also knows errors from another copy of a package.
 */
export class CairnError<Code extends string = string> extends Error {
  override readonly name: string = 'CairnError';
  readonly code: Code;
  readonly path?: string;
  readonly option?: string;

  constructor(code: Code, message: string, facts: CairnErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    Object.defineProperty(this, marker, { value: true });
    this.code = code;
    if (facts.path !== undefined) this.path = facts.path;
    if (facts.option !== undefined) this.option = facts.option;
  }

  /** Returns whether `error` is a `CairnError` of any Cairn package. */
  static isInstance(error: unknown): error is CairnError {
    return hasMark(error, marker);
  }
}

/** Returns whether an object carries a mark. Error classes use marks, because `instanceof` fails across two copies of a package. */
export function hasMark(value: unknown, mark: symbol): boolean {
  return typeof value === 'object' && value !== null && mark in value;
}
