/** Listeners that are heard for as long as something else holds them: a cache may outlive many runs, and must not hold what they have. */
export class Audience<Listener extends object> {
  readonly #listeners = new Set<WeakRef<Listener>>();
  readonly #known = new WeakSet<Listener>();

  add(listener: Listener): void {
    if (this.#known.has(listener)) return;
    this.#known.add(listener);
    this.#listeners.add(new WeakRef(listener));
  }

  forEach(announce: (listener: Listener) => void): void {
    for (const reference of this.#listeners) {
      const listener = reference.deref();
      if (listener === undefined) this.#listeners.delete(reference);
      else announce(listener);
    }
  }
}
