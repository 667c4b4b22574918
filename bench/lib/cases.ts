/** The measurements, the peers, and the goals. */
import type { ContestantName } from './engines/index.ts';
import type { Task } from './task.ts';

export type CorpusName = 'kernel' | 'modules' | 'million';

export type Goal =
  /** The factor by which ours is faster (or smaller) than the best of these. */
  | { readonly times: number; readonly of: readonly ContestantName[] }
  | { readonly atMost: number; readonly unit: 'ms' | 'MB' }
  /** The result says that it is not whole, and why. */
  | { readonly stopReason: string };

export interface Case {
  readonly id: string;
  readonly corpus: CorpusName;
  readonly title: string;
  readonly task: (root: string) => Task;
  readonly peers: readonly ContestantName[];
  readonly goals: readonly Goal[];
  /**
   * Time of a call; or the resident memory that a scan adds to a process and that stays (`kept`) or that there was at
   * most (`peak`).
   */
  readonly measures: 'time' | 'kept' | 'peak';
  readonly env?: Readonly<Record<string, string>>;
  /** Peers whose hits need not be as many as ours, and why. Others must not differ. */
  readonly differs?: Partial<Record<ContestantName, string>>;
  /** The paths that ours must have near the top. */
  readonly wants?: string;
}

/** May be in any directory, so that the whole tree has to be known, and few come back. */
const anywhere = '**/core.c';

/** Makes a cached scan expire at once. */
const expireAtOnce = { FS_SCAN_CACHE_TTL_MS: '1' };
/** Longer than a case takes: a keystroke is about the search, not about the scan. */
const keepScans = { FS_SCAN_CACHE_TTL_MS: '3600000', FS_SCAN_EMPTY_RECHECK_MS: '3600000' };
/** Less than the tree has. */
const smallBudget = { FS_SCAN_MAX_ENTRIES: '100000' };

const noRules = 'no ignore rules';
const filesOnly = 'files only';

const kernelGlobs: Case[] = [
  {
    id: 'list',
    corpus: 'kernel',
    title: 'list everything, uncached',
    task: (root) => ({ kind: 'list', root, rules: true }),
    peers: ['rg', 'fd', 'pi-natives', 'fdir'],
    goals: [
      { times: 2, of: ['rg'] },
      { times: 1.3, of: ['fd'] },
    ],
    measures: 'time',
    differs: {
      rg: filesOnly,
      fd: 'applies .gitignore in repositories only',
      'pi-natives': noRules,
      fdir: `${filesOnly}, ${noRules}`,
    },
  },
  {
    id: 'glob',
    corpus: 'kernel',
    title: 'glob `**/*.c`, uncached',
    task: (root) => ({ kind: 'glob', root, pattern: '**/*.c', cached: false }),
    peers: ['pi-natives', 'tinyglobby', 'fd', 'fast-glob', 'rg'],
    goals: [{ times: 1.5, of: ['pi-natives', 'tinyglobby', 'fd', 'fast-glob'] }],
    measures: 'time',
    differs: {
      'pi-natives': noRules,
      tinyglobby: `${filesOnly}, ${noRules}`,
      fd: 'applies .gitignore in repositories only',
      'fast-glob': `${filesOnly}, ${noRules}`,
      rg: filesOnly,
    },
  },
  {
    id: 'glob-cached',
    corpus: 'kernel',
    title: 'glob `**/*.c`, cached',
    task: (root) => ({ kind: 'glob', root, pattern: '**/*.c', cached: true }),
    peers: ['pi-natives'],
    goals: [{ times: 8, of: ['pi-natives'] }],
    measures: 'time',
    differs: { 'pi-natives': noRules },
  },
  {
    id: 'glob-prefix-cached',
    corpus: 'kernel',
    title: 'glob `kernel/sched/*.c`, cached',
    task: (root) => ({ kind: 'glob', root, pattern: 'kernel/sched/*.c', cached: true }),
    peers: ['pi-natives', 'fff'],
    goals: [{ times: 25, of: ['pi-natives', 'fff'] }],
    measures: 'time',
  },
  {
    id: 'expired',
    corpus: 'kernel',
    title: 'expired snapshot, nothing changed',
    task: (root) => ({ kind: 'expired', root, pattern: anywhere }),
    peers: ['pi-natives'],
    goals: [{ times: 10, of: ['pi-natives'] }],
    measures: 'time',
    env: expireAtOnce,
  },
];

/** Asked before a query that is not typed letter by letter: nothing of its answer is of use. */
const unrelated = 'zqx';

function prefixesOf(query: string): string[] {
  return Array.from({ length: query.length - 1 }, (_, index) => query.slice(0, index + 1));
}

function keystroke(options: {
  corpus: CorpusName;
  query: string;
  typed: boolean;
  peers: readonly ContestantName[];
  goals: readonly Goal[];
  wants?: string;
}): Case {
  const { corpus, query, typed, peers, goals, wants } = options;
  return {
    id: `find-${typed ? 'typed' : 'at-once'}-${query.replaceAll('/', '-')}`,
    corpus,
    title: `fuzzyFind \`${query}\`, ${typed ? 'last letter of it typed' : 'asked at once'}`,
    task: (root) => ({ kind: 'find', root, query, before: typed ? prefixesOf(query) : [unrelated] }),
    peers,
    goals,
    measures: 'time',
    env: keepScans,
    ...(wants !== undefined && { wants }),
  };
}

