import type { Language, TreeMetadata } from '../data.ts';

/**
 * Directories that an agent lists when its prompt has no tree: about 20 listings by seven agents.
 *
 * From the source document, section "预期效果".
 */
const LISTINGS_PER_AGENT = 3;

/**
 * Tokens of one call: its share of the tool definitions, the call and its result.
 *
 * From the source document, section "预期效果".
 */
const TOKENS_PER_CALL = 1000;

/** Calls that an interceptor saw. */
export interface CallCounts {
  /** Calls that were answered from the cache, or that shared the result of a call in flight. */
  readonly hits: number;
  /** Calls that reached the original function. */
  readonly misses: number;
}

/** The counts of a run. */
export interface RunCounts {
  readonly metadata: TreeMetadata;
  /** How often the run scanned the workspace: once, and again after a failure. Trees of other options come from the same scan. */
  readonly totalScans: number;
  /** How often a prompt took the section: once for each agent. */
  readonly sections: number;
  readonly sectionTokens: number;
  readonly listings: CallCounts;
  readonly reads: CallCounts;
  /** The directories that agents listed, relative to the root, with `/`; the root is an empty string. */
  readonly listedDirectories: readonly string[];
  /** How often each file was read during the run, by its path relative to the root. */
  readonly readCounts: ReadonlyMap<string, number>;
}

/** A number that nothing counts. */
export interface Estimate {
  /** May be negative. */
  readonly estimated: number;
  /** How it follows from the counts. */
  readonly formula: string;
}

/** The statistics of a run, under the names of the source document. Plain JSON. */
export interface RunStatistics {
  /** How often the run scanned the workspace: once, and again after a failure. Trees of other options come from the same scan. */
  readonly totalScans: number;
  /** Calls that an interceptor answered from the cache: `listings.hits + reads.hits`. */
  readonly cacheHits: number;
  /** Calls that an interceptor passed on: `listings.misses + reads.misses`. */
  readonly cacheMisses: number;
  readonly listings: CallCounts;
  readonly reads: CallCounts;
  /** How often a prompt took the section. */
  readonly sections: number;
  readonly sectionTokens: Estimate;
  /** Listings that agents did not make because their prompts showed the tree. */
  readonly savedCalls: Estimate;
  /** The tokens of the saved calls, less those of the section in each request that carried it. */
  readonly savedTokens: Estimate;
}

/** Options of {@link statisticsOf}. */
export interface StatisticsOptions {
  /**
   * The requests to a model that carried the section. An agent of several steps sends it with each.
   * @default the number of sections: one request for each agent
   */
  readonly requests?: number | undefined;
}

/** The formulas in words, from the numbers in them. */
const formulas = {
  en: {
    sectionTokens: 'tokens of the rendered section',
    savedCalls: (sections: number, listed: number) =>
      `sections (${sections}) * ${LISTINGS_PER_AGENT} listings of an agent without the tree - listings made (${listed})`,
    savedTokens: (calls: number, tokens: number, requests: number) =>
      `savedCalls (${calls}) * ${TOKENS_PER_CALL} tokens of a call - sectionTokens (${tokens}) * requests (${requests})`,
  },
  zh: {
    sectionTokens: '渲染后缓存内容的 token 数',
    savedCalls: (sections: number, listed: number) =>
      `sections (${sections}) * 无目录树时每个 agent 列目录 ${LISTINGS_PER_AGENT} 次 - 实际列目录次数 (${listed})`,
    savedTokens: (calls: number, tokens: number, requests: number) =>
      `savedCalls (${calls}) * 每次调用 ${TOKENS_PER_CALL} token - sectionTokens (${tokens}) * 请求数 (${requests})`,
  },
} as const;

/** Derives the statistics of a run. Only what interceptors counted is exact; the rest is an {@link Estimate}. */
export function statisticsOf(
  counts: RunCounts,
  { requests, language = 'en' }: StatisticsOptions & { readonly language?: Language } = {},
): RunStatistics {
  const { totalScans, sections, sectionTokens, listings, reads } = counts;
  const listed = listings.hits + listings.misses;
  const savedCalls = sections * LISTINGS_PER_AGENT - listed;
  const carried = requests ?? sections;
  const formula = formulas[language];
  return {
    totalScans,
    cacheHits: listings.hits + reads.hits,
    cacheMisses: listings.misses + reads.misses,
    listings: { ...listings },
    reads: { ...reads },
    sections,
    sectionTokens: { estimated: sectionTokens, formula: formula.sectionTokens },
    savedCalls: { estimated: savedCalls, formula: formula.savedCalls(sections, listed) },
    savedTokens: {
      estimated: savedCalls * TOKENS_PER_CALL - sectionTokens * carried,
      formula: formula.savedTokens(savedCalls, sectionTokens, carried),
    },
  };
}
