/** How rankings by words and by meaning become one. */

/** Reciprocal rank fusion: the customary constant. */
const FUSION_CONSTANT = 60;

/** The share of one ranking in the score of a document. */
function shareOf(index: number): number {
  return 1 / (FUSION_CONSTANT + index + 1);
}

/** The score of a document that is the first one of both rankings. */
export const MAX_FUSED_SCORE: number = 2 * shareOf(0);

/**
 * Returns the score of each document of two rankings: one that is high in one or in both has a high score.
 *
 * @param hasMeaning whether a document could be in the ranking by meaning. The rank by words of another one counts twice.
 */
export function fuseRanks(
  byWords: readonly string[],
  byMeaning: readonly string[],
  hasMeaning: (id: string) => boolean = () => true,
): Map<string, number> {
  const scores = new Map<string, number>();
  for (const [index, id] of byWords.entries()) scores.set(id, shareOf(index) * (hasMeaning(id) ? 1 : 2));
  for (const [index, id] of byMeaning.entries()) scores.set(id, (scores.get(id) ?? 0) + shareOf(index));
  return scores;
}

/** How near the nearest document is to a query, and how near the others are. */
export interface Nearness {
  readonly best: number;
  /** The similarity of the next one. */
  readonly next: number;
  /** The mean and the standard deviation of the similarities of all documents, and their number. */
  readonly mean: number;
  readonly deviation: number;
  readonly count: number;
}

/** Models differ in which similarity is high, so that it is compared with the other documents, of which there must be some. */
const MIN_DOCUMENTS = 8;
/** By how many standard deviations the nearest document is nearer than the mean, and than the next one. */
const MIN_DISTANCE = 5;
const MIN_MARGIN = 1;

/**
 * Returns whether the nearest document is an answer, even without a word of the query. Every query has a nearest document, also one
 * without an answer, so that it must stand out.
 */
export function standsOut({ best, next, mean, deviation, count }: Nearness): boolean {
  if (count < MIN_DOCUMENTS) return false;
  // Of the others: the best one would make its own distance small.
  const rest = (mean * count - best) / (count - 1);
  const squares = ((deviation ** 2 + mean ** 2) * count - best ** 2) / (count - 1);
  const spread = Math.sqrt(Math.max(0, squares - rest ** 2));
  return spread > 0 && best - rest >= MIN_DISTANCE * spread && best - next >= MIN_MARGIN * spread;
}
