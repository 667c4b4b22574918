import { Judge, type Coverage } from './evidence.ts';
import type { Query } from './query.ts';
import type { ScoredSlot, Scores } from './score.ts';

/** A document that a query finds. */
export interface FoundSlot extends ScoredSlot {
  readonly coverage: Coverage;
}

/** The smallest page and the largest one: selecting a page reads all scores, and takes a millisecond or two. */
const MIN_PAGE = 64;
const MAX_PAGE = 1024;
/** Documents without evidence that end a ranking: those after them have even less in common with the query. */
const MAX_WITHOUT = 256;

/**
 * Yields the documents that a query finds, best first, in pages. Documents without evidence are left out, and what
 * follows many of them.
 *
 * @param size the expected number of documents.
 */
export function* foundSlots(query: Query, scores: Scores, size: number): Generator<readonly FoundSlot[], void, void> {
  const judge = new Judge(query, scores.statistics);
  let without = 0;
  let last: ScoredSlot | undefined;
  for (
    let limit = Math.min(Math.max(size, MIN_PAGE), MAX_PAGE);
    without < MAX_WITHOUT;
    limit = Math.min(4 * limit, MAX_PAGE)
  ) {
    const slots = scores.best(limit, last);
    const found: FoundSlot[] = [];
    for (const slot of slots) {
      const coverage = judge.coverageOf(slot);
      without = coverage === undefined ? without + 1 : 0;
      if (coverage !== undefined) found.push({ ...slot, coverage });
    }
    if (found.length > 0) yield found;
    if (slots.length < limit) return;
    last = slots.at(-1);
  }
}
