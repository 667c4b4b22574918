import type { CallOptions } from '@cairn/memory';
import { withEvidence, type Coverage, type Evidence } from '@cairn/retrieval';
import { quoted, type Language } from '@cairn/tool/kernel';
import type { Asset, AssetHead } from '../assets/asset.ts';
import { checkType } from '../assets/fields.ts';
import { marksOf, type AssetMark } from '../assets/marks.ts';
import { foldName } from '../assets/names.ts';
import { KnowledgeError } from '../errors.ts';
import { isGapDraft } from '../gaps/gap.ts';
import type { KnowledgeIndex } from '../index/knowledge-index.ts';
import type { SharedGlossary } from '../index/shared-glossary.ts';
import { createFieldFilter, createFilter, isFiltered, type FieldFilters } from '../index/selection.ts';
import type { LocalStore } from '../stores/local-store.ts';
import { headOf } from '../stores/record.ts';
import type { Usage } from '../usage/usage.ts';
import { snippetOfBody } from './snippet.ts';
import { isOfEmbeddings, noticeOf, type SearchNotice } from './texts.ts';

export interface SearchOptions extends FieldFilters, CallOptions {
  /** Plain text without syntax. */
  readonly query: string;
  /** 1 to 50. @default 5 */
  readonly limit?: number | undefined;
  /** The results with less evidence, 0 to 1, are marked as similar. @default 0.5 */
  readonly minEvidence?: number | undefined;
  /** Whether the query is never sent to an embeddings server. @default false */
  readonly isSecret?: boolean | undefined;
}

export interface SearchResult extends Pick<
  AssetHead,
  'id' | 'name' | 'productLine' | 'type' | 'title' | 'changedMs' | 'isPromoted'
> {
  /**
   * 0 to 1, higher is better: the score of the asset (BM25) divided by the score of text with every word of the query, cut to 1.
   * Comparable only within one answer.
   */
  readonly score: number;
  /** The part of the body that was found, with 50 characters on each side. */
  readonly snippet: string;
  /** Present when the asset, or one before it, has too little of the query: it may be about something else. */
  readonly isSimilar?: true;
  /** The evidence for the asset. Absent when it was found by a similar spelling, or by what was opened after such a query. */
  readonly evidence?: Evidence;
  /** What to know before trusting it. Absent when there is nothing. */
  readonly marks?: readonly AssetMark[];
}

export interface SearchAnswer {
  /** Best first. */
  readonly results: readonly SearchResult[];
  /** Whether a result has enough of the query to be an answer. */
  readonly isAnswered: boolean;
  /** The number of assets that the filters select, without deprecated and superseded ones. */
  readonly searched: number;
  /** Whether more assets have a word of the query. */
  readonly hasMore: boolean;
  readonly notices: readonly SearchNotice[];
}

export interface SearchDependencies {
  readonly store: LocalStore;
  readonly index: KnowledgeIndex;
  /** The assets that were opened after each query. @default the ranking learns nothing */
  readonly usage?: Pick<Usage, 'isOn' | 'ranking'> | undefined;
  /** The words that mean the same. @default Cairn's own */
  readonly glossary?: Pick<SharedGlossary, 'read'> | undefined;
  readonly language: Language;
}

const DEFAULT_LIMIT = 5;
const MAX_LIMIT = 50;
/** A longer query is a string: its beginning states the subject. */
const MAX_QUERY_CHARACTERS = 2000;
/** The best assets among which an exact name and a learned ranking choose. */
const POOL = 50;
const MAX_LEFT_OUT = 3;

/** The attempts while other processes change the assets that were found. */
const MAX_ATTEMPTS = 5;

interface Candidate extends AssetHead {
  readonly score: number;
  /** What it has of the query. Absent when it was found otherwise, or when its rank is also one by meaning. */
  readonly coverage?: Coverage | undefined;
  /** What the ranking by words and by meaning found out about it. */
  readonly evidence?: Evidence | undefined;
  readonly isSimilar?: true;
  /** The sequence of the row that was found. Absent when it was found by its fields. */
  readonly sequence?: number;
}

