import type { CallTable } from '@cairn/tool/errors';
import { callOptions, checkArguments } from '../errors.ts';
import type { CallOptions } from '@cairn/memory';
import type { AssetHead } from '../assets/asset.ts';
import { isGapDraft } from '../gaps/gap.ts';
import type { Gaps } from '../gaps/gaps.ts';
import type { Gap } from '../gaps/pending.ts';
import type { ScanResult } from '../index/entries.ts';
import { isFiltered, type FieldFilters } from '../index/selection.ts';
import { decide, type NextLayer } from './decide.ts';
import { getAsset, type FoundAsset, type GetAssetDependencies, type GetAssetOptions } from './get-asset.ts';
import {
  findAssets,
  search,
  type FoundAssets,
  type SearchAnswer,
  type SearchDependencies,
  type SearchOptions,
  type SearchResult,
} from './search.ts';
import { noticeOf } from './texts.ts';

export interface LayersOptions extends SearchDependencies {
  readonly gaps: Gaps;
  /** @default `store.get` */
  readonly read?: GetAssetDependencies['read'] | undefined;
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

/** The way of a question through the layers. */
interface Retrieval extends ScanResult {
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
  /** Whether its text is never sent to an embeddings server. @default false */
  readonly isSecret?: boolean | undefined;
  /** @default 3 */
  readonly limit?: number | undefined;
}

const DEFAULT_SIMILAR = 3;
/** The beginning of a body that states what it is about. */
const SUBJECT_CHARACTERS = 400;

class LayersOfStore {
  readonly #options: LayersOptions;

  constructor(options: LayersOptions) {
    this.#options = options;
  }

  /** L1. @throws {KnowledgeError} `INVALID_INPUT`. */
  search(asked: AskOptions): Promise<LayerAnswer> {
    return this.#ask(asked);
  }

  /** L1, with whole assets and any limit. Records no gap. */
  find(asked: SearchOptions): Promise<FoundAssets> {
    return findAssets(this.#options, asked);
  }

  /** L2. @throws {KnowledgeError} `UNKNOWN_ASSET`, `AMBIGUOUS_ASSET`, `INVALID_INPUT`. */
  getAsset(asked: GetAssetOptions): Promise<FoundAsset> {
    const { store, index, read = store.get } = this.#options;
    return getAsset({ index, read }, asked);
  }

  /** Goes through the layers as an agent is asked to. Records gaps unless `recordsGap` is `false`. */
  async retrieve(query: string, asked: Omit<AskOptions, 'query'> = {}): Promise<Retrieval> {
    const { productLine, type, signal } = asked;
    const { exact, vague } = await this.#scan(query, { productLine, type, signal });
    const next = decide({ exact: exact.length, vague: vague.length });
    const open = ({ id }: Pick<AssetHead, 'id'>): Promise<FoundAsset> => this.getAsset({ name: id, signal });
    if (next === 'L2') return { exact, vague, next, assets: await Promise.all(exact.map(open)) };
    const answer = await this.#ask({ recordsGap: true, ...asked, query }, exact.length);
    // An asset with all words in its title is an answer, even when its text says little about them.
    const [first] = answer.isAnswered ? answer.results.filter(({ isSimilar }) => isSimilar !== true) : exact;
    return { exact, vague, next, search: answer, assets: first === undefined ? [] : [await open(first)] };
  }

  /** Returns the assets that are about the same as a new one, best first. Empty when all others are about something else. */
  async similar(asked: SimilarOptions): Promise<readonly SearchResult[]> {
    const { title, tags = [], body, isSecret, limit = DEFAULT_SIMILAR, signal } = asked;
    const options = { ...this.#options, usage: undefined };
    const query = [title, ...tags, body.slice(0, SUBJECT_CHARACTERS)].join('\n');
    const byTitle = await search(options, { query: title, limit, isSecret, signal });
    const byText = await search(options, { query, limit, isSecret, signal });
    const found = [...byTitle.results, ...byText.results].filter(({ isSimilar }) => isSimilar !== true);
    const best = new Map<string, SearchResult>();
    for (const one of found) if (one.score > (best.get(one.id)?.score ?? -1)) best.set(one.id, one);
    return [...best.values()].toSorted((left, right) => right.score - left.score).slice(0, limit);
  }

  /** Brings the index up to date, so that the first search does not wait for it. */
  async preload(options: CallOptions = {}): Promise<void> {
    await this.#options.index.refresh(options);
  }

  /** Returns whether a question has an answer. */
  async isAnswered(query: string, { signal }: CallOptions = {}): Promise<boolean> {
    const { exact } = await this.#scan(query, { signal });
    return exact.length > 0 || (await search(this.#options, { query, signal })).isAnswered;
  }

  /** Scans the index. The draft of a gap has the words of the question, and no answer: it is a vague match. */
  async #scan(query: string, filters: FieldFilters & CallOptions): Promise<ScanResult> {
    const { exact, vague } = await this.#options.index.scan(query, filters);
    if (!exact.some(isGapDraft)) return { exact, vague };
    return { exact: exact.filter((head) => !isGapDraft(head)), vague: [...exact.filter(isGapDraft), ...vague] };
  }

  async #ask(asked: AskOptions, exact?: number): Promise<LayerAnswer> {
    const { gaps, language } = this.#options;
    const answer = await search(this.#options, asked);
    const { query, recordsGap = false, signal } = asked;
    if (!recordsGap || isFiltered(asked)) return answer;
    const isAnswered = answer.isAnswered || (exact ?? (await this.#scan(query, { signal })).exact.length) > 0;
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
  }
}

/** The three layers: the index, the texts, the asset. */
export type Layers = Pick<LayersOfStore, keyof LayersOfStore>;

const fields = {
  productLine: 'optional',
  type: 'optional',
  tags: 'optional',
  since: 'optional',
  until: 'optional',
  limit: 'optional',
  minEvidence: 'optional',
  isSecret: 'optional',
} as const;
const filters = { ...fields, recordsGap: 'optional' } as const;

const layerCalls: CallTable<Layers> = {
  search: [{ ...callOptions, ...filters, query: 'required' }],
  find: [{ ...callOptions, ...fields, query: 'required' }],
  getAsset: [{ ...callOptions, name: 'required', productLine: 'optional' }],
  retrieve: ['any', { ...callOptions, ...filters }],
  similar: [
    { ...callOptions, title: 'required', tags: 'optional', body: 'required', isSecret: 'optional', limit: 'optional' },
  ],
  preload: [callOptions],
  isAnswered: ['any', callOptions],
};

/** Creates the layers over a store and its index. */
export function createLayers(options: LayersOptions): Layers {
  return checkArguments.calls<Layers>(new LayersOfStore(options), layerCalls);
}
