import type { TextEncoding } from './encoding.ts';

export interface TextDocument {
  readonly bytes: Buffer;
  readonly encoding: TextEncoding;
}

/** From `start` to `end`, in bytes. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

const CR = 0x0d;
const LF = 0x0a;

/** Returns the code unit at a byte offset; -1 after the end. */
function unitAt({ bytes, encoding }: TextDocument, offset: number): number {
  if (offset < 0 || offset + encoding.unit > bytes.length) return -1;
  if (encoding.unit === 1) return bytes[offset] ?? -1;
  return encoding.label === 'utf-16be' ? bytes.readUInt16BE(offset) : bytes.readUInt16LE(offset);
}

/** Returns the bytes of the line ending at an offset; 0 when there is none. */
export function lineEndAt(document: TextDocument, offset: number): number {
  const { unit } = document.encoding;
  const code = unitAt(document, offset);
  if (code === LF) return unit;
  return code === CR && unitAt(document, offset + unit) === LF ? 2 * unit : 0;
}

/** Returns the bytes of the line ending before an offset; 0 when there is none. */
export function lineEndBefore(document: TextDocument, offset: number): number {
  const { unit } = document.encoding;
  if (unitAt(document, offset - unit) !== LF) return 0;
  return unitAt(document, offset - 2 * unit) === CR ? 2 * unit : unit;
}

/** Returns the next occurrence of bytes from an offset, aligned to a code unit; -1 when there is none. */
export function indexOfBytes({ bytes, encoding }: TextDocument, wanted: Uint8Array, from: number): number {
  let found = bytes.indexOf(wanted, from);
  while (encoding.unit === 2 && found % 2 === 1) found = bytes.indexOf(wanted, found + 1);
  return found;
}

/** Returns the next line feed from an offset; -1 when there is none. */
export function nextLineFeed(document: TextDocument, from: number): number {
  const { bytes, encoding } = document;
  if (encoding.unit === 1) return bytes.indexOf(LF, from);
  return indexOfBytes(document, encoding.label === 'utf-16be' ? Uint8Array.of(0, LF) : Uint8Array.of(LF, 0), from);
}

/** Returns the number of bytes that are a line feed, from `start` to before `end`. `indexOf` is slower where lines are short. */
export function countLineFeeds(bytes: Uint8Array, start: number, end: number): number {
  let count = 0;
  for (let at = start; at < end; at++) if (bytes[at] === LF) count++;
  return count;
}

function countLines(document: TextDocument, start: number, end: number): number {
  if (document.encoding.unit === 1) return countLineFeeds(document.bytes, start, end);
  let count = 0;
  for (let at = nextLineFeed(document, start); at !== -1 && at < end; at = nextLineFeed(document, at + 2)) count++;
  return count;
}

/** The last answer: the next question is usually about the same place or one nearby. */
const lastAsked = new WeakMap<TextDocument, { readonly offset: number; readonly lineNumber: number }>();

/** Returns the number of the line at an offset, from 1. */
export function lineNumberAt(document: TextDocument, offset: number): number {
  const last = lastAsked.get(document) ?? { offset: 0, lineNumber: 1 };
  const between = countLines(document, Math.min(last.offset, offset), Math.max(last.offset, offset));
  const lineNumber = last.lineNumber + (offset < last.offset ? -between : between);
  lastAsked.set(document, { offset, lineNumber });
  return lineNumber;
}

/** A line: its content without the line end, and where the next one starts. */
export interface LineRange extends ByteRange {
  readonly next: number;
}

/** Yields the lines from the start of a line. No line follows a final line ending. */
export function* linesFrom(document: TextDocument, from: number): Generator<LineRange, void, undefined> {
  const { bytes, encoding } = document;
  let start = from;
  while (start < bytes.length) {
    const feed = nextLineFeed(document, start);
    if (feed === -1) {
      yield { start, end: bytes.length, next: bytes.length };
      return;
    }
    const next = feed + encoding.unit;
    yield { start, end: next - lineEndBefore(document, next), next };
    start = next;
  }
}

export function textStart({ encoding }: TextDocument): number {
  return encoding.mark.length;
}

/** The last answer: a line of megabytes may be asked for once for each of its thousands of places. */
const lastLine = new WeakMap<TextDocument, LineRange>();

/** Returns the line at an offset; after a final line ending, an empty line. */
export function lineAt(document: TextDocument, offset: number): LineRange {
  const last = lastLine.get(document);
  if (last && offset >= last.start && offset < last.next) return last;
  const start = lineStartBefore(document, offset);
  const line = linesFrom(document, start).next().value ?? { start, end: start, next: start };
  lastLine.set(document, line);
  return line;
}

function lineStartBefore(document: TextDocument, offset: number): number {
  const { bytes, encoding } = document;
  const first = textStart(document);
  if (encoding.unit === 1) return Math.max(first, offset === 0 ? 0 : bytes.lastIndexOf(LF, offset - 1) + 1);
  let start = offset;
  while (start > first && lineEndBefore(document, start) === 0) start -= encoding.unit;
  return start;
}

/** Returns the line ending for text inserted at an offset: the one of its line, else of the line before, else a line feed. */
export function lineEndNear(document: TextDocument, offset: number): Buffer {
  const { bytes } = document;
  const { start, end, next } = lineAt(document, offset);
  if (next > end) return bytes.subarray(end, next);
  const before = lineEndBefore(document, start);
  if (before > 0) return bytes.subarray(start - before, start);
  return document.encoding.encode('\n') ?? Buffer.from('\n');
}

export function textOfRange({ bytes, encoding }: TextDocument, { start, end }: ByteRange): string {
  return encoding.decode(bytes.subarray(start, end));
}
