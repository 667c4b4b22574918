import { CairnError } from '@cairn/natives';

/**
 * Why a tool did not do what it was asked for.
 *
 * - `INVALID_INPUT`, `INVALID_OPTION`: parameters of a call, or options of a factory, that cannot be used.
 * - `NOT_FOUND`, `EXISTS`, `IS_DIRECTORY`, `NOT_A_DIRECTORY`, `NOT_A_FILE`: what is at a path is not what was meant.
 * - `BINARY`, `ENCODING`: the content is no text, or no text in this encoding.
 * - `OUTSIDE_ROOT`, `PROTECTED`: the policy does not allow it.
 * - `NO_MATCH`, `AMBIGUOUS`, `OVERLAP`, `NO_CHANGE`, `INVALID_PATCH`: an edit does not say what to change.
 * - `STALE`, `NOT_READ`: the file is not what the caller knows.
 * - `PERMISSION`, `NO_SPACE`, `READ_ONLY`, `NAME_TOO_LONG`, `TOO_LARGE`, `LOCKED`, `IO`: the system refused.
 * - `INVALID_PATTERN`, `TIMEOUT`: a search could not be made, or not in time.
 */
export type ToolErrorCode =
  | 'AMBIGUOUS'
  | 'BINARY'
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
  | 'STALE'
  | 'TIMEOUT'
  | 'TOO_LARGE';

/** What a {@link ToolError} is about, beside its code. */
export interface ToolErrorFacts {
  /** The path concerned, as shown to the caller. */
  readonly path?: string | undefined;
  /** What the caller sees of the file as it is now. */
  readonly context?: string | undefined;
  /** Something was changed all the same; what, is in the message. */
  readonly changed?: boolean | undefined;
  readonly cause?: unknown;
}

const marker = Symbol.for('cairn.tool-error');

/**
 * A failure of a tool that was to be expected. Tools turn it into a result; factories and the functions of this package
 * throw it.
 *
 * `summary` says what happened, `hint` what to do next; `message` is both.
 */
export class ToolError extends CairnError<ToolErrorCode> {
  override readonly name: string = 'ToolError';
  readonly summary: string;
  readonly hint: string;
  readonly context?: string;
  readonly changed: boolean;

  constructor(
    code: ToolErrorCode,
    [summary, hint]: readonly [summary: string, hint: string],
    facts: ToolErrorFacts = {},
  ) {
    const { path, cause } = facts;
    super(code, `${summary}. ${hint}`, cause === undefined ? { path } : { path, cause });
    Object.defineProperty(this, marker, { value: true });
    this.summary = summary;
    this.hint = hint;
    this.changed = facts.changed ?? false;
    if (facts.context !== undefined) this.context = facts.context;
  }

  /** Whether `error` is a `ToolError`, of this or another copy of the package. */
  static override isInstance(error: unknown): error is ToolError {
    return typeof error === 'object' && error !== null && marker in error;
  }
}

/** The code of a system error, such as `ENOENT`. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Whether nothing is at the path that was looked up. */
export function isMissing(error: unknown): boolean {
  const code = errnoOf(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** What to do about a name that leads to nothing. No tool is named: each host has its own. */
export const CHECK_PATH = 'Check the path: list the directory it should be in.';

type Explained = readonly [code: ToolErrorCode, what: string, hint: string];

/** What the system's refusals mean for whoever called a tool. */
const explanations: Readonly<Record<string, Explained>> = {
  ENOENT: ['NOT_FOUND', 'does not exist', CHECK_PATH],
  ENOTDIR: ['NOT_A_DIRECTORY', 'lies below something that is no directory', CHECK_PATH],
  EISDIR: ['IS_DIRECTORY', 'is a directory', 'Name a file in it.'],
  EEXIST: ['EXISTS', 'exists already', 'Choose another path, or delete what is there first.'],
  ENOTEMPTY: ['EXISTS', 'is a directory that is not empty', 'Choose another path, or delete what is there first.'],
  EACCES: ['PERMISSION', 'may not be accessed: permission denied', 'Choose another path, or ask for the permission.'],
  EPERM: [
    'PERMISSION',
    'may not be changed: operation not permitted',
    'It may be immutable or owned by someone else: ask for the permission.',
  ],
  EROFS: ['READ_ONLY', 'lies on a read-only file system', 'Choose a path on a file system that can be written.'],
  ENOSPC: ['NO_SPACE', 'does not fit: the disk is full', 'Free some space, or write less, and call again.'],
  EDQUOT: ['NO_SPACE', 'does not fit: the disk quota is used up', 'Free some space, or write less, and call again.'],
  EFBIG: ['TOO_LARGE', 'would be larger than the system allows', 'Split it into several files.'],
  ENAMETOOLONG: ['NAME_TOO_LONG', 'is longer than the system allows', 'Shorten the name or the path.'],
  ELOOP: [
    'NOT_FOUND',
    'is a symbolic link that leads in a circle',
    'Name the file itself; a listing shows where links lead.',
  ],
  ESTALE: ['STALE', 'lies in a directory that was moved or replaced meanwhile', 'Look at it again.'],
  EBUSY: ['LOCKED', 'is in use by the system', 'Try again later, or choose another path.'],
  ETXTBSY: ['LOCKED', 'is a program that is running', 'Stop it first, or choose another path.'],
};

/** The `ToolError` that a system error at a path stands for; anything else is returned as it is. */
export function explainSystemError(error: unknown, path: string): unknown {
  if (ToolError.isInstance(error)) return error;
  const code = errnoOf(error);
  if (code === undefined || !/^E[A-Z0-9]+$/u.test(code)) return error;
  const [reason, what, hint] = explanations[code] ?? [
    'IO',
    `could not be accessed (${code})`,
    'This is a fault of the system: try again, or choose another path.',
  ];
  return new ToolError(reason, [`${path} ${what}`, hint], { path, cause: error });
}

/** Runs something on a path; system errors become `ToolError`s that name it. */
export async function explaining<T>(path: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw explainSystemError(error, path);
  }
}
