import { truncateLine } from '@cairn/tool/prompt';
import type { TextEncoding } from '../edit/encoding.ts';

/** The requested part of a file, and its limits. */
export interface PageRequest {
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

/** The lines of a page as they are collected. */
export interface PageLines {
  /** Adds a piece of the current line. */
  add(piece: Buffer): void;
  /** Ends the current line, with or without a line feed. */
  endLine(hasLineFeed: boolean): void;
  /** Skips whole lines before the page. */
  skip(lineFeeds: number, endsOpen: boolean): void;
  /** Ends the page. */
  stop(limit: PageLimit): void;
  /** Returns whether the page takes no more lines. */
  isFull(): boolean;
  /** Returns whether a line has started and not ended. */
  isOpen(): boolean;
  /** Returns the number of the current line. */
  lineNumber(): number;
  result(): PageText;
}

/** The collected lines. */
export interface PageText {
  readonly lines: readonly string[];
  /** The number of lines that were cut to `maxColumns`. */
  readonly cutLines: number;
  readonly limit: PageLimit | undefined;
  /** The number of lines that end with CRLF, and with LF alone. */
  readonly lineEnds: { readonly crlf: number; readonly lf: number };
  /** A line has bytes that are not valid in this encoding. */
  readonly isBroken: boolean;
  /** A line has a NUL. */
  readonly hasNul: boolean;
}

/** The longest character of any encoding. */
const MAX_BYTES_OF_CHARACTER = 4;

/** Collects the lines of a page from pieces. Keeps only the part of a line that may be shown. */
export function createPageLines(request: PageRequest, encoding: TextEncoding): PageLines {
  const { offset, maxLines, maxBytes, maxColumns } = request;
  const room = (maxColumns + 2) * MAX_BYTES_OF_CHARACTER;
  const lines: string[] = [];
  const lineEnds = { crlf: 0, lf: 0 };
  let [number, cutLines, shownBytes] = [1, 0, 0];
  let [isBroken, hasNul, isOpen] = [false, false, false];
  let limit: PageLimit | undefined;
  let pieces: Buffer[] = [];
  let [kept, skipped] = [0, 0];

  const isWanted = (): boolean => number >= offset && limit === undefined;

  const show = (hasLineFeed: boolean): void => {
    if (lines.length === maxLines) {
      limit = 'lines';
      return;
    }
    const text = encoding.decode(Buffer.concat(pieces));
    const isCrlf = hasLineFeed && skipped === 0 && text.endsWith('\r');
    const line = isCrlf ? text.slice(0, -1) : text;
    // The end of a piece may be half a character; what is left out of a line is counted in characters only when all is known.
    const shown = skipped === 0 ? truncateLine(line, maxColumns) : `${line.slice(0, maxColumns)}… [line cut]`;
    shownBytes += Buffer.byteLength(shown) + 1;
    if (shownBytes > maxBytes) {
      limit = 'bytes';
      return;
    }
    if (shown !== line) cutLines++;
    if (hasLineFeed) lineEnds[isCrlf ? 'crlf' : 'lf']++;
    const whole = line.slice(0, maxColumns);
    isBroken ||= whole.includes('\ufffd');
    hasNul ||= whole.includes('\0');
    lines.push(shown);
  };

  return {
    add: (piece) => {
      if (piece.length === 0) return;
      isOpen = true;
      if (!isWanted()) return;
      const part = piece.subarray(0, Math.max(0, room - kept));
      if (part.length > 0) pieces.push(Buffer.from(part));
      kept += part.length;
      skipped += piece.length - part.length;
    },
    endLine: (hasLineFeed) => {
      if (isWanted()) show(hasLineFeed);
      pieces = [];
      [kept, skipped] = [0, 0];
      isOpen = false;
      number++;
    },
    skip: (lineFeeds, endsOpen) => {
      number += lineFeeds;
      isOpen = endsOpen;
    },
    stop: (why) => {
      limit ??= why;
    },
    isFull: () => limit !== undefined,
    isOpen: () => isOpen,
    lineNumber: () => number,
    result: () => ({ lines, cutLines, limit, lineEnds, isBroken, hasNul }),
  };
}
