/**
 * A process of its own for the fuzzer of the cache: answers the same questions with its policy of the cache, which is read
 * once, or without a cache. It ends when whoever started it disconnects.
 */
import {
  CairnError,
  FileType,
  fsScanCacheStats,
  fuzzyFind,
  glob,
  grep,
  invalidateFsScanCache,
  treeSummary,
} from '@cairn/natives';

export interface CacheRequest {
  readonly cache: boolean;
  /** Paths that are announced to the cache first. */
  readonly changed: readonly string[];
  /** Wait until every scan in the cache is so old. */
  readonly olderThanMs: number;
  readonly roots: readonly string[];
  /** Which questions are asked, and in which order: which scan serves a question depends on those before it. */
  readonly order: number;
}

export interface CacheReply {
  /** By root, then by question. */
  readonly answers: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly hits: number;
  readonly validations: number;
}

type Ask = (options: { readonly path: string; readonly cache: boolean }) => Promise<unknown>;

/** A summary without its generation, which counts scans. */
const tree = async (options: Parameters<typeof treeSummary>[0]): Promise<unknown> => {
  const { generation, ...rest } = await treeSummary({ depth: 9, ...options });
  return rest;
};

/** Every call that takes `cache`, with each option that changes what is scanned. */
const questions: Readonly<Record<string, Ask>> = {
  glob: (at) => glob({ ...at, pattern: '**', hidden: true }),
  'glob without hidden ones': (at) => glob({ ...at, pattern: '*' }),
  'glob without rules': (at) => glob({ ...at, pattern: '**', gitignore: false }),
  'glob without rules, by time': (at) => glob({ ...at, pattern: '**', gitignore: false, sortByMtime: true }),
  'glob with node_modules': (at) => glob({ ...at, pattern: '**', includeNodeModules: true }),
  'glob through links': (at) => glob({ ...at, pattern: '**', followLinks: true }),
  'glob of a part': (at) => glob({ ...at, pattern: 'a/**', hidden: true }),
  'glob of directories': (at) => glob({ ...at, pattern: '**', fileType: FileType.Dir }),
  fuzzyFind: (at) => fuzzyFind({ ...at, query: 'a', hidden: true }),
  'fuzzyFind without hidden ones': (at) => fuzzyFind({ ...at, query: '' }),
  'fuzzyFind of everything': (at) => fuzzyFind({ ...at, query: '', hidden: true, gitignore: false }),
  grep: (at) => grep({ ...at, pattern: 'x', includeNodeModules: true }),
  'grep without node_modules': (at) => grep({ ...at, pattern: 'x', hidden: false, includeNodeModules: false }),
  'grep without rules': (at) => grep({ ...at, pattern: 'x', gitignore: false, includeNodeModules: true }),
  'grep through links': (at) => grep({ ...at, pattern: 'x', followLinks: true, includeNodeModules: true }),
  treeSummary: (at) => tree(at),
  'treeSummary with hidden ones': (at) => tree({ ...at, hidden: true, exclude: ['node_modules'] }),
  'treeSummary without rules': (at) => tree({ ...at, gitignore: false, exclude: ['b'] }),
  'treeSummary of names': (at) => tree({ ...at, allow: ['a', 'c'], secrets: ['.h', 'file'] }),
};

/** How many questions are asked after each edit, of each root. */
const askedPerEdit = 7;

/** Some questions in some order, by the digits of a number in the base of how many questions are left. */
function drawn(order: number): [string, Ask][] {
  const left = Object.entries(questions);
  const taken: [string, Ask][] = [];
  for (let rest = order; taken.length < askedPerEdit; rest = Math.floor(rest / left.length)) {
    taken.push(...left.splice(rest % left.length, 1));
  }
  return taken;
}

/** The failure of a call, unless the question itself is wrong. */
function failureOf(error: unknown): string {
  if (CairnError.isInstance(error) && error.code === 'INVALID_OPTION')
    throw new Error('a question is wrong', { cause: error });
  return String(error);
}

async function answer({ cache, changed, olderThanMs, roots, order }: CacheRequest): Promise<CacheReply> {
  for (const path of changed) invalidateFsScanCache(path);
  while (fsScanCacheStats().entries.some(({ ageMs }) => ageMs < olderThanMs)) {
    // The clock is all that is waited for.
  }
  const answers: Record<string, Record<string, unknown>> = {};
  for (const root of roots) {
    const ofRoot: Record<string, unknown> = (answers[root] = {});
    for (const [question, ask] of drawn(order)) {
      ofRoot[question] = await ask({ path: root, cache }).catch(failureOf);
    }
  }
  const { hits, validations } = fsScanCacheStats();
  return { answers, hits, validations };
}

async function reply(request: CacheRequest): Promise<void> {
  const message = await answer(request);
  // Whoever asked may be gone.
  if (process.connected) process.send?.(message);
}

process.on('message', (request: CacheRequest) => void reply(request));
