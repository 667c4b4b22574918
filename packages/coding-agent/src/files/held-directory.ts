import { isMissing } from '@cairn/tool/kernel';
import { errnoOf } from '@cairn/tool/internal';
import { closeSync, constants, openSync, readlinkSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Linux's flag for a handle that only names a directory, also an unreadable one. Node has no constant for it. */
const O_PATH = 0o10000000;

/** The end that Linux gives the path of an open file whose name is gone. */
const DELETED = ' (deleted)';

function movedTo(path: string, place: string): Error {
  return Object.assign(new Error(`ESTALE: ${path} now leads to ${place}`), { code: 'ESTALE' });
}

/**
 * Returns the current path of an open descriptor; `undefined` where the system does not report it. Synchronous, because it needs
 * no disk: a hop to another thread takes longer than the rest of a small read.
 */
function placeOf(descriptor: number): string | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Returns whether two paths without links are names of the same place. */
async function isSamePlace(place: string, path: string): Promise<boolean> {
  if (place === path) return true;
  const [found, wanted] = [place.split('/'), path.split('/')];
  if (found.length !== wanted.length) return false;
  try {
    // A file system that ignores case or Unicode forms has several names for a directory; a link is not one of them.
    for (const [index, name] of found.entries()) {
      if (name === wanted[index]) continue;
      const paths = [found, wanted].map((names) => names.slice(0, index + 1).join('/'));
      const [one, other] = await Promise.all(paths.map((path) => fs.lstat(path, { bigint: true })));
      if (one?.ino !== other?.ino || one?.dev !== other?.dev) return false;
    }
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** For systems that do not report the path of a handle: a link that is there for a moment only may be missed. */
async function requireUnmoved(path: string): Promise<void> {
  const real = await fs.realpath(path);
  if (real !== path) throw movedTo(path, real);
}

/**
 * Opens a canonical path for reading and checks the path of what was opened: a link that replaced a directory, or the file, after
 * the path was resolved is not followed.
 *
 * Fails with `ESTALE` when the path led elsewhere.
 */
export async function openCanonical(path: string, flags: number): Promise<FileHandle> {
  const handle = await fs.open(path, flags);
  try {
    const place = placeOf(handle.fd);
    if (place === undefined) {
      await requireUnmoved(path);
      const [opened, named] = await Promise.all([handle.stat({ bigint: true }), fs.stat(path, { bigint: true })]);
      if (opened.ino !== named.ino || opened.dev !== named.dev) throw movedTo(path, 'another file');
    } else if (place !== path + DELETED && !(await isSamePlace(place, path))) {
      throw movedTo(path, place);
    }
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Runs `use` while a directory is held open. `use` receives a path through the handle. */
async function holding<T>(directory: string, use: (held: string) => Promise<T>): Promise<T> {
  if (process.platform !== 'linux') return use(directory);
  // Synchronous, like `placeOf`: the path was resolved a moment ago, and `O_PATH` reads nothing.
  const descriptor = openSync(directory, O_PATH | constants.O_DIRECTORY);
  try {
    const place = placeOf(descriptor);
    if (place === undefined) return await use(directory);
    if (!(await isSamePlace(place, directory))) throw movedTo(directory, place);
    return await use(`/proc/self/fd/${descriptor}`);
  } finally {
    closeSync(descriptor);
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
  if (directory === path) return use(path);
  return holding(directory, (held) => use(held === directory ? path : `${held}/${basename(path)}`));
}

/** The same for two paths. */
export function inHeldDirectories<T>(
  from: string,
  to: string,
  use: (from: string, to: string) => Promise<T>,
): Promise<T> {
  return inHeldDirectory(from, (source) => {
    // Most pairs share a directory.
    if (dirname(from) === dirname(to)) return use(source, join(dirname(source), basename(to)));
    return inHeldDirectory(to, (destination) => use(source, destination));
  });
}

/** Reads a directory by its canonical path in the same way: `read` receives a path through the handle. */
export async function readHeldDirectory<T>(directory: string, read: (path: string) => Promise<T>): Promise<T> {
  const found = await holding(directory, read);
  if (process.platform !== 'linux') await requireUnmoved(directory);
  return found;
}
