import { ArgumentChecks, CairnError, isNamed, type CairnErrorFacts } from '@cairn/tool/kernel';

/** Why an entry was not changed. */
export type HostErrorCode =
  /** The file is not valid JSON or TOML. `position` states where. */
  | 'CONFIG_SYNTAX'
  /** The file parses, but holds another kind of value where the entry belongs. */
  | 'CONFIG_SHAPE'
  /** The entry cannot be changed without touching other parts of the file. */
  | 'CONFIG_UNSUPPORTED'
  /** An option that the call does not have. */
  | 'INVALID_OPTION'
  /** No undo note exists for the entry. */
  | 'NOTHING_TO_UNDO'
  /** Undo notes cannot be read or written. */
  | 'STATE';

/** A position in a file. Both numbers count from 1; columns are UTF-16 code units. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** Nothing was changed. The message states why and what to do next. */
export class HostError extends CairnError<HostErrorCode> {
  override readonly name: string = 'HostError';
  readonly position?: TextPosition;

  constructor(
    code: HostErrorCode,
    message: string,
    { position, ...facts }: CairnErrorFacts & { readonly position?: TextPosition | undefined } = {},
  ) {
    super(code, message, facts);
    if (position !== undefined) this.position = position;
  }

  static override readonly isInstance: (error: unknown) => error is HostError = isNamed('HostError');
}

export const checkArguments: ArgumentChecks = new ArgumentChecks(
  (_, [summary, hint], facts) => new HostError('INVALID_OPTION', `${summary}; ${hint}`, facts),
);

export function positionOf(text: string, offset: number): TextPosition {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: offset - lineStart + 1 };
}

/** Adds the path to an error about the text of a file. */
export function withPath<T>(path: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof HostError) || error.path !== undefined) throw error;
    const { code, message, position } = error;
    throw new HostError(code, `${path} was not changed: ${message}`, { path, position, cause: error });
  }
}
