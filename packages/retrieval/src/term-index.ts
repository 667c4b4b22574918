import { inverseDocumentFrequency, termFrequencyScore } from './bm25.ts';
import { RetrievalError } from './errors.ts';
import { readQuery } from './query.ts';
import type { Query, QueryTerm } from './query.ts';
import { compareByTime, selectBest } from './select.ts';
import { readIndex, writeIndex } from './serialized-index.ts';
import { similarTerms } from './similar.ts';
import { visitTerms } from './terms.ts';

/** A text that can be found. */
export interface RankDocument {
  /** Unique among the documents. */
  readonly id: string;
  readonly text: string;
  /** Of equally good documents the latest comes first. A finite number. */
  readonly timeMs: number;
}

/** A document in a ranking. */
export interface RankedDocument {
  readonly id: string;
  /** Higher is better. Comparable only within one ranking. */
  readonly score: number;
  /**
   * Present when no document has a term of the query: this document has a word with a similar spelling, and may be about
   * something else. Then it is present on all documents of the ranking.
   */
  readonly isSimilar?: true;
}

/** An index over documents, updated one document at a time. */
export interface TermIndex {
  readonly size: number;
  has(id: string): boolean;
  /** Adds a document, or replaces the document with the same id. */
  add(document: RankDocument): void;
  /** Removes a document. @returns whether the index had it. */
  remove(id: string): boolean;
  /** Returns the ids of all documents, in no particular order. */
  ids(): Iterable<string>;
  /**
   * Adds all documents of another index without reading their texts again. A document replaces the one with the same id.
   *
   * @throws {RetrievalError} `INVALID_OPTION` when `other` was not made by this copy of the package.
   */
  merge(other: TermIndex): void;
  /**
   * Returns the best documents with a term of the query, at most `limit`: by score, then the latest, then by id. When no
   * document has a term of the query, returns those with words of a similar spelling, marked
   * {@link RankedDocument.isSimilar}.
   */
  rank(query: string | Query, limit: number): readonly RankedDocument[];
  /**
   * Writes the index as text, which {@link deserializeTermIndex} reads. `sequence` states how far the index covers the
   * records of a store; the store must read and add later records itself. Blocks for about 1 ms per 1,000 documents of 200
   * characters: keep large sets in several indexes, and {@link TermIndex.merge} them.
   *
   * @throws {RetrievalError} `INVALID_OPTION` when `sequence` is not a whole number from 0.
   */
  serialize(sequence: number): string;
}

interface Entry {
  readonly id: string;
  readonly timeMs: number;
  /** The number of terms. */
  readonly length: number;
}

/** For one term: the slot of a document, the frequency of the term in it, the next slot, and so on. */
type Postings = number[];

/** The slots of removed documents are kept until they exceed half of all slots plus this number. */
const SPARE = 64;

class InvertedIndex implements TermIndex {
  #entries: (Entry | undefined)[] = [];
  #totalLength = 0;
  readonly #slots = new Map<string, number>();
  readonly #postings = new Map<string, Postings>();

  get size(): number {
    return this.#slots.size;
  }

  has(id: string): boolean {
    return this.#slots.has(id);
  }

  ids(): Iterable<string> {
    return this.#slots.keys();
  }

  add({ id, text, timeMs }: RankDocument): void {
    this.remove(id);
    const slot = this.#entries.length;
    let length = 0;
    visitTerms(text, (term) => {
      length++;
      const postings = this.#postings.get(term);
      if (postings === undefined) this.#postings.set(term, [slot, 1]);
      // All terms of a document are visited in one go, so that only the last posting can be its own.
      else if (postings[postings.length - 2] === slot) postings[postings.length - 1] = (postings.at(-1) ?? 0) + 1;
      else postings.push(slot, 1);
    });
    this.#append({ id, timeMs, length });
  }

  remove(id: string): boolean {
    const slot = this.#slots.get(id);
    if (slot === undefined) return false;
    this.#totalLength -= this.#entries[slot]?.length ?? 0;
    this.#entries[slot] = undefined;
    this.#slots.delete(id);
    if (this.#entries.length > 2 * this.#slots.size + SPARE) this.#compact();
    return true;
  }

  merge(other: TermIndex): void {
    if (!(other instanceof InvertedIndex)) {
      const message =
        'merge takes an index of createTermIndex or deserializeTermIndex of this package; pass one of those.';
      throw new RetrievalError('INVALID_OPTION', message, { option: 'other' });
    }
    if (other === this) return;
    for (const id of other.#slots.keys()) this.remove(id);
    const slots = other.#entries.map((entry) => {
      if (entry === undefined) return undefined;
      this.#append(entry);
      return this.#entries.length - 1;
    });
    for (const [term, theirs] of other.#postings) {
      const postings = this.#postings.get(term) ?? [];
      appendMoved(postings, theirs, slots);
      if (postings.length > 0) this.#postings.set(term, postings);
    }
  }

