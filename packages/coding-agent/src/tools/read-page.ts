import { truncateLine } from '@cairn/tool/prompt';
import { countLineFeeds, nextLineFeed } from '../edit/document.ts';
import type { Hash } from 'node:crypto';
import { MAX_BYTES_IN_MEMORY } from '../commit/snapshot.ts';
import { encodingFor, isBinary, type TextEncoding } from '../edit/encoding.ts';
import { newHash } from '../files/content-hash.ts';
import type { FileRecord } from '../files/ledger.ts';
import type { FileStat, OpenFile } from '../files/operations.ts';
import { joinSeen, wholeOf, type SeenRange, type SeenRanges } from '../files/seen.ts';

/** The requested part of a file, and its limits. */
interface PageRequest {
  /** The first line, from 1. */
  readonly offset: number;
  readonly maxLines: number;
  /** Of the text that is shown, in UTF-8. */
  readonly maxBytes: number;
  /** Of a line, in UTF-16 code units. */
  readonly maxColumns: number;
  /** Default: the encoding of the byte order mark, or UTF-8. */
  readonly encoding?: string | undefined;
}

/** Why a page ends before the file does. */
export type PageLimit = 'lines' | 'bytes' | 'scan';

interface PageText {
  readonly lines: readonly string[];
  /** The number of lines that were cut to `maxColumns`. */
  readonly cutLines: number;
  readonly limit: PageLimit | undefined;
  /** The number of lines that end with CRLF, and with LF alone. */
  readonly lineEnds: { readonly crlf: number; readonly lf: number };
  /** A line has bytes that are not valid in this encoding. */
  readonly isBroken: boolean;
  readonly hasNul: boolean;
  /** Where the lines are in the file, also the parts of them that were cut; absent without lines. */
  readonly shown: SeenRange | undefined;
}

/** The longest character of any encoding. */
const MAX_BYTES_OF_CHARACTER = 4;

const LF = 0x0a;

/** Collects the lines of a page from the chunks of a file. Keeps only the part of a line that may be shown. */
class PageLines {
  readonly #request: PageRequest;
  readonly #encoding: TextEncoding;
  readonly #lines: string[] = [];
  readonly #lineEnds = { crlf: 0, lf: 0 };
  #number = 1;
  #cutLines = 0;
  #shownBytes = 0;
  #isBroken = false;
  #hasNul = false;
  #isOpen = false;
  #limit: PageLimit | undefined;
  #shown: SeenRange | undefined;
  /** The offsets in the file: of the next byte, and of the current line. */
  #at: number;
  #lineStart = 0;
  /** The kept pieces of the current line, their bytes, and the bytes that were not kept. */
  #pieces: Buffer[] = [];
  #keptBytes = 0;
  #skippedBytes = 0;

  constructor(request: PageRequest, encoding: TextEncoding) {
    this.#request = request;
    this.#encoding = encoding;
    this.#at = encoding.mark.length;
  }

  /** Adds a chunk, line by line. Lines before the page are only counted. */
  add(bytes: Buffer): void {
    const { unit } = this.#encoding;
    if (unit === 1 && this.#number < this.#request.offset) {
      const lineFeeds = countLineFeeds(bytes, 0, bytes.length);
      if (this.#number + lineFeeds < this.#request.offset) {
        this.#at += bytes.length;
        this.#number += lineFeeds;
        this.#isOpen = bytes.at(-1) !== LF;
        return;
      }
    }
    const chunk = { bytes, encoding: this.#encoding };
    let at = 0;
    for (let feed = nextLineFeed(chunk, at); feed !== -1; feed = nextLineFeed(chunk, at)) {
      this.#addPiece(bytes.subarray(at, feed));
      this.#at += unit;
      this.#endLine(true);
      at = feed + unit;
    }
    this.#addPiece(bytes.subarray(at));
  }

  /** Ends the last line of the file. */
  end(): void {
    if (this.#isOpen) this.#endLine(false);
  }

  stop(limit: PageLimit): void {
    this.#limit ??= limit;
  }

  /** Returns whether the page takes no more lines. */
  isFull(): boolean {
    return this.#limit !== undefined;
  }

  /** Returns the number of the current line. */
  lineNumber(): number {
    return this.#number;
  }

  result(): PageText {
    return {
      lines: this.#lines,
      cutLines: this.#cutLines,
      limit: this.#limit,
      lineEnds: this.#lineEnds,
      isBroken: this.#isBroken,
      hasNul: this.#hasNul,
      shown: this.#shown,
    };
  }

  #addPiece(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#isOpen = true;
    this.#at += piece.length;
    if (!this.#isWanted()) return;
    const maxBytes = (this.#request.maxColumns + 2) * MAX_BYTES_OF_CHARACTER;
    const part = piece.subarray(0, Math.max(0, maxBytes - this.#keptBytes));
    if (part.length > 0) this.#pieces.push(Buffer.from(part));
    this.#keptBytes += part.length;
    this.#skippedBytes += piece.length - part.length;
  }

  #endLine(hasLineFeed: boolean): void {
    if (this.#isWanted()) this.#show(hasLineFeed);
    this.#lineStart = this.#at;
    this.#pieces = [];
    this.#keptBytes = 0;
    this.#skippedBytes = 0;
    this.#isOpen = false;
    this.#number++;
  }

  #isWanted(): boolean {
    return this.#number >= this.#request.offset && this.#limit === undefined;
  }

  #show(hasLineFeed: boolean): void {
    const { maxLines, maxBytes, maxColumns } = this.#request;
    if (this.#lines.length === maxLines) return this.stop('lines');
    const isWhole = this.#skippedBytes === 0;
    const text = this.#encoding.decode(Buffer.concat(this.#pieces));
    const isCrlf = hasLineFeed && isWhole && text.endsWith('\r');
    const line = isCrlf ? text.slice(0, -1) : text;
    // The kept bytes may end in half a character, so the cut characters can be counted only for a whole line.
    const shown = isWhole ? truncateLine(line, maxColumns) : `${line.slice(0, maxColumns)}… [line cut]`;
    this.#shownBytes += Buffer.byteLength(shown) + 1;
    if (this.#shownBytes > maxBytes) return this.stop('bytes');
    if (shown !== line) this.#cutLines++;
    if (hasLineFeed) this.#lineEnds[isCrlf ? 'crlf' : 'lf']++;
    const visible = line.slice(0, maxColumns);
    this.#isBroken ||= visible.includes('\ufffd');
    this.#hasNul ||= visible.includes('\0');
    this.#lines.push(shown);
    this.#shown = { start: this.#shown?.start ?? this.#lineStart, end: this.#at };
  }
}

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
