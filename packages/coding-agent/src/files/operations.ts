import type { LockOptions, Replacement } from '@cairn/natives/files';

export type { LockOptions } from '@cairn/natives/files';

/** The name of a temporary file that a commit has next to its target. Nothing else has this form, and no answer or search shows one. */
export const OWN_TEMPORARY: RegExp = /^\.cairn-[\da-f]{16}\.tmp$/u;

/** The kind of a path. `other` is a device, a pipe or a socket. */
export type FileKind = 'file' | 'directory' | 'symlink' | 'other';

export const kindNames: Readonly<Record<FileKind, string>> = {
  file: 'a file',
  directory: 'a directory',
  symlink: 'a symbolic link',
  other: 'a device, pipe or socket',
};

export interface FileStat {
  readonly kind: FileKind;
  /** Bytes. */
  readonly size: number;
  /** The permission bits. */
  readonly mode: number;
  readonly uid: number;
  readonly links: number;
  /** Equal for two names of the same file. */
  readonly identity: string;
  readonly mtimeMs: number;
  /** Nanoseconds since the epoch. Absent where the file system has no exact times. */
  readonly mtimeNs?: bigint;
  /** When the content or an attribute changed last, in nanoseconds since the epoch: no program can set it. Absent like `mtimeNs`. */
  readonly ctimeNs?: bigint;
}

export interface DirectoryEntry {
  readonly name: string;
  readonly kind: FileKind;
}

export interface OpenFile {
  stat(): Promise<FileStat>;
  /** Reads into `buffer` from `position` and returns the number of bytes; fewer than `buffer.length` only at the end. */
  read(buffer: Uint8Array, position: number): Promise<number>;
  /** Writes all of `bytes` at `position`. The caller reuses them when it settles: an implementation that keeps them copies them. */
  write(bytes: Uint8Array, position: number): Promise<void>;
  truncate(size: number): Promise<void>;
  setMode(mode: number): Promise<void>;
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
   * Gives the file or directory `to` the owner, group, permissions, access lists and extended attributes of `from`. Returns the reason why one
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
  removeDirectory(path: string): Promise<void>;
  /** Waits until the names in a directory are on the disk, where the system supports it. */
  syncDirectory(path: string): Promise<void>;
}

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

/** Yields the first `length` bytes of a file, or all when it has fewer, in chunks that share one memory. */
export async function* chunksOf(file: OpenFile, length: number, most: number = CHUNK_BYTES): AsyncGenerator<Buffer> {
  const chunk = Buffer.allocUnsafe(Math.min(most, length));
  for (let at = 0; at < length;) {
    const filled = await file.read(chunk.subarray(0, length - at), at);
    if (filled === 0) return;
    yield chunk.subarray(0, filled);
    at += filled;
  }
}

/** Returns all bytes of an open file. A file that grows during the read is read up to its first size. */
export async function readBytes(file: OpenFile): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe((await file.stat()).size);
  return buffer.subarray(0, await file.read(buffer, 0));
}
