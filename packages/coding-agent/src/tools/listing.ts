import { isMissing } from '@cairn/tool/kernel';
import { explaining } from '@cairn/tool/internal';
import { quotePath } from '@cairn/tool/paths';
import { count } from '@cairn/tool/prompt';
import { join } from 'node:path';
import { OWN_TEMPORARY, type FileKind, type FileOperations } from '../files/operations.ts';
import type { ResolvedPath } from '../files/resolve.ts';

export interface ListedEntry {
  /** Relative to the listed directory, `/` separated. */
  readonly path: string;
  readonly kind: FileKind;
  /** The target of a link, as it is stored in the link. */
  readonly target?: string;
}

export interface Listing {
  readonly entries: readonly ListedEntry[];
  /** The number of entries; a lower bound when `isTotalKnown` is false. */
  readonly total: number;
  readonly isTotalKnown: boolean;
  /** Directories below it that could not be read. */
  readonly unreadable: number;
  /** The first of them. */
  readonly unreadablePaths?: readonly string[];
}

export interface ListingRequest {
  /** 1 lists the directory itself only. */
  readonly depth: number;
  readonly limit: number;
  readonly skip: number;
  readonly signal: AbortSignal | undefined;
}

/** How many entries after the skipped ones are counted. */
const MAX_COUNTED = 20_000;

const MAX_NAMED = 16;

/**
 * Lists a directory in the order of names, the content of a directory after it. Hidden names are included, but the content of
 * `.git` is not, and links are not followed. Our own temporary files are left out.
 */
export async function listDirectory(
  operations: FileOperations,
  directory: ResolvedPath,
  request: ListingRequest,
): Promise<Listing> {
  const entries: ListedEntry[] = [];
  let total = 0;
  const unread: string[] = [];
  let isTotalKnown = true;
  const most = request.skip + MAX_COUNTED;
  const visit = async (path: string, prefix: string, depth: number): Promise<void> => {
    const listed = await (operations.listCached?.(path) ?? operations.list(path));
    // By code units, so that the order is the same on every machine.
    for (const { name, kind } of listed.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      request.signal?.throwIfAborted();
      if (kind === 'file' && OWN_TEMPORARY.test(name)) continue;
      if (total >= most) {
        isTotalKnown = false;
        return;
      }
      total++;
      const shown = prefix + name;
      if (total > request.skip && entries.length < request.limit) {
        entries.push({ path: shown, kind, ...(kind === 'symlink' && (await targetOf(operations, join(path, name)))) });
      }
      if (kind !== 'directory' || depth === 1 || name === '.git') continue;
      try {
        await visit(join(path, name), `${shown}/`, depth - 1);
      } catch (error) {
        request.signal?.throwIfAborted();
        if (!isMissing(error)) unread.push(shown);
      }
    }
  };
  await explaining(directory.display, () => visit(directory.real, '', request.depth));
  const named = unread.length > 0 && { unreadablePaths: unread.slice(0, MAX_NAMED) };
  return { entries, total, isTotalKnown, unreadable: unread.length, ...named };
}

async function targetOf(operations: FileOperations, path: string): Promise<{ readonly target?: string }> {
  try {
    return { target: await operations.readLink(path) };
  } catch {
    // The link is gone or unreadable: it is listed without its target.
    return {};
  }
}

/** The space that the names of a note may take. */
const MAX_NAMES_LENGTH = 400;

const SHOWN_END = 120;

/** Returns the notice about `total` entries that could not be read, with the names of some. */
export function unreadableNotes(
  total: number,
  [one, several]: readonly [one: string, several: string],
  paths: readonly string[] = [],
): string[] {
  if (total === 0) return [];
  let left = MAX_NAMES_LENGTH;
  const names = paths
    .map((path) => (path.length > MAX_NAMES_LENGTH ? `…${path.slice(-SHOWN_END)} (${path.length} characters)` : path))
    .filter((path, index) => (left -= path.length) >= 0 || index === 0)
    .map(quotePath);
  const more = total > names.length && names.length > 0 ? ` and ${total - names.length} more` : '';
  const named = names.length > 0 ? `: ${names.join(', ')}${more}` : '';
  return [`[${count(total, one, several)} could not be read${named}]`];
}

export function brokenNameNotes(broken: number): string[] {
  if (broken === 0) return [];
  const names = `${count(broken, 'name')} ${broken === 1 ? 'is' : 'are'} not valid UTF-8`;
  return [`[${names}: U+FFFD replaces the invalid bytes, and no tool can open these names]`];
}

/** Returns the line of an entry: directories end with `/`, links show their target. */
export function entryText({ path, kind, target }: ListedEntry): string {
  if (kind === 'directory') return quotePath(`${path}/`);
  if (kind === 'symlink') return `${quotePath(path)} -> ${target === undefined ? '?' : quotePath(target)}`;
  return kind === 'other' ? `${quotePath(path)} (not a regular file)` : quotePath(path);
}
