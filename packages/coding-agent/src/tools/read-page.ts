import { createHash } from 'node:crypto';
import { countLineFeeds } from '../edit/count-line-feeds.ts';
import { encodingFor, isBinary } from '../edit/encoding.ts';
import type { TextEncoding } from '../edit/encoding.ts';
import type { FileRecord } from '../files/ledger.ts';
import type { FileStat, OpenFile } from '../files/operations.ts';
import { createPageLines } from './page-lines.ts';
import type { PageLines, PageRequest, PageText } from './page-lines.ts';

/** A part of a file. */
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

const LF = 0x0a;

/** Returns the next line feed in a chunk that starts at a code unit; -1 when there is none. */
function nextLineFeed(chunk: Buffer, from: number, encoding: TextEncoding): number {
  let found = chunk.indexOf(LF, from);
  if (encoding.unit === 1) return found;
  const low = encoding.label === 'utf-16be' ? 1 : 0;
  const other = low === 1 ? -1 : 1;
  while (found !== -1 && (found % 2 !== low || chunk[found + other] !== 0)) found = chunk.indexOf(LF, found + 1);
  return found === -1 ? -1 : found - low;
}

/** Adds a chunk to the page, line by line. Lines before the page are only counted. */
function scan(lines: PageLines, bytes: Buffer, encoding: TextEncoding, offset: number): void {
  if (encoding.unit === 1 && lines.lineNumber() < offset) {
    const lineFeeds = countLineFeeds(bytes, 0, bytes.length);
    if (lines.lineNumber() + lineFeeds < offset) {
      lines.skip(lineFeeds, bytes.at(-1) !== LF);
      return;
    }
  }
  let at = 0;
  for (let feed = nextLineFeed(bytes, at, encoding); feed !== -1; feed = nextLineFeed(bytes, at, encoding)) {
    lines.add(bytes.subarray(at, feed));
    lines.endLine(true);
    at = feed + encoding.unit;
  }
  lines.add(bytes.subarray(at));
}

/**
 * Reads a part of a file, chunk by chunk, and keeps no more than that part in memory. A file of up to 16 MiB is read to its
 * end, so that its hash and number of lines are known; of a larger one no more than the part needs, and the hash is of the
 * bytes up to there.
 */
export async function readPage(
  file: OpenFile,
  stat: FileStat,
  request: PageRequest,
  signal: AbortSignal | undefined,
): Promise<Page> {
  const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, stat.size + 2));
  let filled = await file.read(chunk, 0);
  const encoding = encodingFor(chunk.subarray(0, filled), request.encoding);
  const binary = isBinary(chunk.subarray(0, filled), encoding);
  const lines = createPageLines(request, encoding);
  const hash = createHash('sha1');
  const readsWhole = stat.size <= WHOLE_FILE_BYTES;
  let position = 0;
  let pageStart: number | undefined;
  while (filled > 0) {
    signal?.throwIfAborted();
    const bytes = chunk.subarray(0, filled);
    hash.update(bytes);
    if (!binary) scan(lines, position === 0 ? bytes.subarray(encoding.mark.length) : bytes, encoding, request.offset);
    position += filled;
    if (lines.lineNumber() >= request.offset) pageStart ??= position;
    if (!readsWhole && pageStart !== undefined && position - pageStart > MAX_PAGE_BYTES) lines.stop('scan');
    if (!readsWhole && (lines.isFull() || binary)) break;
    filled = await file.read(chunk, position);
  }
  const atEnd = filled === 0;
  if (atEnd && lines.isOpen()) lines.endLine(false);
  const text = lines.result();
  return {
    ...text,
    encoding,
    isBinary: binary || text.hasNul,
    totalLines: atEnd && !binary ? lines.lineNumber() - 1 : undefined,
    record: {
      hash: hash.digest('hex'),
      length: position,
      size: atEnd ? position : stat.size,
      encoding: request.encoding === undefined ? undefined : encoding.label,
    },
  };
}
