import { CairnError } from '@cairn/tool/kernel';
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

/** Returns the error that the addon reported as data. */
export function fromNative(error: NativeError): CairnError<CairnErrorCode> {
  const { code, message, path, pattern, offset, option } = error;
  // The addon's codes equal `CairnErrorCode`; a pin keeps the two lists equal.
  return new CairnError(code as CairnErrorCode, message, { path, pattern, offset, option });
}
