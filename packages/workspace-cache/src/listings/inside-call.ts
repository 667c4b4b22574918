import { AsyncLocalStorage } from 'node:async_hooks';

/** One run of a wrapped function. */
interface Running {
  readonly outer: Running | undefined;
  hasEnded: boolean;
}

/** The innermost wrapped function that called this code, which may have ended since. */
const innermost = new AsyncLocalStorage<Running>();

/** Returns whether this code was called by a wrapped function that has not ended: the files that it reads belong to that one call. */
export function isInsideCall(): boolean {
  let running = innermost.getStore();
  while (running?.hasEnded) running = running.outer;
  return running !== undefined;
}

export async function runInside<Result>(call: () => Result): Promise<Awaited<Result>> {
  const running: Running = { outer: innermost.getStore(), hasEnded: false };
  try {
    return await innermost.run(running, call);
  } finally {
    running.hasEnded = true;
  }
}
