import { structuredPatch } from 'diff';
import type { Splice } from './apply-edit.ts';
import { lineAt, lineEndAt, lineEndBefore, lineNumberAt, textStart, type TextDocument } from './document.ts';

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

const MAX_LINES = 2000;

/** The maximum number of changed lines that are compared one by one. The time is quadratic: about ten milliseconds for this many. */
const MAX_CHANGES = 500;

const CONTEXT_LINES = 3;

/** The lines that splices touch with the lines around them, and the end of the touched lines. */
interface Region {
  readonly start: number;
  end: number;
  touched: number;
  readonly splices: Splice[];
}

function regionOf(document: TextDocument, splice: Splice): Region {
  let start = lineAt(document, splice.start).start;
  for (let line = 0; line < CONTEXT_LINES && start > textStart(document); line++) {
    start = lineAt(document, start - lineEndBefore(document, start)).start;
  }
  let { end } = splice;
  const isLineStart = lineEndBefore(document, end) > 0 && lineEndAt(document, end) === 0;
  if (!isLineStart || end === splice.start) end = lineAt(document, end).next;
  const touched = end;
  for (let line = 0; line < CONTEXT_LINES; line++) end = lineAt(document, end).next;
  return { start, end, touched, splices: [splice] };
}

/** Groups splices that are close together. */
function regionsOf(document: TextDocument, splices: readonly Splice[]): Region[] {
  const regions: Region[] = [];
  for (const splice of splices) {
    const last = regions.at(-1);
    // The splice is in a line that the region has already: a line may have very many splices.
    const next = last && splice.end < last.touched ? last : regionOf(document, splice);
    if (last && next.start <= last.end) {
      last.end = Math.max(last.end, next.end);
      last.touched = next.touched;
      last.splices.push(splice);
    } else {
      regions.push(next);
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
  for (const { start, end, splices: inside } of regionsOf(document, splices)) {
    const parts: Buffer[] = [];
    let at = start;
    for (const splice of inside) {
      parts.push(bytes.subarray(at, splice.start), splice.bytes);
      at = splice.end;
    }
    parts.push(bytes.subarray(at, end));
    const before = encoding.decode(bytes.subarray(start, end));
    const found = compareTexts(before, encoding.decode(Buffer.concat(parts)));
    const linesBefore = lineNumberAt(document, start) - 1;
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
