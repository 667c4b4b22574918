/** Runs tasks; a new one replaces the one before. */
export interface Latest {
  run(task: (signal: AbortSignal) => Promise<void>, failed: (error: unknown) => void): void;
  stop(): void;
}

export function createLatest(): Latest {
  let current: AbortController | undefined;
  return {
    run: (task, failed) => {
      current?.abort();
      const mine = (current = new AbortController());
      task(mine.signal).catch((error: unknown) => {
        if (!mine.signal.aborted) failed(error);
      });
    },
    stop: () => current?.abort(),
  };
}
