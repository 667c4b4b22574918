import { ToolError } from '@cairn/tool';
import { joinSplices, spliceAt, type AppliedEdits, type Splice } from '../edit/apply-edit.ts';
import { lineEndBefore, lineEndNear, lineNumberAt, textOfRange, textStart } from '../edit/document.ts';
import type { TextDocument } from '../edit/document.ts';
import { encodeText } from '../edit/encoding.ts';
import { Finder, type Tier } from '../edit/find-text.ts';
import type { Found } from '../edit/found.ts';
import { fold, type TextLine } from '../edit/lines.ts';
import type { HunkLine, PatchHunk } from './file-patch.ts';

/** Returns the lines of a hunk on one side. An empty last line stands for the line ending of the line before. */
function sideOf({ lines, oldLacksEnd, newLacksEnd }: PatchHunk, side: '-' | '+'): HunkLine[] {
  const own = lines.filter(({ kind }) => kind === ' ' || kind === side);
  return (side === '-' ? oldLacksEnd : newLacksEnd) ? own : [...own, { kind: ' ', text: '' }];
}

const MARK = '\ufeff';

/**
 * Returns a hunk without the byte order mark that a diff shows as the first character of the file.
 *
 * @throws {ToolError} `ENCODING` when the hunk removes the mark.
 */
function withoutMark(document: TextDocument, hunk: PatchHunk, path: string): PatchHunk {
  const [old, created] = (['-', '+'] as const).map((side) => sideOf(hunk, side)[0]);
  if (document.encoding.mark.length === 0 || !old?.text.startsWith(MARK)) return hunk;
  if (!created?.text.startsWith(MARK)) {
    const hint = 'Leave the mark in the first line, or write the whole file.';
    throw new ToolError('ENCODING', [`The patch removes the byte order mark of ${path}`, hint], { path });
  }
  const lines = hunk.lines.map((line) =>
    line === old || line === created ? { ...line, text: line.text.slice(MARK.length) } : line,
  );
  return { ...hunk, lines };
}

function lineEnds({ encoding }: TextDocument): readonly [crlf: Buffer, lf: Buffer] {
  const encode = (text: string): Buffer => encoding.encode(text) ?? Buffer.from(text);
  return [encode('\r\n'), encode('\n')];
}

/**
 * Returns the line ends of the new lines as the patch has them. `undefined` when the old lines end differently in the file: then
 * the patch does not show line ends, and new lines end like their neighbours.
 */
function ownLineEnds(document: TextDocument, found: Found, hunk: PatchHunk): Buffer[] | undefined {
  const [crlf, lf] = lineEnds(document);
  const known = sideOf(hunk, '-').flatMap(({ isCrlf }, index) => {
    const [above, below] = [found.place[index], found.place[index + 1]];
    return above && below ? [isCrlf === document.bytes.subarray(above.end, below.start).equals(crlf)] : [];
  });
  const isExact = known.every(Boolean) && (known.length > 0 || hunk.lines.some(({ isCrlf }) => isCrlf));
  return isExact ? sideOf(hunk, '+').map(({ isCrlf }) => (isCrlf ? crlf : lf)) : undefined;
}

/** The line of a hunk's last anchor. */
type AnchorPlace = Pick<TextLine, 'start' | 'next'>;

function isAnchor({ text }: TextLine, anchor: string): boolean {
  return fold(text).trim() === fold(anchor).trim();
}

/** Returns the place of the anchors, one below the other; the anchor that is not there, as text. */
function findAnchors(lines: readonly TextLine[], anchors: readonly string[], from: number): AnchorPlace | string {
  let place: AnchorPlace = { start: from, next: from };
  for (const anchor of anchors) {
    const { next } = place;
    const rest = lines.filter(({ start }) => start >= next);
    const equal = rest.find((line) => isAnchor(line, anchor));
    const beginning = rest.filter(({ text }) => fold(text).trim().startsWith(fold(anchor).trim()));
    const found = equal ?? (beginning.length === 1 ? beginning[0] : undefined);
    if (found === undefined) return anchor;
    place = found;
  }
  return place;
}

/**
 * Returns the first place of the anchors; without anchors, the end of the previous hunk.
 *
 * @throws {ToolError} `NO_MATCH`.
 */
