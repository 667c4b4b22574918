import {
  createGlossary,
  foundSlots,
  inverseDocumentFrequency,
  matchedTerms,
  Misspelled,
  noticesOf,
  rankDocuments,
  readQuery,
  relatedQuery,
  scoreParts,
  similarTerms,
  withEvidence,
  type CountedTerm,
  type Coverage,
  type Glossary,
  type GlossaryGroup,
  type Part,
  type Query,
  type ScoredSlot,
  type Scores,
} from '@cairn/retrieval';
import { MemoryError } from '../errors.ts';
import type { MemoryBackend, Row } from '../records/backend.ts';
import { newestRows } from '../records/pages.ts';
import { Turns, unitsOf } from '../records/turns.ts';
import { PostingsCache } from './postings-cache.ts';
import { searchByBoth } from './search-by-both.ts';
import type { TermHit, TermQuery, TermResult, TermSource } from './term-query.ts';

/** Finds rows by their terms. The rows of all sources of a search are ranked as one collection. */
export interface TermStore {
  readonly search: <Source extends TermSource>(
    sources: readonly Source[],
    query: TermQuery<Source>,
  ) => Promise<TermResult<Source>>;
}

/** The postings that are kept, about 100 MB at most. The table with the oldest search is dropped first. */
const MAX_POSTINGS = 4_000_000;
/** What a cache costs without postings. */
const POSTINGS_OF_CACHE = 500;
/** The sources that are read concurrently. */
const CONCURRENT_SOURCES = 16;
/** The rows with words of a similar spelling that are found at once. */
const MAX_PAGE = 1024;
/** The attempts of a search whose rows change before they are read. */
const MAX_ATTEMPTS = 10;
/** The equally good rows that are ordered by time, beyond the last hit. Of more, the last written ones come first. */
const MAX_TIES = 64;

/** A row that may be a hit. It has no coverage when it was found by a similar spelling. */
type RowSlot = ScoredSlot & { readonly coverage?: Coverage };

/** A hit before the evidence of all hits is compared. */
type FoundRow<Source extends TermSource> = Omit<TermHit<Source>, 'evidence' | 'isSimilar'>;

/** The scores of rows, and the source and the sequence of each. */
interface Scored<Source extends TermSource> {
  readonly scores: Scores;
  readonly placeOf: (slot: { readonly part: number; readonly slot: number }) => {
    readonly source: Source;
    readonly sequence: number;
  };
}

/** A term that a string of average length has once adds its weight times its inverse document frequency. */
function fullScoreOf(terms: readonly CountedTerm[], documents: number): number {
  return terms.reduce(
    (sum, { weight, documentFrequency }) => sum + weight * inverseDocumentFrequency(documentFrequency, documents),
    0,
  );
}

/** Maps values, some of them concurrently. */
async function mapSome<In, Out>(values: readonly In[], map: (value: In) => Promise<Out>): Promise<Out[]> {
  const results: Out[] = [];
  for (let from = 0; from < values.length; from += CONCURRENT_SOURCES) {
    results.push(...(await Promise.all(values.slice(from, from + CONCURRENT_SOURCES).map(map))));
  }
  return results;
}

class TermSearch<Source extends TermSource> {
  readonly #backend: MemoryBackend;
  readonly #cacheOf: (key: string) => PostingsCache;
  readonly #sources: readonly Source[];
  readonly #query: TermQuery<Source>;
  readonly #turns: Turns;
  /** The versions of the tables that were scored last. */
  #versions = '';
  /** Whether a row that was scored was no longer there. */
  #isMissing = false;

  constructor(
    store: { readonly backend: MemoryBackend; readonly cacheOf: (key: string) => PostingsCache },
    sources: readonly Source[],
    query: TermQuery<Source>,
  ) {
    this.#backend = store.backend;
    this.#cacheOf = store.cacheOf;
    this.#sources = sources;
    this.#query = query;
    this.#turns = new Turns(query.signal);
  }

