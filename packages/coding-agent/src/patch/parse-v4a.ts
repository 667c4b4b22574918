import { unquotePath } from '@cairn/tool/paths';
import { hunkLineOf, invalidPatch, parseHunkStart, patchLines, shown } from './file-patch.ts';
import type { FilePatch, HunkLine, PatchHunk, PatchLines } from './file-patch.ts';

/**
 * How a line of an update is read that is a marker of the format with whitespace before it. `signs`: as a line of context, because a
 * space is its sign. `markers`: as the marker.
 */
export type Reading = 'signs' | 'markers';

/** The lines of a patch, and whether the lines of the patch itself end with CRLF. */
interface Reader extends PatchLines {
  readonly isCrlfPatch: boolean;
  readonly reading: Reading;
}

const BEGIN = '*** Begin Patch';
const END = '*** End Patch';
const END_OF_FILE = '*** End of File';

/** Returns the path after a prefix, without the quotes in which answers show some names. */
function pathAfter(line: string, at: number, prefix: string): string | undefined {
  if (!line.startsWith(prefix)) return undefined;
  const path = unquotePath(line.slice(prefix.length).trim());
  if (path === '') throw invalidPatch(`'${prefix}' names no file`, at + 1);
  return path;
}

function isSection(line: string): boolean {
  return /^\*\*\* (?:Add|Update|Delete) File:|^\*\*\* End Patch\s*$/u.test(line);
}

const paddedMarker = /^[^\S\n]+(?:@@|\*\*\* (?:(?:Add|Update|Delete) File:|Move to:|End of File|End Patch))/mu;

/** Whether a patch has a line that the two readings could take differently. */
export function hasTwoReadings(text: string): boolean {
  return paddedMarker.test(text);
}

/** Returns a line of an update as the marker that it is, if it is one. */
function markerIn({ lines, reading }: Reader, at: number): string {
  const line = lines[at] ?? '';
  return reading === 'markers' ? line.trimStart() : line;
}

function readAdded(reader: Reader): string {
  const content: string[] = [];
  for (; reader.at < reader.lines.length; reader.at++) {
    const line = reader.lines[reader.at] ?? '';
    // A line of the file would start with '+'.
    if (isSection(line.trimStart())) break;
    if (!line.startsWith('+')) {
      throw invalidPatch(`a line of a new file does not start with '+': ${shown(line)}`, reader.at + 1);
    }
    const { text, isCrlf = false } = hunkLineOf(reader, '+', reader.isCrlfPatch);
    content.push(isCrlf ? `${text}\r\n` : `${text}\n`);
  }
  return content.join('');
}

function readHunk(reader: Reader, path: string): PatchHunk | undefined {
  const from = reader.at;
  const anchors: string[] = [];
  for (; markerIn(reader, reader.at).startsWith('@@'); reader.at++) {
    const { anchor } = parseHunkStart(markerIn(reader, reader.at));
    if (anchor !== undefined) anchors.push(anchor);
  }
  const lines: HunkLine[] = [];
  // Editors remove trailing whitespace, so an empty line is one of context, unless it only separates sections.
  let blank: HunkLine[] = [];
  let isAtEnd = false;
  for (; reader.at < reader.lines.length && !isAtEnd; reader.at++) {
    const line = reader.lines[reader.at] ?? '';
    const marker = markerIn(reader, reader.at);
    if (isSection(marker) || marker.startsWith('@@')) break;
    isAtEnd = marker.trimEnd() === END_OF_FILE;
    if (isAtEnd) continue;
    const kind = line.charAt(0) || ' ';
    if (kind !== ' ' && kind !== '-' && kind !== '+') {
      const what = `a line of a hunk starts with '${kind}', not with a space, '-' or '+': ${shown(line)}`;
      throw invalidPatch(what, reader.at + 1);
    }
    blank.push(hunkLineOf(reader, kind, reader.isCrlfPatch));
    if (line === '') continue;
    lines.push(...blank);
    blank = [];
  }
  if (lines.some(({ kind }) => kind !== ' ')) {
    const isPlaced = anchors.length > 0 || isAtEnd || lines.some(({ kind }) => kind !== '+');
    if (blank.length > 0 && !isPlaced) {
      const hint = `Give each empty line of context a space; end what goes to the end of the file with '${END_OF_FILE}'.`;
      throw invalidPatch('the place of the added lines is unknown: an empty line follows them', from + 1, hint);
    }
    return { lines, anchors, isAtEnd, oldLacksEnd: false, newLacksEnd: false };
  }
  const isEmpty = reader.lines.slice(from, reader.at).every((line) => line === '');
  if (!isEmpty) throw invalidPatch(`a hunk of ${shown(path)} changes nothing`, from + 1);
  return undefined;
}