/** An exact name, title or tag is an answer, whatever else the asset lacks. */
const EXACT: Coverage = { covered: 1, missing: [], related: [], lacked: 0, gravity: 0, weight: Infinity };
/** A single character or letter is not a name. */
const MIN_EXACT_CHARACTERS = 2;

/** @throws {KnowledgeError} `INVALID_INPUT`. */
function checkOptions({ query, limit = DEFAULT_LIMIT, minEvidence = 0, type, productLine }: SearchOptions): void {
  const refuse = (summary: string, hint: string): never => {
    throw new KnowledgeError('INVALID_INPUT', [summary, hint]);
  };
  if (typeof query !== 'string') refuse('The query is not a text', 'Pass a text.');
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    refuse(`Invalid limit ${quoted(limit)}`, `Use a whole number from 1 to ${MAX_LIMIT}.`);
  }
  if (typeof minEvidence !== 'number' || !(minEvidence >= 0 && minEvidence <= 1)) {
    refuse(`Invalid minEvidence ${quoted(minEvidence)}`, 'Use a number from 0 to 1, or omit it.');
  }
  if (type !== undefined) checkType(type);
  if (productLine !== undefined && (typeof productLine !== 'string' || productLine.trim() === '')) {
    refuse(`Invalid product line ${quoted(productLine)}`, 'Use a product line such as exchange/core, or omit it.');
  }
}

/** Ranks the assets by the terms of their texts. The index filters them, so that no text is read. */
async function rank(
  { store, index, glossary }: SearchDependencies,
  { query, isLast, ...options }: SearchOptions & { readonly isLast: boolean },
) {
  const { limit = DEFAULT_LIMIT, minEvidence, isSecret, signal } = options;
  const selects = createFieldFilter(options);
  const leftOut = new Set<string>();
  /** The assets as the filters saw them. Another call may bring the index up to date meanwhile. */
  const heads = new Map<number, AssetHead>();
  let isStale = false;
  let isFound = false;
  await index.refresh({ signal });
  for (const head of index.named(query)) if (head.status !== 'active' && selects(head)) leftOut.add(head.id);
  const accept = (sequence: number): boolean => {
    isFound = true;
    const head = index.headAt(sequence);
    if (head === undefined) isStale = true;
    if (head === undefined || !selects(head)) return false;
    // Only what would be the first result.
    if (head.status !== 'active' && heads.size === 0) leftOut.add(head.id);
    if (head.status !== 'active') return false;
    heads.set(sequence, head);
    return true;
  };
  const words = await glossary?.read();
  const pool = Math.max(POOL, limit);
  const matches = await store.terms.search({
    query,
    limit: pool,
    minEvidence,
    isSecret,
    accept,
    glossary: words,
    signal,
  });
  const { hits, fullScore, hasMore, usedMeaning } = matches;
  const ofMeaning = { usedMeaning, notices: matches.notices.filter(({ code }) => isOfEmbeddings(code)) };
  const codes = matches.notices.map(({ code }) => code);
  // Another process wrote it after the index was read.
  if (isStale && !isLast) return undefined;
  const candidates = hits.flatMap(({ sequence, score, coverage, evidence, isSimilar }): Candidate[] => {
    const head = heads.get(sequence);
    const share = fullScore === 0 ? 0 : Math.min(1, score / fullScore);
    const judged = { coverage, evidence, ...(isSimilar && { isSimilar }) };
    return head === undefined ? [] : [{ ...head, sequence, score: share, ...judged }];
  });
  if (isFound) return { candidates, leftOut: [...leftOut], codes, hasMore, ofMeaning };
  const similar = (await index.similar(query, { signal })).flatMap(({ head, share }): Candidate[] =>
    head.status === 'active' && selects(head) ? [{ ...head, score: share / 2, isSimilar: true }] : [],
  );
  return {
    candidates: similar.slice(0, Math.max(POOL, limit)),
    leftOut: [...leftOut],
    codes: similar.length > 0 ? ([...codes, 'SIMILAR_WORDS_ONLY'] as const) : codes,
    hasMore: similar.length > POOL,
    ofMeaning,
  };
}

