/** Runs tasks of which only the last one counts. */
export interface Latest {
  /** Ends the task before it, whose outcome is dropped from then on. */
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
