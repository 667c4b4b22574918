import { kind, kindOf } from './characters.ts';

/** The share of the trigrams of the shorter word that two similar words must have in common. */
const MIN_SHARE = 0.5;
/** The words of a query that are compared. A query may be a whole file. */
const MAX_WORDS = 32;

function isComparable(term: string): boolean {
  return /^\p{L}{3,}$/u.test(term) && kindOf(term.codePointAt(0) ?? 0) !== kind.unspaced;
}

function trigramsOf(term: string): Set<string> {
  const characters = [...term];
  return new Set(characters.slice(2).map((_, index) => characters.slice(index, index + 3).join('')));
}

/**
 * Returns the terms of a vocabulary that are spelled like a term of the query, such as `configuraton` and `configur`. Each
 * comes with the share of trigrams in common, in the order of UTF-16 code units. Reads the vocabulary once.
 */
export function similarTerms(query: readonly string[], vocabulary: Iterable<string>): readonly [string, number][] {
  const asked = query.filter(isComparable).slice(0, MAX_WORDS).map(trigramsOf);
  const byTrigram = new Map<string, number[]>();
  for (const [index, trigrams] of asked.entries()) {
    for (const trigram of trigrams) byTrigram.set(trigram, [...(byTrigram.get(trigram) ?? []), index]);
  }
  const similar: [string, number][] = [];
  for (const term of byTrigram.size === 0 ? [] : vocabulary) {
    if (!isComparable(term)) continue;
    const trigrams = trigramsOf(term);
    const common = new Map<number, number>();
    for (const trigram of trigrams) {
      for (const index of byTrigram.get(trigram) ?? []) common.set(index, (common.get(index) ?? 0) + 1);
    }
    const shares = Array.from(common, ([index, count]) => count / Math.min(trigrams.size, asked[index]?.size ?? 0));
    const share = Math.max(0, ...shares);
    if (share >= MIN_SHARE) similar.push([term, share]);
  }
  return similar.toSorted(([left], [right]) => (left < right ? -1 : 1));
}
