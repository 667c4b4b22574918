import { invalidPatch } from './file-patch.ts';
import type { FilePatch, HunkLine, PatchHunk } from './file-patch.ts';

/** The lines of a patch, and the current line. */
interface Reader {
  readonly lines: readonly string[];
  at: number;
}

const BEGIN = '*** Begin Patch';
const END = '*** End Patch';
const END_OF_FILE = '*** End of File';

function after(line: string | undefined, prefix: string): string | undefined {
  return line?.startsWith(prefix) ? line.slice(prefix.length).trim() : undefined;
}

function isSection(line: string): boolean {
  return /^\*\*\* (?:Add|Update|Delete) File:|^\*\*\* End Patch\s*$/u.test(line);
}

/** Returns the anchor of an `@@` line; none when it has only line numbers. */
function anchorOf(line: string): string | undefined {
  const text = line.slice(2).trim();
  return text === '' || /^-\d+(?:,\d+)? \+\d+(?:,\d+)? @@/u.test(text) ? undefined : text;
}

function readAdded(reader: Reader): string {
  const content: string[] = [];
  for (; reader.at < reader.lines.length; reader.at++) {
    const line = reader.lines[reader.at] ?? '';
    if (isSection(line)) break;
    if (!line.startsWith('+')) throw invalidPatch("a line of a new file does not start with '+'", reader.at + 1);
    content.push(`${line.slice(1)}\n`);
  }
  return content.join('');
}

function readHunk(reader: Reader): PatchHunk {
  const anchors: string[] = [];
  for (; reader.lines[reader.at]?.startsWith('@@'); reader.at++) {
    const anchor = anchorOf(reader.lines[reader.at] ?? '');
    if (anchor !== undefined) anchors.push(anchor);
  }
  const lines: HunkLine[] = [];
  let isAtEnd = false;
  for (; reader.at < reader.lines.length; reader.at++) {
    const line = reader.lines[reader.at] ?? '';
    if (isSection(line) || line.startsWith('@@')) break;
    if (line.trimEnd() === END_OF_FILE) {
      isAtEnd = true;
      reader.at++;
      break;
    }
    const kind = line.charAt(0);
    // Editors remove trailing blanks, so an empty line stands for an empty line of context.
    if (kind === '') lines.push({ kind: ' ', text: '' });
    else if (kind === ' ' || kind === '-' || kind === '+') lines.push({ kind, text: line.slice(1) });
    else throw invalidPatch(`a line of a hunk starts with '${kind}', not with a space, '-' or '+'`, reader.at + 1);
  }
  return { lines: withoutBlankTail(lines), anchors, isAtEnd, oldLacksEnd: false, newLacksEnd: false };
}

/** Returns the lines without empty ones at the end: they separate sections. */
function withoutBlankTail(lines: readonly HunkLine[]): HunkLine[] {
  const last = lines.findLastIndex(({ kind, text }) => kind !== ' ' || text !== '');
  return lines.slice(0, last + 1);
}

function readHunks(reader: Reader, path: string): PatchHunk[] {
  const hunks: PatchHunk[] = [];
  while (reader.at < reader.lines.length && !isSection(reader.lines[reader.at] ?? '')) {
    const from = reader.at;
    const hunk = readHunk(reader);
    if (hunk.lines.some(({ kind }) => kind !== ' ')) hunks.push(hunk);
    else if (hunk.lines.length > 0) throw invalidPatch(`a hunk of ${path} changes nothing`, from + 1);
  }
  return hunks;
}

/** Text after the end is not part of the patch, such as the end of a here-document. More sections there would be lost, so they are refused. */
function requireNothingAfter({ lines, at }: Reader): void {
  const more = lines.findIndex((line, index) => index >= at && /^(?:\*\*\* (?!End Patch\s*$)|@@|[-+])/u.test(line));
  if (more !== -1)
    throw invalidPatch(`the patch continues after '${END}'`, more + 1, 'Put all sections into one patch.');
}

/**
 * Reads a patch in the format that begins with `*** Begin Patch`.
 *
 * @throws {ToolError} `INVALID_PATCH`, naming the line.
 */
export function parseV4a(text: string): FilePatch[] {
  const lines = text.split(/\r?\n/u);
  const reader: Reader = { lines, at: lines.findIndex((line) => line.trim() === BEGIN) + 1 };
  const patches: FilePatch[] = [];
  for (;;) {
    const line = reader.lines[reader.at];
    reader.at++;
    if (line === undefined) throw invalidPatch(`'${END}' is missing, so the patch may be cut off`, lines.length);
    if (line.trim() === END) {
      requireNothingAfter(reader);
      return patches;
    }
    if (line.trim() === '') continue;
    const [added, updated, deleted] = ['Add', 'Update', 'Delete'].map((verb) => after(line, `*** ${verb} File:`));
    if (added !== undefined) patches.push({ kind: 'add', path: added, content: readAdded(reader) });
    else if (deleted !== undefined) patches.push({ kind: 'delete', path: deleted, hunks: [] });
    else if (updated !== undefined) {
      const to = after(reader.lines[reader.at], '*** Move to:');
      if (to !== undefined) reader.at++;
      const hunks = readHunks(reader, updated);
      if (hunks.length === 0 && to === undefined)
        throw invalidPatch(`the patch changes nothing in ${updated}`, reader.at);
      patches.push({ kind: 'update', path: updated, to, hunks });
    } else throw invalidPatch(`'${line.slice(0, 60)}' does not start a section`, reader.at);
  }
}
