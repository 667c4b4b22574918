/**
 * A process of its own for the fuzzer of the cache: answers the same questions with its policy of the cache, which is read
 * once, or without a cache. It ends when whoever started it disconnects.
 */
import { fsScanCacheStats, fuzzyFind, glob, grep, invalidateFsScanCache } from '@cairn/natives';

export interface CacheRequest {
  readonly cache: boolean;
  /** Paths that are announced to the cache first. */
  readonly changed: readonly string[];
  /** Wait until every scan in the cache is so old. */
  readonly olderThanMs: number;
  readonly roots: readonly string[];
}

export interface CacheReply {
  /** By root, then by question. */
  readonly answers: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly hits: number;
  readonly validations: number;
}

const questions: Readonly<Record<string, (path: string, cache: boolean) => Promise<unknown>>> = {
  glob: (path, cache) => glob({ path, cache, pattern: '**', hidden: true }),
  'glob without hidden ones': (path, cache) => glob({ path, cache, pattern: '*' }),
  'glob without rules': (path, cache) => glob({ path, cache, pattern: '**', gitignore: false }),
  'glob without rules, by time': (path, cache) =>
    glob({ path, cache, pattern: '**', gitignore: false, sortByMtime: true }),
  fuzzyFind: (path, cache) => fuzzyFind({ path, cache, query: 'a', hidden: true }),
  'fuzzyFind of everything': (path, cache) => fuzzyFind({ path, cache, query: '', gitignore: false }),
  grep: (path, cache) => grep({ path, cache, pattern: 'x' }),
};

async function answer({ cache, changed, olderThanMs, roots }: CacheRequest): Promise<CacheReply> {
  for (const path of changed) invalidateFsScanCache(path);
  while (fsScanCacheStats().entries.some(({ ageMs }) => ageMs < olderThanMs)) {
    // The clock is all that is waited for.
  }
  const answers: Record<string, Record<string, unknown>> = {};
  for (const root of roots) {
    const ofRoot: Record<string, unknown> = (answers[root] = {});
    for (const [question, ask] of Object.entries(questions)) {
      ofRoot[question] = await ask(root, cache).catch((error: unknown) => String(error));
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
