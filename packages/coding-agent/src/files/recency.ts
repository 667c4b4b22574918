/** A use counts half after this time. */
const HALF_LIFE_MS = 30 * 60 * 1000;

/** Above this number, the path with the oldest use is dropped. */
const MAX_PATHS = 1000;

/** How often and how recently files were used in a session: mentioned, written or renamed. */
export class Recency {
  readonly #clock: () => number;
  readonly #uses = new Map<string, { readonly weight: number; readonly atMs: number }>();

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** Counts one use of a canonical path, now. */
  note(path: string): void {
    const weight = this.weightOf(path) + 1;
    this.#uses.delete(path);
    this.#uses.set(path, { weight, atMs: this.#clock() });
    const [oldest] = this.#uses.keys();
    if (this.#uses.size > MAX_PATHS && oldest !== undefined) this.#uses.delete(oldest);
  }

  /** Returns 0 for a path that was never used. One use counts 1 at first and half of that after {@link HALF_LIFE_MS}. */
  weightOf(path: string): number {
    const { weight = 0, atMs = 0 } = this.#uses.get(path) ?? {};
    return weight * 0.5 ** (Math.max(0, this.#clock() - atMs) / HALF_LIFE_MS);
  }

  /** Returns the used paths, the highest weight first. */
  paths(): readonly string[] {
    const weighed = [...this.#uses.keys()].map((path) => ({ path, weight: this.weightOf(path) }));
    return weighed.toSorted((a, b) => b.weight - a.weight).map(({ path }) => path);
  }
}
