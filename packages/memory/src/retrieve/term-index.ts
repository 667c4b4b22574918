import { inverseDocumentFrequency, termFrequencyScore } from './bm25.ts';
import { readQuery } from './query.ts';
import type { Query, QueryTerm } from './query.ts';
import { compareByTime, selectBest } from './select.ts';
import { similarTerms } from './similar.ts';
import { visitTerms } from './terms.ts';

/** A text that can be found. */
export interface RankDocument {
  /** Unique among the documents. */
  readonly id: string;
  readonly text: string;
  /** Of equally good documents the later comes first. A finite number. */
  readonly timeMs: number;
}

/** A document that was found. */
export interface Ranked {
  readonly id: string;
  /** Higher is better. Only to be compared with others of one answer. */
  readonly score: number;
  /**
   * There when no document has a term of the query: this one has a word that looks like one of them, and may be about
   * something else. Then all of the answer is so.
   */
  readonly isSimilar?: true;
}

/** Documents that can be searched, kept up to date one by one. */
export interface TermIndex {
  readonly size: number;
  has(id: string): boolean;
  /** Takes a document in, in place of the one that has its id. */
  add(document: RankDocument): void;
  /** @returns whether it was there. */
  remove(id: string): boolean;
  /**
   * The best documents that have a term of the query, at most `limit`: by score, then the latest, then by id. When there is
   * none, those with words that look like its words, and {@link Ranked.isSimilar}.
   */
  rank(query: string | Query, limit: number): readonly Ranked[];
}

interface Entry {
  readonly id: string;
  readonly timeMs: number;
  /** The number of its terms. */
  readonly length: number;
}

/** For one term: the slot of a document, how often it is there, the next slot, and so on. */
type Postings = number[];

/** Slots of removed documents are tolerated until they are half of all and this many more. */
const SPARE = 64;

/**
 * Creates an empty index in memory.
 *
 * Ranks are those of BM25 over the documents that are in it when it is asked: neither the order of calls nor what was
 * removed shows in them. `add` takes a time that is linear in the text; `remove` takes a constant one, and now and then a
 * pass over the index. It holds no text, and takes a few times its memory.
 */
export function createTermIndex(): TermIndex {
  let entries: (Entry | undefined)[] = [];
  const slots = new Map<string, number>();
  const index = new Map<string, Postings>();
  let totalLength = 0;

  const compact = (): void => {
    const moved = new Map<number, number>();
    const kept: Entry[] = [];
    for (const [slot, entry] of entries.entries()) {
      if (entry === undefined) continue;
      moved.set(slot, kept.length);
      slots.set(entry.id, kept.length);
      kept.push(entry);
    }
    entries = kept;
    for (const [term, postings] of index) {
      const left: Postings = [];
      for (let at = 0; at < postings.length; at += 2) {
        const slot = moved.get(postings[at] ?? -1);
        if (slot !== undefined) left.push(slot, postings[at + 1] ?? 0);
      }
      if (left.length === 0) index.delete(term);
      else index.set(term, left);
    }
  };

  const remove = (id: string): boolean => {
    const slot = slots.get(id);
    if (slot === undefined) return false;
    totalLength -= entries[slot]?.length ?? 0;
    entries[slot] = undefined;
    slots.delete(id);
    if (entries.length > 2 * slots.size + SPARE) compact();
    return true;
  };

  const add = ({ id, text, timeMs }: RankDocument): void => {
    remove(id);
    const slot = entries.length;
    let length = 0;
    visitTerms(text, (term) => {
      length++;
      const postings = index.get(term);
      if (postings === undefined) index.set(term, [slot, 1]);
      // A document is read in one go, so that only the last posting can be its own.
      else if (postings[postings.length - 2] === slot) postings[postings.length - 1] = (postings.at(-1) ?? 0) + 1;
      else postings.push(slot, 1);
    });
    entries.push({ id, timeMs, length });
    slots.set(id, slot);
    totalLength += length;
  };

  /** In how many documents a term is. Postings of removed ones may still be there. */
  const documentFrequencyOf = (postings: Postings): number => {
    if (entries.length === slots.size) return postings.length / 2;
    let count = 0;
    for (let at = 0; at < postings.length; at += 2) if (entries[postings[at] ?? -1] !== undefined) count++;
    return count;
  };

  /** The slots that have any of the terms, and the scores of all slots. Adds up in the order of the terms. */
  const score = (terms: readonly QueryTerm[]): { found: readonly number[]; scores: Float64Array } => {
    const averageLength = totalLength / slots.size;
    const scores = new Float64Array(entries.length);
    const found: number[] = [];
    for (const { term, weight } of terms) {
      const postings = index.get(term) ?? [];
      const value = weight * inverseDocumentFrequency(documentFrequencyOf(postings), slots.size);
      for (let at = 0; at < postings.length; at += 2) {
        const slot = postings[at] ?? -1;
        const entry = entries[slot];
        if (entry === undefined) continue;
        const before = scores[slot] ?? 0;
        if (before === 0) found.push(slot);
        scores[slot] = before + value * termFrequencyScore(postings[at + 1] ?? 0, entry.length, averageLength);
      }
    }
    return { found, scores };
  };

  const rank = (query: string | Query, limit: number): readonly Ranked[] => {
    const { terms } = typeof query === 'string' ? readQuery(query) : query;
    const byTerms = score(terms);
    const isSimilar = byTerms.found.length === 0;
    const asked = terms.map(({ term }) => term);
    const similar = isSimilar ? similarTerms(asked, index.keys()).map(([term, weight]) => ({ term, weight })) : [];
    const { found, scores } = isSimilar ? score(similar) : byTerms;
    const ranked = found.flatMap((slot) => {
      const entry = entries[slot];
      return entry === undefined ? [] : { ...entry, score: scores[slot] ?? 0 };
    });
    const best = selectBest(ranked, limit, (left, right) => right.score - left.score || compareByTime(left, right));
    return best.map(({ id, score: value }) => ({ id, score: value, ...(isSimilar && { isSimilar }) }));
  };

  return {
    get size() {
      return slots.size;
    },
    has: (id) => slots.has(id),
    add,
    remove,
    rank,
  };
}
