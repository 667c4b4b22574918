/** Measures what an index costs where it cannot help: first answers, and patterns without a literal. */
import { say } from '../lib/progress.ts';
import { openProcess } from './contestants.ts';
import type { Process } from './contestants.ts';
import type { Query } from './protocol.ts';

/** Processor time with an index, compared with the same calls without one. */
export interface Cost {
  readonly title: string;
  readonly pairs: number;
  /** Means. */
  readonly withMs: number;
  readonly withoutMs: number;
  /** The geometric mean of the ratios minus 1, and its 95 % interval. */
  readonly more: number;
  readonly from: number;
  readonly to: number;
}

interface Pair {
  readonly withMs: number;
  readonly withoutMs: number;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The 97.5 % quantile of Student's distribution, from its expansion around the normal quantile. */
function studentQuantile(freedom: number): number {
  const z = 1.959_964;
  return z + (z ** 3 + z) / (4 * freedom) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * freedom ** 2);
}

function costOf(title: string, pairs: readonly Pair[]): Cost {
  const logs = pairs.map(({ withMs, withoutMs }) => Math.log(withMs / withoutMs));
  const center = mean(logs);
  const deviation = Math.sqrt(logs.reduce((sum, log) => sum + (log - center) ** 2, 0) / (logs.length - 1));
  const half = (studentQuantile(logs.length - 1) * deviation) / Math.sqrt(logs.length);
  return {
    title,
    pairs: pairs.length,
    withMs: mean(pairs.map(({ withMs }) => withMs)),
    withoutMs: mean(pairs.map(({ withoutMs }) => withoutMs)),
    more: Math.exp(center) - 1,
    from: Math.exp(center - half) - 1,
    to: Math.exp(center + half) - 1,
  };
}

/** Alternates which call of a pair comes first. */
async function measurePairs(
  count: number,
  ask: (name: 'validated' | 'full') => Promise<number>,
): Promise<readonly Pair[]> {
  const pairs: Pair[] = [];
  for (let index = 0; index < count; index += 1) {
    if (index % 2 === 0) pairs.push({ withMs: await ask('validated'), withoutMs: await ask('full') });
    else {
      const withoutMs = await ask('full');
      pairs.push({ withMs: await ask('validated'), withoutMs });
    }
  }
  return pairs;
}

const absent: Query = { kind: 'no match', pattern: 'zzqqyyxx_absent' };

/** Returns the processor time of the first call in a new process. */
async function firstAnswer(name: 'validated' | 'full', root: string): Promise<number> {
  const fresh = openProcess(name, root);
  try {
    return await fresh.work(absent, 'count');
  } finally {
    fresh.close();
  }
}

/** Every file is opened, and read up to its first match: `zq` is in few files. */
const unplanned = [String.raw`\w+`, 'io', 'zq'];

export async function measureCosts(
  root: string,
  processes: { readonly validated: Process; readonly full: Process },
  pairs: number,
): Promise<Cost[]> {
  const costs: Cost[] = [];
  for (const pattern of unplanned) {
    say(`  ${pairs} pairs of \`${pattern}\``);
    const query = { kind: 'nothing to plan', pattern };
    const ask = (name: 'validated' | 'full'): Promise<number> => processes[name].work(query, 'filesWithMatches');
    costs.push(costOf(`\`${pattern}\`, files`, await measurePairs(pairs, ask)));
  }
  say(`  ${pairs} pairs of first answers`);
  costs.unshift(costOf('first answer of a process', await measurePairs(pairs, (name) => firstAnswer(name, root))));
  return costs;
}
