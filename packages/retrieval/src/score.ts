import { inverseDocumentFrequency, termFrequencyScore } from './bm25.ts';
import type { Query, QueryTerm, Relation } from './query.ts';

/** For one term: the slot of a document, the frequency of the term in it, the next slot, and so on, slots ascending. */
export type Postings = ArrayLike<number>;

/** A part of a collection: an index in memory, or a block of a stored index. Slots are positions in its columns. */
export interface Part {
  /** The number of terms of each document; -1 in a slot without a document. */
  readonly lengths: ArrayLike<number>;
  /** The time of each document. @default none: documents with the same score are in the order of {@link CompareTies} */
  readonly times?: ArrayLike<number>;
  /** The number of documents: of slots with a length. */
  readonly documents: number;
  /** The sum of the lengths. */
  readonly totalLength: number;
  /** Returns the postings of a term, which may include slots without a document. */
  readonly postingsOf: (term: string) => Postings | undefined;
}

/** A term of a query with its frequency in a collection. */
export interface CountedTerm extends QueryTerm {
  /** The number of documents with the term. */
  readonly documentFrequency: number;
}

/** A related word with the number of documents that have its rarest term. */
export interface CountedRelation extends Relation {
  readonly documentFrequency: number;
}

/** The terms of a query in a collection. */
export interface Statistics {
  /** The number of documents. */
  readonly documents: number;
  readonly terms: readonly CountedTerm[];
  /** Those that a document may have: each of their terms is in the collection. */
  readonly relations: readonly CountedRelation[];
}

interface Candidate {
  /** The position of the part in the collection. */
  readonly part: number;
  readonly slot: number;
  readonly score: number;
}

/** A document of a ranking. */
export interface ScoredSlot extends Candidate {
  /** The terms of the query that the document has, in the order of the query. */
  readonly matched: readonly CountedTerm[];
  /** The related words that the document has. */
  readonly related: readonly CountedRelation[];
}

/** The scores of the documents of a collection. */
export interface Scores {
  readonly statistics: Statistics;
  /** The number of documents with a term of the query. */
  readonly found: number;
  /**
   * Returns the best documents, at most `limit`, or the best of those after one: by score, then the latest, then in the order of
   * `compareTies`.
   */
  readonly best: (limit: number, after?: ScoredSlot) => ScoredSlot[];
}

/** Orders documents with the same score and time. */
export type CompareTies = (left: Candidate, right: Candidate) => number;

/** Four postings take as long as splitting one UTF-16 code unit into terms. */
const POSTINGS_PER_UNIT = 4;

function countDocuments({ lengths, documents }: Part, postings: Postings): number {
  if (documents === lengths.length) return postings.length / 2;
  let count = 0;
  for (let at = 0; at < postings.length; at += 2) if ((lengths[postings[at] ?? -1] ?? -1) >= 0) count++;
  return count;
}

function hasSlot(postings: Postings | undefined, slot: number): boolean {
  let low = 0;
  let high = (postings?.length ?? 0) / 2;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((postings?.[middle * 2] ?? 0) < slot) low = middle + 1;
    else high = middle;
  }
  return postings?.[low * 2] === slot;
}

/** Adds what a term says about the documents of a part to their scores. @returns how many had no score before. */
function addScores(
  scores: Float64Array,
  { lengths }: Part,
  { postings, value, averageLength }: { postings: Postings; value: number; averageLength: number },
): number {
  let added = 0;
  for (let at = 0; at < postings.length; at += 2) {
    const slot = postings[at] ?? -1;
    const length = lengths[slot] ?? -1;
    if (length < 0) continue;
    const before = scores[slot] ?? 0;
    if (before === 0) added++;
    scores[slot] = before + value * termFrequencyScore(postings[at + 1] ?? 0, length, averageLength);
  }
  return added;
}

interface Collection {
  readonly parts: readonly Part[];
  readonly documents: number;
  readonly averageLength: number;
}

function frequencyOf(parts: readonly Part[], term: string): number {
  let frequency = 0;
  for (const part of parts) {
    const postings = part.postingsOf(term);
    if (postings !== undefined) frequency += countDocuments(part, postings);
  }
  return frequency;
}

/** Returns the related words whose terms the collection has. The rarest term comes first. */
function countRelations({ parts }: Collection, relations: readonly Relation[]): readonly CountedRelation[] {
  return relations.flatMap((relation): CountedRelation[] => {
    const counted = relation.terms.map((term) => ({ term, frequency: frequencyOf(parts, term) }));
    const [rarest] = counted.sort((left, right) => left.frequency - right.frequency);
    if (rarest === undefined || rarest.frequency === 0) return [];
    return [{ ...relation, terms: counted.map(({ term }) => term), documentFrequency: rarest.frequency }];
  });
}

/**
 * Adds what related words say to the scores of a part. Of several that are related to the same word, a document has the best one: a
 * related word never counts more than its share of the word itself.
 */