  rank(query: string | Query, limit: number): readonly RankedDocument[] {
    const { terms } = typeof query === 'string' ? readQuery(query) : query;
    const byTerms = this.#score(terms);
    const isSimilar = byTerms.slots.length === 0;
    const { slots, scores } = isSimilar ? this.#score(this.#similarTo(terms)) : byTerms;
    const ranked = slots.flatMap((slot) => {
      const entry = this.#entries[slot];
      return entry === undefined ? [] : { ...entry, score: scores[slot] ?? 0 };
    });
    const best = selectBest(ranked, limit, (left, right) => right.score - left.score || compareByTime(left, right));
    return best.map(({ id, score }) => ({ id, score, ...(isSimilar && { isSimilar }) }));
  }

  serialize(sequence: number): string {
    this.#compact();
    const entries = this.#entries.filter((entry) => entry !== undefined);
    const columns = {
      ids: entries.map(({ id }) => id),
      times: entries.map(({ timeMs }) => timeMs),
      lengths: entries.map(({ length }) => length),
      terms: [...this.#postings.keys()],
      postings: [...this.#postings.values()],
    };
    return writeIndex(columns, sequence);
  }

  static deserialize(text: string): DeserializedTermIndex {
    const { columns, sequence } = readIndex(text);
    const { ids, times, lengths, terms, postings } = columns;
    const index = new InvertedIndex();
    // `readIndex` has checked that the columns belong together.
    for (const [slot, id] of ids.entries()) {
      index.#append({ id, timeMs: times[slot] ?? 0, length: lengths[slot] ?? 0 });
    }
    for (const [place, term] of terms.entries()) index.#postings.set(term, postings[place] as Postings);
    return { index, sequence };
  }

  #append(entry: Entry): void {
    this.#slots.set(entry.id, this.#entries.length);
    this.#entries.push(entry);
    this.#totalLength += entry.length;
  }

  /** Drops the slots and postings of removed documents. */
  #compact(): void {
    if (this.#entries.length === this.#slots.size) return;
    const kept: Entry[] = [];
    const moved = this.#entries.map((entry) => {
      if (entry === undefined) return undefined;
      this.#slots.set(entry.id, kept.length);
      kept.push(entry);
      return kept.length - 1;
    });
    this.#entries = kept;
    for (const [term, before] of this.#postings) {
      const postings: Postings = [];
      appendMoved(postings, before, moved);
      if (postings.length === 0) this.#postings.delete(term);
      else this.#postings.set(term, postings);
    }
  }

  #similarTo(terms: readonly QueryTerm[]): QueryTerm[] {
    const asked = terms.map(({ term }) => term);
    return similarTerms(asked, this.#postings.keys()).map(([term, weight]) => ({ term, weight }));
  }

  /** Counts the documents with a term. Postings of removed documents may still be present. */
  #documentFrequencyOf(postings: Postings): number {
    if (this.#entries.length === this.#slots.size) return postings.length / 2;
    let count = 0;
    for (let at = 0; at < postings.length; at += 2) if (this.#entries[postings[at] ?? -1] !== undefined) count++;
    return count;
  }

  /** Returns the slots with any of the terms, and the scores of all slots, summed in the order of the terms. */
  #score(terms: readonly QueryTerm[]): { slots: readonly number[]; scores: Float64Array } {
    const averageLength = this.#totalLength / this.#slots.size;
    const scores = new Float64Array(this.#entries.length);
    const slots: number[] = [];
    for (const { term, weight } of terms) {
      const postings = this.#postings.get(term) ?? [];
      const value = weight * inverseDocumentFrequency(this.#documentFrequencyOf(postings), this.#slots.size);
      for (let at = 0; at < postings.length; at += 2) {
        const slot = postings[at] ?? -1;
        const entry = this.#entries[slot];
        if (entry === undefined) continue;
        const before = scores[slot] ?? 0;
        if (before === 0) slots.push(slot);
        scores[slot] = before + value * termFrequencyScore(postings[at + 1] ?? 0, entry.length, averageLength);
      }
    }
    return { slots, scores };
  }
}

/** Appends postings with their new slots; those without one belong to removed documents. */
function appendMoved(to: Postings, postings: Postings, slots: readonly (number | undefined)[]): void {
  for (let at = 0; at < postings.length; at += 2) {
    const slot = slots[postings[at] ?? -1];
    if (slot !== undefined) to.push(slot, postings[at + 1] ?? 0);
  }
}

/**
 * Creates an empty index in memory.
 *
 * The ranking is BM25 over the documents that the index has when it is asked; neither the order of calls nor removed
 * documents affect it. `add` takes linear time in the text. `remove` takes constant time, and sometimes a pass over the
 * index. The index does not hold texts, and takes a few times their memory.
 */
export function createTermIndex(): TermIndex {
  return new InvertedIndex();
}

/** An index that a store kept. */
export interface DeserializedTermIndex {
  readonly index: TermIndex;
  /** How far the index covers the records of the store: the number that was passed to {@link TermIndex.serialize}. */
  readonly sequence: number;
}

/**
 * Reads an index that {@link TermIndex.serialize} wrote.
 *
 * An index of another format, of other rules for terms or of another version of Unicode is refused: it would rank
 * differently. Damaged text is refused too. In both cases build the index again from the texts.
 *
 * @throws {RetrievalError} `CORRUPT_INDEX`, `UNSUPPORTED_INDEX`.
 */
export function deserializeTermIndex(text: string): DeserializedTermIndex {
  return InvertedIndex.deserialize(text);
}
