import {
  foundSlots,
  inverseDocumentFrequency,
  noticesOf,
  rankDocuments,
  readQuery,
  scoreParts,
  similarTerms,
} from '@cairn/retrieval';
import type { CountedTerm, Embed, FoundSlot, Part, Query, QueryTerm, RankNotice, Scores } from '@cairn/retrieval';
import type { CallOptions, MemoryBackend } from '../records/backend.ts';
import { DamagedSegment } from './open-segment.ts';
import { PostingsCache } from './postings-cache.ts';
import { collectOrphans } from './orphans.ts';
import { Turns } from '../records/turns.ts';
import { DEFAULT_SIZES } from './segment-sizes.ts';
import type { SegmentSizes } from './segment-sizes.ts';
import type { SourceParts } from './source-parts.ts';
import { SourceView } from './source-view.ts';
import type { TermSource } from './term-source.ts';

/** A query over several sources. */
export interface TermQuery<Source extends TermSource = TermSource> extends CallOptions {
  /** Plain text without syntax. */
  readonly query: string;
  /** The maximum number of hits. A whole number from 1. */
  readonly limit: number;
  /** The hits that are left out, best first. @default 0 */
  readonly offset?: number | undefined;
  /** Returns whether a record may be a hit. The records that it refuses count in the ranking nevertheless. */
  readonly accept?: ((record: string, source: Source) => boolean) | undefined;
  /** The same, by the sequence of a record, before the record is read. */
  readonly acceptSequence?: ((sequence: number, source: Source) => boolean) | undefined;
  /** Whether hits have their records. Without them nothing is read but the index, and each record is empty. @default true */
  readonly readsRecords?: boolean | undefined;
  /** Whether words with a similar spelling are searched for when nothing is found, which reads all terms. @default true */
  readonly findsSimilar?: boolean | undefined;
  /** Also ranks by meaning, which reads all records. */
  readonly embed?: Embed | undefined;
  /** Called for each notice about the result. When it is given, a failed `embed` is a notice. */
  readonly onNotice?: ((notice: RankNotice) => void) | undefined;
}

/** A found record. */
export interface TermHit<Source extends TermSource = TermSource> {
  readonly source: Source;
  readonly sequence: number;
  readonly record: string;
  /** Higher is better. Comparable only within one result. */
  readonly score: number;
  /** Present when there is too little evidence that the record is an answer. */
  readonly isSimilar?: true;
  /** The terms by which it was found. */
  readonly matched: readonly string[];
}

export interface TermResult<Source extends TermSource = TermSource> {
  /** Best first. */
  readonly hits: readonly TermHit<Source>[];
  /** The number of records that were searched. */
  readonly searched: number;
  /**
   * The score of a text of average length that has every term of the query once: a hit may have more. Absent for a search by
   * meaning.
   */
  readonly fullScore?: number;
  /** Whether there are hits after these. */
  readonly hasMore: boolean;
}

/** Finds records by their terms. The records of all sources of a search are ranked as one collection. */
export interface TermStore {
  readonly search: <Source extends TermSource>(
    sources: readonly Source[],
    query: TermQuery<Source>,
  ) => Promise<TermResult<Source>>;
  /** Brings the stored index of a source up to date. A search does so too; call it after many records were written. */
  readonly catchUp: (source: TermSource, options?: CallOptions) => Promise<void>;
  /**
   * Removes the terms of records from the store, also when another process writes an index at the same time. Call it before
   * removing the records: a kill in between costs nothing but time. After `'all'`, call it again when the records are removed,
   * so that no key is left.
   *
   * @param options `epoch`: that of the sequences; when the key has another one, its whole index is removed.
   */
  readonly forget: (
    source: TermSource,
    sequences: 'all' | readonly number[],
    options?: CallOptions & { readonly epoch?: string | undefined },
  ) => Promise<void>;
}

/** The sources whose views are kept, at least and at most. The one with the oldest search is dropped first. */
const MIN_VIEWS = 64;
const MAX_VIEWS = 4096;
/** The terms of kept views beyond the minimum, about 80 MiB. */
const MAX_TERMS = 1_000_000;
/** The sources that are read at the same time. */
const CONCURRENT_SOURCES = 16;

/** Each attempt is without one more damaged segment. */
const MAX_ATTEMPTS = 1000;
/** The candidates whose records are read at once, at most. */
const MAX_PAGE = 1024;

export interface TermStoreOptions {
  readonly backend: MemoryBackend;
  /** When segments are written, for tests. */
  readonly sizes?: SegmentSizes | undefined;
}

interface Captured<Source extends TermSource> {
  readonly source: Source;
  readonly view: SourceView;
  readonly parts: SourceParts;
}

/** A hit before its record is read. */
interface Candidate<Source extends TermSource> {
  readonly captured: Captured<Source>;
  readonly sequence: number;
  readonly slot: FoundSlot;
}

/** The scores of records, and the record of each. */
interface Scored<Source extends TermSource> {
  readonly scores: Scores;
  readonly candidate: (slot: FoundSlot) => Candidate<Source> | undefined;
}

