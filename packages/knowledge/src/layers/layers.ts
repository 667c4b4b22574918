import type { CallTable, OptionNames } from '@cairn/tool/errors';
import type { Language } from '@cairn/tool/kernel';
import { checkArguments } from '../errors.ts';
import type { CallOptions } from '@cairn/memory';
import type { Asset, AssetHead } from '../assets/asset.ts';
import { isGapDraft } from '../gaps/gap.ts';
import type { Gaps } from '../gaps/gaps.ts';
import type { Gap } from '../gaps/pending.ts';
import type { KnowledgeIndex } from '../index/index-api.ts';
import type { LocalStore } from '../stores/local-store.ts';
import type { Usage } from '../usage/usage.ts';
import { decide } from './decide.ts';
import type { NextLayer } from './decide.ts';
import { getAsset } from './get-asset.ts';
import type { FoundAsset, GetAssetOptions } from './get-asset.ts';
import { search } from './search.ts';
import type { SearchAnswer, SearchFilters, SearchOptions, SearchResult } from './search.ts';
import { noticeOf } from './texts.ts';

/** The index, as the layers use it. */
type LayerIndex = Pick<
  KnowledgeIndex,
  'head' | 'headAt' | 'heads' | 'named' | 'overview' | 'refresh' | 'scan' | 'similar'
>;

export interface LayersOptions {
  readonly store: LocalStore;
  readonly index: LayerIndex;
  readonly gaps: Gaps;
  /** The assets that were opened after each query. @default the ranking learns nothing */
  readonly usage?: Pick<Usage, 'isOn' | 'ranking'> | undefined;
  /** Reads an asset by its id. @default `store.get` */
  readonly read?: ((id: string, options?: CallOptions) => Promise<Asset | undefined>) | undefined;
  readonly language: Language;
}

interface AskOptions extends SearchOptions {
  /**
   * Whether a question without an answer becomes a gap, and one with an answer closes its gap. Filters leave out assets, so that a
   * filtered search does neither. @default false
   */
  readonly recordsGap?: boolean | undefined;
}

interface LayerAnswer extends SearchAnswer {
  /** The gap that was recorded. */
  readonly gap?: Gap;
}

/** L0: the matches of the index. */
interface Scanned {
  readonly exact: readonly AssetHead[];
  readonly vague: readonly AssetHead[];
}

/** The way of a question through the layers. */
interface Retrieval extends Scanned {
  readonly next: NextLayer;
  /** L1. Absent when the index decided. */
  readonly search?: LayerAnswer;
  /** L2, best first: the assets that the index or the search chose. Empty when nothing answers. */
  readonly assets: readonly FoundAsset[];
}

/** A new asset, as far as it is compared with others. */
interface SimilarOptions extends CallOptions {
  readonly title: string;
  readonly tags?: readonly string[] | undefined;
  readonly body: string;
  /** @default 3 */
  readonly limit?: number | undefined;
}

/** The three layers: the index, the texts, the asset. */
export interface Layers {
  /** L1. @throws {KnowledgeError} `INVALID_INPUT`. */
  readonly search: (options: AskOptions) => Promise<LayerAnswer>;
  /** L2. @throws {KnowledgeError} `UNKNOWN_ASSET`, `AMBIGUOUS_ASSET`, `INVALID_INPUT`. */
  readonly getAsset: (options: GetAssetOptions) => Promise<FoundAsset>;
  /** Goes through the layers as an agent is asked to. Records gaps unless `recordsGap` is `false`. */
  readonly retrieve: (query: string, options?: Omit<AskOptions, 'query'>) => Promise<Retrieval>;
  /** Returns the assets that are about the same as a new one, best first. Empty when all others are about something else. */
  readonly similar: (options: SimilarOptions) => Promise<readonly SearchResult[]>;
  /** Brings the index and the terms of the texts up to date, so that the first search does not wait for it. */
  readonly preload: (options?: CallOptions) => Promise<void>;
  /** Returns whether a question has an answer. */
  readonly isAnswered: (query: string, options?: CallOptions) => Promise<boolean>;
}

const DEFAULT_SIMILAR = 3;
/** The beginning of a body that states what it is about. */
const SUBJECT_CHARACTERS = 400;

const callOptions: OptionNames<CallOptions> = { signal: 'optional' };

const filters = { productLine: 'optional', type: 'optional' } as const;

