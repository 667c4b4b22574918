import { isMissing } from '@cairn/tool';
import { basename, dirname, join } from 'node:path';
import { readBytes, withFile } from '../files/operations.ts';
import type { FileOperations, OpenFile } from '../files/operations.ts';
import { uniqueName } from './process-identity.ts';
import type { ProcessIdentity } from './process-identity.ts';

const pattern = /^\.cairn-[\da-f-]+\.tmp$/u;

/** Returns a new path beside a file. Its name has a fixed form and names the owner. */
export function temporaryPath(target: string, identity: ProcessIdentity): string {
  return join(dirname(target), `.cairn-${uniqueName(identity)}.tmp`);
}

/** Returns whether {@link temporaryPath} could have made the path for this target. */
function isTemporaryOf(temporary: string, target: string): boolean {
  return dirname(temporary) === dirname(target) && pattern.test(basename(temporary));
}

/** Returns the path of a temporary file that is complete and has to be written over the target. */
export function readyPath(temporary: string): string {
  return `${temporary}.ready`;
}

/** Removes a file or a whole directory; links are not followed. A missing path is not an error. */
export async function removeAll(operations: FileOperations, path: string): Promise<void> {
  try {
    const { kind } = await operations.lstat(path);
    if (kind !== 'directory') {
      await operations.unlink(path);
      return;
    }
    for (const { name } of await operations.list(path)) await removeAll(operations, join(path, name));
    await operations.removeDirectory(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** Reserves the space of a longer content before the old content changes. */
async function extend(file: OpenFile, bytes: Uint8Array): Promise<void> {
  const { size } = await file.stat();
  if (bytes.length <= size) return;
  try {
    await file.write(bytes.subarray(size), size);
  } catch (error) {
    await file.truncate(size);
    throw error;
  }
}

/**
 * Writes the content of a ready file over the target and removes the ready file. A file with several names keeps them, which a
 * rename would not. If the process is killed, the next start repeats it.
 */
export async function writeOver(operations: FileOperations, temporary: string, target: string): Promise<void> {
  const ready = readyPath(temporary);
  const bytes = await withFile(operations, ready, 'read', readBytes);
  await withFile(operations, target, 'update', async (file) => {
    await extend(file, bytes);
    await file.write(bytes, 0);
    await file.truncate(bytes.length);
    await file.sync();
  });
  await operations.unlink(ready);
}

/** Returns whether a directory exists under exactly this path, so that a forged note cannot lead through links. */
async function isCanonical(operations: FileOperations, directory: string): Promise<boolean> {
  try {
    return (await operations.realpath(directory)) === directory;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Finishes or undoes what a process that is gone has begun. Returns whether the target was written. */
export async function recover(operations: FileOperations, temporary: string, target: string): Promise<boolean> {
  if (!isTemporaryOf(temporary, target) || !(await isCanonical(operations, dirname(target)))) return false;
  let isWritten = true;
  try {
    await writeOver(operations, temporary, target);
  } catch (error) {
    if (!isMissing(error)) throw error;
    isWritten = false;
  }
  await removeAll(operations, temporary);
  return isWritten;
}