function addRelated(
  scores: Float64Array,
  part: Part,
  {
    relations,
    valueOf,
    averageLength,
  }: {
    readonly relations: readonly CountedRelation[];
    readonly valueOf: (relation: CountedRelation) => number;
    readonly averageLength: number;
  },
): number {
  const best = new Map<number, number>();
  for (const relation of relations) {
    const [first = '', ...others] = relation.terms;
    const postings = part.postingsOf(first) ?? [];
    const value = valueOf(relation);
    for (let at = 0; at < postings.length; at += 2) {
      const slot = postings[at] ?? -1;
      const length = part.lengths[slot] ?? -1;
      if (length < 0 || !others.every((term) => hasSlot(part.postingsOf(term), slot))) continue;
      const score = value * termFrequencyScore(postings[at + 1] ?? 0, length, averageLength);
      if (score > (best.get(slot) ?? 0)) best.set(slot, score);
    }
  }
  let added = 0;
  for (const [slot, score] of best) {
    const before = scores[slot] ?? 0;
    if (before === 0) added++;
    scores[slot] = before + score;
  }
  return added;
}

/**
 * Scores the documents of several parts as one collection, by BM25. The scores are summed in the order of the terms, so that they
 * do not depend on how documents are divided into parts.
 *
 * A generator, so that a caller can let other work run between its steps.
 *
 * @yields the work of the step, in UTF-16 code units of a string that takes as long to split into terms.
 */
export function* scoreParts(
  parts: readonly Part[],
  { terms, relations = [] }: Pick<Query, 'terms' | 'relations'>,
  compareTies: CompareTies,
): Generator<number, Scores, void> {
  const documents = parts.reduce((sum, part) => sum + part.documents, 0);
  const averageLength = parts.reduce((sum, part) => sum + part.totalLength, 0) / documents;
  const collection = { parts, documents, averageLength };
  const counted = terms.map((one): CountedTerm => ({ ...one, documentFrequency: frequencyOf(parts, one.term) }));
  const values = new Map(
    counted.map(({ term, weight, documentFrequency }) => {
      return [term, weight * inverseDocumentFrequency(documentFrequency, documents)];
    }),
  );
  const scores = parts.map(({ lengths }) => new Float64Array(lengths.length));
  let found = 0;
  for (const { term } of counted) {
    const value = values.get(term) ?? 0;
    for (const [index, part] of parts.entries()) {
      const postings = part.postingsOf(term);
      const own = scores[index];
      if (postings === undefined || own === undefined) continue;
      found += addScores(own, part, { postings, value, averageLength });
      yield postings.length / 2 / POSTINGS_PER_UNIT;
    }
  }
  const related = countRelations(collection, relations);
  const valueOf = ({ of, share, documentFrequency }: CountedRelation): number => {
    const own = of.reduce((sum, term) => sum + (values.get(term) ?? 0), 0);
    return share * Math.min(own, inverseDocumentFrequency(documentFrequency, documents));
  };
  for (const word of new Set(related.map((one) => one.word))) {
    const same = related.filter((one) => one.word === word);
    for (const [index, part] of parts.entries()) {
      const own = scores[index];
      if (own === undefined) continue;
      found += addRelated(own, part, { relations: same, valueOf, averageLength });
      yield same.reduce((sum, { terms: [first = ''] }) => sum + (part.postingsOf(first)?.length ?? 0), 0);
    }
  }
  const timeOf = ({ part, slot }: Candidate): number => parts[part]?.times?.[slot] ?? 0;
  const compare: CompareTies = (left, right) =>
    right.score - left.score || timeOf(right) - timeOf(left) || compareTies(left, right);
  const best = (limit: number, after?: ScoredSlot): ScoredSlot[] =>
    selectSlots(scores, limit, compare, after).map((one) => {
      const has = (term: string): boolean => hasSlot(parts[one.part]?.postingsOf(term), one.slot);
      return {
        ...one,
        matched: counted.filter(({ term }) => has(term)),
        related: related.filter((relation) => relation.terms.every(has)),
      };
    });
  return { statistics: { documents, terms: counted, relations: related }, found, best };
}

/** Returns the first `limit` slots with a score in the order of `compare`. Makes no object for most of the others. */
function selectSlots(
  scores: readonly Float64Array[],
  limit: number,
  compare: CompareTies,
  after: Candidate | undefined,
): Candidate[] {
  // Twice the limit is collected before the worse half is dropped, so that a slot is compared a constant number of times.
  const size = Math.max(2 * limit, 32);
  let candidates: Candidate[] = [];
  let last: Candidate | undefined;
  // The latest documents most often have the last slots. Of equally good ones the first that is met is kept.
  for (let part = scores.length - 1; part >= 0; part--) {
    const own = scores[part] ?? new Float64Array();
    for (let slot = own.length - 1; slot >= 0; slot--) {
      const score = own[slot] ?? 0;
      if (score === 0 || (last !== undefined && score < last.score)) continue;
      if (after !== undefined && score > after.score) continue;
      const candidate = { part, slot, score };
      if (last !== undefined && compare(last, candidate) <= 0) continue;
      if (after !== undefined && compare(after, candidate) >= 0) continue;
      candidates.push(candidate);
      if (candidates.length < size) continue;
      candidates = candidates.toSorted(compare).slice(0, limit);
      last = candidates.at(-1);
    }
  }
  return candidates.toSorted(compare).slice(0, limit);
}

export function runToEnd<Result>(steps: Generator<number, Result, void>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
