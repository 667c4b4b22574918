import type { CallOptions, Language } from '@cairn/memory';
import type { RankNotice } from '@cairn/retrieval';
import type { AssetHead, AssetType } from '../assets/asset.ts';
import { checkType } from '../assets/fields.ts';
import type { AssetMark } from '../assets/marks.ts';
import { marksOf } from '../assets/marks.ts';
import { quoted } from '../assets/names.ts';
import { KnowledgeError } from '../errors.ts';
import { assetTerms } from '../stores/asset-terms.ts';
import type { LocalStore } from '../stores/local.ts';
import { assetOf, headOf, isRemoval, parseRow } from '../stores/record.ts';
import type { Usage } from '../usage/usage.ts';
import { snippetOfBody } from './snippet.ts';
import { noticeOf } from './texts.ts';
import type { SearchNotice } from './texts.ts';

/** Selects assets by their fields. */
export interface SearchFilters {
  /** A product line; lines below it are included: `exchange` selects `exchange/core`. */
  readonly productLine?: string | undefined;
  /** A type. Skills are found only by `skill`. */
  readonly type?: AssetType | undefined;
}

export interface SearchOptions extends SearchFilters, CallOptions {
  /** Plain text without syntax. */
  readonly query: string;
  /** 1 to 50. @default 5 */
  readonly limit?: number | undefined;
}

/** A found asset. */
export interface SearchResult {
  /** `product_line/name`. */
  readonly id: string;
  readonly name: string;
  readonly productLine: string;
  readonly type: AssetType;
  readonly title: string;
  /**
   * 0 to 1, higher is better: the score of the asset (BM25) divided by that of a text with every word of the query, cut to 1.
   * Comparable only within one answer.
   */
  readonly score: number;
  /** The part of the body that was found, with 50 characters on each side. */
  readonly snippet: string;
  /** Present when the asset has too little of the query: it may be about something else. */
  readonly isSimilar?: true;
  readonly changedMs: number;
  /** Whether the team store has it. */
  readonly isPromoted: boolean;
  /** What to know before trusting it. Absent when there is nothing. */
  readonly marks?: readonly AssetMark[];
}

export interface SearchAnswer {
  /** Best first. */
  readonly results: readonly SearchResult[];
  /** Whether a result has enough of the query to be an answer. */
  readonly isAnswered: boolean;
  /** The number of assets that were searched. */
  readonly searched: number;
  /** Whether more assets have a word of the query. */
  readonly hasMore: boolean;
  readonly notices: readonly SearchNotice[];
}

export interface SearchDependencies {
  readonly store: LocalStore;
  /** The assets that were opened after each query. @default the ranking learns nothing */
  readonly usage?: Pick<Usage, 'isOn' | 'ranking'> | undefined;
  /** Milliseconds since the epoch. @default the clock of the backend */
  readonly clock?: (() => number) | undefined;
  readonly language: Language;
}

const DEFAULT_LIMIT = 5;
const MAX_LIMIT = 50;
/** A longer query is a text: its beginning states the subject. */
const MAX_QUERY_CHARACTERS = 2000;
/** The best assets among which an exact name and a learned ranking choose. */
const POOL = 50;
const MAX_LEFT_OUT = 3;

interface Candidate extends AssetHead {
  readonly body: string;
  readonly score: number;
  readonly isSimilar?: true;
}

/** @throws {KnowledgeError} `INVALID_INPUT`. */
function checkOptions({ query, limit = DEFAULT_LIMIT, type, productLine }: SearchOptions): void {
  const refuse = (summary: string, hint: string): never => {
    throw new KnowledgeError('INVALID_INPUT', [summary, hint]);
  };
  if (typeof query !== 'string') refuse('The query is not a text', 'Pass a text.');
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    refuse(`Invalid limit ${quoted(limit)}`, `Use a whole number from 1 to ${MAX_LIMIT}.`);
  }
  if (type !== undefined) checkType(type);
  if (productLine !== undefined && (typeof productLine !== 'string' || productLine.trim() === '')) {
    refuse(`Invalid product line ${quoted(productLine)}`, 'Use a product line such as exchange/core, or omit it.');
  }
}

/** Returns a name without differences of case and of the characters that join its words. */
export function foldName(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .trim()
    .replaceAll(/[\s_./-]+/gu, '-');
}

function isNamed({ name, id }: AssetHead, folded: string): boolean {
  return folded === foldName(name) || folded === foldName(id);
}

