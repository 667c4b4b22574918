import { sep } from 'node:path';
import { hashOf } from './content-hash.ts';
import { joinSeen, wholeOf, type SeenRanges } from './seen.ts';

/** The content of a file when it was last read or written, and which parts of it were shown. */
export interface FileRecord {
  /** The content hash of the first `length` bytes. */
  readonly hash: string;
  readonly length: number;
  /** Bytes of the whole file. More than `length` for a huge file that was read in part. */
  readonly size: number;
  /** The parts that were shown, or that a tool wrote. A line that was cut counts in full; a line that a search found does not. */
  readonly seen: SeenRanges;
  /** The encoding that a caller named when it read the file. */
  readonly encoding?: string | undefined;
}

/** A ledger drops the oldest records above this number; the cost is another read at worst. */
const MAX_RECORDS = 50_000;

/** Makes the record of a whole content. By default, all of it was shown, and the hash is computed. */
export function recordOf(
  bytes: Uint8Array,
  {
    seen = wholeOf(bytes.length),
    encoding,
    hash = hashOf(bytes),
  }: Partial<Pick<FileRecord, 'seen' | 'encoding' | 'hash'>> = {},
): FileRecord {
  return { hash, length: bytes.length, size: bytes.length, seen, encoding };
}

/**
 * Compares a content with its record. Times are not compared, so a file that was touched but is equal is fresh.
 *
 * @param known the hash of `bytes`, if the caller has it.
 */
export function compare(
  record: FileRecord | undefined,
  bytes: Uint8Array,
  known?: string,
): 'unknown' | 'fresh' | 'stale' {
  if (record === undefined) return 'unknown';
  if (record.size !== bytes.length) return 'stale';
  const isWhole = record.length === bytes.length;
  const hash = isWhole && known !== undefined ? known : hashOf(bytes.subarray(0, record.length));
  return hash === record.hash ? 'fresh' : 'stale';
}

/** The files that the tools have read or written, by canonical path. It lives as long as the workspace. */
export class Ledger {
  readonly #records = new Map<string, FileRecord>();
  #isDropping = false;

  get(path: string): FileRecord | undefined {
    return this.#records.get(path);
  }

  /** Replaces the record of a path. The parts of the same content that were shown stay shown. */
  record(path: string, record: FileRecord): void {
    const known = this.#records.get(path);
    const isSame = known?.hash === record.hash && known.length === record.length && known.size === record.size;
    this.#records.delete(path);
    this.#records.set(path, isSame ? { ...record, seen: joinSeen(known.seen, record.seen) } : record);
    const [oldest] = this.#records.keys();
    if (this.#records.size <= MAX_RECORDS || oldest === undefined) return;
    this.#records.delete(oldest);
    this.#isDropping = true;
  }

  hasDropped(): boolean {
    return this.#isDropping;
  }

  forget(path: string): void {
    for (const known of this.below(path)) this.#records.delete(known);
  }

  /** Returns the paths that were recorded last, the newest first. */
  newest(limit: number): readonly string[] {
    return [...this.#records.keys()].slice(-limit).toReversed();
  }

  /** Returns the recorded paths that are a directory or lie below it. */
  below(directory: string): readonly string[] {
    return [...this.#records.keys()].filter((path) => path === directory || path.startsWith(directory + sep));
  }

  /** Moves the records of a path, and of the files below it, to the new path. Records of the new path are dropped. */
  move(from: string, to: string): void {
    this.forget(to);
    for (const known of this.below(from)) {
      const record = this.#records.get(known);
      this.#records.delete(known);
      if (record) this.#records.set(to + known.slice(from.length), record);
    }
  }
}
