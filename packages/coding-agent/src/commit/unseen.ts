import { truncate } from '@cairn/tool/internal';
import { lineAt, lineEndBefore, lineNumberAt, linesFrom, textOfRange, textStart } from '../edit/document.ts';
import type { TextDocument } from '../edit/document.ts';
import { isBinary } from '../edit/encoding.ts';
import { wholeOf, type SeenRange, type SeenRanges } from '../files/seen.ts';

const MAX_LINES = 60;
const MAX_BYTES = 6 * 1024;
const MAX_COLUMNS = 500;

const MAX_NAMED = 5;

export interface LineRange {
  readonly first: number;
  readonly last: number;
}

/** Returns the lines that have a byte in one of the parts. */
export function lineRangesOf(document: TextDocument, parts: SeenRanges): LineRange[] {
  const ranges: { first: number; last: number }[] = [];
  for (const { start, end } of parts) {
    const first = lineNumberAt(document, start);
    const last = lineNumberAt(document, Math.max(start, end - document.encoding.unit));
    const before = ranges.at(-1);
    if (before && first <= before.last + 1) before.last = last;
    else ranges.push({ first, last });
  }
  return ranges;
}

/** Returns the ranges as `lines 3-9, 12 and 40-80`. */
export function formatRanges(ranges: readonly LineRange[]): string {
  const names = ranges.slice(0, MAX_NAMED).map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`));
  const more = ranges.length - names.length;
  const all = more > 0 ? [...names, `${more} more ranges`] : names;
  const [only] = all;
  if (only !== undefined && all.length === 1) return `${only.includes('-') ? 'lines' : 'line'} ${only}`;
  return `lines ${all.slice(0, -1).join(', ')} and ${all.at(-1)}`;
}

function countLines(document: TextDocument): number {
  const { length } = document.bytes;
  if (length <= textStart(document)) return 0;
  return lineNumberAt(document, length) - (lineEndBefore(document, length) > 0 ? 1 : 0);
}

/** Shows the first lines of the parts, as much as fits: at least one line. A line that is cut counts as shown. */
export function showParts(
  document: TextDocument,
  parts: SeenRanges,
  path: string,
): { readonly context: string; readonly seen: SeenRanges } {
  const { bytes, encoding } = document;
  const seen: SeenRange[] = [];
  const blocks: string[] = [];
  let [linesLeft, bytesLeft, cutLines] = [MAX_LINES, MAX_BYTES, 0];
  const total = countLines(document);
  if (isBinary(bytes, encoding)) {
    return { context: `${path} is now a binary file of ${bytes.length} bytes.`, seen: wholeOf(bytes.length) };
  }
  if (total === 0) return { context: `${path} is now empty.`, seen: wholeOf(bytes.length) };
  for (const part of parts) {
    const start = lineAt(document, part.start).start;
    if (start >= bytes.length || linesLeft === 0) break;
    const from = Math.max(start, seen.at(-1)?.end ?? 0);
    const lines: string[] = [];
    const ends: number[] = [];
    for (const line of linesFrom(document, from)) {
      if (line.start >= part.end || lines.length === linesLeft) break;
      lines.push(textOfRange(document, line));
      ends.push(line.next);
    }
    if (lines.length === 0) continue;
    const page = truncate(lines, { maxLines: linesLeft, maxBytes: bytesLeft, maxColumns: MAX_COLUMNS });
    if (page.shown === 0) break;
    const first = lineNumberAt(document, from);
    const range = `lines ${first}-${first + page.shown - 1} of ${total}`;
    blocks.push(`${path} as it is now (${range}):`, ...page.lines);
    seen.push({ start: first === 1 ? 0 : from, end: ends[page.shown - 1] ?? from });
    linesLeft -= page.shown;
    bytesLeft -= Buffer.byteLength(page.lines.join('\n')) + 1;
    cutLines += page.cutLines;
    if (page.limit !== undefined) break;
  }
  if (cutLines > 0) blocks.push(`[${cutLines} ${cutLines === 1 ? 'line' : 'lines'} cut to ${MAX_COLUMNS} characters]`);
  return { context: blocks.join('\n'), seen };
}
