import type { OpenFile } from '@cairn/coding-agent';
import { MAX_FILE_BYTES } from './limits.ts';
import type { Lru } from './lru.ts';
import type { CacheScope } from './scope.ts';
import type { Preloaded } from './types.ts';

const MAX_PRELOADED_FILES = 20;
const MAX_PRELOADED_BYTES = 2 * 1024 * 1024;

interface PreloadParts {
  readonly scope: CacheScope;
  /** The most used files first. */
  readonly paths: () => Promise<readonly string[]>;
  readonly memory: Lru<unknown>;
  readonly open: (path: string) => Promise<OpenFile>;
  readonly isClosed: () => boolean;
}

/** Opens the most used files, so that their contents are kept. */
export async function preload({ scope, paths, memory, open, isClosed }: PreloadParts): Promise<Preloaded> {
  let [read, bytes] = [0, 0];
  for (const path of (await paths()).slice(0, MAX_PRELOADED_FILES)) {
    if (isClosed()) break;
    try {
      const { real, stat } = await scope.resolve(path);
      const isSmall = stat?.kind === 'file' && stat.size <= MAX_FILE_BYTES && bytes + stat.size <= MAX_PRELOADED_BYTES;
      if (!isSmall) continue;
      const file = await open(real);
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
