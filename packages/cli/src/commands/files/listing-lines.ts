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

/** Returns the number of lines that entries take in a tool's answer. A name can contain line ends. */
export function linesOfEntries(entries: readonly ListedEntry[]): number {
  return entries.reduce((sum, { path, target = '' }) => sum + linesIn(path) + linesIn(target) - 1, 0);
}

/** Returns the notes before and after the content in a tool's answer, with the flags of the command line. */
export function notesAround(text: string, path: string, shownLines: number): string[] {
  const lines = text.split('\n');
  const headLines = linesIn(path);
  return [lines.slice(0, headLines).join('\n'), ...lines.slice(headLines + shownLines)].map((line) =>
    line.replace(/^\[(.*)\]$/su, '$1').replace(/\b(?:ls )?(offset|skip)=(\d+)/u, '--$1 $2'),
  );
}
