import type { ListedEntry } from '@cairn/coding-agent';
import { escapeControls } from './text.ts';

/** The entries of a directory, one per line. A person also sees where links lead. */
export function entryLines(entries: readonly ListedEntry[], isTerminal: boolean): string[] {
  return entries.map(({ path, kind, target }) => {
    const name = kind === 'directory' ? `${path}/` : path;
    if (!isTerminal) return name;
    return escapeControls(kind === 'symlink' ? `${name} -> ${target ?? '?'}` : name);
  });
}

/** What a tool's answer says around the lines it shows, in the words of the command line. */
export function notesAround(text: string, shownLines: number): string[] {
  const lines = text.split('\n');
  return [...lines.slice(0, 1), ...lines.slice(1 + shownLines)].map((line) =>
    line.replace(/^\[(.*)\]$/u, '$1').replace(/\b(offset|skip)=(\d+)/u, '--$1 $2'),
  );
}
