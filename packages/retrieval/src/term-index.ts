import { checkArguments } from './errors.ts';
import { withEvidence, type Evidence, type EvidenceOptions } from './evidence.ts';
import { foundSlots, type FoundSlot } from './found.ts';
import type { Query } from './query.ts';
import { matchedTerms, Misspelled, relatedQuery } from './relate.ts';
import { runToEnd, scoreParts, type CompareTies, type Part, type Scores } from './score.ts';
import { similarTerms } from './similar.ts';
import { visitTerms } from './terms.ts';

/** A string that can be found. */
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
   * Present when the document has too little evidence: a small part of the query, single characters, or, when no document has a
   * term of the query, a word with a similar spelling. It may be about something else. Documents after a marked one are marked too.
   */
  readonly isSimilar?: true;
  /** The evidence for the document. Absent when it was found by a similar spelling, or by its meaning. */
  readonly evidence?: Evidence;
  /** The terms of the query, and of related words, that the document has. Empty: it has only a word with a similar spelling. */
  readonly matched: readonly string[];
}

/** For one term: the slot of a document, the frequency of the term in it, the next slot, and so on. */
type Postings = number[];

/** The slots of removed documents are kept until they exceed half of all slots plus this number. */
const SPARE = 64;

/** An index over documents, updated one document at a time. */
export class TermIndex {
  /** The columns of documents. A removed document has the length -1. */
  #ids: string[] = [];
  #times: number[] = [];
  #lengths: number[] = [];
  #totalLength = 0;
  readonly #slots = new Map<string, number>();
  readonly #postings = new Map<string, Postings>();

  get size(): number {
    return this.#slots.size;
  }

  has(id: string): boolean {
    return this.#slots.has(id);
  }

  /** Returns the ids of all documents, in no particular order. */
  ids(): Iterable<string> {
    return this.#slots.keys();
  }

  /** Adds a document, or replaces the document with the same id. */
  add({ id, text, timeMs }: RankDocument): void {
    this.remove(id);
    const slot = this.#ids.length;
    let length = 0;
    visitTerms(text, (term) => {
      length++;
      this.#addPosting(term, slot);
    });
    this.#append(id, timeMs, length);
  }

  /** Removes a document. @returns whether the index had it. */
  remove(id: string): boolean {
    const slot = this.#slots.get(id);
    if (slot === undefined) return false;
    this.#totalLength -= this.#lengths[slot] ?? 0;
    this.#lengths[slot] = -1;
    this.#slots.delete(id);
    if (this.#ids.length > 2 * this.#slots.size + SPARE) this.#compact();
    return true;
  }

  /**
   * Returns the best documents with a term of the query, a word that means the same, or a correction of a typo, at most `limit`: by
   * score, then the latest, then by id. Documents with less evidence than `minEvidence`, and those after them, are marked
   * {@link RankedDocument.isSimilar}; those with nothing but common words are left out. When no document is left, returns those with
   * words of a similar spelling, also marked.
   */
  rank(query: string | Query, limit: number, options: EvidenceOptions = {}): readonly RankedDocument[] {
    checkArguments.options('rank', options, { minEvidence: 'optional', glossary: 'optional' });
    const { minEvidence, glossary } = options;
    const asked = typeof query === 'string' ? relatedQuery(query, glossary) : query;
    const compareTies = (left: { slot: number }, right: { slot: number }): number =>
      (this.#ids[left.slot] ?? '') < (this.#ids[right.slot] ?? '') ? -1 : 1;
    const part = this.#part();
    const { parsed, scores } = this.#scored(asked, part, compareTies);
    const found: FoundSlot[] = [];
    for (const page of foundSlots(parsed, scores, limit)) {
      found.push(...page);
      if (found.length > limit) break;
    }
    if (found.length > 0) {
      // The margin of the last one depends on the next one.
      return withEvidence(found.slice(0, limit + 1), minEvidence)
        .slice(0, limit)
        .map(({ slot, score, evidence, isSimilar, ...has }) => {
          const matched = matchedTerms(has);
          return {
            id: this.#ids[slot] ?? '',
            score,
            matched,
            ...(evidence && { evidence }),
            ...(isSimilar && { isSimilar }),
          };
        });
    }
    const near = similarTerms(
      parsed.terms.map(({ term }) => term),
      this.#postings.keys(),
    ).map(([term, weight]) => ({ term, weight }));
    const similar = runToEnd(scoreParts([part], { terms: near }, compareTies));
    return similar.best(limit).map(({ slot, score }) => {
      return { id: this.#ids[slot] ?? '', score, isSimilar: true, matched: [] };
    });
  }

  #scored(asked: Query, part: Part, compareTies: CompareTies): { readonly parsed: Query; readonly scores: Scores } {
    const scores = runToEnd(scoreParts([part], asked, compareTies));
    const parsed = new Misspelled(asked, scores.statistics).corrected((term) => this.#postings.has(term));
    return parsed === asked
      ? { parsed, scores }
      : { parsed, scores: runToEnd(scoreParts([part], parsed, compareTies)) };
  }

  #append(id: string, timeMs: number, length: number): void {
    this.#slots.set(id, this.#ids.length);
    this.#ids.push(id);
    this.#times.push(timeMs);
    this.#lengths.push(length);
    this.#totalLength += length;
  }

  /** Counts a term of the document with the last slot. */
  #addPosting(term: string, slot: number): void {
    const postings = this.#postings.get(term);
    if (postings === undefined) this.#postings.set(term, [slot, 1]);
    else if (postings.at(-2) === slot) postings[postings.length - 1] = (postings.at(-1) ?? 0) + 1;
    else postings.push(slot, 1);
  }

  #part(): Part {
    return {
      lengths: this.#lengths,
      times: this.#times,
      documents: this.#slots.size,
      totalLength: this.#totalLength,
      postingsOf: (term) => this.#postings.get(term),
    };
  }

  /** Drops the slots and postings of removed documents. */
  #compact(): void {
    if (this.#ids.length === this.#slots.size) return;
    const [ids, times, lengths] = [this.#ids, this.#times, this.#lengths];
    [this.#ids, this.#times, this.#lengths, this.#totalLength] = [[], [], [], 0];
    const moved = ids.map((id, slot) => {
      const length = lengths[slot] ?? -1;
      if (length < 0) return undefined;
      this.#append(id, times[slot] ?? 0, length);
      return this.#ids.length - 1;
    });
    for (const [term, before] of this.#postings) {
      const postings: Postings = [];
      for (let at = 0; at < before.length; at += 2) {
        // Those without a new slot belong to removed documents.
        const slot = moved[before[at] ?? -1];
        if (slot !== undefined) postings.push(slot, before[at + 1] ?? 0);
      }
      if (postings.length === 0) this.#postings.delete(term);
      else this.#postings.set(term, postings);
    }
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
  return new TermIndex();
}
