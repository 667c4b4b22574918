import { createGlossary, type Glossary } from './glossary/glossary.ts';
import { readQuery, type Query, type Relation } from './query.ts';
import type { ScoredSlot, Statistics } from './score.ts';
import { fold } from './normalize.ts';
import { corrections, type Correction } from './spelling.ts';

/** How much a word that differs in one letter counts, compared with the word itself. */
const SPELLING = 0.8;
/** The words of a query that are corrected, the longest first, and the corrections of each. */
const MAX_MISSPELLED = 6;
const MAX_CORRECTIONS = 3;

const own: { glossary?: Glossary } = {};

/** Parses a query, and adds the words that mean the same according to a glossary, by default that of the package. */
export function relatedQuery(
  query: string,
  glossary: Pick<Glossary, 'relatedTo'> = (own.glossary ??= createGlossary()),
): Query {
  const read = readQuery(query);
  const relations = glossary.relatedTo(query).map(({ word, of, related, terms, weight }): Relation => {
    return { kind: 'glossary', word, of, related, terms, share: weight };
  });
  return relations.length === 0 ? read : { ...read, relations };
}

/** Returns the terms of a document that a query, or a word that is related to it, has. */
export function matchedTerms({ matched, related }: Pick<ScoredSlot, 'matched' | 'related'>): string[] {
  return [...new Set([...matched.map(({ term }) => term), ...related.flatMap(({ terms }) => terms)])];
}

/** A word of a query that no document has. */
interface UnknownWord {
  readonly text: string;
  readonly term: string;
  readonly corrections: readonly Correction[];
}

/** The words of a query that may be typos. */
export class Misspelled {
  readonly #query: Query;
  readonly #words: readonly UnknownWord[];

  constructor(query: Query, { terms }: Statistics) {
    this.#query = query;
    const known = new Set(terms.filter(({ documentFrequency }) => documentFrequency > 0).map(({ term }) => term));
    // A word that a glossary has is not a typo.
    for (const { of } of query.relations ?? []) for (const term of of) known.add(term);
    this.#words = query.units
      .filter((unit) => unit.character === undefined && !unit.terms.some((term) => known.has(term)))
      .toSorted((left, right) => right.text.length - left.text.length)
      .slice(0, MAX_MISSPELLED)
      .map(({ text, terms: [term = ''] }) => ({ text, term, corrections: corrections(fold(text)) }));
  }

  /** The terms of which the collection may have some. Empty for a query without unknown words. */
  candidates(): readonly string[] {
    return [...new Set(this.#words.flatMap((word) => word.corrections.map(({ term }) => term)))];
  }

  /** Returns the query with the corrections that the collection has; the same query when it has none. */
  corrected(has: (term: string) => boolean): Query {
    const relations = this.#words.flatMap((word) => {
      const found = word.corrections.filter(({ term }) => has(term)).slice(0, MAX_CORRECTIONS);
      return found.map((one): Relation => {
        const { text, term } = word;
        return { kind: 'spelling', word: text, of: [term], related: one.word, terms: [one.term], share: SPELLING };
      });
    });
    if (relations.length === 0) return this.#query;
    return { ...this.#query, relations: [...(this.#query.relations ?? []), ...relations] };
  }
}