const ask = { ...callOptions, ...filters, limit: 'optional', recordsGap: 'optional' } as const;

const layerCalls: CallTable<Layers> = {
  search: [{ ...ask, query: 'required' }],
  getAsset: [{ ...callOptions, name: 'required', productLine: 'optional' }],
  retrieve: ['any', ask],
  similar: [{ ...callOptions, title: 'required', tags: 'optional', body: 'required', limit: 'optional' }],
  preload: [callOptions],
  isAnswered: ['any', callOptions],
};

/** Creates the layers over a store and its index. */
export function createLayers(options: LayersOptions): Layers {
  checkArguments.options('createLayers', options, {
    store: 'required',
    index: 'required',
    gaps: 'required',
    usage: 'optional',
    read: 'optional',
    language: 'required',
  });
  const { store, index, gaps, read = store.get, language } = options;

  /** Scans the index. The draft of a gap has the words of the question, and no answer: it is a vague match. */
  const scan = async (query: string, filters: SearchFilters & CallOptions): Promise<Scanned> => {
    const { exact, vague } = await index.scan(query, filters);
    if (!exact.some(isGapDraft)) return { exact, vague };
    return { exact: exact.filter((head) => !isGapDraft(head)), vague: [...exact.filter(isGapDraft), ...vague] };
  };

  const ask = async (asked: AskOptions, exact: number | undefined): Promise<LayerAnswer> => {
    const answer = await search(options, asked);
    const { query, productLine, type, recordsGap = false, signal } = asked;
    if (!recordsGap || productLine !== undefined || type !== undefined) return answer;
    const hasExact = async (): Promise<boolean> => (exact ?? (await scan(query, { signal })).exact.length) > 0;
    const isAnswered = answer.isAnswered || (await hasExact());
    try {
      if (isAnswered) {
        await gaps.closeQuery(query, { signal });
        return answer;
      }
      const gap = await gaps.record(query, { signal });
      return gap === undefined ? answer : { ...answer, gap };
    } catch (error) {
      // A store that cannot be written still answers. The module is only loaded here, because it takes a while.
      const { MemoryError } = await import('@cairn/memory');
      if (!MemoryError.isInstance(error)) throw error;
      return { ...answer, notices: [...answer.notices, noticeOf('GAPS_NOT_CHANGED', language, [error.message])] };
    }
  };

  const get = (asked: GetAssetOptions): Promise<FoundAsset> => getAsset({ index, read }, asked);

  const api: Layers = {
    search: (asked) => ask(asked, undefined),
    getAsset: get,
    retrieve: async (query, asked = {}) => {
      const { productLine, type, signal } = asked;
      const { exact, vague } = await scan(query, { productLine, type, signal });
      const next = decide({ exact: exact.length, vague: vague.length });
      const open = ({ id }: Pick<AssetHead, 'id'>): Promise<FoundAsset> => get({ name: id, signal });
      if (next === 'L2') return { exact, vague, next, assets: await Promise.all(exact.map(open)) };
      const answer = await ask({ recordsGap: true, ...asked, query }, exact.length);
      // An asset with all words in its title is an answer, even when its text says little about them.
      const [first] = answer.isAnswered ? answer.results.filter(({ isSimilar }) => isSimilar !== true) : exact;
      return { exact, vague, next, search: answer, assets: first === undefined ? [] : [await open(first)] };
    },
    similar: async ({ title, tags = [], body, limit = DEFAULT_SIMILAR, signal }) => {
      const query = [title, ...tags, body.slice(0, SUBJECT_CHARACTERS)].join('\n');
      const byTitle = await search({ ...options, usage: undefined }, { query: title, limit, signal });
      const byText = await search({ ...options, usage: undefined }, { query, limit, signal });
      const found = [...byTitle.results, ...byText.results].filter(({ isSimilar }) => isSimilar !== true);
      const best = new Map<string, SearchResult>();
      for (const one of found) if (one.score > (best.get(one.id)?.score ?? -1)) best.set(one.id, one);
      return [...best.values()].toSorted((left, right) => right.score - left.score).slice(0, limit);
    },
    preload: async (call = {}) => void (await index.refresh(call)),
    isAnswered: async (query, { signal } = {}) =>
      (await scan(query, { signal })).exact.length > 0 || (await search(options, { query, signal })).isAnswered,
  };
  return checkArguments.calls(api, layerCalls);
}
