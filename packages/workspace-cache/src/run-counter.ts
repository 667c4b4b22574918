import { relative, sep } from 'node:path';
import type { CacheAccess } from './content/types.ts';
import type { RunCounts } from './statistics/statistics.ts';

/** The counts of one run. */
export interface RunCounter {
  readonly noteAccess: (access: CacheAccess) => void;
  /** Counts a prompt that took the section. */
  noteSection(): void;
  /** Returns the counts, with facts that are known elsewhere. */
  counts(facts: Pick<RunCounts, 'metadata' | 'totalScans' | 'sectionTokens'>): RunCounts;
}

/** Makes a counter. Paths below `root` are counted relative to it. A tree cannot show directories outside of it. */
export function createRunCounter(root: string): RunCounter {
  const calls = { list: { hits: 0, misses: 0 }, read: { hits: 0, misses: 0 } };
  const listed = new Set<string>();
  const readCounts = new Map<string, number>();
  let sections = 0;

  const nameOf = (path: string): string => {
    const inside = relative(root, path);
    return inside === '..' || inside.startsWith(`..${sep}`) ? path : inside.split(sep).join('/');
  };
  return {
    noteAccess: ({ kind, path, isHit }) => {
      calls[kind][isHit ? 'hits' : 'misses'] += 1;
      const name = nameOf(path);
      if (kind === 'list') {
        if (name !== path) listed.add(name);
        return;
      }
      readCounts.set(name, (readCounts.get(name) ?? 0) + 1);
    },
    noteSection: () => {
      sections += 1;
    },
    counts: (facts) => ({
      ...facts,
      sections,
      listings: { ...calls.list },
      reads: { ...calls.read },
      listedDirectories: [...listed],
      readCounts: new Map(readCounts),
    }),
  };
}
