import { createHash } from 'node:crypto';
import type { FileRecord } from '../ledger.ts';
import { encodingFor, isBinary } from '../mutation/encoding.ts';
import type { TextEncoding } from '../mutation/encoding.ts';
import type { FileStat, OpenFile } from '../operations.ts';
import { truncateLine } from '../truncate.ts';

/** Which part of a file is asked for, and how much of it at most. */
export interface PageRequest {
  /** The first line, from 1. */
  readonly offset: number;
  readonly maxLines: number;
  readonly maxBytes: number;
  readonly maxColumns: number;
  readonly encoding?: string | undefined;
}

/** Why a page ends before the file does. */
export type PageLimit = 'lines' | 'bytes' | 'scan';

/** A part of a file. */
export interface Page {
  readonly lines: readonly string[];
  readonly encoding: TextEncoding;
  /** The file holds bytes that are no text; nothing of it is shown. */
  readonly binary: boolean;
  /** Lines of the whole file; unknown when it was not read to its end. */
  readonly totalLines: number | undefined;
  /** Lines that were cut to `maxColumns`. */
  readonly cutLines: number;
  /** Absent when the page reaches the end. */
  readonly limit?: PageLimit | undefined;
  /** How many of the shown lines end with CRLF, and with LF. */
  readonly lineEnds: { readonly crlf: number; readonly lf: number };
  /** Whether the shown lines hold bytes that are no text in this encoding. */
  readonly invalid: boolean;
  readonly record: FileRecord;
}

const CHUNK_BYTES = 128 * 1024;

/** Up to here a file is read to its end, for its hash and its number of lines. */
export const WHOLE_FILE_BYTES: number = 16 * 1024 * 1024;

/** In a larger file, how far a page is looked for behind its start: a line may never end. */
const MOST_PAGE_BYTES = 4 * 1024 * 1024;

const LF = 0x0a;
const CR = 0x0d;

/** Finds line feeds in chunks that begin at a code unit. */
function nextLineFeed(chunk: Buffer, from: number, encoding: TextEncoding): number {
  let found = chunk.indexOf(LF, from);
  if (encoding.unit === 1) return found;
  const low = encoding.label === 'utf-16be' ? 1 : 0;
  while (found !== -1 && (found % 2 !== low || chunk[low === 1 ? found - 1 : found + 1] !== 0))
    found = chunk.indexOf(LF, found + 1);
  return found === -1 ? -1 : found - low;
}

/** Collects the lines of a page out of pieces of lines. */
class PageBuilder {
  readonly lines: string[] = [];
  readonly lineEnds: { crlf: number; lf: number } = { crlf: 0, lf: 0 };
  lineNumber = 1;
  cutLines = 0;
  limit: PageLimit | undefined;
  invalid = false;
  hasNul = false;
  /** Whether the last line had an end. */
  ended = true;
  #bytes = 0;
  #pieces: Buffer[] = [];
  #pending = 0;
  #last = Buffer.alloc(0);
  readonly #request: PageRequest;
  readonly #encoding: TextEncoding;

  constructor(request: PageRequest, encoding: TextEncoding) {
    this.#request = request;
    this.#encoding = encoding;
  }

  get isFull(): boolean {
    return this.limit !== undefined;
  }

