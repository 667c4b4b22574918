/** A use counts half after this time. */
const HALF_LIFE_MS = 30 * 60 * 1000;

/** Above this number, the path with the oldest use is dropped. */
const MAX_PATHS = 1000;

interface Use {
  readonly weight: number;
  readonly atMs: number;
}

function weightAt(use: Use | undefined, nowMs: number): number {
  return use === undefined ? 0 : use.weight * 0.5 ** (Math.max(0, nowMs - use.atMs) / HALF_LIFE_MS);
}

/** How often and how recently files were used in a session: mentioned, written or renamed. */
export class Recency {
  readonly #clock: () => number;
  readonly #uses = new Map<string, Use>();

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** Counts one use of a canonical path, now. */
  note(path: string): void {
    const atMs = this.#clock();
    const weight = weightAt(this.#uses.get(path), atMs) + 1;
    this.#uses.delete(path);
    this.#uses.set(path, { weight, atMs });
    const [oldest] = this.#uses.keys();
    if (this.#uses.size > MAX_PATHS && oldest !== undefined) this.#uses.delete(oldest);
  }

  /** Returns 0 for a path that was never used. One use counts 1 at first and half of that after {@link HALF_LIFE_MS}. */
  weightOf(path: string): number {
    return weightAt(this.#uses.get(path), this.#clock());
  }

  /** Returns the used paths, the highest weight first. */
  paths(): readonly string[] {
    const nowMs = this.#clock();
    const weighed = [...this.#uses].map(([path, use]) => ({ path, weight: weightAt(use, nowMs) }));
    return weighed.toSorted((a, b) => b.weight - a.weight).map(({ path }) => path);
  }
}