/** Returns whether a query is a title or a tag of an asset. */
function isExactly({ title, tags }: Pick<AssetHead, 'tags' | 'title'>, query: string): boolean {
  const folded = foldName(query);
  return Array.from(folded).length >= MIN_EXACT_CHARACTERS && [title, ...tags].some((one) => foldName(one) === folded);
}

/** Puts exact titles and tags first. The drafts of gaps come last: they have the words of a question, and no answer. */
function answersFirst(all: readonly Candidate[]): Candidate[] {
  const drafts = all.filter(isGapDraft).map((one): Candidate => ({ ...one, coverage: undefined, isSimilar: true }));
  const others = all.filter((one) => !isGapDraft(one));
  return [
    ...others.filter(({ coverage }) => coverage === EXACT),
    ...others.filter(({ coverage }) => coverage !== EXACT),
    ...drafts,
  ];
}

/**
 * Orders candidates: assets of exactly this name first, then those with exactly this title or tag, then by what was opened after such
 * queries, then by score. The drafts of gaps come last.
 */
async function ordered(
  candidates: readonly Candidate[],
  { usage, index }: SearchDependencies,
  options: SearchOptions,
): Promise<Candidate[]> {
  const { query, signal } = options;
  const selects = createFieldFilter(options);
  const found = new Map(candidates.map((one) => [one.id, one]));
  // Assets with more of its words may have pushed it out of the candidates.
  const named = index.named(query).flatMap((head): Candidate[] => {
    if (head.status !== 'active' || !selects(head)) return [];
    const known = found.get(head.id) ?? head;
    found.delete(head.id);
    return [{ ...known, score: 1, coverage: EXACT }];
  });
  for (const one of found.values()) if (isExactly(one, query)) found.set(one.id, { ...one, coverage: EXACT });
  const [others, rest] = [[...found.values()].slice(0, POOL), [...found.values()].slice(POOL)];
  const all = [...named, ...others, ...rest];
  if (usage?.isOn !== true) return answersFirst(all);
  const ranking = await usage.ranking({ signal });
  const known = new Set([...named, ...others].map(({ id }) => id));
  const suggested = ranking.suggest(query).flatMap((id): Candidate[] => {
    const head = known.has(id) ? undefined : index.head(id);
    return head?.status === 'active' && selects(head) ? [{ ...head, score: 0, isSimilar: true }] : [];
  });
  // The order does not depend on how many are asked for.
  const learned = [...named, ...ranking.rerank(query, [...others, ...suggested])];
  const shown = new Set(learned.map(({ id }) => id));
  return answersFirst([...learned, ...rest.filter(({ id }) => !shown.has(id))]);
}

type JudgedCandidate = Omit<Candidate, 'coverage' | 'evidence' | 'isSimilar'> &
  Pick<SearchResult, 'evidence' | 'isSimilar'>;

/** Marks candidates in their order: nothing below a marked one is unmarked. */
function judged(
  all: readonly Candidate[],
  { minEvidence, usedMeaning }: Pick<SearchOptions, 'minEvidence'> & { readonly usedMeaning?: boolean | undefined },
): JudgedCandidate[] {
  const unjudged = all.map(({ evidence: _, isSimilar: __, ...one }) => one);
  if (usedMeaning !== true) return withEvidence(unjudged, minEvidence);
  // The scores are those of ranks, which have no margin.
  const marked = all.findIndex(({ coverage, isSimilar }) => coverage !== EXACT && isSimilar === true);
  return all.map(({ coverage: _, evidence, isSimilar: __, ...one }, place) => {
    const isMarked = marked >= 0 && place >= marked;
    return { ...one, ...(evidence && { evidence }), ...(isMarked && { isSimilar: true as const }) };
  });
}

/** An asset that answers a question, or may. */
export interface FoundResult extends Pick<SearchResult, 'evidence' | 'isSimilar' | 'marks' | 'score'> {
  readonly asset: Asset;
}

/** What a search finds, with whole assets. */
export interface FoundAssets extends Omit<SearchAnswer, 'results'> {
  readonly found: readonly FoundResult[];
}