function readHunks(reader: Reader, path: string): PatchHunk[] {
  const hunks: PatchHunk[] = [];
  while (reader.at < reader.lines.length && !isSection(markerIn(reader, reader.at))) {
    const { at } = reader;
    const hunk = readHunk(reader, path);
    if (hunk && hunks.at(-1)?.isAtEnd && !markerIn(reader, at).startsWith('@@')) {
      throw invalidPatch(`lines of a hunk follow '${END_OF_FILE}'`, at + 1, "Start another hunk with '@@'.");
    }
    if (hunk) hunks.push(hunk);
  }
  return hunks;
}

/** Text around a patch, such as the end of a here-document, is not part of it. Changes there would be lost, so they are rejected. */
function requireText({ lines }: Reader, start: number, end: number, where: string): void {
  const change =
    /^(?:\*\*\* (?!End Patch\s*$)|\s*\*\*\* (?:Begin Patch|(?:Add|Update|Delete) File:|Move to:)|@@|[-+]|diff --git )/u;
  const at = lines.findIndex((line, index) => index >= start && index < end && change.test(line));
  if (at === -1) return;
  throw invalidPatch(`${where}: ${shown(lines[at] ?? '')}`, at + 1, 'Put all sections into one patch.');
}

/**
 * Reads a patch in the format that begins with `*** Begin Patch`.
 *
 * @throws {ToolError} `INVALID_PATCH`, naming the line.
 */
export function parseV4a(text: string, reading: Reading = 'signs'): FilePatch[] {
  const all = patchLines(text);
  const begin = all.lines.findIndex((line) => line.trim() === BEGIN);
  const reader: Reader = { ...all, at: begin + 1, isCrlfPatch: all.isCrlf(begin), reading };
  requireText(reader, 0, begin, `the patch begins before '${BEGIN}'`);
  const patches: FilePatch[] = [];
  for (;;) {
    const line = reader.lines[reader.at];
    if (line === undefined) {
      throw invalidPatch(`'${END}' is missing, so the patch may be cut off`, reader.lines.length);
    }
    if (line.trim() === END) {
      requireText(reader, reader.at + 1, reader.lines.length, `the patch continues after '${END}'`);
      return patches;
    }
    // Outside of an update, no line starts with a space as its sign.
    const [added, updated, deleted] = ['Add', 'Update', 'Delete'].map((verb) =>
      pathAfter(line.trimStart(), reader.at, `*** ${verb} File:`),
    );
    if (added === undefined && updated === undefined && deleted === undefined && line.trim() !== '') {
      throw invalidPatch(`${shown(line)} does not start a section`, reader.at + 1);
    }
    reader.at++;
    if (added !== undefined) patches.push({ kind: 'add', path: added, content: readAdded(reader) });
    else if (deleted !== undefined) patches.push({ kind: 'delete', path: deleted });
    else if (updated !== undefined) {
      const to = pathAfter(markerIn(reader, reader.at), reader.at, '*** Move to:');
      if (to !== undefined) reader.at++;
      const hunks = readHunks(reader, updated);
      if (hunks.length === 0 && to === undefined) {
        throw invalidPatch(`the patch changes nothing in ${shown(updated)}`, reader.at);
      }
      patches.push({ kind: 'update', path: updated, to, hunks });
    }
  }
}
