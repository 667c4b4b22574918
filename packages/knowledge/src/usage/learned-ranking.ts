import { readQuery, type QueryTerm } from '@cairn/retrieval';
import type { AssetHead } from '../assets/asset.ts';

/** An asset that was opened, and the query before it. */
export interface OpenedEvent {
  readonly asset: string;
  /** The session in which it was opened. */
  readonly session: string;
  /** Absent when nothing was searched for. */
  readonly query?: string | undefined;
}

/** A result of a search; its score is 0 to 1, and higher is better. */
export type RankableResult = Pick<AssetHead, 'id' | 'name'> & { readonly score: number };

/** A ranking that knows which asset was opened after which query. */
export interface LearnedRanking {
  /**
   * Returns the results in the learned order, with their new scores, which stay between 0 and 1. No result is added or removed.
   * A result with exactly the name that was asked for comes first.
   */
  readonly rerank: <Result extends RankableResult>(query: string, results: readonly Result[]) => Result[];
  /**
   * Returns the ids of the assets that similar queries mostly led to, best first, at most three. A search that lacks one adds it
   * with a score of 0, marked as similar: the asset may have no word of the query.
   */
  readonly suggest: (query: string) => string[];
}

/** Queries that share less are about something else. */
const MIN_SIMILARITY = 0.3;

/** As many openings of another asset as one that was opened only once is compared with. */
const PRIOR = 1;

/** The share of a score that is learned when there are many openings after similar queries. */
const MAX_LEARNED = 0.5;

/** An asset is suggested when it has this preference. */
const MIN_SUGGESTED = 0.25;
const MAX_SUGGESTED = 3;

interface AskedQuery {
  readonly terms: readonly QueryTerm[];
  /** How many sessions opened each asset. */
  readonly opened: Map<string, number>;
}

/** Returns the part that is equal in names and queries that differ only in case, width and punctuation. */
function foldName(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}]+/gu, '');
}

/** Counts each asset once for each session and query: a model that reads a second page opens nothing new. */
function gather(events: readonly OpenedEvent[]): AskedQuery[] {
  const queries = new Map<string, AskedQuery>();
  const seen = new Set<string>();
  for (const { asset, session, query } of events) {
    if (query === undefined) continue;
    const key = JSON.stringify([session, query, asset]);
    if (seen.has(key)) continue;
    seen.add(key);
    let asked = queries.get(query);
    if (asked === undefined) queries.set(query, (asked = { terms: readQuery(query).terms, opened: new Map() }));
    asked.opened.set(asset, (asked.opened.get(asset) ?? 0) + 1);
  }
  return [...queries.values()];
}

/**
 * Learns a ranking from events. The result depends on nothing else, so that a log can be replayed.
 *
 * An asset that was opened after similar queries moves up, more when fewer others were opened after them. Queries are
 * compared by their terms; rare ones count more.
 */
export function learnRanking(events: readonly OpenedEvent[]): LearnedRanking {
  const asked = gather(events);
  /** The queries that have a term, as indexes. */
  const postings = new Map<string, number[]>();
  for (const [index, { terms }] of asked.entries()) {
    for (const { term } of terms) {
      const known = postings.get(term);
      if (known === undefined) postings.set(term, [index]);
      else known.push(index);
    }
  }
  const vectorOf = (terms: readonly QueryTerm[]) => {
    const rarity = (term: string): number => Math.log(2 + asked.length / (postings.get(term)?.length ?? 1));
    const weights = new Map(terms.map(({ term, weight }) => [term, weight * rarity(term)]));
    return { weights, length: Math.hypot(...weights.values()) };
  };
  const vectors = asked.map(({ terms }) => vectorOf(terms));

  /** Returns the preference of each asset after similar queries: 0 to 1, together at most 1. */
  const preferences = (query: string): ReadonlyMap<string, number> => {
    const { weights, length } = vectorOf(readQuery(query).terms);
    const products = new Map<number, number>();
    for (const [term, weight] of weights) {
      for (const index of postings.get(term) ?? []) {
        products.set(index, (products.get(index) ?? 0) + weight * (vectors[index]?.weights.get(term) ?? 0));
      }
    }
    const sums = new Map<string, number>();
    let total = PRIOR;
    for (const [index, product] of products) {
      const similarity = product / (length * (vectors[index]?.length ?? 1));
      if (similarity < MIN_SIMILARITY) continue;
      for (const [asset, count] of asked[index]?.opened ?? []) {
        sums.set(asset, (sums.get(asset) ?? 0) + similarity * count);
        total += similarity * count;
      }
    }
    return new Map(Array.from(sums, ([asset, sum]) => [asset, sum / total]));
  };

  const rerank: LearnedRanking['rerank'] = (query, results) => {
    const folded = foldName(query);
    const preferred = preferences(query);
    // The more openings, the more they count besides the words. With one alone, half of it.
    const confidence = [...preferred.values()].reduce((sum, preference) => sum + preference, 0);
    const learned = results.map((result) => {
      if (confidence === 0) return result;
      const preference = preferred.get(result.id) ?? 0;
      return { ...result, score: (1 - MAX_LEARNED * confidence) * result.score + MAX_LEARNED * preference };
    });
    const best = learned.reduce((most, { score }) => Math.max(most, score), 0);
    const placed = learned.map((result) => {
      const isNamed = folded !== '' && [result.name, result.id].some((name) => foldName(name) === folded);
      // Its score is the highest too, so that scores never rise from one result to the next.
      return { isNamed, result: isNamed ? { ...result, score: best } : result };
    });
    return placed
      .toSorted((one, other) => Number(other.isNamed) - Number(one.isNamed) || other.result.score - one.result.score)
      .map(({ result }) => result);
  };
  const suggest = (query: string): string[] =>
    [...preferences(query)]
      .filter(([, preference]) => preference >= MIN_SUGGESTED)
      .toSorted(([one, more], [other, less]) => less - more || (one < other ? -1 : 1))
      .slice(0, MAX_SUGGESTED)
      .map(([asset]) => asset);
  return { rerank, suggest };
}