/** Returns whether the filters select an asset, apart from its status. */
function selects({ productLine, type }: SearchFilters, head: AssetHead): boolean {
  const above = productLine?.trim().replaceAll(/^\/+|\/+$/gu, '');
  const isWithin = above === undefined || head.productLine === above || head.productLine.startsWith(`${above}/`);
  return isWithin && (type === undefined ? head.type !== 'skill' : head.type === type);
}

/** Orders candidates: an asset of exactly this name first, then by what was opened after such queries, then by score. */
async function ordered(
  candidates: readonly Candidate[],
  { query, usage, signal }: CallOptions & Pick<SearchDependencies, 'usage'> & { readonly query: string },
): Promise<Candidate[]> {
  const folded = foldName(query);
  const named = candidates.flatMap((one) => {
    if (!isNamed(one, folded)) return [];
    const { isSimilar: _, ...rest } = one;
    return { ...rest, score: 1 };
  });
  const others = candidates.filter((one) => !isNamed(one, folded));
  if (usage?.isOn !== true) return [...named, ...others];
  const ranking = await usage.ranking({ signal });
  return [...named, ...ranking.rerank(query, others)];
}

/**
 * Searches the texts of all assets, best first. The query is plain text.
 *
 * @throws {KnowledgeError} `INVALID_INPUT`.
 */
export async function search(dependencies: SearchDependencies, options: SearchOptions): Promise<SearchAnswer> {
  checkOptions(options);
  const { store, usage, clock, language } = dependencies;
  const { limit = DEFAULT_LIMIT, signal } = options;
  const query = options.query.slice(0, MAX_QUERY_CHARACTERS);
  const codes: RankNotice['code'][] = [];
  const heads = new Map<string, Omit<Candidate, 'score'>>();
  const leftOut = new Set<string>();
  const accept = (record: string): boolean => {
    const row = parseRow(record);
    if (row === undefined || isRemoval(row)) return false;
    const asset = assetOf(row);
    const head = headOf(asset);
    if (!selects(options, head)) return false;
    if (head.status === 'active') {
      heads.set(record, { ...head, body: asset.body });
      return true;
    }
    // Only what would be the first result.
    if (heads.size === 0) leftOut.add(head.id);
    return false;
  };
  const {
    hits,
    searched,
    fullScore = 0,
    hasMore,
  } = await store.terms.search([assetTerms], {
    query,
    limit: Math.max(POOL, limit),
    accept,
    onNotice: ({ code }) => codes.push(code),
    signal,
  });
  const candidates = hits.flatMap(({ record, score, isSimilar }): Candidate[] => {
    const head = heads.get(record);
    if (head === undefined) return [];
    const share = fullScore === 0 ? 0 : Math.min(1, score / fullScore);
    return [{ ...head, score: share, ...(isSimilar === true && { isSimilar }) }];
  });
  const chosen = (await ordered(candidates, { query, usage, signal })).slice(0, limit);
  const nowMs = clock?.() ?? (await store.backend.now({ signal }));
  const results: SearchResult[] = [];
  for (const one of chosen) {
    const { id, name, productLine, type, title, score, changedMs, isPromoted, isSimilar, body } = one;
    const marks = marksOf(one, nowMs);
    results.push({
      id,
      name,
      productLine,
      type,
      title,
      score: Math.round(score * 10_000) / 10_000,
      snippet: await snippetOfBody(body, query, signal),
      changedMs,
      isPromoted,
      ...(isSimilar === true && { isSimilar }),
      ...(marks.length > 0 && { marks }),
    });
  }
  const isAnswered = results.some(({ isSimilar }) => isSimilar !== true);
  const notices = codes.flatMap((code): SearchNotice[] =>
    code === 'EMBED_FAILED' || code === 'LITTLE_EVIDENCE' || (code === 'SIMILAR_WORDS_ONLY' && isAnswered)
      ? []
      : [noticeOf(code, language)],
  );
  // The results may have less evidence than assets after them.
  if (results.length > 0 && !isAnswered && !codes.includes('SIMILAR_WORDS_ONLY')) {
    notices.push(noticeOf('LITTLE_EVIDENCE', language));
  }
  if (leftOut.size > 0) notices.push(noticeOf('INACTIVE_LEFT_OUT', language, [...leftOut].slice(0, MAX_LEFT_OUT)));
  return { results, isAnswered, searched, hasMore: hasMore || candidates.length > limit, notices };
}
