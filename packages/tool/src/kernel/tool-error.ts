import { unquotePath } from '../paths/quote.ts';
import { ArgumentChecks } from './argument-checks.ts';
import { HintedError, isNamed, type CairnErrorFacts, type ErrorText } from './cairn-error.ts';

/**
 * Why a tool call failed.
 *
 * - `INVALID_INPUT`, `INVALID_OPTION`: invalid parameters of a call, or invalid options of a factory.
 * - `NOT_FOUND`, `EXISTS`, `IS_DIRECTORY`, `NOT_A_DIRECTORY`, `NOT_A_FILE`: the path holds something else than the call needs.
 * - `BINARY`, `ENCODING`: the content is not text, or not text in this encoding.
 * - `NOT_ALLOWED`: a rule or a person rejected the call, or no person could be asked.
 * - `OUTSIDE_ROOT`, `PROTECTED`: the policy forbids the path.
 * - `ROOT_MOVED`: the root is a link that leads to another directory than before.
 * - `CLOSED`: what the call needs was closed.
 * - `NO_MATCH`, `AMBIGUOUS`, `OVERLAP`, `NO_CHANGE`, `INVALID_PATCH`: the edit does not state what to change.
 * - `STALE`, `NOT_READ`: the file differs from what the caller last read, or the caller has not read all of it.
 * - `PERMISSION`, `NO_SPACE`, `READ_ONLY`, `NAME_TOO_LONG`, `TOO_LARGE`, `LOCKED`, `IO`: the system rejected.
 * - `INVALID_PATTERN`, `TIMEOUT`: the search pattern is invalid, or the call ran out of time.
 */
export type ToolErrorCode =
  | 'AMBIGUOUS'
  | 'BINARY'
  | 'CLOSED'
  | 'ENCODING'
  | 'EXISTS'
  | 'INVALID_INPUT'
  | 'INVALID_OPTION'
  | 'INVALID_PATCH'
  | 'INVALID_PATTERN'
  | 'IO'
  | 'IS_DIRECTORY'
  | 'LOCKED'
  | 'NAME_TOO_LONG'
  | 'NOT_ALLOWED'
  | 'NOT_A_DIRECTORY'
  | 'NOT_A_FILE'
  | 'NOT_FOUND'
  | 'NOT_READ'
  | 'NO_CHANGE'
  | 'NO_MATCH'
  | 'NO_SPACE'
  | 'OUTSIDE_ROOT'
  | 'OVERLAP'
  | 'PERMISSION'
  | 'PROTECTED'
  | 'READ_ONLY'
  | 'ROOT_MOVED'
  | 'STALE'
  | 'TIMEOUT'
  | 'TOO_LARGE';

interface ToolErrorFacts extends Pick<CairnErrorFacts, 'path' | 'option' | 'cause'> {
  /** The current content of the file, as the caller sees it. */
  readonly context?: string | undefined;
  /** Whether the call changed something before it failed; the message states what. Default: `false`. */
  readonly changed?: boolean | undefined;
}

/**
 * An expected failure of a tool. `createTool` turns it into a result; factories and library functions throw it.
 *
 * `summary` states what is wrong, `hint` what to do next; `message` joins both.
 */
export class ToolError extends HintedError<ToolErrorCode> {
  override readonly name: string = 'ToolError';
  readonly context?: string;
  readonly changed: boolean;

  constructor(
    code: ToolErrorCode,
    text: ErrorText,
    { path, option, context, changed = false, cause }: ToolErrorFacts = {},
  ) {
    super(code, text, { path: path === undefined ? undefined : unquotePath(path), option, cause });
    this.changed = changed;
    if (context !== undefined) this.context = context;
  }

  /** Returns whether `error` is a `ToolError`, from this or another copy of the package. */
  static override readonly isInstance: (error: unknown) => error is ToolError = isNamed('ToolError');
}

export const checkArguments: ArgumentChecks = new ArgumentChecks((...given) => new ToolError(...given));
