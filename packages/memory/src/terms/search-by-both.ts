/** Merges the rankings of a search by words and by meaning. */
import { fuseRanks, MAX_FUSED_SCORE, NEAR_IN_MEANING, noticesOf, standsOut } from '@cairn/retrieval';
import type { MemoryBackend } from '../records/backend.ts';
import { countRecords, type Meaning } from '../vectors/meaning.ts';
import type { VectorSource } from '../vectors/make-vectors.ts';
import { hashOf } from '../vectors/vector-row.ts';
import type { Nearest, NearRecord } from '../vectors/vector-index.ts';
import type { TermHit, TermQuery, TermResult, TermSource } from './term-query.ts';

/** The records of each ranking that are merged. */
const DEPTH = 50;
/** By how many standard deviations a record without a word of the query is nearer than the mean. */
const MIN_DEVIATIONS = 2;

export interface BothOptions<Source extends TermSource> {
  readonly backend: MemoryBackend;
  readonly meaning: Meaning;
  readonly sources: readonly Source[];
  readonly query: TermQuery<Source>;
  /** Searches by words. */
  readonly byWords: (query: TermQuery<Source>) => Promise<TermResult<Source>>;
}

/** A record with vectors of its text as it is now. */
interface NearHit<Source> extends Pick<TermHit, 'sequence' | 'record'> {
  readonly source: Source;
  readonly similarity: number;
}

const idOf = ({ source, sequence }: Pick<TermHit, 'source' | 'sequence'>): string => `${source.key} ${sequence}`;

function isFound(nearest: Awaited<ReturnType<Meaning['nearest']>>): nearest is Nearest {
  return nearest !== undefined && 'records' in nearest;
}

/** Ranks by words and by meaning. When meaning cannot be used, the result is that of words, with a notice. */
export async function searchByBoth<Source extends TermSource>(
  options: BothOptions<Source>,
): Promise<TermResult<Source>> {
  const { meaning, sources, query, byWords } = options;
  const { limit, offset = 0, onNotice, signal } = query;
  const all = sources.filter((source): source is Source & VectorSource => source.meaningOf !== undefined);
  const withMeaning = await meaning.allowed(all);
  if (withMeaning.length === 0) return byWords(query);
  const call = { ...query, limit: Math.max(offset + limit + 1, DEPTH), offset: 0, onNotice: undefined };
  const [nearest, words] = await Promise.all([meaning.nearest(withMeaning, query.query, { signal }), byWords(call)]);
  if (!isFound(nearest)) {
    const result = await byWords(query);
    if (nearest !== undefined) onNotice?.(nearest);
    return result;
  }
  const near = await nearHits(options, nearest.records, withMeaning);
  // Notes have no meaning.
  const others = sources.filter((source) => !withMeaning.some(({ key }) => key === source.key));
  const counts = await Promise.all(others.map(({ key }) => countRecords(options.backend, key, { signal })));
  const lacking = words.searched - nearest.known - counts.reduce((sum, count) => sum + count, 0);
  // An expired record counts until a write removes it.
  const isBehind = lacking > 0 && (await meaning.isBehind(withMeaning, { signal }));
  const missing = isBehind ? lacking : 0;
  const isComplete = !isBehind && others.length === 0;
  const hits = merged(words.hits, near, { ...nearest, isComplete });
  const end = offset + limit;
  const shown = hits.slice(offset, end);
  for (const one of noticesOf(query.query, [])) onNotice?.(one);
  if (shown.length > 0 && shown.every(({ isSimilar }) => isSimilar === true)) onNotice?.(NEAR_IN_MEANING);
  if (missing > 0) {
    const reason = meaning.failure === undefined ? 'To make their vectors now' : `${meaning.failure}. To try it again`;
    const message = `${missing} of ${words.searched} records have no vector yet and were ranked by words only. ${reason}, run: cairn memory embed.`;
    onNotice?.({ code: 'EMBED_PENDING', message });
  }
  return {
    hits: shown,
    searched: words.searched,
    fullScore: MAX_FUSED_SCORE,
    hasMore: hits.length > end || words.hasMore,
    usedMeaning: true,
  };
}

