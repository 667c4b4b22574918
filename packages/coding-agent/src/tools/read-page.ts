import type { Hash } from 'node:crypto';
import { MAX_BYTES_IN_MEMORY } from '../commit/snapshot.ts';
import { encodingFor, isBinary, type TextEncoding } from '../edit/encoding.ts';
import { newHash } from '../files/content-hash.ts';
import type { FileRecord } from '../files/ledger.ts';
import type { FileStat, OpenFile } from '../files/operations.ts';
import { joinSeen, wholeOf, type SeenRanges } from '../files/seen.ts';
import { PageLines, type PageRequest, type PageText } from './page-lines.ts';

export interface Page extends PageText {
  readonly encoding: TextEncoding;
  /** The file is binary; the page has no lines. */
  readonly isBinary: boolean;
  /** Lines of the whole file; unknown when it was not read to its end. */
  readonly totalLines: number | undefined;
  readonly record: FileRecord;
}

const CHUNK_BYTES = 128 * 1024;

/** A file up to this size is read to its end, for its hash and its number of lines. */
export const WHOLE_FILE_BYTES: number = 16 * 1024 * 1024;

/** In a larger file, a page ends after this many bytes: a line may be very long. */
const MAX_PAGE_BYTES = 4 * 1024 * 1024;

/** The hash of a file that is read from its start, and the ranges that were shown before if it starts as it is recorded. */
class PageHash {
  readonly hash: Hash = newHash();
  readonly #known: Pick<FileRecord, 'hash' | 'length' | 'seen'>;
  #length = 0;
  seen: SeenRanges = [];

  constructor(known: FileRecord | undefined) {
    this.#known = known ?? { hash: '', length: 0, seen: [] };
  }

  update(bytes: Buffer): void {
    const { hash, length, seen } = this.#known;
    const rest = length - this.#length;
    const isEndInside = rest > 0 && rest <= bytes.length;
    if (isEndInside) {
      this.hash.update(bytes.subarray(0, rest));
      if (this.hash.copy().digest('hex') === hash) this.seen = seen;
    }
    this.hash.update(isEndInside ? bytes.subarray(rest) : bytes);
    this.#length += bytes.length;
  }

  coversRecord(): boolean {
    return this.#length >= this.#known.length;
  }
}

/**
 * Reads a part of a file, chunk by chunk, and keeps no more than that part in memory. A file of up to 16 MiB is read to its
 * end, so that its hash and number of lines are known; of a larger one no more than the part needs, and the hash is of the
 * bytes up to there. What `known` says about such a file is kept if the bytes that it covers are still the same; they are read
 * again unless the file is too large to be overwritten.
 */
export async function readPage(
  file: OpenFile,
  stat: FileStat,
  request: PageRequest,
  { known, signal }: { readonly known?: FileRecord | undefined; readonly signal?: AbortSignal | undefined } = {},
): Promise<Page> {
  const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, stat.size + 2));
  let filled = await file.read(chunk, 0);
  const encoding = encodingFor(chunk.subarray(0, filled), request.encoding);
  const binary = isBinary(chunk.subarray(0, filled), encoding);
  const lines = new PageLines(request, encoding);
  const readsWhole = stat.size <= WHOLE_FILE_BYTES;
  const isComparable = !readsWhole && stat.size <= MAX_BYTES_IN_MEMORY && known?.size === stat.size;
  const hash = new PageHash(isComparable ? known : undefined);
  let position = 0;
  let pageStart: number | undefined;
  while (filled > 0) {
    signal?.throwIfAborted();
    const bytes = chunk.subarray(0, filled);
    hash.update(bytes);
    if (!binary) lines.add(position === 0 ? bytes.subarray(encoding.mark.length) : bytes);
    position += filled;
    if (lines.lineNumber() >= request.offset) pageStart ??= position;
    if (!readsWhole && pageStart !== undefined && position - pageStart > MAX_PAGE_BYTES) lines.stop('scan');
    if (!readsWhole && (lines.isFull() || binary) && hash.coversRecord()) break;
    filled = await file.read(chunk, position);
  }
  const atEnd = filled === 0;
  if (atEnd) lines.end();
  const text = lines.result();
  const totalLines = atEnd && !binary ? lines.lineNumber() - 1 : undefined;
  const { shown } = text;
  return {
    ...text,
    encoding,
    isBinary: binary || text.hasNul,
    totalLines,
    record: {
      hash: hash.hash.digest('hex'),
      length: position,
      size: atEnd ? position : stat.size,
      // A file of nothing but a byte order mark has no line to show.
      seen: totalLines === 0 ? wholeOf(position) : joinSeen(hash.seen, shown ? [shown] : []),
      encoding: request.encoding === undefined ? undefined : encoding.label,
    },
  };
}
