import { invalidateFsScanCache } from '@cairn/natives';

/**
 * Tells the scan cache that something was written: a file created or changed, or a directory created.
 *
 * Every mutation calls one of these three after its commit and before its promise settles, so that the next cached search
 * sees it. They never throw.
 */
export function invalidateFsScanAfterWrite(path: string): void {
  invalidateFsScanCache(path);
}

/** Tells the scan cache that a file or a directory was removed. */
export function invalidateFsScanAfterDelete(path: string): void {
  invalidateFsScanCache(path);
}

/** Tells the scan cache that something was moved: both sides, the second only when it is another. */
export function invalidateFsScanAfterRename(oldPath: string, newPath: string): void {
  invalidateFsScanCache(oldPath);
  if (newPath !== oldPath) invalidateFsScanCache(newPath);
}
