import type { FileOperations } from '@cairn/coding-agent';
import type { CacheAccess, OwnContentCache } from '../content/types.ts';
import { innerOf, noteInner } from '../content/inner.ts';
import type { Lifetime } from '../lifetime.ts';
import type { DirectoryCache } from './directory-cache.ts';

/** What file operations from memory are made of. */
interface CachedOperationsParts {
  readonly inner: FileOperations;
  readonly lifetime: Lifetime;
  readonly onAccess: (access: CacheAccess) => void;
}

/**
 * Returns file operations that answer reads and listings of the tools from memory, after a check of the file or directory, and do all
 * else like `inner`: commits read the disk, and go on after the cache is closed. `inner` is an object with methods that need no `this`.
 */
export function createCachedOperations(
  content: Pick<OwnContentCache, 'open'>,
  directories: Pick<DirectoryCache, 'list'>,
  { inner, lifetime, onAccess }: CachedOperationsParts,
): FileOperations {
  const disk = innerOf(inner);
  const cached: FileOperations = {
    ...disk,
    openCached: async (path, named) => {
      lifetime.check();
      return content.open(disk, path, { named, onAccess });
    },
    listCached: async (path) => {
      lifetime.check();
      return directories.list(disk, path, onAccess);
    },
  };
  noteInner(cached, disk);
  return cached;
}
