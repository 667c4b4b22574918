import type { ToolError } from '@cairn/tool';
import { hunkLineOf, invalidPatch, parseHunkStart, shown } from './file-patch.ts';
import type { HunkLine, PatchHunk, PatchLines } from './file-patch.ts';

export const isBlank = (line: string): boolean => line.trim() === '';

/** Whether the lines that name a file begin here: no line of a hunk starts like `diff --git`, but one may start like `---`. */
export function isFileStart({ lines }: PatchLines, at: number): boolean {
  if (lines[at]?.startsWith('diff --git ')) return true;
  return (lines[at]?.startsWith('--- ') ?? false) && (lines[at + 1]?.startsWith('+++ ') ?? false);
}

/**
 * Whether a mail ends here with its signature: `-- `, the version of git, and an empty line. A hunk has no line that starts with a
 * digit, unless its sign is lost.
 */
export function isSignature({ lines }: PatchLines, at: number): boolean {
  const [dashes = '', version = '', after = ''] = lines.slice(at, at + 3);
  return /^-- ?$/u.test(dashes) && /^\d+\.\d[\w.() -]*$/u.test(version) && isBlank(after);
}

export function notInHunk(line: string, lineNumber: number): ToolError {
  const hint = "Start each line of a hunk with a space, '-' or '+', and leave out what is not part of the diff.";
  return invalidPatch(`${shown(line)} is not part of a file's change`, lineNumber, hint);
}

type Counts = Record<'old' | 'new', number>;

function isShortOf(counts: Counts, stated: Counts | undefined): boolean {
  return stated !== undefined && (counts.old < stated.old || counts.new < stated.new);
}

interface Body {
  readonly lines: HunkLine[];
  readonly counts: Counts;
  oldLacksEnd: boolean;
  newLacksEnd: boolean;
}

function addLine({ lines, counts, oldLacksEnd, newLacksEnd }: Body, line: HunkLine, lineNumber: number): void {
  if ((oldLacksEnd && line.kind !== '+') || (newLacksEnd && line.kind !== '-')) {
    throw invalidPatch("a line follows the one that '\\ No newline at end of file' says is the last", lineNumber);
  }
  lines.push(line);
  if (line.kind !== '+') counts.old++;
  if (line.kind !== '-') counts.new++;
}

function markLast(body: Body, lineNumber: number): void {
  const last = body.lines.at(-1)?.kind;
  if (last === undefined) throw invalidPatch('it follows no line of a hunk', lineNumber);
  body.oldLacksEnd ||= last !== '+';
  body.newLacksEnd ||= last !== '-';
}

/**
 * Whether a hunk ends where two lines look like the names of a file and a hunk follows. They can also remove `-- ` and add `++ `.
 * In a diff, a hunk without context has no lines after its changes, so its counts decide; any other ends with context.
 */
function endsAtFileStart(reader: PatchLines, { lines, counts }: Body, stated: Counts | undefined): boolean {
  const { at } = reader;
  if (lines.length === 0 || !isFileStart(reader, at) || !reader.lines[at + 2]?.startsWith('@@')) return false;
  const isCounted = stated !== undefined && counts.old < stated.old && counts.new < stated.new;
  return !(isCounted && lines.every(({ kind }) => kind !== ' '));
}

/** Reads the lines of a hunk by their signs. A line without one ends it. */
function readBody(reader: PatchLines, stated: Counts | undefined): Body {
  const isCrlfPatch = reader.isCrlf(reader.at);
  const body: Body = { lines: [], counts: { old: 0, new: 0 }, oldLacksEnd: false, newLacksEnd: false };
  // Editors remove trailing whitespace, so an empty line is one of context, unless it only separates the hunk from what follows.
  let blank: HunkLine[] = [];
  const keepBlank = (most: number = Infinity): void => {
    for (const line of blank.slice(0, most)) addLine(body, line, reader.at);
    blank = [];
  };
  for (reader.at++; reader.at < reader.lines.length; reader.at++) {
    const line = reader.lines[reader.at] ?? '';
    if (line === '') {
      blank.push(hunkLineOf(reader, ' ', isCrlfPatch));
      continue;
    }
    const kind = line.charAt(0);
    if (kind === '\\' && line.startsWith('\\ ')) {
      keepBlank();
      markLast(body, reader.at + 1);
      continue;
    }
    if (kind !== ' ' && kind !== '-' && kind !== '+') break;
    if ((isSignature(reader, reader.at) && !isShortOf(body.counts, stated)) || endsAtFileStart(reader, body, stated))
      break;
    keepBlank();
    addLine(body, hunkLineOf(reader, kind, isCrlfPatch), reader.at + 1);
  }
  const missing = (stated?.old ?? 0) - body.counts.old;
  const isMissingOnBoth = stated !== undefined && missing === stated.new - body.counts.new;
  if (isMissingOnBoth && missing <= blank.length) keepBlank(missing);
  return body;
}

/**
 * Reads the hunk of a unified diff that begins at the current line. Its numbers are hints: they tell whether the diff is cut off,
 * whether empty lines at the end belong to it, and where lines go that have no context.
 *
 * @throws {ToolError} `INVALID_PATCH`.
 */
export function readUnifiedHunk(reader: PatchLines): PatchHunk {
  const lineNumber = reader.at + 1;
  const first = reader.lines[reader.at] ?? '';
  if (first.startsWith('@@@')) {
    const what = 'it is the diff of a merge, which patch cannot apply';
    throw invalidPatch(what, lineNumber, 'Give the diff to one parent.');
  }
  const { range, anchor } = parseHunkStart(first);
  const stated = range && { old: range.oldCount, new: range.newCount };
  const { lines, counts, oldLacksEnd, newLacksEnd } = readBody(reader, stated);
  if (stated && isShortOf(counts, stated) && reader.lines.slice(reader.at).every(isBlank)) {
    const summary = `the last hunk has ${counts.old} old and ${counts.new} new lines, but ${shown(first)} says ${stated.old} and ${stated.new}, so the patch may be cut off`;
    throw invalidPatch(summary, lineNumber, 'Give the whole hunk, or correct its numbers.');
  }
  if (lines.every(({ kind }) => kind === ' ')) {
    const next = reader.lines[reader.at] ?? '';
    if (isBlank(next) || next.startsWith('@@') || isFileStart(reader, reader.at)) {
      throw invalidPatch('the hunk changes nothing', lineNumber);
    }
    throw notInHunk(next, reader.at + 1);
  }
  const isPlaced = counts.old > 0 || range?.oldCount === 0 || anchor !== undefined;
  if (!isPlaced) {
    const summary = `the hunk shows no old line, so the place of its new lines is unknown: ${shown(first)}`;
    throw invalidPatch(summary, lineNumber, 'Add the lines around the change, each with a space before it.');
  }
  // Without old lines, the number is the line before.
  const isMisnumbered = range?.oldCount === 0 && counts.old > 0;
  return {
    lines,
    anchors: anchor === undefined ? [] : [anchor],
    lineNumber: isMisnumbered ? undefined : range?.oldStart,
    isAtEnd: oldLacksEnd,
    oldLacksEnd,
    newLacksEnd,
  };
}
