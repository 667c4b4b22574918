/** Which limit cut a text: the number of lines or of bytes. */
type TruncateLimit = 'lines' | 'bytes';

/** How much of something is shown. */
export interface TruncateLimits {
  readonly maxLines: number;
  /** Of the whole text, in UTF-8, line ends included. */
  readonly maxBytes: number;
  /** Of one line, in UTF-16 code units. Default: whole lines. */
  readonly maxColumns?: number | undefined;
}

/** What was shown of how much, and which limit hit. */
export interface Truncation {
  readonly lines: readonly string[];
  /** Lines there were. */
  readonly total: number;
  /** Lines that are shown. */
  readonly shown: number;
  /** Absent when all lines are shown. */
  readonly limit?: TruncateLimit;
  /** Shown lines that were cut to `maxColumns`. */
  readonly cutLines: number;
}

/** A line cut to so many code units, with a mark that says how many are missing. A pair of surrogates stays together. */
export function truncateLine(line: string, maxColumns: number): string {
  if (line.length <= maxColumns) return line;
  const code = line.charCodeAt(maxColumns - 1);
  const end = code >= 0xd800 && code <= 0xdbff ? maxColumns - 1 : maxColumns;
  return `${line.slice(0, end)}… [${line.length - end} more characters]`;
}

/** The first lines within limits. The mark of a cut line is not counted as part of it. */
export function truncate(lines: readonly string[], limits: TruncateLimits): Truncation {
  const { maxLines, maxBytes, maxColumns = Infinity } = limits;
  const kept: string[] = [];
  let bytes = 0;
  let cutLines = 0;
  let limit: TruncateLimit | undefined;
  for (const line of lines) {
    if (kept.length === maxLines) {
      limit = 'lines';
      break;
    }
    const shown = truncateLine(line, maxColumns);
    bytes += Buffer.byteLength(shown) + 1;
    if (bytes > maxBytes) {
      limit = 'bytes';
      break;
    }
    if (shown !== line) cutLines++;
    kept.push(shown);
  }
  return { lines: kept, total: lines.length, shown: kept.length, cutLines, ...(limit && { limit }) };
}
