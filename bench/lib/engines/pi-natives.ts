import { setTimeout } from 'node:timers/promises';

import type { PiNatives } from '../peers.ts';
import { expiredAfterMs, topCount } from '../task.ts';
import type { Engine, Outcome, Trial } from '../task.ts';

/** Without ignore rules: given those of the kernel it returns nothing. */
const gitignore = false;

/** `@oh-my-pi/pi-natives`: the same functions as ours, under the same names. */
export function piNativesEngine(pi: PiNatives): Engine {
  const globTrial = (root: string, pattern: string, options: { cache: boolean; pauseMs?: number }): Trial => {
    const { cache, pauseMs } = options;
    const run = async (): Promise<Outcome> => {
      const { matches } = await pi.glob({ pattern, path: root, gitignore, cache });
      return { count: matches.length };
    };
    const arm = async (): Promise<void> => {
      await run();
      if (pauseMs !== undefined) await setTimeout(pauseMs);
    };
    return cache ? { arm, run } : { run };
  };
  return (task) => {
    const { root } = task;
    switch (task.kind) {
      case 'list':
        return {
          run: async () => {
            const everything = { pattern: '**/*', hidden: true, includeNodeModules: true };
            return { count: (await pi.glob({ ...everything, path: root, gitignore })).matches.length };
          },
        };
      case 'glob':
        return globTrial(root, task.pattern, { cache: task.cached });
      case 'expired':
        return globTrial(root, task.pattern, { cache: true, pauseMs: expiredAfterMs });
      case 'find': {
        const ask = (query: string) => pi.fuzzyFind({ query, path: root, gitignore, cache: true });
        return {
          arm: async () => {
            for (const query of task.before) await ask(query);
          },
          run: async () => {
            const { totalMatches, matches } = await ask(task.query);
            return { count: totalMatches, top: matches.slice(0, topCount).map(({ path }) => path) };
          },
        };
      }
      case 'grep': {
        const options = { pattern: task.pattern, path: root, gitignore, ...(task.glob && { glob: task.glob }) };
        return { run: async () => ({ count: (await pi.grep(options)).matches.length }) };
      }
      case 'abort':
        return undefined;
    }
  };
}