  /** A piece of the current line. Of a long one only what may be shown is kept. */
  add(piece: Buffer): void {
    if (piece.length === 0) return;
    this.ended = false;
    if (this.lineNumber < this.#request.offset || this.isFull) return;
    // No character has more than four bytes; one more unit shows that the line goes on.
    const room = (this.#request.maxColumns + 1) * 4 - this.#pending;
    if (room > 0) {
      this.#pieces.push(Buffer.from(piece.subarray(0, room)));
      this.#pending += Math.min(piece.length, room);
    }
    this.#skipped += Math.max(0, piece.length - Math.max(0, room));
    const { unit } = this.#encoding;
    this.#last = Buffer.from(Buffer.concat([this.#last, piece.subarray(-unit)]).subarray(-unit));
  }

  #skipped = 0;

  /** The end of the current line. */
  end(terminated: boolean): void {
    if (this.lineNumber >= this.#request.offset && !this.isFull) this.#show(terminated);
    this.#pieces = [];
    this.#pending = 0;
    this.#skipped = 0;
    this.#last = Buffer.alloc(0);
    this.ended = terminated;
    this.lineNumber++;
  }

  #show(terminated: boolean): void {
    const { maxLines, maxBytes, maxColumns } = this.#request;
    if (this.lines.length === maxLines) {
      this.limit = 'lines';
      return;
    }
    const bytes = Buffer.concat(this.#pieces);
    const isCrlf = terminated && this.#last.includes(CR) && (this.#encoding.unit === 1 || this.#last.includes(0));
    const text = this.#encoding.decode(bytes);
    const whole = isCrlf && this.#skipped === 0 ? text.slice(0, -1) : text;
    const shown =
      this.#skipped > 0
        ? `${truncateLine(whole, maxColumns).replace(/ \[\d+ more characters\]$/u, '')} [line cut]`
        : truncateLine(whole, maxColumns);
    this.#bytes += Buffer.byteLength(shown) + 1;
    if (this.#bytes > maxBytes) {
      this.limit = 'bytes';
      return;
    }
    if (shown !== whole || this.#skipped > 0) this.cutLines++;
    if (terminated) this.lineEnds[isCrlf ? 'crlf' : 'lf']++;
    this.hasNul ||= whole.includes('\0');
    this.invalid ||= whole.includes('\ufffd');
    this.lines.push(shown);
  }

  /** Ends a page whose line goes on for too long. */
  giveUp(): void {
    this.end(false);
    this.limit ??= 'scan';
  }
}

/**
 * Reads a part of a file, chunk by chunk, and keeps no more than that part in memory. A file of up to 16 MiB is read to its
 * end, so that its hash and number of lines are known; of a larger one no more than the part needs.
 */
export async function readPage(
  file: OpenFile,
  stat: FileStat,
  request: PageRequest,
  signal: AbortSignal | undefined,
): Promise<Page> {
  const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, stat.size + 2));
  const first = chunk.subarray(0, await file.read(chunk, 0));
  const encoding = encodingFor(first, request.encoding);
  const builder = new PageBuilder(request, encoding);
  const hash = createHash('sha1');
  const readWhole = stat.size <= WHOLE_FILE_BYTES;
  const binary = isBinary(first, encoding);
  let position = 0;
  let pageStart: number | undefined;
  let filled = first.length;
  while (filled > 0) {
    signal?.throwIfAborted();
    const bytes = chunk.subarray(0, filled);
    hash.update(bytes);
    if (!binary) scan(builder, bytes, position === 0 ? encoding.mark.length : 0, encoding);
    position += filled;
    if (builder.lineNumber >= request.offset) pageStart ??= position;
    if (!readWhole && (builder.isFull || binary)) break;
    if (!readWhole && pageStart !== undefined && position - pageStart > MOST_PAGE_BYTES) {
      builder.giveUp();
      break;
    }
    filled = await file.read(chunk, position);
  }
  const atEnd = filled === 0;
  if (atEnd && !builder.ended) builder.end(false);
  return {
    lines: builder.lines,
    encoding,
    binary: binary || builder.hasNul,
    totalLines: atEnd && !binary ? builder.lineNumber - 1 : undefined,
    cutLines: builder.cutLines,
    limit: builder.limit,
    lineEnds: builder.lineEnds,
    invalid: builder.invalid,
    record: {
      hash: hash.digest('hex'),
      length: position,
      size: atEnd ? position : stat.size,
      encoding: request.encoding === undefined ? undefined : encoding.label,
    },
  };
}

function scan(builder: PageBuilder, bytes: Buffer, from: number, encoding: TextEncoding): void {
  let at = from;
  for (let feed = nextLineFeed(bytes, at, encoding); feed !== -1; feed = nextLineFeed(bytes, at, encoding)) {
    builder.add(bytes.subarray(at, feed));
    builder.end(true);
    at = feed + encoding.unit;
  }
  builder.add(bytes.subarray(at));
}
