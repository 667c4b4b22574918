import { setTimeout } from 'node:timers/promises';
import { fuzzyFind, glob, grep, invalidateFsScanCache } from '@cairn/natives';

import { expiredAfterMs, topCount } from '../task.ts';
import type { Engine, Outcome, Trial } from '../task.ts';

function globTrial(root: string, pattern: string, options: { cache: boolean; pauseMs?: number }): Trial {
  const { cache, pauseMs } = options;
  const run = async (): Promise<Outcome> => {
    const { matches, stopReason } = await glob({ pattern, path: root, cache });
    return { count: matches.length, stopReason };
  };
  const arm = async (): Promise<void> => {
    await run();
    if (pauseMs !== undefined) await setTimeout(pauseMs);
  };
  return cache ? { arm, run } : { run };
}

/** How long the calls work before they are aborted. */
const underWayMs = 50;

function abortTrial(root: string, pattern: string, calls: number): Trial {
  let controller = new AbortController();
  let settled: Promise<PromiseSettledResult<unknown>[]> = Promise.resolve([]);
  return {
    arm: async () => {
      controller = new AbortController();
      const { signal } = controller;
      settled = Promise.allSettled(Array.from({ length: calls }, () => grep({ pattern, path: root, signal })));
      await setTimeout(underWayMs);
    },
    run: async () => {
      controller.abort();
      const ends = await settled;
      await glob({ pattern: '*', path: root, recursive: false });
      return { count: ends.filter(({ status }) => status === 'rejected').length };
    },
  };
}

/** Every call goes through the public functions. */
export const cairn: Engine = (task) => {
  const { root } = task;
  switch (task.kind) {
    case 'list':
      return {
        run: async () => {
          const everything = { pattern: '**/*', hidden: true, includeNodeModules: true };
          const { matches } = await glob({ ...everything, path: root, gitignore: task.rules });
          return { count: matches.length };
        },
      };
    case 'glob':
      return globTrial(root, task.pattern, { cache: task.cached });
    case 'expired':
      return globTrial(root, task.pattern, { cache: true, pauseMs: expiredAfterMs });
    case 'find': {
      const ask = (query: string) => fuzzyFind({ query, path: root, cache: true });
      return {
        arm: async () => {
          // Forgets the scan, and what earlier rounds asked of it.
          invalidateFsScanCache();
          for (const query of task.before) await ask(query);
        },
        run: async () => {
          const { totalMatches, matches } = await ask(task.query);
          return { count: totalMatches, top: matches.slice(0, topCount).map(({ path }) => path) };
        },
      };
    }
    case 'grep': {
      const options = { pattern: task.pattern, path: root, glob: task.glob, gitignore: task.rules };
      return { run: async () => ({ count: (await grep(options)).matches.length }) };
    }
    case 'abort':
      return abortTrial(root, task.pattern, task.calls);
  }
};
