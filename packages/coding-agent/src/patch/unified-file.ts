import { invalidPatch, shown, type FilePatch, type PatchHunk, type PatchLines } from './file-patch.ts';

/** A file of a unified diff: what the lines above its hunks say, then its hunks. */
export interface UnifiedFile {
  readonly lineNumber: number;
  readonly isGit: boolean;
  /** The names in `diff --git`, when they can be told apart. */
  gitNames?: Names | undefined;
  /** The names in `---` and `+++`. */
  names?: Names | undefined;
  isNew: boolean;
  isDeleted: boolean;
  renameFrom?: string | undefined;
  renameTo?: string | undefined;
  permissions?: number | undefined;
  readonly hunks: PatchHunk[];
}

type Names = Readonly<Record<'old' | 'new', Name>>;

/** A name with its prefix, such as `a/`. */
interface Name {
  readonly path: string;
  /** Its time is the one that `diff -N` gives to a file that does not exist. */
  readonly isEpoch: boolean;
}

const NOWHERE = '/dev/null';

const escapes: Readonly<Record<string, string>> = { a: '\x07', b: '\b', t: '\t', n: '\n', v: '\v', f: '\f', r: '\r' };

/**
 * Returns a name without git's quotes and escapes.
 *
 * @throws {ToolError} `INVALID_PATCH` for an escape that git does not write.
 */
function unquote(name: string, lineNumber: number): string {
  if (!name.startsWith('"')) return name;
  const parts = /^"((?:[^"\\]|\\[0-3][0-7]{2}|\\[abtnvfr"\\])*)"$/u.exec(name)?.[1]?.match(/\\[0-7]{3}|\\.|[^\\]+/gu);
  if (!parts) throw invalidPatch(`${shown(name)} is not a name as git quotes it`, lineNumber);
  const bytes = parts.map((part) => {
    if (!part.startsWith('\\')) return Buffer.from(part);
    const escaped = part.slice(1);
    return /^\d/u.test(escaped) ? Buffer.of(Number.parseInt(escaped, 8)) : Buffer.from(escapes[escaped] ?? escaped);
  });
  return Buffer.concat(bytes).toString();
}

/** Returns the name in a `---` or `+++` line; a tab separates it from a time. */
function nameOf(line: string, lineNumber: number): Name {
  const text = line.slice(4);
  const tab = text.indexOf('\t');
  const path = unquote(tab === -1 ? text.trimEnd() : text.slice(0, tab), lineNumber);
  const time = tab === -1 ? '' : text.slice(tab + 1).replace(/\.\d+ /u, ' ');
  return { path, isEpoch: Date.parse(time) === 0 };
}

/** Returns the names in a `diff --git` line. Names with spaces are told apart because both are equal; else other lines have them. */
function gitNamesOf(line: string, lineNumber: number): Names | undefined {
  const text = line.slice('diff --git '.length);
  const quoted = /^("(?:[^"\\]|\\.)*") ("(?:[^"\\]|\\.)*")$/u.exec(text);
  const half = (text.length - 1) / 2;
  const [one = '', other = ''] = quoted
    ? quoted.slice(1).map((name) => unquote(name, lineNumber))
    : [text.slice(0, half), text.slice(half + 1)];
  const isSame = one === other || one.replace(prefix, '') === other.replace(prefix, '');
  if (!isSame || (!quoted && text.charAt(half) !== ' ')) return undefined;
  return { old: { path: one, isEpoch: false }, new: { path: other, isEpoch: false } };
}

/** The prefixes of git, with the ones of `diff.mnemonicPrefix`. */
const prefix = /^[abciow12]\//u;

