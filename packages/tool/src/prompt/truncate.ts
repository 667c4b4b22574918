import { checkArguments } from '../kernel/tool-error.ts';

interface TruncateLimits {
  readonly maxLines: number;
  /** Bytes of the whole text in UTF-8, line ends included. */
  readonly maxBytes: number;
  /** UTF-16 code units of one line. Default: no limit. */
  readonly maxColumns?: number | undefined;
}

/** The lines that fit into limits, and what was cut. */
interface Truncation {
  readonly lines: readonly string[];
  /** The number of lines before the cut. */
  readonly total: number;
  readonly shown: number;
  /** Absent when all lines are shown. */
  readonly limit?: 'lines' | 'bytes';
  /** The number of shown lines that were cut to `maxColumns`. */
  readonly cutLines: number;
}

/** Returns the first code units of a string, one fewer if they would end within a surrogate pair. */
export function startOf(text: string, length: number): string {
  if (text.length <= length) return text;
  return text.slice(0, Math.max(0, length)).replace(/[\uD800-\uDBFF]$/, '');
}

/** Cuts a line to N code units and appends how many are missing. A surrogate pair stays together. */
export function truncateLine(line: string, maxColumns: number): string {
  if (line.length <= maxColumns) return line;
  const start = startOf(line, maxColumns);
  return `${start}… [${line.length - start.length} more characters]`;
}

/** Returns the first lines that fit into limits. The mark at the end of a cut line does not count as part of the line. */
export function truncate(lines: readonly string[], limits: TruncateLimits): Truncation {
  checkArguments.options('truncate', limits, { maxLines: 'required', maxBytes: 'required', maxColumns: 'optional' });
  const { maxLines, maxBytes, maxColumns = Infinity } = limits;
  const kept: string[] = [];
  let bytes = 0;
  let cutLines = 0;
  for (const line of lines) {
    if (kept.length === maxLines) break;
    const shown = truncateLine(line, maxColumns);
    bytes += Buffer.byteLength(shown) + 1;
    if (bytes > maxBytes) break;
    if (shown !== line) cutLines++;
    kept.push(shown);
  }
  const limit = bytes > maxBytes ? 'bytes' : 'lines';
  return {
    lines: kept,
    total: lines.length,
    shown: kept.length,
    cutLines,
    ...(kept.length < lines.length && { limit }),
  };
}