  /** @throws {MemoryError} `STORE_LOCKED` when other calls change the rows again and again before they are read. */
  async byTerms(): Promise<TermResult<Source>> {
    const { query, limit, offset = 0, minEvidence, glossary, findsRelated = true, onNotice } = this.#query;
    const asked = findsRelated ? relatedQuery(query, glossary) : readQuery(query);
    const end = offset + limit;
    const { accepted, statistics } = await this.#settled(() => this.#candidates(asked, end));
    const timeOf = ({ source, record }: FoundRow<Source>): number => source.textOf(record)?.timeMs ?? 0;
    accepted.sort((a, b) => b.score - a.score || timeOf(b) - timeOf(a));
    // The margin of the last hit depends on the next one.
    const judged = withEvidence(accepted.slice(0, end + 1), minEvidence);
    const hits = judged.slice(offset, end).map((hit, place): TermHit<Source> => {
      const { coverage } = accepted[offset + place] ?? {};
      return { ...hit, ...(coverage && { coverage }) };
    });
    const ranked = hits.map((hit) => ({ id: '', ...hit }));
    for (const notice of noticesOf(asked, ranked)) onNotice?.(notice);
    const { documents, terms } = statistics;
    return { hits, searched: documents, fullScore: fullScoreOf(terms, documents), hasMore: accepted.length > end };
  }

  /** Repeats an attempt when a row changed after it was scored: the row is still there, under another sequence. */
  async #settled<T>(attempt: () => Promise<T>): Promise<T> {
    for (let count = 0; count < MAX_ATTEMPTS; count++) {
      const versions = this.#versions;
      this.#isMissing = false;
      const found = await attempt();
      // In an unchanged table, the missing rows are expired ones.
      if (!this.#isMissing || versions === this.#versions) return found;
    }
    const summary = `[memory:${this.#backend.name}] Other calls changed the rows of a search during ${MAX_ATTEMPTS} attempts`;
    throw new MemoryError('STORE_LOCKED', [summary, 'Repeat the search.'], { key: this.#sources[0]?.key });
  }

  /** Returns the rows that may be hits, a few more than asked for. */
  async #candidates(
    asked: Query,
    end: number,
  ): Promise<{ readonly accepted: FoundRow<Source>[]; readonly statistics: Scores['statistics'] }> {
    const { findsSimilar = true } = this.#query;
    const { parsed, scored } = await this.#corrected(asked);
    let accepted: FoundRow<Source>[] = [];
    let isFound = false;
    for (const slots of foundSlots(parsed, scored.scores, end + 1)) {
      isFound = true;
      await this.#accept(accepted, slots, { scored, end });
      if (isEnough(accepted, end)) break;
    }
    if (!isFound && findsSimilar) accepted = await this.#similar(parsed, end);
    return { accepted, statistics: scored.scores.statistics };
  }

  /** Scores the rows by a query, and by corrections of its words that no row has. */
  async #corrected(asked: Query): Promise<{ readonly parsed: Query; readonly scored: Scored<Source> }> {
    const scored = await this.#score(asked);
    if (this.#query.findsRelated === false) return { parsed: asked, scored };
    const misspelled = new Misspelled(asked, scored.scores.statistics);
    const candidates = misspelled.candidates();
    if (candidates.length === 0) return { parsed: asked, scored };
    const { signal } = this.#query;
    const known = new Set<string>();
    await mapSome(this.#sources, async ({ key }) => {
      const { postings } = await this.#backend.postings(key, candidates, { signal });
      for (const [place, blocks] of postings.entries()) if (blocks.length > 0) known.add(candidates[place] ?? '');
    });
    const parsed = misspelled.corrected((term) => known.has(term));
    return parsed === asked ? { parsed, scored } : { parsed, scored: await this.#score(parsed) };
  }

  async #score(parsed: Pick<Query, 'terms' | 'relations'>): Promise<Scored<Source>> {
    const { terms, relations = [] } = parsed;
    const names = [...new Set([...terms.map(({ term }) => term), ...relations.flatMap((relation) => relation.terms)])];
    const { signal } = this.#query;
    const tables = await mapSome(this.#sources, ({ key }) => this.#cacheOf(key).read(names, this.#turns, { signal }));
    const parts: Part[] = [];
    const owners: { readonly order: number; readonly firstSequence: number }[] = [];
    this.#versions = tables.map(({ version }) => version).join(' ');
    for (const [order, table] of tables.entries()) {
      for (const { part, firstSequence } of table.parts) {
        parts.push(part);
        owners.push({ order, firstSequence });
      }
    }
    const ownerOf = (part: number): (typeof owners)[number] => owners[part] ?? { order: 0, firstSequence: 0 };
    const scores = await this.#turns.run(
      scoreParts(parts, parsed, (left, right) => {
        const [own, other] = [ownerOf(left.part), ownerOf(right.part)];
        // Of the same source the row that was written last.
        return own.order - other.order || other.firstSequence + right.slot - own.firstSequence - left.slot;
      }),
    );
    const placeOf: Scored<Source>['placeOf'] = ({ part, slot }) => {
      const { order, firstSequence } = ownerOf(part);
      return { source: this.#sources[order] as Source, sequence: firstSequence + slot };
    };
    return { scores, placeOf };
  }

  /** Adds the rows of slots that may be hits, until there are enough. Mostly the first ones are enough, so that few rows are read. */
  async #accept(
    accepted: FoundRow<Source>[],
    slots: readonly RowSlot[],
    { scored, end }: { readonly scored: Scored<Source>; readonly end: number },
  ): Promise<void> {
    for (let from = 0, count = end + 1; from < slots.length && !isEnough(accepted, end); count *= 2) {
      accepted.push(...(await this.#accepted(slots.slice(from, from + count), scored)));
      from += count;
    }
  }

  /** Reads the rows of slots, and returns those that may be hits. */
  async #accepted(slots: readonly RowSlot[], { placeOf }: Scored<Source>): Promise<FoundRow<Source>[]> {
    const { accept, acceptSequence, readsRecords = true } = this.#query;
    const candidates = slots
      .map((slot) => ({ ...placeOf(slot), slot }))
      .filter(({ sequence, source }) => acceptSequence?.(sequence, source) !== false);
    const rows = readsRecords ? await this.#readRows(candidates) : undefined;
    await this.#turns.next();
    return candidates.flatMap(({ source, sequence, slot }, index) => {
      const record = rows === undefined ? '' : rows[index]?.text;
      if (record === undefined) this.#isMissing = true;
      if (record === undefined || accept?.(record, source) === false) return [];
      const { score, coverage } = slot;
      return [{ source, sequence, record, score, matched: matchedTerms(slot), ...(coverage && { coverage }) }];
    });
  }

  /** Returns rows, `undefined` for those that are gone. */
  async #readRows(
    places: readonly { readonly source: Source; readonly sequence: number }[],
  ): Promise<(Row | undefined)[]> {
    const bySource = new Map<Source, number[]>();
    for (const { source, sequence } of places) bySource.set(source, [...(bySource.get(source) ?? []), sequence]);
    const found = new Map<Source, Map<number, Row>>();
    const { signal } = this.#query;
    await mapSome([...bySource], async ([source, sequences]) => {
      const rows = await this.#backend.rows(source.key, sequences, { signal });
      found.set(source, new Map(rows.flatMap((row) => (row === undefined ? [] : [[row.sequence, row]]))));
    });
    return places.map(({ source, sequence }) => found.get(source)?.get(sequence));
  }

