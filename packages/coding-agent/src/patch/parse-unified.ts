import { invalidPatch } from './file-patch.ts';
import type { FilePatch, HunkLine, PatchHunk } from './file-patch.ts';

interface Reader {
  readonly lines: readonly string[];
  /** Whether a line ends with CRLF. */
  readonly isCrlf: (at: number) => boolean;
  at: number;
}

/** The header lines of a file. */
interface Header {
  oldPath?: string;
  newPath?: string;
  isGit: boolean;
  isNew: boolean;
  isDeleted: boolean;
  renameFrom?: string;
  renameTo?: string;
  permissions?: number;
}

/** The line that `git format-patch` writes after a patch, before its version. */
const SIGNATURE = '-- ';
const NOWHERE = '/dev/null';
const hunkStart = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/u;

/** Returns a name without git's quotes and escapes. */
function unquote(name: string): string {
  if (!name.startsWith('"') || !name.endsWith('"')) return name;
  const escapes: Readonly<Record<string, number>> = { n: 10, t: 9, r: 13, a: 7, b: 8, f: 12, v: 11, '"': 34, '\\': 92 };
  const parts = name.slice(1, -1).match(/\\[0-7]{3}|\\.|[^\\]+/gu) ?? [];
  const bytes = parts.map((part) => {
    if (!part.startsWith('\\')) return Buffer.from(part);
    const octal = /^\\([0-7]{3})$/u.exec(part)?.[1];
    return Buffer.of(octal === undefined ? (escapes[part.charAt(1)] ?? part.charCodeAt(1)) : Number.parseInt(octal, 8));
  });
  return Buffer.concat(bytes).toString();
}

/** Returns the name in a `---` or `+++` line; a tab separates it from a time. */
function nameOf(line: string): string {
  return unquote(line.slice(4).split('\t')[0]?.trimEnd() ?? '');
}

function octal(text: string): number {
  return Number.parseInt(text, 8) & 0o777;
}

/** Headers of changes that patch cannot do. Ignoring them would give a wrong result. */
const refused: readonly (readonly [prefix: RegExp, what: string])[] = [
  [/^(?:Binary files |GIT binary patch)/u, 'it changes a binary file'],
  [/^copy (?:from|to) /u, 'it copies a file'],
  [/^old mode /u, 'it changes the permissions of a file'],
  [/^(?:new|deleted) file mode (?:120000|160000)/u, 'it changes a link or a submodule'],
];

function readHeaderLine(header: Header, line: string, lineNumber: number): void {
  const what = refused.find(([prefix]) => prefix.test(line))?.[1];
  if (what !== undefined) throw invalidPatch(`${what}, which patch cannot do`, lineNumber, 'Leave that file out.');
  const mode = /^new file mode (\d+)/u.exec(line)?.[1];
  if (mode !== undefined) {
    header.isNew = true;
    if (octal(mode) === 0o755) header.permissions = 0o755;
  } else if (line.startsWith('deleted file mode ')) header.isDeleted = true;
  else if (line.startsWith('rename from ')) header.renameFrom = unquote(line.slice(12));
  else if (line.startsWith('rename to ')) header.renameTo = unquote(line.slice(10));
  else if (line.startsWith('--- ')) header.oldPath = nameOf(line);
  else if (line.startsWith('+++ ')) header.newPath = nameOf(line);
}

/** Whether a new file begins here: two header lines and a hunk, which no hunk holds by chance. */
function isFileStart({ lines }: Reader, at: number): boolean {
  if (lines[at]?.startsWith('diff --git ')) return true;
  return (
    (lines[at]?.startsWith('--- ') ?? false) &&
    (lines[at + 1]?.startsWith('+++ ') ?? false) &&
    hunkStart.test(lines[at + 2] ?? '')
  );
}

function readHunk(reader: Reader): PatchHunk {
  const start = reader.at + 1;
  const isCrlfPatch = reader.isCrlf(reader.at);
  const [, from = '0', oldCount = '1', , newCount = '1'] = hunkStart.exec(reader.lines[reader.at] ?? '') ?? [];
  let [oldLeft, newLeft] = [Number(oldCount), Number(newCount)];
  const lines: HunkLine[] = [];
  let [oldLacksEnd, newLacksEnd] = [false, false];
  reader.at++;
  for (; reader.at < reader.lines.length; reader.at++) {
    const line = reader.lines[reader.at] ?? '';
    const isCounted = oldLeft > 0 || newLeft > 0;
    if (line.startsWith('\\')) {
      const last = lines.at(-1)?.kind;
      oldLacksEnd ||= last === '-' || last === ' ';
      newLacksEnd ||= last === '+' || last === ' ';
      continue;
    }
    // A mail has its signature after the last hunk.
    if (!isCounted && line === SIGNATURE) break;
    if (hunkStart.test(line) || isFileStart(reader, reader.at) || (line === '' && !isCounted)) break;
    const kind = line.charAt(0) || ' ';
    if (kind !== ' ' && kind !== '-' && kind !== '+') {
      if (!isCounted) break;
      throw invalidPatch(`a line of a hunk starts with '${kind}', not with a space, '-' or '+'`, reader.at + 1);
    }
    // The last line of the text is what follows its final line end.
    if (line === '' && reader.at === reader.lines.length - 1) break;
    const isCrlf = !isCrlfPatch && reader.isCrlf(reader.at);
    lines.push({ kind, text: line.slice(1), ...(isCrlf && { isCrlf }) });
    if (kind !== '+') oldLeft--;
    if (kind !== '-') newLeft--;
  }
  if ((oldLeft > 0 || newLeft > 0) && reader.lines.slice(reader.at).every((line) => line === '')) {
    throw invalidPatch('the last hunk has fewer lines than its header says, so the patch may be cut off', start);
  }
  const lineNumber = Number(from);
  return { lines, anchors: [], lineNumber, isAtEnd: oldLacksEnd, oldLacksEnd, newLacksEnd };
}