/** A term that a text of average length has once adds its weight times its inverse document frequency. */
function fullScoreOf(terms: readonly CountedTerm[], documents: number): number {
  return terms.reduce(
    (sum, { weight, documentFrequency }) => sum + weight * inverseDocumentFrequency(documentFrequency, documents),
    0,
  );
}

/** Maps values, at most some at the same time, in their order. */
async function mapSome<In, Out>(values: readonly In[], map: (value: In) => Promise<Out>): Promise<Out[]> {
  const results: Out[] = [];
  for (let from = 0; from < values.length; from += CONCURRENT_SOURCES) {
    results.push(...(await Promise.all(values.slice(from, from + CONCURRENT_SOURCES).map(map))));
  }
  return results;
}

export function createTermStore({ backend, sizes = DEFAULT_SIZES }: TermStoreOptions): TermStore {
  const views = new Map<string, SourceView>();
  const cache = new PostingsCache();

  let hasCollected = false;
  /** Once in a process that writes indexes, those of lists that ended and those of an earlier format are removed. */
  const onStored = async (call: CallOptions): Promise<void> => {
    if (hasCollected) return;
    hasCollected = true;
    await collectOrphans(backend, call);
  };

  const viewOf = ({ key }: TermSource): SourceView => {
    const view = views.get(key) ?? new SourceView({ backend, cache, sizes, onStored }, key);
    // The latest comes last.
    views.delete(key);
    views.set(key, view);
    return view;
  };
  /** Drops the views of the oldest searches. Not during a search: one over many sources would find none of them the next time. */
  const dropOldViews = (): void => {
    let count = 0;
    let terms = 0;
    for (const [key, view] of [...views].toReversed()) {
      count += 1;
      terms += view.termsInMemory;
      if (count > MIN_VIEWS && (count > MAX_VIEWS || terms > MAX_TERMS)) views.delete(key);
    }
  };

  /** Scores all records of the sources. */
  const score = async <Source extends TermSource>(
    captured: readonly Captured<Source>[],
    terms: readonly QueryTerm[],
    turns: Turns,
  ): Promise<Scored<Source>> => {
    const names = terms.map(({ term }) => term);
    const parts: Part[] = [];
    const owners: { readonly captured: Captured<Source>; readonly sequences: ArrayLike<number> }[] = [];
    for (const one of captured) {
      for (const { part, sequences } of await one.parts.read(names)) {
        parts.push(part);
        owners.push({ captured: one, sequences });
      }
    }
    const sequenceOf = (part: number, slot: number): number => owners[part]?.sequences[slot] ?? 0;
    const orderOf = new Map(captured.map((one, order) => [one, order]));
    const scores = await turns.run(
      scoreParts(parts, terms, (left, right) => {
        const [own, other] = [owners[left.part]?.captured, owners[right.part]?.captured];
        // Of the same source the record that was written last.
        if (own === other) return sequenceOf(right.part, right.slot) - sequenceOf(left.part, left.slot);
        return own === undefined || other === undefined ? 0 : (orderOf.get(own) ?? 0) - (orderOf.get(other) ?? 0);
      }),
    );
    const candidate = (slot: FoundSlot): Candidate<Source> | undefined => {
      const owner = owners[slot.part];
      return owner && { captured: owner.captured, sequence: owner.sequences[slot.slot] ?? 0, slot };
    };
    return { scores, candidate };
  };

  const similarTo = async (captured: readonly Captured<TermSource>[], { terms }: Query): Promise<QueryTerm[]> => {
    const asked = terms.map(({ term }) => term);
    const similar = new Map<string, number>();
    for (const { parts } of captured) {
      for await (const vocabulary of parts.vocabulary()) {
        for (const [term, weight] of similarTerms(asked, vocabulary)) similar.set(term, weight);
      }
    }
    return Array.from(similar, ([term, weight]) => ({ term, weight })).toSorted((left, right) =>
      left.term < right.term ? -1 : 1,
    );
  };

  /** Reads the records of candidates; `undefined` for those that are gone. */
  const readRecords = async <Source extends TermSource>(
    candidates: readonly Candidate<Source>[],
    signal: AbortSignal | undefined,
  ): Promise<(string | undefined)[]> => {
    const bySource = new Map<Captured<Source>, Candidate<Source>[]>();
    for (const one of candidates) {
      const own = bySource.get(one.captured);
      if (own === undefined) bySource.set(one.captured, [one]);
      else own.push(one);
    }
    const records = new Map<Candidate<Source>, string | undefined>();
    await mapSome([...bySource], async ([{ parts }, own]) => {
      const found = await parts.records(
        own.map(({ sequence }) => sequence),
        { signal },
      );
      for (const [index, candidate] of own.entries()) records.set(candidate, found[index]);
    });
    return candidates.map((candidate) => records.get(candidate));
  };

  const searchOnce = async <Source extends TermSource>(
    sources: readonly Source[],
    termQuery: TermQuery<Source>,
  ): Promise<TermResult<Source>> => {
    const { query, limit, offset = 0, accept, acceptSequence, onNotice, signal } = termQuery;
    const { readsRecords = true, findsSimilar = true } = termQuery;
    const turns = new Turns(signal);
    const captured = await mapSome(sources, async (source): Promise<Captured<Source>> => {
      const view = viewOf(source);
      return { source, view, parts: await view.capture({ source, turns, signal }) };
    });
    const parsed = readQuery(query);
    const byTerms = await score(captured, parsed.terms, turns);
    const end = offset + limit;
    const accepted: TermHit<Source>[] = [];
    const add = async (slots: readonly FoundSlot[], { candidate }: Scored<Source>): Promise<void> => {
      const candidates = slots
        .flatMap((slot) => candidate(slot) ?? [])
        .filter((one) => acceptSequence?.(one.sequence, one.captured.source) !== false);
      const records = readsRecords ? await readRecords(candidates, signal) : candidates.map(() => '');
      for (const [index, { captured: one, sequence, slot }] of candidates.entries()) {
        const record = records[index];
        if (record === undefined || accept?.(record, one.source) === false) continue;
        const matched = slot.matched.map(({ term }) => term);
        const { score: own, isSimilar } = slot;
        accepted.push({ source: one.source, sequence, record, score: own, matched, ...(isSimilar && { isSimilar }) });
      }
      await turns.next();
    };
    let isFound = false;
    for (const slots of foundSlots(parsed, byTerms.scores, end + 1)) {
      isFound = true;
      await add(slots, byTerms);
      if (accepted.length > end) break;
    }
    if (!isFound && findsSimilar) {
      const similar = await score(captured, await similarTo(captured, parsed), turns);
      let slots: readonly FoundSlot[] = [];
      do {
        slots = similar.scores.best(Math.min(end + 1, MAX_PAGE), slots.at(-1));
        await add(
          slots.map((slot): FoundSlot => ({ ...slot, matched: [], isSimilar: true })),
          similar,
        );
      } while (accepted.length <= end && slots.length > 0);
    }
    const hits = accepted.slice(offset, end);
    const ranked = hits.map((hit) => ({ id: '', ...hit }));
    for (const notice of noticesOf(parsed, ranked)) onNotice?.(notice);
    const { documents, terms } = byTerms.scores.statistics;
    return { hits, searched: documents, fullScore: fullScoreOf(terms, documents), hasMore: accepted.length > end };
  };

  /** With vectors all texts are compared. */
  const searchByMeaning = async <Source extends TermSource>(
    sources: readonly Source[],
    { query, limit, offset = 0, accept, acceptSequence, embed, onNotice, signal }: TermQuery<Source>,
  ): Promise<TermResult<Source>> => {
    const turns = new Turns(signal);
    const hits = new Map<string, Omit<TermHit<Source>, 'score' | 'matched'>>();
    const documents: { readonly id: string; readonly text: string; readonly timeMs: number }[] = [];
    for (const [order, source] of sources.entries()) {
      for (const { sequence, record, text, timeMs } of await viewOf(source).readAll({ source, turns, signal })) {
        const id = `${order} ${String(Number.MAX_SAFE_INTEGER - sequence).padStart(16, '0')}`;
        documents.push({ id, text, timeMs });
        hits.set(id, { source, sequence, record });
      }
    }
    const isFiltered = accept !== undefined || acceptSequence !== undefined;
    const count = isFiltered ? Math.max(1, documents.length) : offset + limit + 1;
    const ranked = await rankDocuments(query, documents, { limit: count, signal, embed, onNotice });
    const accepted = ranked.flatMap(({ id, score: own, isSimilar, matched }) => {
      const hit = hits.get(id);
      if (hit === undefined || acceptSequence?.(hit.sequence, hit.source) === false) return [];
      if (accept?.(hit.record, hit.source) === false) return [];
      return [{ ...hit, score: own, matched, ...(isSimilar && { isSimilar }) }];
    });
    return {
      hits: accepted.slice(offset, offset + limit),
      searched: documents.length,
      hasMore: accepted.length > offset + limit,
    };
  };

  return {
    search: async (sources, query) => {
      query.signal?.throwIfAborted();
      if (query.embed !== undefined) return searchByMeaning(sources, query);
      for (let attempt = 1; ; attempt++) {
        try {
          return await searchOnce(sources, query);
        } catch (error) {
          if (!(error instanceof DamagedSegment) || attempt === MAX_ATTEMPTS) throw error;
          await Promise.all(sources.map((source) => viewOf(source).dropDamaged(error.segment)));
        } finally {
          dropOldViews();
        }
      }
    },
    catchUp: async (source, { signal } = {}) => {
      await viewOf(source).capture({ source, turns: new Turns(signal), signal });
      dropOldViews();
    },
    forget: async (source, sequences, { epoch, signal } = {}) => {
      await viewOf(source).forget(sequences, epoch, { source, turns: new Turns(signal), signal });
      dropOldViews();
    },
  };
}
