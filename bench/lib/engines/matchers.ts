/** The matchers written in Rust, on a list of the files that they are given before. */
import { readMemory } from '../memory.ts';
import type { StartMatcher } from '../matcher.ts';
import { topCount } from '../task.ts';
import type { Engine } from '../task.ts';
import { filesBelow } from './libraries.ts';

/** Timed with the way to the process and back, a fraction of a millisecond. They remember nothing between queries. */
export function matcherEngine(start: StartMatcher): Engine {
  return (task) => {
    if (task.kind !== 'find') return undefined;
    const { query, root } = task;
    const matcher = start(filesBelow(root));
    return {
      arm: () => matcher.ask('no such file'),
      run: async () => {
        const { count, best } = await matcher.ask(query);
        return { count, top: best.slice(0, topCount) };
      },
      peakMb: () => readMemory(matcher.pid ?? 'self').peakMb,
      close: () => matcher.close(),
    };
  };
}
