import {
  createEvidence,
  noticesOf,
  rankDocuments,
  readQuery,
  scoreParts,
  similarTerms,
  termsOf,
} from '@cairn/retrieval';
import type { Embed, Evidence, Part, Query, QueryTerm, RankNotice, ScoredSlot, Scores } from '@cairn/retrieval';
import type { CallOptions, ListRule, MemoryBackend } from '../records/backend.ts';
import { DamagedSegment } from './open-segment.ts';
import { PostingsCache } from './postings-cache.ts';
import { DEFAULT_SIZES, SourceView } from './source-view.ts';
import type { SegmentSizes, SourceParts } from './source-view.ts';
import { Turns } from './turns.ts';

/** Records that can be found: those of a list, or the rows of a table. */
export interface TermSource {
  readonly key: string;
  /** The rule of a list, which decides what has expired. */
  readonly rule?: ListRule | undefined;
  /** Returns what a record is found by; `undefined` when the record is not readable. For a list `timeMs` is the time of the record. */
  readonly textOf: (record: string) => { readonly text: string; readonly timeMs: number } | undefined;
}

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
   * @param sequences of the records, in the epoch that the key has now.
   */
  readonly forget: (source: TermSource, sequences: 'all' | readonly number[], options?: CallOptions) => Promise<void>;
}

/** The sources whose views are kept. The one with the oldest search is dropped first. */
const MAX_VIEWS = 64;
/** The sources that are read at the same time. */
const CONCURRENT_SOURCES = 16;

/** Each attempt is without one more damaged segment. */
const MAX_ATTEMPTS = 1000;

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
  readonly scored: ScoredSlot;
}

/** The scores of records, and the record of each. */
interface Scored<Source extends TermSource> {
  readonly scores: Scores;
  readonly candidate: (scored: ScoredSlot) => Candidate<Source> | undefined;
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

  const viewOf = ({ key }: TermSource): SourceView => {
    const view = views.get(key) ?? new SourceView({ backend, cache, sizes }, key);
    // The latest comes last.
    views.delete(key);
    views.set(key, view);
    for (const oldest of views.keys()) {
      if (views.size <= MAX_VIEWS) break;
      views.delete(oldest);
    }
    return view;
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
    const candidate = (scored: ScoredSlot): Candidate<Source> | undefined => {
      const owner = owners[scored.part];
      return owner && { captured: owner.captured, sequence: owner.sequences[scored.slot] ?? 0, scored };
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
    { query, limit, offset = 0, accept, onNotice, signal }: TermQuery<Source>,
  ): Promise<TermResult<Source>> => {
    const turns = new Turns(signal);
    const captured = await mapSome(sources, async (source): Promise<Captured<Source>> => {
      const view = viewOf(source);
      return { source, view, parts: await view.capture({ source, turns, signal }) };
    });
    const parsed = readQuery(query);
    /** Reads the best records. `undefined` stands for one that has only common words. */
    const read = async (
      { scores, candidate }: Scored<Source>,
      evidenceOf: (matched: ScoredSlot['matched']) => Evidence,
    ): Promise<(TermHit<Source> | undefined)[]> => {
      const found: (TermHit<Source> | undefined)[] = [];
      // Most often nothing is refused.
      for (let from = 0, size = offset + limit + 1; found.length <= offset + limit && from < scores.found; size *= 4) {
        const candidates = scores
          .best(size)
          .slice(from)
          .flatMap((one) => candidate(one) ?? []);
        const judged = candidates.map((one) => ({ one, evidence: evidenceOf(one.scored.matched) }));
        const wanted = judged.flatMap(({ one, evidence }) => (evidence === 'none' ? [] : one));
        const records = await readRecords(wanted, signal);
        const recordOf = new Map(wanted.map((one, index) => [one, records[index]]));
        for (const { one, evidence } of judged) {
          const { source } = one.captured;
          const record = recordOf.get(one);
          if (evidence === 'none') found.push(undefined);
          if (record === undefined || accept?.(record, source) === false) continue;
          const matched = one.scored.matched.map(({ term }) => term);
          const hit = { source, sequence: one.sequence, record, score: one.scored.score, matched };
          found.push(evidence === 'little' ? { ...hit, isSimilar: true } : hit);
        }
        from = size;
      }
      return found;
    };
    const byTerms = await score(captured, parsed.terms, turns);
    const { scores } = byTerms;
    let accepted = await read(byTerms, createEvidence(parsed, scores.statistics));
    if (scores.found === 0 || (accepted.length > 0 && accepted.every((hit) => hit === undefined))) {
      const bySpelling = await score(captured, await similarTo(captured, parsed), turns);
      accepted = (await read(bySpelling, () => 'little')).map((hit) => hit && { ...hit, matched: [] });
    }
    const hits = accepted.slice(offset, offset + limit).flatMap((hit) => hit ?? []);
    for (const notice of noticesOf(
      parsed,
      hits.map((hit) => ({ id: '', ...hit })),
    ))
      onNotice?.(notice);
    return { hits, searched: scores.statistics.documents, hasMore: accepted[offset + limit] !== undefined };
  };

  /** With vectors all texts are compared. */
  const searchByMeaning = async <Source extends TermSource>(
    sources: readonly Source[],
    { query, limit, offset = 0, accept, embed, onNotice, signal }: TermQuery<Source>,
  ): Promise<TermResult<Source>> => {
    const turns = new Turns(signal);
    const hits = new Map<string, Omit<TermHit<Source>, 'score' | 'matched'> & { readonly text: string }>();
    const documents: { readonly id: string; readonly text: string; readonly timeMs: number }[] = [];
    for (const [order, source] of sources.entries()) {
      for (const { sequence, record, text, timeMs } of await viewOf(source).readAll({ source, turns, signal })) {
        const id = `${order} ${String(Number.MAX_SAFE_INTEGER - sequence).padStart(16, '0')}`;
        documents.push({ id, text, timeMs });
        hits.set(id, { source, sequence, record, text });
      }
    }
    const count = accept === undefined ? offset + limit + 1 : Math.max(1, documents.length);
    const ranked = await rankDocuments(query, documents, { limit: count, signal, embed, onNotice });
    const accepted = ranked.flatMap(({ id, score: own, isSimilar }) => {
      const hit = hits.get(id);
      if (hit === undefined || accept?.(hit.record, hit.source) === false) return [];
      return [{ ...hit, score: own, ...(isSimilar === true && { isSimilar }) }];
    });
    const asked = readQuery(query).terms.map(({ term }) => term);
    return {
      hits: accepted.slice(offset, offset + limit).map(({ text, ...hit }): TermHit<Source> => {
        const terms = new Set(termsOf(text));
        return { ...hit, matched: asked.filter((term) => terms.has(term)) };
      }),
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
        }
      }
    },
    catchUp: async (source, { signal } = {}) => {
      await viewOf(source).capture({ source, turns: new Turns(signal), signal });
    },
    forget: async (source, sequences, { signal } = {}) => {
      await viewOf(source).forget(sequences, { source, turns: new Turns(signal), signal });
    },
  };
}
