import type { ListedEntry } from '@cairn/coding-agent/internal';
import { quotePath } from '@cairn/tool/paths';
import { createPaint, usesColor, type ColorMode } from '../../terminal/output.ts';
import { pathBelow } from '../../terminal/path-prefix.ts';
import type { Session } from '../../terminal/session.ts';

/** The entries of a directory, one per line. A person also sees where links lead. */
export function entryLines(entries: readonly ListedEntry[], session: Session, color: ColorMode): string[] {
  const { isTerminal } = session.out;
  const paint = createPaint(usesColor(color, isTerminal, session.env));
  return entries.map(({ path, kind, target }) => {
    if (kind === 'directory') return paint.directory(quotePath(`${path}/`));
    if (kind !== 'symlink') return quotePath(path);
    const name = paint.link(quotePath(path));
    return isTerminal ? `${name} -> ${target === undefined ? '?' : quotePath(target)}` : name;
  });
}

/** Returns the notes before and after the content in a tool's answer. */
export function notesAround(text: string, shownLines: number): string[] {
  const [first = '', ...rest] = text.split('\n');
  return [first, ...rest.slice(shownLines)].map((line) =>
    line.replace(/^\[(.*)\]$/su, '$1').replace(/'cairn ls' (?=--skip )/u, ''),
  );
}

interface Listed {
  readonly path: string;
  readonly entries: readonly { readonly path: string }[];
  readonly unreadablePaths?: readonly string[];
}

/** Returns a listing whose paths begin with the directory, as a program opens them. */
export function withOpenablePaths<Listing extends Listed>(listing: Listing): Listing {
  const named = (path: string): string => pathBelow(listing.path, path);
  const entries = listing.entries.map((entry) => ({ ...entry, path: named(entry.path) }));
  const unreadablePaths = listing.unreadablePaths?.map(named);
  return { ...listing, entries, ...(unreadablePaths && { unreadablePaths }) };
}