/** Changes that patch cannot make. To leave them out would give a wrong result. */
const unsupported: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/^(?:Binary files |Files .* differ$|GIT binary patch)/u, 'it changes a binary file'],
  [/^(?:old|new) mode /u, 'it changes the permissions of a file'],
  [/^copy (?:from|to) /u, 'it copies a file'],
  [/^(?:new|deleted) file mode (?:120000|160000)/u, 'it changes a link or a submodule'],
  [/^index [\da-f]+\.\.[\da-f]+ (?:120000|160000)$/u, 'it changes a link or a submodule'],
  [/^Submodule /u, 'it changes a submodule'],
  [/^diff --(?:cc|combined) /u, 'it is the diff of a merge'],
  [/^\* Unmerged path /u, 'it has a file with conflicts'],
  [/^Only in .*: /u, 'it leaves out a file'],
];

/** @throws {ToolError} `INVALID_PATCH` for a line that stands for a change which patch cannot make. */
export function requireSupported(line: string, lineNumber: number): void {
  const what = unsupported.find(([pattern]) => pattern.test(line))?.[1];
  if (what !== undefined)
    throw invalidPatch(`${what}, which patch cannot do: ${shown(line)}`, lineNumber, 'Leave that file out.');
}

/** Reads one of the lines that git writes above the hunks. Returns whether it is one. */
function readGitLine(file: UnifiedFile, line: string, lineNumber: number): boolean {
  const [, key, value = ''] = /^(new file mode|deleted file mode|rename from|rename to) (.*)$/u.exec(line) ?? [];
  if (key === 'new file mode') {
    file.isNew = true;
    if ((Number.parseInt(value, 8) & 0o777) === 0o755) file.permissions = 0o755;
  } else if (key === 'deleted file mode') file.isDeleted = true;
  else if (key === 'rename from') file.renameFrom = unquote(value, lineNumber);
  else if (key === 'rename to') file.renameTo = unquote(value, lineNumber);
  else return /^(?:index [\da-f]+\.\.[\da-f]+|similarity index \d|dissimilarity index \d)/u.test(line);
  return true;
}

export function readUnifiedFile(reader: PatchLines): UnifiedFile {
  const lineNumber = reader.at + 1;
  const first = reader.lines[reader.at] ?? '';
  const isGit = first.startsWith('diff --git ');
  const file: UnifiedFile = { lineNumber, isGit, isNew: false, isDeleted: false, hunks: [] };
  if (isGit) {
    file.gitNames = gitNamesOf(first, lineNumber);
    for (reader.at++; reader.at < reader.lines.length; reader.at++) {
      const line = reader.lines[reader.at] ?? '';
      requireSupported(line, reader.at + 1);
      if (!readGitLine(file, line, reader.at + 1)) break;
    }
  }
  const [old, created] = [reader.lines[reader.at] ?? '', reader.lines[reader.at + 1] ?? ''];
  if (!old.startsWith('--- ')) return file;
  if (!created.startsWith('+++ ')) throw invalidPatch("'+++ ' and the new name do not follow", reader.at + 1);
  file.names = { old: nameOf(old, reader.at + 1), new: nameOf(created, reader.at + 2) };
  reader.at += 2;
  return file;
}

/** The paths before and after; `undefined` where there is no file. */
type Paths = Readonly<Record<'from' | 'to', string | undefined>>;

/** Whether `diff -N` says that a side has no file: the first of all times, and no line. */
function isAbsent(name: Name, { hunks }: UnifiedFile, kind: '-' | '+'): boolean {
  const [hunk, ...others] = hunks;
  return name.isEpoch && others.length === 0 && hunk !== undefined && hunk.lines.every((line) => line.kind === kind);
}

function pathsOfNames(file: UnifiedFile, names: Names): Paths {
  const { isGit, gitNames } = file;
  const [old, created] = [names.old.path, names.new.path].map((path) => (path === NOWHERE ? undefined : path));
  const [one, other] = [gitNames?.old.path ?? old, gitNames?.new.path ?? created];
  const hasPrefixes = isGit
    ? [one, other].every((path) => path === undefined || prefix.test(path)) && one?.charAt(0) !== other?.charAt(0)
    : (one?.startsWith('a/') ?? true) && (other?.startsWith('b/') ?? true);
  const strip = (path: string | undefined): string | undefined => (hasPrefixes ? path?.slice(2) : path);
  const [from, to] = [strip(old), strip(created)];
  if (from !== to) return { from, to };
  return {
    from: isAbsent(names.old, file, '+') ? undefined : from,
    to: isAbsent(names.new, file, '-') ? undefined : to,
  };
}

