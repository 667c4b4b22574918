import type { ListedEntry } from '@cairn/coding-agent';
import { quotePath } from '@cairn/tool/paths';

/** The entries of a directory, one per line. A person also sees where links lead. */
export function entryLines(entries: readonly ListedEntry[], isTerminal: boolean): string[] {
  return entries.map(({ path, kind, target }) => {
    const name = quotePath(kind === 'directory' ? `${path}/` : path);
    if (!isTerminal || kind !== 'symlink') return name;
    return `${name} -> ${target === undefined ? '?' : quotePath(target)}`;
  });
}

/** Returns the notes before and after the content in a tool's answer. */
export function notesAround(text: string, shownLines: number): string[] {
  const [first = '', ...rest] = text.split('\n');
  return [first, ...rest.slice(shownLines)].map((line) =>
    line.replace(/^\[(.*)\]$/su, '$1').replace(/'cairn ls' (?=--skip )/u, ''),
  );
}