function strip(path: string, prefix: string, strips: boolean): string {
  return strips && path.startsWith(prefix) ? path.slice(prefix.length) : path;
}

function filePatchOf(header: Header, hunks: readonly PatchHunk[], lineNumber: number): FilePatch {
  const { oldPath, newPath, renameFrom, renameTo } = header;
  const fits = (path: string | undefined, prefix: string): boolean =>
    path === undefined || path === NOWHERE || path.startsWith(prefix);
  const strips = header.isGit || (fits(oldPath, 'a/') && fits(newPath, 'b/'));
  const from = renameFrom ?? (oldPath === undefined ? undefined : strip(oldPath, 'a/', strips));
  const to = renameTo ?? (newPath === undefined ? undefined : strip(newPath, 'b/', strips));
  if (from === undefined || to === undefined) throw invalidPatch("'---' and '+++' do not name the file", lineNumber);
  if (oldPath === NOWHERE || header.isNew) {
    const added = hunks.flatMap(({ lines }) => lines).filter(({ kind }) => kind === '+');
    const end = hunks.at(-1)?.newLacksEnd || added.length === 0 ? '' : '\n';
    const content = added.map(({ text, isCrlf = false }) => (isCrlf ? `${text}\r` : text)).join('\n') + end;
    return { kind: 'add', path: to, content, permissions: header.permissions };
  }
  if (newPath === NOWHERE || header.isDeleted) return { kind: 'delete', path: from, hunks };
  const moved = renameTo !== undefined && renameTo !== from;
  if (!moved && hunks.length === 0) throw invalidPatch(`the patch changes nothing in ${from}`, lineNumber);
  return { kind: 'update', path: from, to: moved ? to : undefined, hunks };
}

/** The names in a `diff --git` line, for a file without hunks; names with spaces are recognised because both are equal. */
function gitNames(line: string): Pick<Header, 'oldPath' | 'newPath'> {
  const names = line.slice('diff --git '.length);
  const quoted = /^("(?:[^"\\]|\\.)*") ("(?:[^"\\]|\\.)*")$/u.exec(names);
  if (quoted?.[1] !== undefined && quoted[2] !== undefined) {
    return { oldPath: unquote(quoted[1]), newPath: unquote(quoted[2]) };
  }
  const half = (names.length - 1) / 2;
  const [oldPath, newPath] = [names.slice(0, half), names.slice(half + 1)];
  return oldPath.slice(2) === newPath.slice(2) ? { oldPath, newPath } : {};
}

/**
 * Parses a unified diff of git or `diff -u`. Wrong line numbers and counts are accepted, because each hunk is searched for; a diff
 * that is cut off at the end is not.
 *
 * @throws {ToolError} `INVALID_PATCH`, naming the line.
 */
export function parseUnified(text: string): FilePatch[] {
  const raw = text.split('\n');
  const isCrlf = (at: number): boolean => raw[at]?.endsWith('\r') ?? false;
  const reader: Reader = { lines: text.split(/\r?\n/u), isCrlf, at: 0 };
  const patches: FilePatch[] = [];
  let header: Header | undefined;
  let hunks: PatchHunk[] = [];
  const flush = (): void => {
    if (header) patches.push(filePatchOf(header, hunks, reader.at));
    header = undefined;
    hunks = [];
  };
  while (reader.at < reader.lines.length) {
    const line = reader.lines[reader.at] ?? '';
    if (hunkStart.test(line)) {
      if (!header) throw invalidPatch("a hunk without '---' and '+++' above it", reader.at + 1);
      hunks.push(readHunk(reader));
      continue;
    }
    const isGit = line.startsWith('diff --git ');
    if (isGit || (line.startsWith('--- ') && (header === undefined || hunks.length > 0))) flush();
    if (isGit) header = { ...gitNames(line), isGit, isNew: false, isDeleted: false };
    else if (line.startsWith('--- ')) header ??= { isGit: false, isNew: false, isDeleted: false };
    if (header) readHeaderLine(header, line, reader.at + 1);
    reader.at++;
  }
  flush();
  return patches;
}
