import type { FileType, GlobMatch } from '@cairn/natives';
import { open } from 'node:fs/promises';
import { join } from 'node:path';

export interface Tally {
  readonly name: string;
  readonly count: number;
}

export interface TreeSummary {
  readonly files: number;
  readonly directories: number;
  readonly links: number;
  /** The paths of the files that can be opened. */
  readonly paths: readonly string[];
  /** Extensions without the dot, most frequent first. */
  readonly extensions: readonly Tally[];
  /** Directories right below the root with the number of files anywhere below them, largest first. */
  readonly biggest: readonly Tally[];
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The extension of a path without its dot, or nothing. A leading dot starts a hidden name, not an extension. */
export function extensionOf(path: string): string | undefined {
  const name = baseName(path);
  const dot = name.lastIndexOf('.');
  return dot > 0 && dot < name.length - 1 ? name.slice(dot + 1) : undefined;
}

function add(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

/** Most frequent first; equal counts by name. */
function sorted(counts: ReadonlyMap<string, number>): Tally[] {
  return [...counts]
    .map(([name, count]) => ({ name, count }))
    .toSorted((one, other) => other.count - one.count || (one.name < other.name ? -1 : 1));
}

export function summarize(matches: readonly GlobMatch[], types: typeof FileType): TreeSummary {
  const extensions = new Map<string, number>();
  const below = new Map<string, number>();
  const paths: string[] = [];
  let [files, directories, links] = [0, 0, 0];
  for (const { path, fileType, lossyPath } of matches) {
    if (fileType === types.Dir) directories += 1;
    if (fileType === types.Symlink) links += 1;
    if (fileType !== types.File) continue;
    files += 1;
    if (lossyPath !== true) paths.push(path);
    const extension = extensionOf(path);
    if (extension !== undefined) add(extensions, extension);
    const slash = path.indexOf('/');
    if (slash > 0) add(below, path.slice(0, slash));
  }
  return { files, directories, links, paths, extensions: sorted(extensions), biggest: sorted(below) };
}

/** The most frequent extension that needs no escape in a glob pattern. */
export function pickExtension(extensions: readonly Tally[]): string | undefined {
  return extensions.find(({ name }) => /^[\w+-]{1,16}$/u.test(name))?.name;
}

/** The words of a file name: split at punctuation, digits and inner capitals. Single letters do not count. */
function wordsOf(path: string): string[] {
  const name = baseName(path);
  const dot = name.indexOf('.', 1);
  const words = (dot > 0 ? name.slice(0, dot) : name).match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/gu) ?? [];
  return words.filter((word) => word.length > 1);
}

/** Shortens a file name as a person would type it: `fs-cache-invalidation.ts` becomes `fscacinv`. */
export function abbreviate(path: string): string {
  const words = wordsOf(path);
  const [only = ''] = words;
  if (words.length === 1) return (only.slice(0, 1) + only.slice(1).replace(/[aeiou]/gu, '')).slice(0, 5).toLowerCase();
  return words
    .slice(0, 3)
    .map((word) => word.slice(0, 3))
    .join('')
    .toLowerCase();
}

/** Returns the first item of the highest rank. */
function bestOf(items: Iterable<string>, rankOf: (item: string) => number): string | undefined {
  return [...items].toSorted((one, other) => rankOf(other) - rankOf(one))[0];
}

/** Returns a file whose name is worth abbreviating. Among equals the first one wins, so that two tours are the same. */
export function pickFile(paths: readonly string[], extension: string | undefined): string | undefined {
  const named = paths.filter((path) => baseName(path).length <= 40 && abbreviate(path).length >= 3);
  return bestOf(named, (path) => {
    const depth = path.split('/').length - 1;
    const isTypical = extension !== undefined && extensionOf(path) === extension;
    return Math.min(wordsOf(path).length, 3) * 10 + (isTypical ? 5 : 0) + Math.min(depth, 3);
  });
}

/** Extensions, and files of each, that are searched for a word: a tree of images still has a text file somewhere. */
const wordExtensions = 8;
const wordFilesEach = 5;

export function wordCandidates(paths: readonly string[], extensions: readonly Tally[]): string[] {
  const found = new Map<string | undefined, string[]>();
  for (const { name } of extensions.slice(0, wordExtensions)) found.set(name, []);
  found.set(undefined, []);
  for (const path of paths) {
    const some = found.get(extensionOf(path));
    if (some !== undefined && some.length < wordFilesEach) some.push(path);
  }
  return [...found.values()].flat();
}

/** A word worth searching for: the longest of six to sixteen letters, one that occurs again before one that does not. */
export function pickWord(text: string): string | undefined {
  if (text.includes('\0')) return undefined;
  const counts = new Map<string, number>();
  for (const [word] of text.matchAll(/(?<![\w])[A-Za-z]{6,16}(?![\w])/gu)) add(counts, word);
  return bestOf(counts.keys(), (word) => word.length + ((counts.get(word) ?? 0) > 1 ? 100 : 0));
}

const wordBytes = 1 << 16;

async function readStart(path: string): Promise<string> {
  const file = await open(path, 'r');
  try {
    // Files that make up their content when they are read, as below /proc, say that they are empty; some never end.
    if ((await file.stat()).size === 0) return '';
    const { buffer, bytesRead } = await file.read(Buffer.alloc(wordBytes), 0, wordBytes, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

/** A word that occurs in one of the files, and that file. Only their beginning is read. */
export async function chooseWord(
  root: string,
  candidates: readonly string[],
  signal: AbortSignal,
): Promise<{ word: string; path: string } | undefined> {
  for (const path of candidates) {
    signal.throwIfAborted();
    // A file that is gone or unreadable by now is as good as one without words.
    const word = pickWord(await readStart(join(root, path)).catch(() => ''));
    if (word !== undefined) return { word, path };
  }
  return undefined;
}
