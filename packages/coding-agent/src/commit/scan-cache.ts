import { invalidateFsScanCache } from '@cairn/natives';

/**
 * Invalidates cached scans after a write: a file was created or changed, or a directory was created.
 *
 * Every commit calls these functions before its promise settles, so that the next cached search sees the change. They never
 * throw.
 */
export function invalidateFsScanAfterWrite(path: string): void {
  invalidateFsScanCache(path);
}

/** Invalidates cached scans after a file or a directory was removed. */
export function invalidateFsScanAfterDelete(path: string): void {
  invalidateFsScanCache(path);
}

/** Invalidates cached scans after a rename: of both paths, of the second only when it is different. */
export function invalidateFsScanAfterRename(oldPath: string, newPath: string): void {
  invalidateFsScanCache(oldPath);
  if (newPath !== oldPath) invalidateFsScanCache(newPath);
}
