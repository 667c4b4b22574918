/** Calls beyond this many at once are not remembered: each reads for itself. */
const MAX_FILLS = 1000;

/** The reads of a cache that are under way, by path. */
export interface Fills {
  /** Returns a promise that settles with the read of a path, and never rejects; `undefined` when none is under way. */
  underWay(path: string): Promise<unknown> | undefined;
  /** Remembers the read of a path until it settles, and returns its result. */
  track<T>(path: string, reading: Promise<T>): Promise<T>;
}

const ignore = (): void => undefined;

/** Makes an empty table. */
export function createFills(): Fills {
  const fills = new Map<string, Promise<unknown>>();
  return {
    underWay: (path) => fills.get(path),
    track: async (path, reading) => {
      const done = reading.then(ignore, ignore);
      if (fills.size < MAX_FILLS) fills.set(path, done);
      try {
        return await reading;
      } finally {
        if (fills.get(path) === done) fills.delete(path);
      }
    },
  };
}
