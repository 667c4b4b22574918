import type { Asset } from '../assets/asset.ts';

interface Search {
  readonly query: string;
  readonly ids: ReadonlySet<string>;
  isAnswered: boolean;
}

interface Read {
  readonly hash: string;
  readonly length: number;
  readonly shown: number;
}

const MAX_SEARCHES = 8;

export class SessionReader {
  readonly #searches: Search[] = [];
  readonly #reads = new Map<string, Read>();

  /** Remembers a search with the ids of the assets that its answer showed. */
  noteSearch(query: string, ids: readonly string[]): void {
    this.#searches.unshift({ query, ids: new Set(ids), isAnswered: false });
    this.#searches.splice(MAX_SEARCHES);
  }

  /**
   * Returns the query that led to an asset: the newest that showed it. When none did, the newest one, unless an asset that it showed
   * was opened: then it has its answer.
   */
  queryFor(id: string): string | undefined {
    const newest = this.#searches.slice(0, 1).filter(({ isAnswered }) => !isAnswered);
    const found = this.#searches.find(({ ids }) => ids.has(id)) ?? newest[0];
    if (found !== undefined) found.isAnswered = true;
    return found?.query;
  }

  /** Remembers that a part of an asset was shown, up to an offset. */
  noteRead({ id, hash, text }: Asset, from: number, to: number): void {
    const known = this.#reads.get(id);
    const shown = known?.hash === hash ? known.shown : 0;
    this.#reads.set(id, { hash, length: text.length, shown: from <= shown ? Math.max(shown, to) : shown });
  }

  /** Returns the hash of the text, if all of it was shown. */
  readHash(id: string): string | undefined {
    const read = this.#reads.get(id);
    return read !== undefined && read.shown >= read.length ? read.hash : undefined;
  }
}
