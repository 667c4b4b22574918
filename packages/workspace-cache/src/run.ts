import type { ToolDefinition } from '@cairn/tool';
import { checkArguments, type OptionNames } from '@cairn/tool/kernel';
import type { ResolvedCacheOptions } from './cache-options.ts';
import { checkFunction, checkOptions, isCount, isToolName, type Rule, type Rules } from './checks.ts';
import type { DynamicListing, SectionOptions, WorkspaceCacheData } from './data.ts';
import { createCacheDirectoryTool } from './listings/cache-directory.ts';
import type { CacheDirectoryDetails, CacheDirectoryInput } from './listings/cache-directory.ts';
import type { CacheFiles } from './listings/cache-files.ts';
import type { DynamicListings } from './listings/dynamic-listings.ts';
import type { Lifetime } from './lifetime.ts';
import type { AgentActivity, RunCounter } from './run-counter.ts';
import type { Refreshed, RunTexts, SinceOptions, UpdatesSince } from './run-texts.ts';
import { reportOf } from './statistics/report.ts';
import { statisticsOf, type RunCounts, type RunStatistics, type StatisticsOptions } from './statistics/statistics.ts';
import type { BuiltTree } from './tree/build.ts';
import type { CacheAccess } from './content/types.ts';
import { report } from './content/report.ts';
import type { WrapOptions } from './listings/call-arguments.ts';
import type { CallCache, CallResult, Wrapped } from './listings/call-cache.ts';
import type { CallResults } from './listings/call-results.ts';
import { itemsOf } from './listings/items.ts';

type OnResult<Result> = (path: string, result: Awaited<Result>) => void;

/** Functions that wrap the list and read functions of a framework. */
interface Interceptors {
  /**
   * Wraps a function that lists a directory: `list(path)` or `list({ path })`. The wrapped function returns what the original would,
   * as a promise. A call with equal arguments is answered from memory while the directory and its entries are unchanged: their
   * times, inodes and sizes are checked at each call, and everything below the directory when the result or the arguments go into
   * subdirectories.
   *
   * Equal calls share one while it is in flight; after five seconds, a call no longer waits for another. A call that a wrapped
   * function makes, such as one of itself, waits for none. Not kept: failures, results that are not plain data, results that depend on more
   * than 2,000 entries or take more than 1 MiB, directories that changed within the last 20 ms, paths that are not in the workspace,
   * and results that name entries which the directory does not have.
   *
   * @param onResult called for each result of the original function. Errors in it change nothing.
   */
  wrapWithCache<Args extends readonly unknown[], Result>(
    list: (...args: Args) => Result,
    onResult?: OnResult<Result>,
    options?: WrapOptions<Args>,
  ): Wrapped<Args, Result>;
  /** Wraps a function that reads a file in the same way. Not kept: files with secret names or
   * with several names (hard links), and files that changed within 220 ms. A relative path starts at the root of the cache. */
  wrapReadWithCache<Args extends readonly unknown[], Result>(
    read: (...args: Args) => Result,
    onResult?: OnResult<Result>,
    options?: WrapOptions<Args>,
  ): Wrapped<Args, Result>;
}

interface InterceptorParts {
  readonly lifetime: Lifetime;
  readonly calls: CallCache;
  readonly results: CallResults;
  /** Absent for interceptors that keep and count nothing. */
  readonly dynamic?: DynamicListings | undefined;
  readonly onAccess?: ((access: CacheAccess) => void) | undefined;
}

const wrapOptions: OptionNames<WrapOptions<[]>> = { keyOf: 'optional', pathOf: 'optional' };

function createInterceptors({ lifetime, calls, results, dynamic, onAccess }: InterceptorParts): Interceptors {
  const keepListing = ({ path, real, value, state, roots }: CallResult): void => {
    const entries = real && state && itemsOf(value, [path, real]);
    if (!entries) return;
    dynamic?.add({ path, real, entries, roots, digest: state.digest, isCurrent: () => results.isCurrent(state) });
  };
  const wrap =
    (kind: 'list' | 'read') =>
    <Args extends readonly unknown[], Result>(
      original: (...args: Args) => Result,
      onResult?: OnResult<Result>,
      options: WrapOptions<Args> = {},
    ): Wrapped<Args, Result> => {
      lifetime.check();
      checkFunction('the wrapped function', original ?? null);
      checkFunction('onResult', onResult);
      checkArguments.options<object>('the wrapped function', options, wrapOptions);
      for (const [name, value] of Object.entries(options)) checkFunction(name, value);
      return calls.wrap({
        kind,
        original,
        options,
        isKept: dynamic !== undefined,
        onResult: (result) => {
          const { path, real = path, isHit, value } = result;
          report(onAccess, { kind, path: real, isHit });
          if (kind === 'list') keepListing(result);
          // The original function has returned it.
          if (!isHit) report((found: Awaited<Result>) => onResult?.(path, found), value as Awaited<Result>);
        },
      });
    };
  return { wrapWithCache: wrap('list'), wrapReadWithCache: wrap('read') };
}

