import type { AccessCounts } from './access-counts.ts';
import { innerOf } from './inner.ts';
import type { Lru } from './lru.ts';
import type { CacheScope } from './scope.ts';
import type { OwnContentCache, Preloaded } from './types.ts';

/** The limits of a preload. */
const MAX_PRELOADED_FILES = 20;
const MAX_PRELOADED_BYTES = 2 * 1024 * 1024;

/** What a preload needs. */
interface PreloadParts {
  readonly scope: CacheScope;
  readonly counts: Pick<AccessCounts, 'all'>;
  readonly memory: Pick<Lru<unknown>, 'has'>;
  readonly open: OwnContentCache['open'];
  /** Larger files are not kept. */
  readonly maxFileBytes: number;
  readonly isClosed: () => boolean;
}

/** Opens the most used files, so that their contents are kept. */
export async function preload(parts: PreloadParts): Promise<Preloaded> {
  const { scope, counts, memory, open, maxFileBytes, isClosed } = parts;
  let [read, bytes] = [0, 0];
  for (const { path } of (await counts.all()).slice(0, MAX_PRELOADED_FILES)) {
    if (isClosed()) break;
    try {
      const { real, stat } = await scope.resolve(path);
      const isSmall = stat?.kind === 'file' && stat.size <= maxFileBytes && bytes + stat.size <= MAX_PRELOADED_BYTES;
      if (!isSmall) continue;
      const file = await open(innerOf(scope.operations), real, { isCounted: false });
      await file.close();
      if (!memory.has(real)) continue;
      read++;
      bytes += stat.size;
    } catch {
      // The file is gone, or not allowed any more.
    }
  }
  return { files: read, bytes };
}
