import type { ListedEntry } from '@cairn/coding-agent';
import { escapeControls } from '../../terminal/text.ts';

/** The entries of a directory, one per line. A person also sees where links lead. */
export function entryLines(entries: readonly ListedEntry[], isTerminal: boolean): string[] {
  return entries.map(({ path, kind, target }) => {
    const name = kind === 'directory' ? `${path}/` : path;
    if (!isTerminal) return name;
    return escapeControls(kind === 'symlink' ? `${name} -> ${target ?? '?'}` : name);
  });
}

function linesIn(text: string): number {
  return text.split('\n').length;
}

/** How many lines of a tool's answer entries take: a name may have line ends of its own. */
export function linesOfEntries(entries: readonly ListedEntry[]): number {
  return entries.reduce((sum, { path, target = '' }) => sum + linesIn(path) + linesIn(target) - 1, 0);
}

/** What a tool's answer says around the lines it shows of a path, in the words of the command line. */
export function notesAround(text: string, path: string, shownLines: number): string[] {
  const lines = text.split('\n');
  const headLines = linesIn(path);
  return [lines.slice(0, headLines).join('\n'), ...lines.slice(headLines + shownLines)].map((line) =>
    line.replace(/^\[(.*)\]$/su, '$1').replace(/\b(offset|skip)=(\d+)/u, '--$1 $2'),
  );
}
