import { vi } from 'vitest';

/** What one list has and the other has not, however often. Shorter to read than two lists of ten thousand. */
export interface Difference {
  readonly onlyOurs: readonly string[];
  readonly onlyTheirs: readonly string[];
}

export const noDifference: Difference = { onlyOurs: [], onlyTheirs: [] };

/** More than this is not read in a failure. */
const maxShown = 20;

export function difference(ours: readonly string[], theirs: readonly string[]): Difference {
  return { onlyOurs: without(ours, theirs), onlyTheirs: without(theirs, ours) };
}

function without(list: readonly string[], taken: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const item of taken) counts.set(item, (counts.get(item) ?? 0) + 1);
  const rest = list.filter((item) => {
    const count = counts.get(item) ?? 0;
    if (count > 0) counts.set(item, count - 1);
    return count === 0;
  });
  return rest.length > maxShown ? [...rest.slice(0, maxShown), `and ${rest.length - maxShown} more`] : rest;
}

/**
 * The same for a tree in which another process may be at work: two lists that differ are made again, at most twice. A real
 * difference stays.
 */
export async function settledDifference(
  ours: () => Promise<readonly string[]>,
  theirs: () => readonly string[],
): Promise<Difference> {
  let found: Difference = noDifference;
  for (let attempt = 0; attempt < 3; attempt++) {
    found = difference(await ours(), theirs());
    if (found.onlyOurs.length + found.onlyTheirs.length === 0) break;
  }
  return found;
}

/** Hides the tester's global git configuration from the addon, as the tools hide it from git and ripgrep. */
export function useNeutralHome(): void {
  vi.stubEnv('HOME', '/nonexistent');
  vi.stubEnv('XDG_CONFIG_HOME', '/nonexistent');
}