/** Those that `fuzzyFind` is measured against. */
const rivals: readonly ContestantName[] = ['fff', 'fuzzysort', 'pi-natives'];
/** With the matchers, which are given a list of the files and keep nothing between queries. */
const finders: readonly ContestantName[] = [...rivals, 'nucleo', 'frizbee'];
const kernelQueries = [
  { query: 's' },
  { query: 'schedcore', wants: 'kernel/sched/core.c' },
  { query: 'kernel/sched/cor', wants: 'kernel/sched/core.c' },
  { query: 'usbcorehub', wants: 'drivers/usb/core/hub.c' },
];

const kernelFinds = [false, true].flatMap((typed) =>
  kernelQueries
    // Nothing comes before a first letter.
    .filter(({ query }) => !typed || query.length > 1)
    .map((query) => {
      // The goal is for a whole search. The rest, after the prefixes were asked, shows next to it.
      const goals = typed ? [] : [{ times: 3, of: rivals }];
      return keystroke({ ...query, corpus: 'kernel', typed, peers: finders, goals });
    }),
);

const kernelGreps: Case[] = [
  { name: 'rare literal', pattern: 'sched_clock_register' },
  { name: 'common literal', pattern: 'return -EINVAL' },
  { name: 'regex', pattern: String.raw`static\s+int\s+\w+_probe\(` },
  { name: 'regex with glob', pattern: String.raw`static\s+int\s+\w+_probe\(`, glob: 'drivers/**/*.c' },
  { name: 'no match', pattern: 'no_such_symbol_anywhere' },
  { name: 'every line', pattern: '^', glob: 'kernel/**/*.c' },
].map(({ name, pattern, glob }) => ({
  id: `grep-${name.replaceAll(' ', '-')}`,
  corpus: 'kernel',
  title: `grep, ${name}, uncached`,
  task: (root) => ({ kind: 'grep', root, rules: true, pattern, ...(glob !== undefined && { glob }) }),
  peers: ['rg', 'pi-natives'],
  goals: [
    { times: 1.5, of: ['rg'] },
    { times: 1.2, of: ['pi-natives'] },
  ],
  measures: 'time',
  differs: { 'pi-natives': noRules },
}));

const kernelAborts: Case[] = [
  {
    id: 'abort',
    corpus: 'kernel',
    title: 'abort of 8 greps, until the next call is answered',
    task: (root) => ({ kind: 'abort', root, pattern: String.raw`\w+\s+\w+_probe\(`, calls: 8 }),
    peers: [],
    goals: [{ atMost: 50, unit: 'ms' }],
    measures: 'time',
  },
];

const kernelMemory: Case[] = [
  {
    id: 'memory',
    corpus: 'kernel',
    title: 'resident memory of one cached scan',
    task: (root) => ({ kind: 'glob', root, pattern: anywhere, cached: true }),
    peers: ['fff+content', 'fff', 'pi-natives'],
    goals: [{ atMost: 12, unit: 'MB' }],
    measures: 'kept',
    differs: { 'fff+content': filesOnly, fff: filesOnly },
  },
  {
    id: 'memory-find',
    corpus: 'kernel',
    title: 'resident memory of one cached scan and what fuzzyFind keeps next to it',
    task: (root) => ({ kind: 'find', root, query: 'usbcorehub', before: [] }),
    peers: ['fff+content', 'fff', 'fuzzysort', 'pi-natives'],
    goals: [],
    measures: 'kept',
  },
];

const modules: Case[] = [
  {
    id: 'modules-list',
    corpus: 'modules',
    title: 'list everything, no ignore rules, uncached',
    task: (root) => ({ kind: 'list', root, rules: false }),
    peers: ['rg', 'fd', 'pi-natives', 'fdir'],
    goals: [],
    measures: 'time',
    differs: { rg: filesOnly, fdir: filesOnly },
  },
  {
    id: 'modules-grep',
    corpus: 'modules',
    title: 'grep, regex, no ignore rules, uncached',
    task: (root) => ({ kind: 'grep', root, rules: false, pattern: String.raw`export\s+default\s+\w+` }),
    // pi-natives leaves `node_modules` out of a search below one.
    peers: ['rg'],
    goals: [],
    measures: 'time',
  },
];

const millionFinders: readonly ContestantName[] = ['fff', 'pi-natives'];

const million: Case[] = [
  ...[
    { query: 's', typed: false },
    { query: 'sessioncache', typed: true },
    { query: 'sessioncache', typed: false },
  ].map((options) =>
    keystroke({ ...options, corpus: 'million', peers: millionFinders, goals: [{ atMost: 20, unit: 'ms' }] }),
  ),
  {
    id: 'million-expired',
    corpus: 'million',
    title: 'expired snapshot, nothing changed',
    task: (root) => ({ kind: 'expired', root, pattern: '**/session_cache.md' }),
    peers: ['pi-natives'],
    goals: [{ atMost: 250, unit: 'ms' }],
    measures: 'time',
    env: expireAtOnce,
  },
  {
    id: 'million-memory',
    corpus: 'million',
    title: 'peak memory of a scan',
    task: (root) => ({ kind: 'glob', root, pattern: '**/session_cache.md', cached: true }),
    peers: ['pi-natives'],
    goals: [{ atMost: 400, unit: 'MB' }],
    measures: 'peak',
  },
  {
    id: 'million-budget',
    corpus: 'million',
    title: 'a scan of more than `FS_SCAN_MAX_ENTRIES` reports it',
    task: (root) => ({ kind: 'glob', root, pattern: '**/session_cache.md', cached: true }),
    peers: [],
    goals: [{ stopReason: 'budget' }],
    measures: 'time',
    env: smallBudget,
  },
];

export const cases: readonly Case[] = [
  ...kernelGlobs,
  ...kernelFinds,
  ...kernelGreps,
  ...kernelAborts,
  ...kernelMemory,
  ...modules,
  ...million,
];