function fail({ lineNumber }: UnifiedFile, what: string, hint?: string): never {
  throw invalidPatch(what, lineNumber, hint);
}

function renamePaths(file: UnifiedFile): Paths | undefined {
  const { names, renameFrom: from, renameTo: to } = file;
  if (from === undefined && to === undefined) return undefined;
  if (from === undefined || to === undefined) return fail(file, "it has only one of 'rename from' and 'rename to'");
  const agrees = (name: Name | undefined, path: string): boolean =>
    name === undefined || name.path === path || name.path.replace(prefix, '') === path;
  if (agrees(names?.old, from) && agrees(names?.new, to)) return { from, to };
  return fail(file, "'---' and '+++' name other files than 'rename from' and 'rename to'");
}

function pathsOf(file: UnifiedFile): Paths {
  const { names, gitNames, isNew, isDeleted } = file;
  const renamed = renamePaths(file);
  if (renamed) return renamed;
  const stated = names ?? gitNames;
  if (!stated) return fail(file, 'no line names the file');
  const agrees = (name: Name, other: Name | undefined): boolean =>
    other === undefined || name.path === NOWHERE || name.path === other.path;
  if (!agrees(stated.old, gitNames?.old) || !agrees(stated.new, gitNames?.new)) {
    return fail(file, "'---' and '+++' name other files than 'diff --git'");
  }
  const { from, to } = pathsOfNames(file, stated);
  if (!names) return { from: isNew ? undefined : from, to: isDeleted ? undefined : to };
  if ((isNew && from !== undefined) || (isDeleted && to !== undefined)) {
    const [state, side] = isNew ? ['new', 'old'] : ['deleted', 'new'];
    return fail(file, `a file that is ${state} has '/dev/null' as its ${side} name`);
  }
  return { from, to };
}

function contentOf(file: UnifiedFile): string {
  const [hunk, more] = file.hunks;
  if (!hunk) return '';
  if (more || hunk.lines.some(({ kind }) => kind !== '+')) {
    return fail(file, "a new file has one hunk, and each line of it starts with '+'");
  }
  const lines = hunk.lines.map(({ text, isCrlf = false }) => (isCrlf ? `${text}\r` : text));
  return lines.join('\n') + (hunk.newLacksEnd ? '' : '\n');
}

/**
 * Returns the operation of a file of a unified diff.
 *
 * @throws {ToolError} `INVALID_PATCH` when its lines contradict one another.
 */
export function filePatchOf(file: UnifiedFile): FilePatch {
  const { hunks, names, isGit, permissions } = file;
  const { from, to } = pathsOf(file);
  if (from === '' || to === '') return fail(file, 'a name is empty');
  if (names && hunks.length === 0) return fail(file, `no hunk follows the names of ${shown(to ?? from ?? '')}`);
  if (from === undefined) {
    if (to === undefined) return fail(file, "'---' and '+++' are both '/dev/null'");
    return { kind: 'add', path: to, content: contentOf(file), permissions };
  }
  if (to === undefined) {
    const hasNew = hunks.some(({ lines }) => lines.some(({ kind }) => kind !== '-'));
    if (hasNew) return fail(file, "each line of a deleted file starts with '-'");
    return { kind: 'delete', path: from, hunks };
  }
  if (from === to) {
    if (hunks.length === 0) return fail(file, `the patch changes nothing in ${shown(from)}`);
    return { kind: 'update', path: from, hunks };
  }
  if (isGit && file.renameFrom !== undefined) return { kind: 'update', path: from, to, hunks };
  const what = `'---' and '+++' name two files, ${shown(from)} and ${shown(to)}`;
  const hint = "Give both the same name. To move a file: 'diff --git a/old b/new', 'rename from old', 'rename to new'.";
  return fail(file, what, hint);
}
