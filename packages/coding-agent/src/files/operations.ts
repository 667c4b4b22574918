import { copyAttributes, exchangeFiles, lockPath, renameNoReplace, replaceFile } from '@cairn/natives/files';
import type { LockOptions, Replacement } from '@cairn/natives/files';
import { constants } from 'node:fs';
import type { BigIntStats, Dirent } from 'node:fs';
import * as fs from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { inHeldDirectories, inHeldDirectory, openCanonical, readHeldDirectory } from './held-directory.ts';

export type { LockOptions } from '@cairn/natives/files';

/** The kind of a path. `other` is a device, a pipe or a socket. */
export type FileKind = 'file' | 'directory' | 'symlink' | 'other';

const kindNames: Readonly<Record<FileKind, string>> = {
  file: 'a file',
  directory: 'a directory',
  symlink: 'a symbolic link',
  other: 'a device, pipe or socket',
};

/** Returns the kind in words. */
export function kindName(kind: FileKind): string {
  return kindNames[kind];
}

/** The attributes of a file. */
export interface FileStat {
  readonly kind: FileKind;
  /** Bytes. */
  readonly size: number;
  /** The permission bits. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** The number of hard links. */
  readonly links: number;
  /** Equal for two names of the same file. */
  readonly identity: string;
  readonly mtimeMs: number;
  /** Nanoseconds since the epoch. Absent where the file system has no exact times. */
  readonly mtimeNs?: bigint;
  /** When the content or an attribute changed last, in nanoseconds since the epoch: no program can set it. Absent like `mtimeNs`. */
  readonly ctimeNs?: bigint;
}

/** An entry of a directory. */
export interface DirectoryEntry {
  readonly name: string;
  readonly kind: FileKind;
}

