import { createHash } from 'node:crypto';

/** What was known of a file's content when it was last seen. */
export interface FileRecord {
  /** The content hash of the first `length` bytes. */
  readonly hash: string;
  readonly length: number;
  /** Bytes of the whole file. More than `length` for a huge file that was read in part. */
  readonly size: number;
  /** The encoding it was read with, when somebody named one. */
  readonly encoding?: string | undefined;
}

/** How a file is compared with what is known of it. */
export type Freshness = 'unknown' | 'fresh' | 'stale';

/** What the tools have seen of files, by canonical path. It lives as long as the workspace. */
export interface Ledger {
  get(path: string): FileRecord | undefined;
  record(path: string, record: FileRecord): void;
  forget(path: string): void;
  /** The recorded paths that are a directory or lie below it. */
  below(directory: string): readonly string[];
  /** Files below a directory are known by their new paths; what was known of the new ones is forgotten. */
  move(from: string, to: string): void;
}

/** How many files a ledger remembers; those seen longest ago are forgotten, which at worst asks for another read. */
const MOST_RECORDS = 50_000;

/**
 * The hash of a content, which may come in parts: SHA-1, as git's, since it is to find changes and not to resist forgers, and takes half the time of SHA-256.
 */
export function hashOf(...parts: readonly Uint8Array[]): string {
  const hash = createHash('sha1');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}

/** The short form of a hash that models and people are shown. */
export function tagOf(hash: string): string {
  return hash.slice(0, 8);
}

/** The record of a whole content, whose hash may be known already. */
export function recordOf(bytes: Uint8Array, encoding?: string, hash: string = hashOf(bytes)): FileRecord {
  return { hash, length: bytes.length, size: bytes.length, encoding };
}

/**
 * Whether a content is still what was recorded. Times play no part, so a touched but equal file is fresh.
 *
 * @param known the hash of `bytes`, where it is known already.
 */
export function compare(record: FileRecord | undefined, bytes: Uint8Array, known?: string): Freshness {
  if (record === undefined) return 'unknown';
  if (record.size !== bytes.length) return 'stale';
  const isWhole = record.length === bytes.length;
  const hash = isWhole && known !== undefined ? known : hashOf(bytes.subarray(0, record.length));
  return hash === record.hash ? 'fresh' : 'stale';
}

export function createLedger(separator: string): Ledger {
  const records = new Map<string, FileRecord>();
  const below = (directory: string): string[] =>
    [...records.keys()].filter((path) => path === directory || path.startsWith(directory + separator));
  return {
    get: (path) => records.get(path),
    record: (path, record) => {
      records.delete(path);
      records.set(path, record);
      const [oldest] = records.keys();
      if (records.size > MOST_RECORDS && oldest !== undefined) records.delete(oldest);
    },
    below,
    forget: (path) => {
      for (const known of below(path)) records.delete(known);
    },
    move: (from, to) => {
      for (const known of below(to)) records.delete(known);
      for (const known of below(from)) {
        const record = records.get(known);
        records.delete(known);
        if (record) records.set(to + known.slice(from.length), record);
      }
    },
  };
}