/** Reads the results. @returns `undefined` when one of them was changed after it was found. */
async function readResults(
  { store }: SearchDependencies,
  chosen: readonly JudgedCandidate[],
  { signal, isLast }: CallOptions & { readonly isLast: boolean },
): Promise<FoundResult[] | undefined> {
  const nowMs = await store.now({ signal });
  const ids = chosen.map(({ id }) => id);
  const read = await store.getSequenced(ids, { signal });
  const results: FoundResult[] = [];
  for (const [place, { score, evidence, isSimilar, sequence }] of chosen.entries()) {
    const one = read[place];
    const isSame = one !== undefined && (sequence === undefined || one.sequence === sequence);
    if (!isSame && !isLast) return undefined;
    if (one === undefined) continue;
    const { asset } = one;
    const marks = marksOf(headOf(asset), nowMs);
    results.push({
      asset,
      score: Math.round(score * 10_000) / 10_000,
      ...(evidence && { evidence }),
      ...(isSimilar && { isSimilar }),
      ...(marks.length > 0 && { marks }),
    });
  }
  return results;
}

/** Finds assets by the words of their texts, best first. A larger limit adds assets at the end. */
export async function findAssets(dependencies: SearchDependencies, asked: SearchOptions): Promise<FoundAssets> {
  const { index, language } = dependencies;
  const { limit = DEFAULT_LIMIT } = asked;
  const options = { ...asked, query: asked.query.slice(0, MAX_QUERY_CHARACTERS) };
  for (let attempt = 1; ; attempt++) {
    const isLast = attempt === MAX_ATTEMPTS;
    const ranked = await rank(dependencies, { ...options, isLast });
    if (ranked === undefined) continue;
    const { candidates, leftOut, codes, hasMore, ofMeaning } = ranked;
    const all = await ordered(candidates, dependencies, options);
    const { minEvidence } = options;
    const chosen = judged(all, { minEvidence, usedMeaning: ranked.ofMeaning.usedMeaning }).slice(0, limit);
    const found = await readResults(dependencies, chosen, { ...options, isLast });
    if (found === undefined) continue;
    const isAnswered = found.some(({ isSimilar }) => isSimilar !== true);
    const notices: SearchNotice[] = [...ofMeaning.notices];
    for (const code of codes) {
      if (isOfEmbeddings(code) || code === 'LITTLE_EVIDENCE') continue;
      if (code !== 'SIMILAR_WORDS_ONLY' || !isAnswered) notices.push(noticeOf(code, language));
    }
    // The results may have less evidence than assets after them.
    if (found.length > 0 && !isAnswered && !codes.includes('SIMILAR_WORDS_ONLY')) {
      notices.push(noticeOf(ofMeaning.usedMeaning ? 'NEAR_IN_MEANING' : 'LITTLE_EVIDENCE', language));
    }
    const { total, inactive, skills, unreadable = 0 } = index.overview().counts;
    const searched = isFiltered(options)
      ? index.heads().filter(createFilter(options)).length
      : total - inactive - skills;
    if (unreadable > 0) notices.push(noticeOf('UNREADABLE_ASSETS', language, [String(unreadable)]));
    if (options.query.length < asked.query.length) notices.push(noticeOf('LONG_QUERY', language));
    if (leftOut.length > 0) notices.push(noticeOf('INACTIVE_LEFT_OUT', language, leftOut.slice(0, MAX_LEFT_OUT)));
    return { found, isAnswered, searched, hasMore: hasMore || all.length > limit, notices };
  }
}

/** Searches the texts of all assets, best first. The query is plain text. @throws {KnowledgeError} `INVALID_INPUT`. */
export async function search(dependencies: SearchDependencies, asked: SearchOptions): Promise<SearchAnswer> {
  checkOptions(asked);
  const { found, ...answer } = await findAssets(dependencies, asked);
  const query = asked.query.slice(0, MAX_QUERY_CHARACTERS);
  const results: SearchResult[] = [];
  for (const { asset, ...facts } of found) {
    const { id, name, productLine, type, title, body, changedMs, isPromoted } = asset;
    const snippet = await snippetOfBody(body, query, asked.signal);
    results.push({ id, name, productLine, type, title, ...facts, snippet, changedMs, isPromoted });
  }
  return { ...answer, results };
}
