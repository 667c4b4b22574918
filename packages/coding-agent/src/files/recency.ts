/** How often and how recently files were used in a session: mentioned, written or renamed. */
export interface Recency {
  /** Counts one use of a canonical path, now. */
  note(path: string): void;
  /** Returns 0 for a path that was never used. One use counts 1 at first and half of that after {@link HALF_LIFE_MS}. */
  weightOf(path: string): number;
  /** Returns the used paths, the highest weight first. */
  paths(): readonly string[];
}

/** A use counts half after this time. */
const HALF_LIFE_MS = 30 * 60 * 1000;

/** Above this number, the path with the oldest use is dropped. */
const MAX_PATHS = 1000;

interface Use {
  readonly weight: number;
  readonly atMs: number;
}

export function createRecency(clock: () => number): Recency {
  const uses = new Map<string, Use>();
  const weightAt = (use: Use | undefined, nowMs: number): number =>
    use === undefined ? 0 : use.weight * 0.5 ** (Math.max(0, nowMs - use.atMs) / HALF_LIFE_MS);
  return {
    note: (path) => {
      const atMs = clock();
      const weight = weightAt(uses.get(path), atMs) + 1;
      uses.delete(path);
      uses.set(path, { weight, atMs });
      const [oldest] = uses.keys();
      if (uses.size > MAX_PATHS && oldest !== undefined) uses.delete(oldest);
    },
    weightOf: (path) => weightAt(uses.get(path), clock()),
    paths: () => {
      const nowMs = clock();
      return [...uses.entries()]
        .toSorted(([, a], [, b]) => weightAt(b, nowMs) - weightAt(a, nowMs))
        .map(([path]) => path);
    },
  };
}
