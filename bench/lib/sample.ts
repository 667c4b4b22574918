import { median } from './statistics.ts';
import type { Outcome, Trial } from './task.ts';

/** Calls that are over at once are repeated, up to so often or so long, and count with their median. */
const maxCalls = 100;
const maxTotalMs = 60;
/** With what is not timed. */
const maxWallMs = 600;

export interface Sample {
  readonly ms: number;
  /** How long the main thread worked for it. */
  readonly threadMs: number;
  readonly outcome: Outcome;
}

/** Times a trial once, or a few times when it takes next to nothing. */
export async function sample(trial: Trial): Promise<Sample> {
  const times: number[] = [];
  const threadTimes: number[] = [];
  let totalMs = 0;
  let outcome: Outcome;
  globalThis.gc?.();
  const start = performance.now();
  do {
    await trial.arm?.();
    const loop = performance.eventLoopUtilization();
    const began = performance.now();
    outcome = await trial.run();
    const ms = performance.now() - began;
    times.push(ms);
    threadTimes.push(performance.eventLoopUtilization(loop).active);
    totalMs += ms;
  } while (times.length < maxCalls && totalMs < maxTotalMs && performance.now() - start < maxWallMs);
  return { ms: median(times), threadMs: median(threadTimes), outcome };
}
