import type { Corpus } from './corpora.ts';
import type { Engine } from './engines.ts';

/** How well questions were answered. */
export interface Quality {
  readonly questions: number;
  /** The share that had the right answer first. */
  readonly recall1: number;
  /** The share that had it among the first five. */
  readonly recall5: number;
  /** The mean of 1 / rank, 0 for a rank beyond the tenth. */
  readonly mrr: number;
  /** The share that had no answer at all. */
  readonly empty: number;
}

/** Where an engine put what was wanted: from 1; 0 when it is not there, -1 when nothing is. */
export function ranksOf(engine: Engine, { documents, questions }: Corpus): number[] {
  const answer = engine.open(documents);
  return questions.map(({ query, wanted }) => {
    const ids = answer(query);
    return ids.length === 0 ? -1 : ids.indexOf(wanted) + 1;
  });
}

export function qualityOf(ranks: readonly number[]): Quality {
  const share = (is: (rank: number) => boolean): number => ranks.filter(is).length / ranks.length;
  return {
    questions: ranks.length,
    recall1: share((rank) => rank === 1),
    recall5: share((rank) => rank >= 1 && rank <= 5),
    mrr: ranks.reduce((sum, rank) => sum + (rank > 0 ? 1 / rank : 0), 0) / ranks.length,
    empty: share((rank) => rank === -1),
  };
}