function anchorOf(lines: readonly TextLine[], hunk: PatchHunk, { from, path }: Wanted): AnchorPlace {
  const found = findAnchors(lines, hunk.anchors, from);
  if (typeof found !== 'string') return found;
  const hint = 'The text after @@ must be a line above the change and after the previous hunk.';
  throw new ToolError('NO_MATCH', [`The line '@@ ${found}' was not found in ${path}`, hint], { path });
}

/** Returns the next place of the anchors, below a place that the first one leads to. */
function nextAnchorOf(lines: readonly TextLine[], { anchors }: PatchHunk, from: number): AnchorPlace | undefined {
  const [first] = anchors;
  const again = first === undefined ? undefined : lines.find((line) => line.start >= from && isAnchor(line, first));
  const found = again && findAnchors(lines, anchors, again.start);
  return typeof found === 'string' ? undefined : found;
}

/** Chooses among several places: the one at the hunk's line number, else the one that order and anchors leave. */
function choose(
  found: readonly Found[],
  hunk: PatchHunk,
  from: number,
  { document, lines }: { readonly document: TextDocument; readonly lines: readonly TextLine[] },
): Found | undefined {
  if (found.length === 1) return found[0];
  const named = found.find((one) => lineNumberAt(document, one.start) === hunk.lineNumber);
  if (named) return named;
  if (hunk.isAtEnd) return found.find((one) => one.end === document.bytes.length);
  const later = found.filter((one) => one.start >= from);
  const [first, ...others] = later;
  if (others.length === 0) return first;
  if (first === undefined || hunk.anchors.length === 0) return undefined;
  // A line that is repeated, too, tells no places apart.
  const next = nextAnchorOf(lines, hunk, first.end);
  return next && others.some((one) => one.start >= next.start) ? undefined : first;
}

/**
 * Returns where added lines go when the hunk has no old lines: after its line number, else after its anchors, else at the end.
 *
 * @throws {ToolError} `NO_MATCH` when there is no such line, `AMBIGUOUS` when there are several.
 */
function insertionPoint(document: TextDocument, lines: readonly TextLine[], hunk: PatchHunk, wanted: Wanted): number {
  const { length } = document.bytes;
  if (hunk.lineNumber === undefined) {
    if (hunk.anchors.length === 0) return length;
    const { next } = anchorOf(lines, hunk, wanted);
    if (nextAnchorOf(lines, hunk, next) === undefined) return next;
    const summary = `The line '@@ ${hunk.anchors[0]}' occurs more than once in ${wanted.path}, so the place of ${wanted.name} is unknown`;
    const hint = 'Give the lines around the change, each with a space before it.';
    throw new ToolError('AMBIGUOUS', [summary, hint], { path: wanted.path });
  }
  const count = lines.at(-1)?.start === length ? lines.length - 1 : lines.length;
  if (hunk.lineNumber > count) {
    const summary = `${wanted.path} has ${count === 1 ? '1 line' : `${count} lines`}, so nothing can be inserted after line ${hunk.lineNumber}`;
    throw new ToolError('NO_MATCH', [summary, `Give a line from 0 to ${count}.`], { path: wanted.path });
  }
  return lines[hunk.lineNumber]?.start ?? length;
}

function insertion(document: TextDocument, hunk: PatchHunk, offset: number, { name, path }: Wanted): Splice {
  if (hunk.newLacksEnd && offset < document.bytes.length) throw notAtEnd(name, path);
  const near = lineEndNear(document, offset);
  const [crlf, lf] = lineEnds(document);
  const showsEnds = hunk.lines.some(({ isCrlf }) => isCrlf);
  const added = hunk.lines.map(({ text }) => encodeText(document.encoding, text, path));
  const endings = hunk.lines.map(({ isCrlf }) => (isCrlf ? crlf : showsEnds ? lf : near));
  const isBehindOpenLine = offset > textStart(document) && lineEndBefore(document, offset) === 0;
  const parts = isBehindOpenLine
    ? added.flatMap((line) => [near, line])
    : added.flatMap((line, index) =>
        hunk.newLacksEnd && index === added.length - 1 ? [line] : [line, endings[index] ?? near],
      );
  return { start: offset, end: offset, bytes: Buffer.concat(parts) };
}

function notAtEnd(name: string, path: string): ToolError {
  const summary = `${name} says that its last line has no line end, but more lines follow it in ${path}`;
  return new ToolError('NO_MATCH', [summary, "Leave out '\\ No newline at end of file'."], { path });
}

