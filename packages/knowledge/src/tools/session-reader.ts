import type { Asset } from '../assets/asset.ts';

/** What a session has searched for and read. */
export interface SessionReader {
  /** Remembers a search with the ids of the assets that its answer showed. */
  readonly noteSearch: (query: string, ids: readonly string[]) => void;
  /**
   * Returns the query that led to an asset: the newest that showed it. When none did, the newest one, unless an asset that it showed
   * was opened: then it has its answer.
   */
  readonly queryFor: (id: string) => string | undefined;
  /** Remembers that a part of an asset was shown, up to an offset. */
  readonly noteRead: (asset: Asset, from: number, to: number) => void;
  /** Returns the hash of the text, if all of it was shown. */
  readonly readHash: (id: string) => string | undefined;
}

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

export function createSessionReader(): SessionReader {
  const searches: Search[] = [];
  const reads = new Map<string, Read>();
  return {
    noteSearch: (query, ids) => {
      searches.unshift({ query, ids: new Set(ids), isAnswered: false });
      searches.length = Math.min(searches.length, MAX_SEARCHES);
    },
    queryFor: (id) => {
      const [newest] = searches;
      const found = searches.find(({ ids }) => ids.has(id)) ?? (newest?.isAnswered === false ? newest : undefined);
      if (found !== undefined) found.isAnswered = true;
      return found?.query;
    },
    noteRead: ({ id, hash, text }, from, to) => {
      const known = reads.get(id);
      const shown = known?.hash === hash ? known.shown : 0;
      reads.set(id, { hash, length: text.length, shown: from <= shown ? Math.max(shown, to) : shown });
    },
    readHash: (id) => {
      const read = reads.get(id);
      return read !== undefined && read.shown >= read.length ? read.hash : undefined;
    },
  };
}
