import type { AccessCount } from './access-counts.ts';

/** A call that a cache has seen. */
export interface CacheAccess {
  readonly kind: 'list' | 'read';
  /** Canonical, or as the caller named it when it is not known. */
  readonly path: string;
  /** Whether the answer came from memory. */
  readonly isHit: boolean;
}

export interface CachedReadOptions {
  readonly signal?: AbortSignal | undefined;
  /**
   * Count the content as read, so that the tools of the workspace may overwrite the file. Pass `false` when not all of it is shown.
   * @default true
   */
  readonly countAsRead?: boolean | undefined;
}

interface CachedFile {
  /** Relative to the root, with `/`; absolute outside the root. */
  readonly path: string;
  /** A copy. */
  readonly bytes: Buffer;
}

interface ContentStatistics {
  /** Reads that were answered from memory, after a check of the file. */
  readonly hits: number;
  readonly misses: number;
  /** Files and results of wrapped reads in memory. */
  readonly entries: number;
  /** The memory that they take, with their keys. */
  readonly bytes: number;
}

/** The beginning of a file. */
export interface FileHead {
  /** Without a character that the limit cuts. */
  readonly text: string;
  /** The bytes of the whole file. */
  readonly size: number;
  /** Whether the text is all of the file. */
  readonly isWhole: boolean;
}

export interface Preloaded {
  readonly files: number;
  readonly bytes: number;
}

/**
 * Contents of files in memory, at most 32 MiB and 1 MiB a file; the least recently used leave first.
 *
 * Each use checks that the path still leads to the same file without links, and that its size, times and inode are unchanged. Files
 * with secret names, files in `.git`, files with several names (hard links) and files on file systems without exact times are never
 * kept; neither is a file that was changed less than 220 ms before it was read. A program that changes a file through a memory
 * mapping does not change its times at every store; a read may miss such a change until something else changes the file.
 */
export interface ContentCache {
  /** Reads a whole file of at most 256 MiB. @throws {ToolError} like the `read` tool; `TOO_LARGE`. */
  read(path: string, options?: CachedReadOptions): Promise<CachedFile>;
  readonly stats: ContentStatistics;
  /** How often each file was read in this project, by this process and others, the most used first. */
  accessCounts(): Promise<readonly AccessCount[]>;
  /** Reads the 20 most used files into memory, at most 2 MiB. They do not count as read or used. Never rejects; a close ends it. */
  preload(): Promise<Preloaded>;
}
