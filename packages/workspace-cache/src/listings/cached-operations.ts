import type { FileOperations } from '@cairn/coding-agent';
import type { OwnContentCache } from '../content/types.ts';
import { innerOf, noteInner } from '../content/inner.ts';
import type { DirectoryCache } from './directory-cache.ts';

/**
 * Returns file operations that answer reads and listings of the tools from memory, after a check of the file or directory, and do all
 * else like `inner`: commits read the disk. `inner` is an object with methods that need no `this`.
 */
export function createCachedOperations(
  content: Pick<OwnContentCache, 'open'>,
  directories: Pick<DirectoryCache, 'list'>,
  inner: FileOperations,
): FileOperations {
  const disk = innerOf(inner);
  const cached: FileOperations = {
    ...disk,
    openCached: (path, named) => content.open(disk, path, { named }),
    listCached: (path) => directories.list(disk, path),
  };
  noteInner(cached, disk);
  return cached;
}
