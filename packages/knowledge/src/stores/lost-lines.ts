import { isRemoval } from './record.ts';
import type { StoredRow } from './record.ts';

/** Returns the lines of all texts that a row has. */
function linesOf(row: StoredRow | undefined): string[] {
  if (row === undefined) return [];
  const theirs = row.conflict?.theirs ?? '';
  const own = isRemoval(row) ? [] : [row.text, ...(row.reports?.notes ?? [])];
  return [...own, theirs].flatMap((text) => text.split('\n'));
}

/** Returns whether rows had a line of text that the rows in their place lack. */
export function losesLines(
  before: readonly (StoredRow | undefined)[],
  next: readonly (StoredRow | undefined)[],
): boolean {
  const lines = before.flatMap(linesOf);
  if (lines.length === 0) return false;
  const kept = new Set(['', ...next.flatMap(linesOf)]);
  return lines.some((line) => !kept.has(line));
}
