import { inverseDocumentFrequency } from './bm25.ts';
import type { Query, QueryUnit } from './query.ts';
import type { Statistics } from './score.ts';

/**
 * How much the words that a document has in common with a query say. `enough`: the document is an answer. `little`: it may be
 * about something else. `none`: it has nothing but common words.
 */
export type Evidence = 'enough' | 'little' | 'none';

/** A term is rare in a collection when this many documents have it, or this share of them. */
const RARE_DOCUMENTS = 3;
const RARE_SHARE = 0.02;
/** A term is common when a larger share of the documents has it. */
const COMMON_SHARE = 0.1;
/** In a small collection every term is common. Its terms are weighed as if it had this many documents. */
const MIN_DOCUMENTS = 50;

/** The shares of the weight of a query, chosen with the half of the questions in `test/retrieval` that is for tuning. */
const ENOUGH_WITH_RARE = { words: 0.5, characters: 0.4 };
const ENOUGH = 0.7;
const LITTLE = 0.2;
/** A document with as much weight as this many rare words is an answer, however long the query is. */
const ENOUGH_RARE_WORDS = 3;

/** A unit of a query in a collection. */
interface WeighedUnit {
  readonly unit: QueryUnit;
  readonly weight: number;
}

/**
 * Returns a function that decides from the terms that a document matched whether it has enough evidence.
 *
 * A query is divided into units: its words, and the characters of scripts without spaces. A character is matched with a pair,
 * so that pairs across words, which nothing matches, do not count against a document. The weight of a unit is the inverse
 * document frequency of its rarest term. Single characters are never enough.
 */
export function createEvidence(
  { units }: Query,
  { documents, terms }: Statistics,
): (matched: readonly { readonly term: string }[]) => Evidence {
  const size = Math.max(documents, MIN_DOCUMENTS);
  const frequencies = new Map(terms.map(({ term, documentFrequency }) => [term, documentFrequency]));
  const frequencyOf = (term: string): number => frequencies.get(term) ?? 0;
  const isCommon = (term: string): boolean => frequencyOf(term) > size * COMMON_SHARE;
  const isRare = (term: string): boolean => frequencyOf(term) <= Math.max(RARE_DOCUMENTS, size * RARE_SHARE);
  const weighed = units.map((unit): WeighedUnit => {
    const known = unit.terms.map(frequencyOf).filter((frequency) => frequency > 0);
    const isAsking = unit.isQuestion && known.length === 0;
    return {
      unit,
      weight: isAsking ? 0 : unit.share * inverseDocumentFrequency(known.length === 0 ? 0 : Math.min(...known), size),
    };
  });
  const total = weighed.reduce((sum, { weight }) => sum + weight, 0);
  // Questions of characters have more of them that ask than stop characters are known.
  const enough = weighed.reduce(
    (sum, { unit, weight }) => sum + weight * ENOUGH_WITH_RARE[unit.character === undefined ? 'words' : 'characters'],
    0,
  );
  const rareWord = inverseDocumentFrequency(1, size);
  return (matched) => {
    const found = new Set(matched.map(({ term }) => term));
    let weight = 0;
    let characters = 0;
    let hasRare = false;
    let hasUncommon = false;
    for (const { unit, weight: own } of weighed) {
      const hits = unit.terms.filter((term) => found.has(term));
      if (hits.length > 0) {
        weight += own;
        hasRare ||= hits.some(isRare);
        hasUncommon ||= !hits.every(isCommon);
      } else if (unit.character !== undefined && found.has(unit.character)) {
        if (unit.terms.length === 0 || !isCommon(unit.character)) characters += own;
      }
    }
    const isAnswer = hasRare
      ? weight >= Math.min(enough, ENOUGH_RARE_WORDS * rareWord)
      : weight > 0 && weight >= ENOUGH * total;
    if (isAnswer) return 'enough';
    if (hasUncommon || (weight > 0 && weight >= LITTLE * total)) return 'little';
    return characters > 0 && characters >= LITTLE * total ? 'little' : 'none';
  };
}