/** What the agents of one run share. */
export interface WorkspaceRun extends Interceptors {
  /** What prompt templates see as `workspaceCache`. */
  readonly data: WorkspaceCacheData;
  /** The version of the tree: see `WorkspaceTree`. */
  readonly version: number;
  /**
   * Returns the section of a prompt that shows the workspace. Every call with the same options returns the text of the first
   * one, so that a provider can cache the prompt; {@link WorkspaceRun.updates} returns what happened since.
   */
  section(options?: SectionOptions): string;
  /**
   * Returns what changed since the tree of this run was made, and the listings that were kept since the section was first
   * returned. For the end of the newest message. Empty when there is neither.
   *
   * It names what the tree would show: changes that the tools announced, and all others that the last {@link WorkspaceRun.refresh} found.
   * After an announced change it reads the tree on the calling thread, for as long as a validation takes.
   */
  updates(options?: SectionOptions): string;
  /**
   * Returns what is new after a cursor, with the next cursor. A cursor that is too old to be known gives everything.
   *
   * @throws {ToolError} `INVALID_OPTION` for a cursor higher than any of this run, such as one of another run.
   */
  updates(options: SinceOptions): UpdatesSince;
  /**
   * Compares the workspace with the disk and returns what changed, whoever changed it. Call it after a program that may have changed
   * files without announcing it, such as a shell command. Never rejects while the cache is open.
   */
  refresh(): Promise<Refreshed>;
  /** Drops the listings of `data.dynamic` that are not right any more, such as after a change by another program. */
  checkListings(): Promise<void>;
  /** The tools of the run, for its agents; empty in the mode `static`. */
  readonly tools: RunTools;
  /** Counts for the statistics what an agent did without the cache: its requests to a model, and its listings with tools of its own. */
  note(activity: AgentActivity): void;
  /** Returns what the cache saved so far. */
  statistics(options?: StatisticsOptions): RunStatistics;
  /** Writes the statistics for people, with advice on the options of the cache. */
  report(options?: StatisticsOptions): string;
}

interface RunTools {
  readonly cache_directory?: ToolDefinition<CacheDirectoryInput, CacheDirectoryDetails>;
}

function createData({ tree, metadata }: BuiltTree, dynamic: Record<string, DynamicListing>): WorkspaceCacheData {
  // A copy: the tree is kept for other runs, and this one is open to templates and agents.
  const data = { static: { tree, metadata: { ...metadata } }, dynamic };
  Object.defineProperty(data.static.metadata, 'maxDepth', { get: () => data.static.metadata.depth });
  return Object.defineProperties(data, {
    directoryTree: { get: () => data.static.tree },
    metadata: { get: () => data.static.metadata },
  }) as WorkspaceCacheData;
}

export interface RunState {
  readonly texts: RunTexts;
  readonly counter: RunCounter;
  readonly listings: DynamicListings;
}

/** How often the run scanned the workspace, and how many calls of the cache's tools belong to no run. */
export type OwnCounts = Pick<RunCounts, 'totalScans' | 'unassigned'>;

interface RunParts {
  readonly tree: BuiltTree;
  readonly resolved: ResolvedCacheOptions;
  /** The run holds it, so that its caches announce changes to it. */
  readonly state: RunState;
  readonly lifetime: Lifetime;
  readonly files: CacheFiles;
  readonly ownCounts: () => OwnCounts;
}

const sectionRules: Rules<SectionOptions> = {
  list: [(value) => value === false || isToolName(value), 'the name of a tool, or false'],
  agent: [(value) => typeof value === 'string' && value !== '', 'the name of the agent'],
};
const sinceRules: Rules<SectionOptions & { readonly since?: number | undefined }> = {
  ...sectionRules,
  since: [isCount, 'the cursor of an earlier answer, or 0'],
};
const requests: Rule = [isCount, 'a whole number from 0'];
const activityRules: Rules<AgentActivity> = {
  listed: [(value) => typeof value === 'string', 'the path of a directory'],
  requests,
};

export function createRun({ tree, resolved, state, lifetime, files, ownCounts }: RunParts): WorkspaceRun {
  const { mode, toolNames, count } = resolved;
  const { language } = resolved.tree;
  const { calls, results, scope } = files;
  const { listings: dynamic, counter } = state;
  const isStatic = mode === 'static';
  const onCall = counter.noteCacheDirectory;
  const kept = isStatic ? {} : { dynamic, onAccess: counter.noteAccess };
  const counts = (): RunCounts => {
    const { firstSection } = state.texts;
    const sectionTokens = firstSection === undefined ? 0 : count(firstSection);
    const { metadata, shownDirectories } = tree;
    return counter.counts({ metadata, shownDirectories, sectionTokens, ...ownCounts() });
  };
  function updates(options?: SectionOptions): string;
  function updates(options: SinceOptions): UpdatesSince;
  function updates(options: SectionOptions & { readonly since?: number } = {}): string | UpdatesSince {
    lifetime.check();
    checkOptions('updates', options, sinceRules);
    const answer = state.texts.updates(options);
    if (answer.text !== '') counter.noteUpdates(count(answer.text));
    return options.since === undefined ? answer.text : answer;
  }
  return {
    ...createInterceptors({ lifetime, calls, results, ...kept }),
    tools: isStatic
      ? {}
      : { cache_directory: createCacheDirectoryTool({ scope, dynamic, language, toolNames, onCall }) },
    data: createData(tree, dynamic.record),
    version: tree.version,
    checkListings: async () => {
      lifetime.check();
      await dynamic.check();
    },
    section: (options = {}) => {
      lifetime.check();
      checkOptions('section', options, sectionRules);
      const section = state.texts.section(options);
      counter.noteSection(options.agent);
      return section;
    },
    updates,
    refresh: async () => {
      lifetime.check();
      return state.texts.refresh();
    },
    note: (activity) => {
      lifetime.check();
      checkOptions('note', activity, activityRules);
      counter.noteActivity(activity);
    },
    statistics: (options = {}) => {
      lifetime.check();
      checkOptions('statistics', options, { requests });
      return statisticsOf(counts(), { ...options, language });
    },
    report: (options = {}) => {
      lifetime.check();
      checkOptions('report', options, { requests });
      return reportOf(counts(), { ...options, language });
    },
  };
}
