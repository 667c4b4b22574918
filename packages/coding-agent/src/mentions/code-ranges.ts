/** A part of a string: UTF-16 offsets, `end` not included. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** Quoted and indented fences count too, and those that begin a list item: text in them is code to a reader. */
const fenceLine = /^(?:[ \t>]|(?:[-*+]|\d{1,9}[.)])(?=[ \t]))*(`{3,}(?=[^`]*$)|~{3,})/u;

/** Fenced code, fences included. An open fence reaches to the end, as Markdown has it. */
function fencedRanges(text: string): TextRange[] {
  const ranges: TextRange[] = [];
  let open: { readonly fence: string; readonly start: number } | undefined;
  for (const { 0: line, index: start } of text.matchAll(/[^\r\n]+/gu)) {
    if (open === undefined) {
      const fence = fenceLine.exec(line)?.[1];
      if (fence !== undefined) open = { fence, start };
    } else if (closes(line, open.fence)) {
      ranges.push({ start: open.start, end: start + line.length });
      open = undefined;
    }
  }
  if (open) ranges.push({ start: open.start, end: text.length });
  return ranges;
}

function closes(line: string, fence: string): boolean {
  const trimmed = line.replace(/^[ \t>]*/u, '').trimEnd();
  return trimmed.length >= fence.length && trimmed === (fence[0] ?? '').repeat(trimmed.length);
}

/** Inline code of a string without fences: from a run of backticks to the next run as long, within a paragraph. */
function inlineRanges(text: string, offset: number): TextRange[] {
  const ranges: TextRange[] = [];
  let from = offset;
  for (const paragraph of text.split(/(?<=\n[ \t]*\r?\n)/u)) {
    for (const { start, end } of pairedRuns(paragraph)) ranges.push({ start: from + start, end: from + end });
    from += paragraph.length;
  }
  return ranges;
}

function pairedRuns(paragraph: string): TextRange[] {
  const runs = Array.from(paragraph.matchAll(/`+/gu), ({ index, 0: run }) => ({
    start: index,
    end: index + run.length,
  }));
  // For each run, from the last: the next run of its length.
  const nextOf: (number | undefined)[] = [];
  const seen = new Map<number, number>();
  for (const [index, { start, end }] of [...runs.entries()].toReversed()) {
    nextOf[index] = seen.get(end - start);
    seen.set(end - start, index);
  }
  const ranges: TextRange[] = [];
  for (let index = 0; index < runs.length; index++) {
    const opening = runs[index];
    const closing = nextOf[index];
    if (opening === undefined || closing === undefined) continue;
    ranges.push({ start: opening.start, end: runs[closing]?.end ?? opening.end });
    index = closing;
  }
  return ranges;
}

/** Where a string is code, in order: what stands there mentions nothing. */
export function codeRanges(text: string): TextRange[] {
  const ranges: TextRange[] = [];
  let at = 0;
  for (const fenced of fencedRanges(text)) {
    ranges.push(...inlineRanges(text.slice(at, fenced.start), at), fenced);
    at = fenced.end;
  }
  return [...ranges, ...inlineRanges(text.slice(at), at)];
}
