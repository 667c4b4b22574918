import type { Language } from '@cairn/tool/kernel';
import type { TreeMetadata } from '../data.ts';

/**
 * Directories that an agent lists when its prompt has no tree, at most: about 20 listings by seven agents.
 *
 * From the source document, section "预期效果".
 */
const LISTINGS_PER_AGENT = 3;

/** Tokens of one call: its share of the tool definitions, the call and its result. From the source document, section "预期效果". */
const TOKENS_PER_CALL = 1000;

interface CallCounts {
  /** Calls that were answered from the cache, or that shared the result of a call in flight. */
  readonly hits: number;
  /** Calls that reached the original function. */
  readonly misses: number;
}

export interface RunCounts {
  readonly metadata: TreeMetadata;
  /** The complete scans that natives made for the trees of the run: none when another run or search had made one just before. */
  readonly totalScans: number;
  /** The agents that took the section. */
  readonly agents: number;
  /** How often a prompt took the section. */
  readonly sections: number;
  /** The requests with the section that the caller reported; 0 when it reported none. */
  readonly requests: number;
  /** The directories that the tree shows with all of their entries. */
  readonly shownDirectories: number;
  /** The tokens of the updates that messages took. */
  readonly updateTokens: number;
  readonly cacheDirectoryCalls: number;
  /** Calls of the cache's tools that belong to none of its runs, because it has several: `run` of `createWorkspace` assigns them. */
  readonly unassigned: number;
  readonly sectionTokens: number;
  readonly listings: CallCounts;
  readonly reads: CallCounts;
  /** The directories that agents listed, relative to the root, with `/`; the root is an empty string. */
  readonly listedDirectories: readonly string[];
  /** How often each file was read during the run, by its path relative to the root. */
  readonly readCounts: ReadonlyMap<string, number>;
}

interface Estimate {
  /** May be negative. */
  readonly estimated: number;
  /** How it follows from the counts. */
  readonly formula: string;
}

/** The statistics of a run, under the names of the source document. Plain JSON. */
export interface RunStatistics extends Pick<
  RunCounts,
  'totalScans' | 'listings' | 'reads' | 'unassigned' | 'agents' | 'sections'
> {
  /** Calls that an interceptor answered from the cache: `listings.hits + reads.hits`. */
  readonly cacheHits: number;
  /** Calls that an interceptor passed on: `listings.misses + reads.misses`. */
  readonly cacheMisses: number;
  readonly sectionTokens: Estimate;
  /** Listings that agents did not make because their prompts showed the tree: for each agent once, however often it asked the model. */
  readonly savedCalls: Estimate;
  /** The tokens of the saved calls, less those of the section in each request that carried it, and those of the updates. */
  readonly savedTokens: Estimate;
}

export interface StatisticsOptions {
  /**
   * The requests to a model that carried the section. An agent of several steps sends it with each.
   * @default those that `note` was given, or else the number of sections: one request for each
   */
  readonly requests?: number | undefined;
}

type Facts = Readonly<Record<'agents' | 'places' | 'listed' | 'kept' | 'calls' | 'requests', number>>;

const en = {
  sectionTokens: 'tokens of the rendered section',
  noTree: 'the prompts showed no tree',
  savedCalls: ({ agents, places, listed, kept }: Facts): string =>
    `agents (${agents}) * ${places} listings of an agent without the tree - listings made (${listed}) - calls of cache_directory (${kept})`,
  savedTokens: ({ calls, requests }: Facts, { sectionTokens, updateTokens }: RunCounts): string =>
    `savedCalls (${calls}) * ${TOKENS_PER_CALL} tokens of a call - sectionTokens (${sectionTokens}) * requests (${requests}) - tokens of updates (${updateTokens})`,
};

const formulas: Readonly<Record<Language, typeof en>> = {
  en,
  zh: {
    sectionTokens: '渲染后缓存内容的 token 数',
    noTree: '提示词中没有目录树',
    savedCalls: ({ agents, places, listed, kept }) =>
      `agents (${agents}) * 无目录树时每个 agent 列目录 ${places} 次 - 实际列目录次数 (${listed}) - cache_directory 调用次数 (${kept})`,
    savedTokens: ({ calls, requests }, { sectionTokens, updateTokens }) =>
      `savedCalls (${calls}) * 每次调用 ${TOKENS_PER_CALL} token - sectionTokens (${sectionTokens}) * 请求数 (${requests}) - 更新的 token 数 (${updateTokens})`,
  },
};

/** Derives the statistics of a run. Only what interceptors counted is exact; the rest is an {@link Estimate}. */
export function statisticsOf(
  counts: RunCounts,
  { requests, language = 'en' }: StatisticsOptions & { readonly language?: Language } = {},
): RunStatistics {
  const { totalScans, agents, sections, sectionTokens, listings, reads, updateTokens, unassigned } = counts;
  const listed = listings.hits + listings.misses;
  // An agent lists a directory once, and a small project has fewer than the usual number.
  const places = Math.min(LISTINGS_PER_AGENT, counts.shownDirectories);
  const kept = counts.cacheDirectoryCalls;
  const hasTree = agents > 0 && places > 0;
  const calls = hasTree ? agents * places - listed - kept : 0;
  const carried = requests ?? (counts.requests > 0 ? counts.requests : sections);
  const facts = { agents, places, listed, kept, calls, requests: carried };
  const formula = formulas[language];
  return {
    totalScans,
    cacheHits: listings.hits + reads.hits,
    cacheMisses: listings.misses + reads.misses,
    listings: { ...listings },
    reads: { ...reads },
    unassigned,
    agents,
    sections,
    sectionTokens: { estimated: sectionTokens, formula: formula.sectionTokens },
    savedCalls: { estimated: calls, formula: hasTree ? formula.savedCalls(facts) : formula.noTree },
    savedTokens: {
      estimated: calls * TOKENS_PER_CALL - sectionTokens * carried - updateTokens,
      formula: formula.savedTokens(facts, counts),
    },
  };
}