  /** Returns rows with words of a similar spelling. */
  async #similar({ terms }: Query, end: number): Promise<FoundRow<Source>[]> {
    const asked = terms.map(({ term }) => term);
    const similar = new Map<string, number>();
    for (const { key } of this.#sources) {
      for await (const page of this.#backend.terms(key, { signal: this.#query.signal })) {
        for (const [term, weight] of similarTerms(asked, page)) similar.set(term, weight);
      }
    }
    const found = Array.from(similar, ([term, weight]) => ({ term, weight }));
    const ordered = found.toSorted((left, right) => (left.term < right.term ? -1 : 1));
    const scored = await this.#score({ terms: ordered });
    const accepted: FoundRow<Source>[] = [];
    let slots: readonly RowSlot[] = [];
    do {
      slots = scored.scores.best(Math.min(end + 1, MAX_PAGE), slots.at(-1));
      const marked = slots.map((slot): RowSlot => ({ ...slot, matched: [] }));
      await this.#accept(accepted, marked, { scored, end });
    } while (!isEnough(accepted, end) && slots.length > 0);
    return accepted;
  }

  /** With vectors all texts are compared. */
  async byMeaning(): Promise<TermResult<Source>> {
    const {
      query,
      limit,
      offset = 0,
      accept,
      acceptSequence,
      minEvidence,
      glossary,
      embed,
      onNotice,
      signal,
    } = this.#query;
    const hits = new Map<string, Pick<TermHit<Source>, 'source' | 'sequence' | 'record'>>();
    const documents: { readonly id: string; readonly text: string; readonly timeMs: number }[] = [];
    for (const [order, source] of this.#sources.entries()) {
      for await (const { text: record, sequence } of newestRows(this.#backend, source.key, { signal })) {
        if (this.#turns.spend(unitsOf(record))) await this.#turns.next();
        const found = source.textOf(record);
        if (found === undefined) continue;
        const id = `${order} ${String(Number.MAX_SAFE_INTEGER - sequence).padStart(16, '0')}`;
        documents.push({ id, ...found });
        hits.set(id, { source, sequence, record });
      }
    }
    const isFiltered = accept !== undefined || acceptSequence !== undefined;
    const count = isFiltered ? Math.max(1, documents.length) : offset + limit + 1;
    const ranked = await rankDocuments(query, documents, {
      limit: count,
      signal,
      embed,
      onNotice,
      minEvidence,
      glossary,
    });
    const accepted = ranked.flatMap(({ id, ...found }) => {
      const hit = hits.get(id);
      if (hit === undefined || acceptSequence?.(hit.sequence, hit.source) === false) return [];
      if (accept?.(hit.record, hit.source) === false) return [];
      return [{ ...hit, ...found }];
    });
    return {
      hits: accepted.slice(offset, offset + limit),
      searched: documents.length,
      hasMore: accepted.length > offset + limit,
    };
  }
}

/** Returns whether there are enough candidates: one more than the last hit, and all that are as good as the last one. */
function isEnough(candidates: readonly { readonly score: number }[], end: number): boolean {
  const [last, next] = [candidates[end - 1], candidates.at(-1)];
  if (last === undefined || next === undefined || candidates.length <= end) return false;
  return next.score < last.score || candidates.length >= end + MAX_TIES;
}

export interface TermStoreOptions {
  readonly backend: MemoryBackend;
  /** Returns the groups of words that a search without a glossary adds to those of Cairn. @default none */
  readonly glossary?: (() => Promise<readonly GlossaryGroup[]>) | undefined;
}

/** Returns a function that reads a glossary, and makes it again only when its groups are another array. */
function glossaryReader(read: TermStoreOptions['glossary']): () => Promise<Glossary | undefined> {
  const last: { groups?: readonly GlossaryGroup[]; glossary?: Glossary } = {};
  return async () => {
    const groups = await read?.();
    if (groups !== last.groups) Object.assign(last, { groups, glossary: groups && createGlossary(groups) });
    return last.glossary;
  };
}

/** Creates the search of a store. It keeps the postings that searches read, and reads only what is new. */
export function createTermStore({ backend, glossary }: TermStoreOptions): TermStore {
  const readGlossary = glossaryReader(glossary);
  const caches = new Map<string, PostingsCache>();
  const cacheOf = (key: string): PostingsCache => {
    const cache = caches.get(key) ?? new PostingsCache(backend, key);
    // The latest comes last.
    caches.delete(key);
    caches.set(key, cache);
    return cache;
  };
  /** Not during a search: one over many sources would find none of them the next time. */
  const dropOld = (): void => {
    let size = 0;
    for (const [key, cache] of [...caches].toReversed()) {
      size += POSTINGS_OF_CACHE + cache.size;
      if (size > MAX_POSTINGS) caches.delete(key);
    }
  };
  return {
    search: async (sources, asked) => {
      asked.signal?.throwIfAborted();
      try {
        const query: typeof asked = { ...asked, glossary: asked.glossary ?? (await readGlossary()) };
        const { embed, meaning } = query;
        if (embed !== undefined) return await new TermSearch({ backend, cacheOf }, sources, query).byMeaning();
        const byWords = (one: typeof query): Promise<TermResult<(typeof sources)[number]>> =>
          new TermSearch({ backend, cacheOf }, sources, one).byTerms();
        const isBoth = meaning !== undefined && sources.some(({ meaningOf }) => meaningOf !== undefined);
        return await (isBoth ? searchByBoth({ backend, meaning, sources, query, byWords }) : byWords(query));
      } finally {
        dropOld();
      }
    },
  };
}
