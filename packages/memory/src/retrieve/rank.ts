import { termsOf } from './terms.ts';

export interface RankDocument {
  readonly id: string;
  readonly text: string;
  readonly timeMs: number;
}

export type Embed = (
  texts: readonly string[],
  options: { readonly signal?: AbortSignal | undefined },
) => Promise<readonly (readonly number[])[]>;

export interface RankOptions {
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
  readonly embed?: Embed | undefined;
}

export interface Ranked {
  readonly id: string;
  readonly score: number;
}

/** Ranks documents by BM25; newer ones first among equals. */
export async function rankDocuments(
  query: string,
  documents: Iterable<RankDocument>,
  { limit, signal }: RankOptions,
): Promise<readonly Ranked[]> {
  signal?.throwIfAborted();
  const all = [...documents].map((document) => ({ document, terms: termsOf(document.text) }));
  const average = all.reduce((sum, { terms }) => sum + terms.length, 0) / Math.max(all.length, 1);
  const scores = new Map<RankDocument, number>();
  for (const term of new Set(termsOf(query))) {
    const having = all.filter(({ terms }) => terms.includes(term));
    const weight = Math.log(1 + (all.length - having.length + 0.5) / (having.length + 0.5));
    for (const { document, terms } of having) {
      const count = terms.filter((one) => one === term).length;
      const score = (weight * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * terms.length) / average));
      scores.set(document, (scores.get(document) ?? 0) + score);
    }
  }
  return [...scores]
    .toSorted(([a, x], [b, y]) => y - x || b.timeMs - a.timeMs)
    .slice(0, limit)
    .map(([{ id }, score]) => ({ id, score }));
}
