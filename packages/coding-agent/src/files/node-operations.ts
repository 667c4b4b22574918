import { copyAttributes, exchangeFiles, lockPath, renameNoReplace, replaceFile } from '@cairn/natives/files';
import { constants, type BigIntStats, type Dirent } from 'node:fs';
import * as fs from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { inHeldDirectories, inHeldDirectory, openCanonical, readHeldDirectory } from './held-directory.ts';
import type { FileKind, FileOperations, FileStat, OpenFile, OpenMode } from './operations.ts';

const flags: Readonly<Record<OpenMode, number>> = {
  read: constants.O_RDONLY | (constants.O_NONBLOCK ?? 0),
  update: constants.O_RDWR | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0),
  create: constants.O_RDWR | constants.O_CREAT | constants.O_EXCL,
};

const PERMISSION_BITS = 0o7777;

function kindOf(entry: BigIntStats | Dirent): FileKind {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'directory';
  return entry.isSymbolicLink() ? 'symlink' : 'other';
}

/** Returns the attributes in the statistics of Node. */
export function fileStatOf(stats: BigIntStats): FileStat {
  return {
    kind: kindOf(stats),
    size: Number(stats.size),
    mode: Number(stats.mode) & PERMISSION_BITS,
    uid: Number(stats.uid),
    links: Number(stats.nlink),
    identity: `${stats.dev}:${stats.ino}`,
    mtimeMs: Number(stats.mtimeMs),
    mtimeNs: stats.mtimeNs,
    ctimeNs: stats.ctimeNs,
  };
}

function openFile(handle: FileHandle): OpenFile {
  return {
    stat: async () => fileStatOf(await handle.stat({ bigint: true })),
    read: async (buffer, position) => {
      let filled = 0;
      while (filled < buffer.length) {
        const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, position + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return filled;
    },
    write: async (bytes, position) => {
      let written = 0;
      while (written < bytes.length) {
        const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, position + written);
        written += bytesWritten;
      }
    },
    truncate: (size) => handle.truncate(size),
    setMode: (mode) => handle.chmod(mode),
    setModified: (mtimeMs) => handle.utimes(mtimeMs / 1000, mtimeMs / 1000),
    sync: () => handle.sync(),
    close: () => handle.close(),
  };
}

async function syncDirectory(path: string): Promise<void> {
  // Windows cannot open a directory and writes its names by itself.
  if (process.platform === 'win32') return;
  const handle = await fs.open(path, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The file system of this machine. */
export const nodeFileOperations: FileOperations = {
  stat: async (path) => fileStatOf(await fs.stat(path, { bigint: true })),
  lstat: async (path) => fileStatOf(await inHeldDirectory(path, (place) => fs.lstat(place, { bigint: true }))),
  realpath: (path) => fs.realpath(path),
  readLink: (path) => inHeldDirectory(path, (place) => fs.readlink(place)),
  list: async (path) => {
    const entries = await readHeldDirectory(path, (place) => fs.readdir(place, { withFileTypes: true }));
    return entries.map((entry) => ({ name: entry.name, kind: kindOf(entry) }));
  },
  open: async (path, mode, permissions = 0o666) => {
    if (mode === 'read') return openFile(await openCanonical(path, flags.read));
    return openFile(await inHeldDirectory(path, (place) => fs.open(place, flags[mode], permissions)));
  },
  makeDirectory: (path, permissions) => inHeldDirectory(path, (place) => fs.mkdir(place, permissions)),
  makeLink: (target, path) => inHeldDirectory(path, (place) => fs.symlink(target, place)),
  rename: (from, to) => inHeldDirectories(from, to, (source, destination) => fs.rename(source, destination)),
  link: (from, to) => inHeldDirectories(from, to, (source, destination) => fs.link(source, destination)),
  copyAttributes: (from, to) => inHeldDirectories(from, to, copyAttributes),
  replace: (temporary, target, isSynced) =>
    inHeldDirectories(temporary, target, (from, to) => replaceFile(from, to, isSynced)),
  exchange: (left, right) => inHeldDirectories(left, right, exchangeFiles),
  renameNoReplace: (from, to) => inHeldDirectories(from, to, renameNoReplace),
  // By its path, not through the handle of the parent: the lock has to notice when the path leads elsewhere.
  lock: async (path, options) => {
    const lock = await lockPath(path, options);
    return lock && { release: async () => lock.release() };
  },
  unlink: (path) => inHeldDirectory(path, (place) => fs.unlink(place)),
  removeDirectory: (path) => inHeldDirectory(path, (place) => fs.rmdir(place)),
  syncDirectory,
};
