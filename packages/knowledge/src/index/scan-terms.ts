import { readQuery, similarTerms, termsOf } from '@cairn/retrieval';
import { setImmediate } from 'node:timers/promises';
import type { AssetHead } from '../assets/asset.ts';

interface Scanned {
  readonly head: Pick<AssetHead, 'id' | 'name' | 'title' | 'tags'>;
}

/**
 * Is called for each asset that has a word of a query, in no particular order. `isExact`: it has all words of the query except stop
 * words. `halves`: how much of the query it has, in half words; a character of Chinese is a half word.
 */
export type MatchVisitor<Asset> = (asset: Asset, isExact: boolean, halves: number) => void;

/** The slots of removed assets are kept until they exceed half of all slots plus this number. */
const SPARE = 64;
/** The terms that are compared before other work runs. */
const TERMS_PER_TURN = 4000;

/**
 * The terms of the names, titles and tags of assets. Each asset has a slot; a changed asset has a new one. A scan reads the slots of
 * the query's terms, so that its time depends on the matches and not on the number of assets.
 */
export class ScanTerms<Asset extends Scanned> {
  /** `undefined` in the slots of removed assets. */
  #assets: (Asset | undefined)[] = [];
  readonly #slots = new Map<string, number>();
  readonly #postings = new Map<string, number[]>();

  set(asset: Asset): void {
    const { id, name, title, tags } = asset.head;
    this.delete(id);
    const slot = this.#assets.length;
    // Two fields have no common pair of characters.
    for (const term of termsOf([name, title, ...tags].join('\n'))) {
      const postings = this.#postings.get(term);
      if (postings === undefined) this.#postings.set(term, [slot]);
      else if (postings.at(-1) !== slot) postings.push(slot);
    }
    this.#slots.set(id, slot);
    this.#assets.push(asset);
  }

  delete(id: string): void {
    const slot = this.#slots.get(id);
    if (slot === undefined) return;
    this.#slots.delete(id);
    this.#assets[slot] = undefined;
    if (this.#assets.length > 2 * this.#slots.size + SPARE) this.#compact();
  }

  /**
   * Visits the assets that have a word of the query. A query is plain text. A character of a script without spaces matches only
   * together with a neighbour, unless it has none. Words of questions (`how`, `怎`) are not required, and match nothing by
   * themselves unless the query has no other words.
   */
  match(query: string, visit: MatchVisitor<Asset>): void {
    const { units } = readQuery(query);
    const halves = new Uint32Array(this.#assets.length);
    const required = new Uint32Array(this.#assets.length);
    /** The last unit that each slot matched, from 1. */
    const last = new Uint32Array(this.#assets.length);
    const found: number[] = [];
    let all = 0;
    for (const [place, { terms, character, share, isQuestion }] of units.entries()) {
      const isRequired = isQuestion ? 0 : 1;
      all += isRequired;
      for (const term of terms.length === 0 && character !== undefined ? [character] : terms) {
        for (const slot of this.#postings.get(term) ?? []) {
          if (last[slot] === place + 1) continue;
          last[slot] = place + 1;
          const before = halves[slot] ?? 0;
          if (before === 0) found.push(slot);
          halves[slot] = before + share * 2;
          required[slot] = (required[slot] ?? 0) + isRequired;
        }
      }
    }
    for (const slot of found) {
      const asset = this.#assets[slot];
      const has = required[slot] ?? 0;
      if (asset !== undefined && (has > 0 || all === 0)) visit(asset, has === all, halves[slot] ?? 0);
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
        for (const slot of this.#postings.get(term) ?? []) {
          const asset = this.#assets[slot];
          if (asset !== undefined) shares.set(asset, Math.min(1, (shares.get(asset) ?? 0) + share / asked.length));
        }
      }
    }
    return shares;
  }

  #compact(): void {
    const moved = new Map<number, number>();
    this.#assets = this.#assets.filter((asset, slot) => {
      if (asset === undefined) return false;
      this.#slots.set(asset.head.id, moved.size);
      moved.set(slot, moved.size);
      return true;
    });
    for (const [term, postings] of this.#postings) {
      const kept = postings.flatMap((slot) => moved.get(slot) ?? []);
      if (kept.length === 0) this.#postings.delete(term);
      else this.#postings.set(term, kept);
    }
  }
}