/** Reads the nearest records, until there are enough that may be hits. A vector of an earlier text does not count. */
async function nearHits<Source extends TermSource>(
  { backend, meaning, query }: BothOptions<Source>,
  records: readonly NearRecord[],
  sources: readonly (Source & VectorSource)[],
): Promise<NearHit<Source>[]> {
  const { accept, acceptSequence, signal } = query;
  const byKey = new Map(sources.map((source) => [source.key, source]));
  const hits: NearHit<Source>[] = [];
  for (let from = 0; from < records.length && hits.length < DEPTH; from += DEPTH) {
    const page = records.slice(from, from + DEPTH);
    const rows = new Map<NearRecord, { readonly sequence: number; readonly text: string } | undefined>();
    for (const key of byKey.keys()) {
      const own = page.filter((one) => one.key === key);
      const found =
        own.length === 0
          ? []
          : await backend.rows(
              key,
              own.map(({ id }) => id),
              { signal },
            );
      for (const [index, one] of own.entries()) rows.set(one, found[index]);
    }
    for (const one of page) {
      const source = byKey.get(one.key);
      const row = rows.get(one);
      const text = row === undefined ? undefined : source?.meaningOf(row.text)?.text;
      if (source === undefined || row === undefined || text === undefined || hashOf(text) !== one.hash) {
        meaning.drop(one);
        continue;
      }
      const { sequence, text: record } = row;
      if (acceptSequence?.(sequence, source) === false || accept?.(record, source) === false) continue;
      hits.push({ source, sequence, record, similarity: one.similarity });
    }
  }
  return hits;
}

/**
 * Merges hits. A record that stands out by its meaning is the first one; then come those with enough of the words, and those that
 * may be about something else.
 */
function merged<Source extends TermSource>(
  words: readonly TermHit<Source>[],
  near: readonly NearHit<Source>[],
  { mean, deviation, known, isComplete }: Nearest & { readonly isComplete: boolean },
): TermHit<Source>[] {
  // Meaning knows better than spelling which records are similar.
  const byWords = new Map(words.filter(({ matched }) => matched.length > 0).map((hit) => [idOf(hit), hit]));
  const least = mean + MIN_DEVIATIONS * deviation;
  // Every record is somehow near. Without a word of the query it must be nearer than most.
  const close = near.filter((hit, rank) => rank === 0 || hit.similarity >= least || byWords.has(idOf(hit)));
  const byMeaning = new Map(close.map((hit) => [idOf(hit), hit]));
  const [first, second] = near;
  const nearness = { best: first?.similarity ?? 0, next: second?.similarity ?? mean, mean, deviation, count: known };
  const answer = first !== undefined && standsOut(nearness) ? idOf(first) : undefined;
  // A record that is not among the nearest ones may have no vector yet.
  const scores = fuseRanks([...byWords.keys()], [...byMeaning.keys()], (id) => isComplete || byMeaning.has(id));
  const hits = Array.from(scores, ([id, score]): TermHit<Source> => {
    const hit = byWords.get(id);
    const { source, sequence, record } = (hit ?? byMeaning.get(id)) as Pick<
      TermHit<Source>,
      'source' | 'sequence' | 'record'
    >;
    const isSimilar = id !== answer && (hit === undefined || hit.isSimilar === true);
    const { matched = [], evidence } = hit ?? {};
    const judged = { ...(evidence && { evidence }), ...(isSimilar && { isSimilar }) };
    return { source, sequence, record, score, matched, ...judged };
  });
  const rankOf = (hit: TermHit<Source>): number => (idOf(hit) === answer ? 0 : hit.isSimilar === true ? 2 : 1);
  return hits.toSorted((left, right) => rankOf(left) - rankOf(right) || right.score - left.score);
}
