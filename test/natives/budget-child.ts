/** Runs one search in a process with a small heap, and prints what its answer says. Started by `budget.test.ts`. */
import { fuzzyFind, glob, grep } from '@cairn/natives';
import type { GrepMatch } from '@cairn/natives';

const calls = { fuzzyFind, glob, grep } as const;
const [name = '', options = '{}'] = process.argv.slice(2);
const call = calls[name as keyof typeof calls] as (options: unknown) => ReturnType<typeof grep>;

function memory(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

// The first call loads the addon and compiles the code.
await call({ ...(JSON.parse(options) as object), path: import.meta.dirname });
const before = memory();
const { matches, complete, stopReason, totalMatches } = await call(JSON.parse(options));
const bytes = memory() - before;
const sum = (count: (match: GrepMatch) => number): number => matches.reduce((total, match) => total + count(match), 0);
const submatches = sum((match) => match.submatches?.length ?? 0);
const contextLines = sum((match) => (match.contextBefore?.length ?? 0) + (match.contextAfter?.length ?? 0));
const answer = { matches: matches.length, totalMatches, submatches, contextLines, complete, stopReason, bytes };
process.stdout.write(JSON.stringify(answer));
