import * as binding from '../binding/index.js';

/**
 * Drops every cached scan that a change at `path` may have made stale, and prevents running scans from being cached.
 *
 * Call it after you create, change, move (for both paths) or delete something. It drops scans with a root that equals the
 * path, contains it or is below it; scans that reached the path through a followed link; and, for an ignore file, scans
 * below its directory. Without a path, it drops everything. The path need not exist. Synchronous.
 *
 * The next search sees what changed at the path and below it. A change elsewhere that was not reported shows when the scan
 * expires, as without this call.
 *
 * Never throws. A path that is not a string counts as no path, which drops more than necessary but is never wrong.
 */
export function invalidateFsScanCache(path?: string): void {
  binding.invalidateFsScanCache(typeof path === 'string' ? path : undefined);
}

/**
 * Returns the counts of the scan cache since the process began, and its contents, copied at the time of the call.
 *
 * - `hits`: calls that used a cached scan as it was, or a part of it.
 * - `misses`: calls that found no cached scan, or one that a reported change had made stale.
 * - `validations`: expired or dropped scans that were compared with the file system and updated where it had changed.
 * - `rescans`: complete scans of a cached root, forced or because validation was not possible.
 * - `joins`: calls that shared a running scan.
 * - `bytes`: the memory of a scan, including its index for fuzzy matching.
 * - `contentIndex`: the indexes with which `grep` opens fewer files: the `files` of the indexed trees, how many of them are
 *   `indexed`, the memory in `bytes`, whether files are being indexed, and the number of watched directories. `offReason` is why the
 *   tree that was searched last has no index, or only a part of one: no memory is allowed (`disabled`), no tree was searched
 *   twice with `cache` (`notUsed`), the tree is `tooSmall` or its index `tooLarge`, it has a home directory in it (`tooWide`), the
 *   `fileSystem` or the platform does not show every change by times, or a bug (`failed`).
 */
export function fsScanCacheStats(): binding.NativeCacheStats {
  return binding.fsScanCacheStats();
}

/**
 * Returns when a tree at `path` gets an index of its contents: from `minFiles` files or 150 MB on, within `maxBytes` (0: never), of each
 * file `settleMs` after its last change (absent: never), and only if the file system shows every change by times (`keepsTimes`).
 */
export function contentIndexPolicy(path: string): binding.NativeContentIndexPolicy {
  return binding.contentIndexPolicy(path);
}
