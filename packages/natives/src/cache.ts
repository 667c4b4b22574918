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
 *   `indexed`, the memory in `bytes`, whether files are being indexed (`building`), and the number of watched directories
 *   (`watches`). `offReason` is why the tree that was searched last has no index, or only a part of one:
 *   - `disabled`: `FS_CONTENT_INDEX_MAX_BYTES` is 0.
 *   - `notUsed`: no tree was searched twice with `cache`.
 *   - `tooSmall`: fewer than `FS_CONTENT_INDEX_MIN_FILES` files, and less than 150 MB.
 *   - `tooLarge`: the index exceeds `FS_CONTENT_INDEX_MAX_BYTES`.
 *   - `tooWide`: a file system root, a home directory, or a directory that contains one.
 *   - `fileSystem`: the file system or the platform does not show every change by the times of a file.
 *   - `failed`: a bug in this package; searches open every file.
 */
export function fsScanCacheStats(): binding.NativeCacheStats {
  return binding.fsScanCacheStats();
}

/**
 * Returns when a tree at `path` gets an index of its contents, by the environment and the system: from `minFiles` files on (or 150 MB),
 * within `maxBytes`, and of each file `settleMs` milliseconds after its last change, at the earliest. No tree gets one if `maxBytes` is 0
 * or `settleMs` is absent, which means that the kernel may keep a change of a mapped file back without a limit; nor if the file system
 * does not keep times that show every change (`keepsTimes`). Synchronous.
 */
export function contentIndexPolicy(path: string): binding.NativeContentIndexPolicy {
  return binding.contentIndexPolicy(path);
}
