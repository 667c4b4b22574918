import { structuredPatch } from 'diff';
import type { Splice } from './apply-edit.ts';
import { lineEndAt, lineEndBefore, lineNumberAt, lineStartOf, nextLineAfter, textStart } from './document.ts';
import type { ByteRange, TextDocument } from './document.ts';

/** A place where two versions differ, with the lines around it. Each line starts with a space, `-`, `+` or `\`. */
export interface DiffHunk {
  /** The first line, from 1, and the number of lines, of the old version. */
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
}

export interface FileDiff {
  readonly hunks: readonly DiffHunk[];
  readonly addedLines: number;
  readonly removedLines: number;
  /** Too much changed: `hunks` and the counts cover only a part. */
  readonly cut: boolean;
}

/** The maximum number of lines in a diff. */
const MAX_LINES = 2000;

/** The maximum number of changed lines that are compared one by one. The time is quadratic: about ten milliseconds for this many. */
const MAX_CHANGES = 500;

const CONTEXT_LINES = 3;

/** Returns the range of the lines that a splice touches with the lines around them, and the end of the touched lines. */
function surroundings(
  document: TextDocument,
  { start, end }: ByteRange,
): { readonly range: ByteRange; readonly touched: number } {
  let from = lineStartOf(document, start);
  for (let line = 0; line < CONTEXT_LINES && from > textStart(document); line++) {
    from = lineStartOf(document, from - lineEndBefore(document, from));
  }
  let to = end;
  if (lineEndBefore(document, to) === 0 || lineEndAt(document, to) > 0 || to === start)
    to = nextLineAfter(document, to);
  const touched = to;
  for (let line = 0; line < CONTEXT_LINES; line++) to = nextLineAfter(document, to);
  return { range: { start: from, end: to }, touched };
}

/** Groups splices that are close together, with the lines they touch. */
function regionsOf(document: TextDocument, splices: readonly Splice[]): { range: ByteRange; splices: Splice[] }[] {
  const regions: { range: ByteRange; splices: Splice[]; touched: number }[] = [];
  for (const splice of splices) {
    const last = regions.at(-1);
    // The splice is in a line that the region has already: a line may have very many splices.
    if (last && splice.end < last.touched) {
      last.splices.push(splice);
      continue;
    }
    const { range: around, touched } = surroundings(document, splice);
    if (last && around.start <= last.range.end) {
      last.range = { start: last.range.start, end: Math.max(last.range.end, around.end) };
      last.touched = touched;
      last.splices.push(splice);
    } else {
      regions.push({ range: around, splices: [splice], touched });
    }
  }
  return regions;
}

function compareTexts(before: string, after: string): DiffHunk[] {
  const options = { context: CONTEXT_LINES, maxEditLength: MAX_CHANGES };
  return structuredPatch('', '', before, after, '', '', options)?.hunks ?? [wholeHunk(before, after)];
}

/** Makes one hunk of all lines between the first and the last that differ. */
function wholeHunk(before: string, after: string): DiffHunk {
  const linesOf = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/gu) ?? [];
  const [old, changed] = [linesOf(before), linesOf(after)];
  const shorter = Math.min(old.length, changed.length);
  let same = 0;
  while (same < shorter && old[same] === changed[same]) same++;
  let equalTail = 0;
  while (equalTail < shorter - same && old.at(-1 - equalTail) === changed.at(-1 - equalTail)) equalTail++;
  const start = Math.max(0, same - CONTEXT_LINES);
  const tail = Math.min(equalTail, CONTEXT_LINES);
  const marked = (sign: string, lines: readonly string[]): string[] =>
    lines.flatMap((line) =>
      line.endsWith('\n') ? sign + line.slice(0, -1) : [sign + line, '\\ No newline at end of file'],
    );
  return {
    oldStart: start + 1,
    oldLines: old.length - start - equalTail + tail,
    newStart: start + 1,
    newLines: changed.length - start - equalTail + tail,
    lines: [
      ...marked(' ', old.slice(start, same)),
      ...marked('-', old.slice(same, old.length - equalTail)),
      ...marked('+', changed.slice(same, changed.length - equalTail)),
      ...marked(' ', old.slice(old.length - equalTail, old.length - equalTail + tail)),
    ],
  };
}

function summarize(all: readonly DiffHunk[]): FileDiff {
  const hunks: DiffHunk[] = [];
  let lines = 0;
  for (const hunk of all) {
    lines += hunk.lines.length;
    if (lines > MAX_LINES) break;
    hunks.push(hunk);
  }
  const starting = (sign: string): number =>
    hunks.reduce((sum, hunk) => sum + hunk.lines.filter((line) => line.startsWith(sign)).length, 0);
  const cut = hunks.length < all.length;
  return { hunks, addedLines: starting('+'), removedLines: starting('-'), cut };
}

/** Returns the difference that splices make. It reads only the lines around them. */
export function diffOfSplices(document: TextDocument, splices: readonly Splice[]): FileDiff {
  const { bytes, encoding } = document;
  const hunks: DiffHunk[] = [];
  let shift = 0;
  for (const { range, splices: inside } of regionsOf(document, splices)) {
    const parts: Buffer[] = [];
    let at = range.start;
    for (const splice of inside) {
      parts.push(bytes.subarray(at, splice.start), splice.bytes);
      at = splice.end;
    }
    parts.push(bytes.subarray(at, range.end));
    const before = encoding.decode(bytes.subarray(range.start, range.end));
    const found = compareTexts(before, encoding.decode(Buffer.concat(parts)));
    const linesBefore = lineNumberAt(document, range.start) - 1;
    for (const hunk of found) {
      const oldStart = hunk.oldStart + linesBefore;
      hunks.push({ ...hunk, oldStart, newStart: hunk.newStart + linesBefore + shift });
    }
    shift += found.reduce((sum, hunk) => sum + hunk.newLines - hunk.oldLines, 0);
  }
  return summarize(hunks);
}

export function diffOfTexts(before: string, after: string): FileDiff {
  return summarize(compareTexts(before, after));
}

/** Formats hunks like `diff -u`, without file names. */
export function formatHunks(hunks: readonly DiffHunk[]): string {
  // A side without lines has the number of the line before.
  const side = (start: number, lines: number): string => `${lines === 0 ? start - 1 : start},${lines}`;
  return hunks
    .map((hunk) => {
      const places = `@@ -${side(hunk.oldStart, hunk.oldLines)} +${side(hunk.newStart, hunk.newLines)} @@`;
      return [places, ...hunk.lines].join('\n');
    })
    .join('\n');
}
