import { errnoOf } from '@cairn/tool';
import { constants } from 'node:fs';
import * as fs from 'node:fs/promises';
import { basename, dirname } from 'node:path';

/** Linux's flag for a handle that only names a directory, which may be one that cannot be read. Node has no constant for it. */
const O_PATH = 0o10000000;

/** The same path on a file system that does not tell cases or forms of Unicode apart. */
function folded(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

/** Where a handle's directory lies now; `undefined` where the system does not say. */
async function placeOf(held: string): Promise<string | undefined> {
  try {
    return await fs.readlink(held);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Runs something on a canonical path whose directory is held open meanwhile, so that a link put in its place, or in the place
 * of one above it, since the path was looked up leads nowhere: `use` is given a path through the handle. Only Linux can do so;
 * elsewhere a moment remains.
 *
 * Fails with `ESTALE` when the directory is no longer where the path says.
 */
export async function inHeldDirectory<T>(path: string, use: (path: string) => Promise<T>): Promise<T> {
  const directory = dirname(path);
  // The root of all has no directory that it lies in.
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