/**
 * Rejects lines of context that fit when each is one space deeper. Either they lack the sign of the format, and the added lines do
 * not; or all of them lack one space of indentation.
 */
function requireSigns(document: TextDocument, found: Found, hunk: PatchHunk, { name, path }: Wanted): void {
  const isShifted = sideOf(hunk, '-').every(({ kind, text }, index) => {
    const line = found.place[index];
    return text.trim() === '' || !line || (kind === ' ' && textOfRange(document, line) === ` ${text}`);
  });
  if (!isShifted) return;
  const summary = `The lines of context of ${name} fit ${path} only with one more space before each`;
  const hint = 'Start each line of context with a space, followed by the whole line of the file.';
  throw new ToolError('NO_MATCH', [summary, hint], { path });
}

function locate(
  document: TextDocument,
  finder: Finder,
  given: PatchHunk,
  wanted: Wanted,
): { readonly splice: Splice; readonly tier: Tier } {
  const { path } = wanted;
  const lines = finder.lines();
  const hunk = withoutMark(document, given, path);
  const textsOf = (side: '-' | '+'): string[] => sideOf(hunk, side).map(({ text }) => text);
  const [oldLines, newLines] = [textsOf('-'), textsOf('+')];
  if (hunk.lines.every(({ kind }) => kind === '+')) {
    const at = insertionPoint(document, lines, hunk, wanted);
    return { splice: insertion(document, hunk, at, wanted), tier: 'exact' };
  }
  const isWholeLines = (one: Found): boolean => {
    const isStart = one.start === textStart(document) || lineEndBefore(document, one.start) > 0;
    return isStart && (oldLines.at(-1) === '' || one.end === document.bytes.length);
  };
  const anchor = anchorOf(lines, hunk, wanted);
  // A place above the anchor is not the one that is meant, be it the only one; the anchor's line is often repeated.
  const isBelowAnchor = (one: Found): boolean => hunk.anchors.length === 0 || one.start >= anchor.start;
  const hits = finder.search({ oldLines, newLines }, (one) => isWholeLines(one) && isBelowAnchor(one));
  if (!hits) throw finder.noMatch(oldLines, wanted);
  const found = choose(hits.found, hunk, anchor.start, { document, lines });
  if (!found) throw finder.ambiguous(hits.found, wanted);
  if (hunk.newLacksEnd && found.end < document.bytes.length) throw notAtEnd(wanted.name, path);
  if (hits.tier === 'indentation') requireSigns(document, found, hunk, wanted);
  const newEnds = ownLineEnds(document, found, hunk);
  // A line whose end changes is another line.
  const marked = (side: '-' | '+'): string[] =>
    sideOf(hunk, side).map(({ text, isCrlf }) => (newEnds && isCrlf ? `${text}\r` : text));
  const replacement = { ...found, oldLines: marked('-'), rawNewLines: marked('+'), newEnds, path };
  return { splice: spliceAt(document, replacement), tier: hits.tier };
}

interface Wanted {
  /** The end of the previous hunk. */
  readonly from: number;
  readonly name: string;
  readonly path: string;
}

/**
 * Applies the hunks of a patch to a file. Each is found like an edit, by whole lines; several places are told apart by line
 * number, anchors and order.
 *
 * @throws {ToolError} `NO_MATCH`, `AMBIGUOUS`, `OVERLAP`, `ENCODING`.
 */
export function applyHunks(document: TextDocument, hunks: readonly PatchHunk[], path: string): AppliedEdits {
  const finder = new Finder(document);
  let from = textStart(document);
  const located = hunks.map((hunk, index) => {
    const found = locate(document, finder, hunk, { from, name: `hunk ${index + 1}`, path });
    from = Math.max(from, found.splice.end);
    return found;
  });
  const splices = located.map(({ splice }, index) => ({ ...splice, name: `hunk ${index + 1}` }));
  for (const [index, hunk] of hunks.entries()) {
    const isFollowed = splices.some(({ start }, other) => other !== index && start === document.bytes.length);
    if (hunk.newLacksEnd && isFollowed) throw notAtEnd(`hunk ${index + 1}`, path);
  }
  const lineNumbersOf = ({ start }: Splice): number[] => [lineNumberAt(document, start)];
  const edits = located.map(({ tier, splice }) => ({ tier, replacements: 1, lineNumbers: lineNumbersOf(splice) }));
  return { ...joinSplices(document, splices), edits };
}
