import { errnoOf } from '@cairn/tool';
import { constants } from 'node:fs';
import * as fs from 'node:fs/promises';
import { basename, dirname } from 'node:path';

/** Linux's flag for a handle that only names a directory, also an unreadable one. Node has no constant for it. */
const O_PATH = 0o10000000;

/** Returns the path without differences of case and Unicode form, which some file systems ignore. */
function folded(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

/** Returns the current path of a handle's directory; `undefined` where the system does not report it. */
async function placeOf(held: string): Promise<string | undefined> {
  try {
    return await fs.readlink(held);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Runs `use` on a canonical path while the directory of the path is held open. `use` receives a path through the handle, so a link
 * that replaced the directory, or one above it, after the path was resolved is not followed. Linux only; on other systems a
 * short gap remains.
 *
 * Fails with `ESTALE` when the directory is no longer at that path.
 */
export async function inHeldDirectory<T>(path: string, use: (path: string) => Promise<T>): Promise<T> {
  const directory = dirname(path);
  // The root has no parent.
  if (process.platform !== 'linux' || directory === path) return use(path);
  const handle = await fs.open(directory, O_PATH | constants.O_DIRECTORY);
  try {
    const held = `/proc/self/fd/${handle.fd}`;
    const place = await placeOf(held);
    if (place === undefined) return await use(path);
    if (place !== directory && folded(place) !== folded(directory)) {
      throw Object.assign(new Error(`ESTALE: ${directory} now leads to ${place}`), { code: 'ESTALE' });
    }
    return await use(`${held}/${basename(path)}`);
  } finally {
    await handle.close();
  }
}
