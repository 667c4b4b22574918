import { ToolError, type ToolErrorCode } from './tool-error.ts';

/** Returns the code of a system error, such as `ENOENT`. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Returns whether an error states that nothing exists at the path. */
export function isMissing(error: unknown): boolean {
  const code = errnoOf(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** The hint for a path that does not exist. It names no tool, because each host names its tools differently. */
export const CHECK_PATH = 'Check the path: list the directory it should be in.';

const FREE_SPACE = 'Free some space, or write less, and call again.';

type Explained = readonly [code: ToolErrorCode, what: string, hint: string];

const explanations: Readonly<Record<string, Explained>> = {
  ENOENT: ['NOT_FOUND', 'does not exist', CHECK_PATH],
  ENOTDIR: ['NOT_A_DIRECTORY', 'has a parent that is not a directory', CHECK_PATH],
  EISDIR: ['IS_DIRECTORY', 'is a directory', 'Name a file in it.'],
  EEXIST: ['EXISTS', 'exists already', 'Choose another path, or delete what is there first.'],
  ENOTEMPTY: ['EXISTS', 'is a directory that is not empty', 'Choose another path, or delete what is there first.'],
  EACCES: ['PERMISSION', 'cannot be accessed: permission denied', 'Choose another path, or ask for the permission.'],
  EPERM: [
    'PERMISSION',
    'cannot be changed: operation not permitted',
    'It may be immutable or owned by another user: ask for the permission.',
  ],
  EROFS: ['READ_ONLY', 'is on a read-only file system', 'Choose a path on a writable file system.'],
  ENOSPC: ['NO_SPACE', 'cannot be written: the disk is full', FREE_SPACE],
  EDQUOT: ['NO_SPACE', 'cannot be written: the disk quota is used up', FREE_SPACE],
  EFBIG: ['TOO_LARGE', 'would be larger than the system allows', 'Split it into several files.'],
  EINVAL: [
    'INVALID_INPUT',
    'is not accepted by its file system (EINVAL)',
    'A character of the name may not be allowed there: choose another name.',
  ],
  ENAMETOOLONG: ['NAME_TOO_LONG', 'is longer than the system allows', 'Shorten the name or the path.'],
  ELOOP: [
    'NOT_FOUND',
    'is part of a loop of symbolic links',
    'Use the path of the file itself; a listing shows the targets of links.',
  ],
  ESTALE: ['STALE', 'is in a directory that was moved or replaced during the call', 'Read it again.'],
  EBUSY: ['LOCKED', 'is in use by the system', 'Try again later, or choose another path.'],
  ETXTBSY: ['LOCKED', 'is a running program', 'Stop it first, or choose another path.'],
};

/**
 * Returns the `ToolError` for a system error. Any other error is returned unchanged.
 *
 * @param path The path for the message, as `quotePath` shows it, and for `path` of the error. `undefined` when it is unknown.
 */
export function explainSystemError(error: unknown, path: string | undefined): unknown {
  if (ToolError.isInstance(error)) return error;
  const code = errnoOf(error);
  if (code === undefined || !/^E[A-Z0-9]+$/u.test(code)) return error;
  const [reason, what, hint] = explanations[code] ?? [
    'IO',
    `could not be accessed (${code})`,
    'The system reported a fault: try again, or choose another path.',
  ];
  return new ToolError(reason, [`${path ?? 'The path'} ${what}`, hint], { path, cause: error });
}

/** Runs a function. A system error becomes a `ToolError` that names the path. */
export async function explaining<T>(path: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw explainSystemError(error, path);
  }
}
