/** 16 MiB of postings. */
const MAX_NUMBERS = 4 * 1024 * 1024;

/** The postings that were read last. A segment never changes, so that they are never out of date. */
export class PostingsCache {
  readonly #lists = new Map<string, Int32Array>();
  #numbers = 0;

  get(segment: string, term: string): Int32Array | undefined {
    const key = `${segment} ${term}`;
    const list = this.#lists.get(key);
    if (list === undefined) return undefined;
    // The latest comes last.
    this.#lists.delete(key);
    this.#lists.set(key, list);
    return list;
  }

  set(segment: string, term: string, list: Int32Array): void {
    const key = `${segment} ${term}`;
    if (this.#lists.has(key)) return;
    this.#lists.set(key, list);
    // An empty list has a cost too.
    this.#numbers += list.length + 32;
    for (const [oldest, old] of this.#lists) {
      if (this.#numbers <= MAX_NUMBERS) break;
      this.#lists.delete(oldest);
      this.#numbers -= old.length + 32;
    }
  }
}
