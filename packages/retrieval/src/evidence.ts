import { inverseDocumentFrequency } from './bm25.ts';
import type { Query } from './query.ts';
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

/** A term in a collection, with the positions of the units that it matches. */
interface JudgedTerm {
  readonly units: number[];
  readonly isRare: boolean;
  readonly isCommon: boolean;
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
  const judged = new Map<string, JudgedTerm>();
  /** The units that a single character matches. */
  const characters = new Map<string, number[]>();
  const weights: number[] = [];
  let total = 0;
  // Questions of characters have more of them that ask than stop characters are known.
  let enough = 0;
  for (const [place, unit] of units.entries()) {
    let least = Number.POSITIVE_INFINITY;
    for (const term of unit.terms) {
      const frequency = frequencies.get(term) ?? 0;
      if (frequency === 0) continue;
      least = Math.min(least, frequency);
      const known = judged.get(term);
      if (known !== undefined) known.units.push(place);
      else {
        const isRare = frequency <= Math.max(RARE_DOCUMENTS, size * RARE_SHARE);
        judged.set(term, { units: [place], isRare, isCommon: frequency > size * COMMON_SHARE });
      }
    }
    const isKnown = least < Number.POSITIVE_INFINITY;
    const isAsking = unit.isQuestion && !isKnown;
    const weight = isAsking ? 0 : unit.share * inverseDocumentFrequency(isKnown ? least : 0, size);
    weights.push(weight);
    total += weight;
    const { character } = unit;
    enough += weight * ENOUGH_WITH_RARE[character === undefined ? 'words' : 'characters'];
    if (character === undefined) continue;
    const isCommon = (frequencies.get(character) ?? 0) > size * COMMON_SHARE;
    if (unit.terms.length > 0 && isCommon) continue;
    const same = characters.get(character);
    if (same === undefined) characters.set(character, [place]);
    else same.push(place);
  }
  const enoughRare = Math.min(enough, ENOUGH_RARE_WORDS * inverseDocumentFrequency(1, size));
  /** The last document that matched each unit, by its number. */
  const lastMatch = weights.map(() => 0);
  let number = 0;
  return (matched) => {
    number++;
    let weight = 0;
    let hasRare = false;
    let hasUncommon = false;
    for (const { term } of matched) {
      const known = judged.get(term);
      if (known === undefined) continue;
      hasRare ||= known.isRare;
      hasUncommon ||= !known.isCommon;
      for (const place of known.units) {
        if (lastMatch[place] !== number) weight += weights[place] ?? 0;
        lastMatch[place] = number;
      }
    }
    if (weight > 0 && weight >= (hasRare ? enoughRare : ENOUGH * total)) return 'enough';
    if (hasUncommon || (weight > 0 && weight >= LITTLE * total)) return 'little';
    // Of a pair that matched, which is common here, both characters are common too.
    let single = 0;
    for (const { term } of matched) for (const place of characters.get(term) ?? []) single += weights[place] ?? 0;
    return single > 0 && single >= LITTLE * total ? 'little' : 'none';
  };
}
