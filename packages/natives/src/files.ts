/**
 * File system functions that commits need and Node lacks. For `@cairn/coding-agent` only: this subpath may change in any
 * version.
 *
 * Every call runs on a thread of its own. Failures are errors with a `code`, as in Node; a failed call has changed nothing, unless
 * its documentation states more. No call follows a symbolic link in the last component of a path.
 *
 * @module
 */
import { checkOptions, searchRules } from './options.ts';
import { getSystemErrorName } from 'node:util';
import * as binding from '../binding/index.js';
import type { NativeFileError, NativeLock, NativeReplaced } from '../binding/index.js';

/** What {@link replaceFile} did. */
export type Replacement =
  /** The names were exchanged: the old file has the name of the temporary one. */
  | { readonly outcome: 'exchanged' }
  /**
   * The system or the file system cannot exchange names. Nothing was replaced, but the temporary file is ready: a rename replaces the
   * target, without a way back.
   */
  | { readonly outcome: 'unsupported' }
  /** An attribute cannot be kept. Nothing was replaced; the temporary file may have some of the attributes. */
  | { readonly outcome: 'refused'; readonly reason: string };

/** Options of {@link lockPath}. */
export interface LockOptions {
  /** Milliseconds to wait; 0 tries once. Default: no limit. */
  readonly timeoutMs?: number | undefined;
  /** Ends the wait with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
}

/** A lock that is held until it is released, or until the thread of JavaScript or the process ends, however it ends. */
export interface PathLock {
  /** Releases the lock. Another call does nothing. */
  release(): void;
}

/**
 * Gives the file or directory `to` the owner, group, permissions, access lists and extended attributes of `from`, and removes
 * those that `from` does not have. Times are not copied.
 *
 * Returns the reason why an attribute cannot be kept, and `undefined` when all are. After a reason, `to` may have some of them.
 */
export async function copyAttributes(from: string, to: string): Promise<string | undefined> {
  const { lost } = await settled(binding.copyAttributes(from, to), 'copyAttributes', from, to);
  return lost;
}

/**
 * Copies the attributes of `target` to `temporary`, waits until `temporary` is on the disk, and exchanges the two names.
 *
 * The caller then compares the old file with what it expected, and calls {@link exchangeFiles} to take the replacement back when
 * another program saved meanwhile. It syncs the directory. Fails with `ENOENT` when `target` was deleted.
 *
 * @param isSynced the content of `temporary` is on the disk already: it is synced only after a change of its attributes.
 */
export async function replaceFile(temporary: string, target: string, isSynced: boolean = false): Promise<Replacement> {
  const native = binding.replaceFile(temporary, target, isSynced);
  const { lost, done } = await settled(native, 'replaceFile', temporary, target);
  if (lost !== undefined) return { outcome: 'refused', reason: lost };
  return { outcome: done ? 'exchanged' : 'unsupported' };
}

/**
 * Exchanges two names in one step. Returns false when the system or the file system cannot; then nothing has changed.
 */
export async function exchangeFiles(left: string, right: string): Promise<boolean> {
  const { done } = await settled(binding.exchangeFiles(left, right), 'exchangeFiles', left, right);
  return done;
}

/**
 * Renames a file or directory in one step; fails with `EEXIST` when the new name exists, also as another name of the same file.
 * Returns false when the system or the file system cannot; then nothing has changed.
 */
export async function renameNoReplace(from: string, to: string): Promise<boolean> {
  const { done } = await settled(binding.renameNoReplace(from, to), 'renameNoReplace', from, to);
  return done;
}

/** The held locks: a lock without references must not end with a garbage collection. */
const held = new Set<NativeLock>();

/**
 * Locks a directory or a file against every other lock of it, in this process and in others. Returns `undefined` when the time
 * runs out while another lock is held.
 *
 * The lock is on the file or directory that has the name when the call returns: if it was renamed or replaced during the wait,
 * the lock is taken again. It is advisory. A waiting call tries again at least every millisecond, in no order; an aborted one ends
 * within the same time.
 *
 * Fails with `ENOTSUP` where there are no such locks: for directories on NFS and on Windows, for example. On Windows, a locked file
 * cannot be read through another handle.
 *
 * @throws the reason of the signal.
 */
export async function lockPath(path: string, options: LockOptions = {}): Promise<PathLock | undefined> {
  checkOptions('lockPath', options, { timeoutMs: searchRules.timeoutMs, signal: searchRules.signal });
  const { timeoutMs, signal } = options;
  signal?.throwIfAborted();
  const handle = new binding.CancelHandle();
  const cancel = (): void => handle.cancel();
  signal?.addEventListener('abort', cancel, { once: true });
  let lock: NativeLock;
  try {
    lock = await settled(binding.lockPath(path, timeoutMs, handle), 'lockPath', path);
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', cancel);
  }
  if (!lock.held) return undefined;
  if (signal?.aborted) lock.release();
  signal?.throwIfAborted();
  held.add(lock);
  return {
    release: () => {
      held.delete(lock);
      lock.release();
    },
  };
}

async function settled<Result extends NativeReplaced | NativeLock>(
  call: Promise<Result | NativeFileError>,
  syscall: string,
  path: string,
  dest?: string,
): Promise<Result> {
  const outcome = await call;
  if (!('message' in outcome)) return outcome;
  const { errno, message } = outcome;
  // Node's numbers of errors are the negative ones of the system.
  const code = errno === undefined ? outcome.code : getSystemErrorName(-errno);
  const places = dest === undefined ? `'${path}'` : `'${path}' -> '${dest}'`;
  throw Object.assign(new Error(`${code}: ${message}, ${syscall} ${places}`), { code, syscall, path, dest });
}