/** An open file. */
export interface OpenFile {
  stat(): Promise<FileStat>;
  /** Reads into `buffer` from `position` and returns the number of bytes; fewer than `buffer.length` only at the end. */
  read(buffer: Uint8Array, position: number): Promise<number>;
  /** Writes all of `bytes` at `position`. The caller reuses them when it settles: an implementation that keeps them copies them. */
  write(bytes: Uint8Array, position: number): Promise<void>;
  truncate(size: number): Promise<void>;
  setMode(mode: number): Promise<void>;
  setOwner(uid: number, gid: number): Promise<void>;
  setModified(mtimeMs: number): Promise<void>;
  /** Waits until the content is on the disk. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** A held lock. It ends when it is released, or with its process. */
export interface FileLock {
  release(): Promise<void>;
}

/** How a file is opened: to read it, to change an existing one, or to create one, which fails when the path exists. */
export type OpenMode = 'read' | 'update' | 'create';

/**
 * Everything the tools do to a file system. Paths are absolute, and canonical where something is opened, listed or changed: an
 * implementation must not follow a directory that has become a link, and fails with `ESTALE` instead. Failures are errors with
 * a `code`, as in Node.
 *
 * Searches are not part of it: `glob` and `grep` search the file system of this machine.
 */
export interface FileOperations {
  /** Follows symbolic links. */
  stat(path: string): Promise<FileStat>;
  lstat(path: string): Promise<FileStat>;
  /** The canonical path of something that exists. */
  realpath(path: string): Promise<string>;
  readLink(path: string): Promise<string>;
  list(path: string): Promise<DirectoryEntry[]>;
  /** Never waits for the other end of a pipe. `permissions` apply to a new file. */
  open(path: string, mode: OpenMode, permissions?: number): Promise<OpenFile>;
  /**
   * Lists a directory for an answer. The listing may come from memory, after a check that the directory is the same and unchanged.
   * Commits call {@link list}: the disk alone decides about a change. Default: `list`.
   */
  listCached?(path: string): Promise<DirectoryEntry[]>;
  /**
   * Opens a file to read it for an answer. The content may come from memory, after a check that the path still leads to the same
   * file and that the file is unchanged. Commits call {@link open}. Default: `open(path, 'read')`.
   *
   * @param named the path as the caller named it, absolute: a link with a secret name leads to a secret.
   */
  openCached?(path: string, named: string): Promise<OpenFile>;
  makeDirectory(path: string, permissions?: number): Promise<void>;
  makeLink(target: string, path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Gives a file another name; fails with `EEXIST` when the name exists. */
  link(from: string, to: string): Promise<void>;
  /**
   * Gives the file or directory `to` the owner, group, permissions, access lists and extended attributes of `from`. Returns why one
   * of them cannot be kept; `undefined` when all are.
   */
  copyAttributes(from: string, to: string): Promise<string | undefined>;
  /**
   * Puts a complete file in the place of another: copies the attributes of `target` to `temporary`, syncs it, and exchanges the two
   * names, so that the old file can be compared and {@link exchange} can take the change back. Fails with `ENOENT` when `target` is
   * gone. With `isSynced` the content is on the disk already. After every other outcome than `exchanged`, nothing was replaced.
   */
  replace(temporary: string, target: string, isSynced?: boolean): Promise<Replacement>;
  /** Exchanges two names in one step; returns false, and does nothing, where the file system cannot. */
  exchange(left: string, right: string): Promise<boolean>;
  /**
   * Renames in one step; fails with `EEXIST` when the new name exists. Returns false, and does nothing, where the file system cannot.
   */
  renameNoReplace(from: string, to: string): Promise<boolean>;
  /**
   * Locks a directory or a file against all other locks of it, in this process and others, until it is released or the process ends.
   * Returns `undefined` when another lock is still held at the end of `timeoutMs`; 0 tries once. Fails with `ENOTSUP` where the file
   * system has no such locks, and with the reason of the signal.
   */
  lock(path: string, options?: LockOptions): Promise<FileLock | undefined>;
  unlink(path: string): Promise<void>;
  /** Removes an empty directory. */
  removeDirectory(path: string): Promise<void>;
  /** Waits until the names in a directory are on the disk, where the system supports it. */
  syncDirectory(path: string): Promise<void>;
}

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
    gid: Number(stats.gid),
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
    setOwner: (uid, gid) => handle.chown(uid, gid),
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

/** Passes a file to `use` when it is open, and closes it. */
export async function usingFile<T>(opening: Promise<OpenFile>, use: (file: OpenFile) => Promise<T>): Promise<T> {
  const file = await opening;
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

/** Opens a file, passes it to `use` and closes it. */
export async function withFile<T>(
  operations: FileOperations,
  path: string,
  mode: OpenMode,
  use: (file: OpenFile) => Promise<T>,
): Promise<T> {
  return usingFile(operations.open(path, mode), use);
}

const CHUNK_BYTES = 1024 * 1024;

/** Fills a buffer from the start of a file and passes each part to `onChunk` while the next is being read. Returns the number of bytes. */
async function readInto(file: OpenFile, buffer: Buffer, onChunk: (chunk: Buffer) => void): Promise<number> {
  const readFrom = (at: number): Promise<number> => file.read(buffer.subarray(at, at + CHUNK_BYTES), at);
  let filled = 0;
  for (let reading = readFrom(0); ;) {
    const count = await reading;
    const chunk = buffer.subarray(filled, filled + count);
    filled += count;
    // A chunk that is not full is the last one.
    const isLast = count < CHUNK_BYTES || filled === buffer.length;
    if (!isLast) reading = readFrom(filled);
    onChunk(chunk);
    if (isLast) return filled;
  }
}

/** Options of {@link readBytes}. */
export interface ReadBytesOptions {
  /** Returns the buffer for the content. Default: a new one. */
  readonly allocate?: ((size: number) => Buffer) | undefined;
  /** Receives the content in order, each part while the next one is being read. */
  readonly onChunk?: ((chunk: Buffer) => void) | undefined;
}

/** Returns all bytes of an open file. A file that grows during the read is read up to its first size. */
export async function readBytes(file: OpenFile, options: ReadBytesOptions = {}): Promise<Buffer> {
  const { allocate = (bytes: number) => Buffer.allocUnsafe(bytes), onChunk } = options;
  const { size } = await file.stat();
  const buffer = allocate(size);
  return buffer.subarray(0, await (onChunk ? readInto(file, buffer, onChunk) : file.read(buffer, 0)));
}
