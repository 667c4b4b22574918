import { ToolError } from '@cairn/tool/errors';
import { errnoOf, explainSystemError } from '@cairn/tool/internal';
import { formatBytes } from '@cairn/tool/prompt';
import { isUtf8 } from 'node:buffer';
import { constants } from 'node:fs';
import { open, realpath, type FileHandle } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';

export type TextFile =
  | { readonly text: string }
  | { readonly problem: string; readonly line?: number; readonly isMissing?: boolean };

/** Returns the first line that is not UTF-8, from 1. */
function lineOfInvalid(bytes: Uint8Array): number {
  let start = 0;
  for (let line = 1; ; line++) {
    const end = bytes.indexOf(0x0a, start);
    if (end === -1 || !isUtf8(bytes.subarray(start, end))) return line;
    start = end + 1;
  }
}

async function readBounded(file: FileHandle, maxBytes: number): Promise<TextFile> {
  const info = await file.stat();
  if (!info.isFile()) {
    return { problem: `is ${info.isDirectory() ? 'a directory' : 'a device, pipe or socket'}; use a regular file` };
  }
  const buffer = new Uint8Array(Math.min(info.size, maxBytes) + 1);
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  // A file that grows while it is read is not cut without a report either.
  if (length > maxBytes || length > info.size) {
    return { problem: `is larger than ${formatBytes(Math.min(maxBytes, info.size))}; shorten it` };
  }
  const bytes = buffer.subarray(0, length);
  if (!isUtf8(bytes)) return { problem: 'is not valid UTF-8; save it as UTF-8', line: lineOfInvalid(bytes) };
  return { text: new TextDecoder().decode(bytes).replaceAll('\r\n', '\n') };
}

/**
 * Reads a text file of people: UTF-8, without its byte order mark, lines ended by `\n`. It never waits for a pipe and reads at most
 * `maxBytes`. A file that cannot be read is a result that states why.
 */
export async function readTextFile(
  path: string,
  { maxBytes, followLinks = true }: { readonly maxBytes: number; readonly followLinks?: boolean },
): Promise<TextFile> {
  try {
    const flags = constants.O_RDONLY | constants.O_NONBLOCK | (followLinks ? 0 : constants.O_NOFOLLOW);
    const file = await open(path, flags);
    try {
      return await readBounded(file, maxBytes);
    } finally {
      await file.close();
    }
  } catch (error) {
    return { ...explainUnreadable(error), isMissing: errnoOf(error) === 'ENOENT' };
  }
}

/** Returns the reason why a file or directory cannot be read. Any other error is thrown again. */
export function explainUnreadable(error: unknown): { problem: string } {
  const explained = explainSystemError(error, '');
  if (!ToolError.isInstance(explained)) throw error;
  return { problem: `${explained.summary.trim()}; make it readable, or remove it` };
}

/** Returns whether a path is a directory or below it. Both are absolute and without links. */
export function isInside(path: string, directory: string): boolean {
  const way = relative(directory, path);
  return way === '' || !(way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way));
}

/**
 * Returns whether a path leads out of a project by a link, its own or one above it. A cloned repository may have such a link,
 * and the target would be sent to the model's server. A path that does not exist leads nowhere.
 */
export async function leadsOut(path: string, root: string): Promise<boolean> {
  const real = await realpath(path).catch(() => undefined);
  return real !== undefined && !isInside(real, await realpath(root).catch(() => resolve(root)));
}
