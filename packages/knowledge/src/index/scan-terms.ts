import { readQuery, similarTerms, termsOf } from '@cairn/retrieval';
import { setImmediate } from 'node:timers/promises';
import type { AssetHead } from '../assets/asset.ts';

interface Scanned {
  readonly head: Pick<AssetHead, 'name' | 'title' | 'tags'>;
  /** Its place among all assets, from 0. */
  readonly rank: number;
}

/**
 * Is called for each asset that has a word of a query, in no particular order. `isExact`: it has all words of the query except stop
 * words. `halves`: how much of the query it has, in half words; a character of Chinese is a half word.
 */
export type MatchVisitor<Asset> = (asset: Asset, isExact: boolean, halves: number) => void;

/** The terms that are compared before other work runs. */
const TERMS_PER_TURN = 4000;

function termsIn({ head: { name, title, tags } }: Scanned): Iterable<string> {
  // Two fields have no common pair of characters.
  return termsOf([name, title, ...tags].join('\n'));
}

/** The terms of the names, titles and tags of assets. The time of a scan depends on the matches and not on the number of assets. */
export class ScanTerms<Asset extends Scanned> {
  readonly #postings = new Map<string, Set<Asset>>();

  add(asset: Asset): void {
    for (const term of termsIn(asset)) {
      const assets = this.#postings.get(term);
      if (assets === undefined) this.#postings.set(term, new Set([asset]));
      else assets.add(asset);
    }
  }

  delete(asset: Asset): void {
    for (const term of termsIn(asset)) {
      const assets = this.#postings.get(term);
      assets?.delete(asset);
      if (assets?.size === 0) this.#postings.delete(term);
    }
  }

  /**
   * Visits the assets that have a word of the query. A query is plain text. A character of a script without spaces matches only
   * together with a neighbour, unless it has none. Words of questions (`how`, `怎`) are not required, and match nothing by
   * themselves unless the query has no other words. `count`: the number of all assets.
   */
  match(query: string, count: number, visit: MatchVisitor<Asset>): void {
    const { units } = readQuery(query);
    const halves = new Uint32Array(count);
    const required = new Uint32Array(count);
    /** The last unit that each asset matched, from 1. */
    const last = new Uint32Array(count);
    const found: Asset[] = [];
    let all = 0;
    for (const [place, { terms, character, share, isQuestion }] of units.entries()) {
      const isRequired = isQuestion ? 0 : 1;
      // A word that any question may have counts like others: a title is short.
      const size = share === 0 ? 0 : character === undefined ? 2 : 1;
      all += isRequired;
      for (const term of terms.length === 0 && character !== undefined ? [character] : terms) {
        for (const asset of this.#postings.get(term) ?? []) {
          const { rank } = asset;
          if (last[rank] === place + 1) continue;
          if (last[rank] === 0) found.push(asset);
          last[rank] = place + 1;
          halves[rank] = (halves[rank] ?? 0) + size;
          required[rank] = (required[rank] ?? 0) + isRequired;
        }
      }
    }
    for (const asset of found) {
      const has = required[asset.rank] ?? 0;
      if (has > 0 || all === 0) visit(asset, has === all, halves[asset.rank] ?? 0);
    }
  }

  /**
   * Returns the assets that have words spelled like those of a query, with the share of the query that is like them, 0 to 1. Other
   * work runs in between.
   */
  async similar(query: string): Promise<Map<Asset, number>> {
    const asked = readQuery(query).terms.map(({ term }) => term);
    const shares = new Map<Asset, number>();
    const vocabulary = [...this.#postings.keys()];
    for (let from = 0; from < vocabulary.length; from += TERMS_PER_TURN) {
      if (from > 0) await setImmediate();
      for (const [term, share] of similarTerms(asked, vocabulary.slice(from, from + TERMS_PER_TURN))) {
        for (const asset of this.#postings.get(term) ?? []) {
          shares.set(asset, Math.min(1, (shares.get(asset) ?? 0) + share / asked.length));
        }
      }
    }
    return shares;
  }
}
