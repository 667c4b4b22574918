import * as binding from '../binding/index.js';
import type { NativeCacheStats, NativeCachedScan } from '../binding/index.js';

/** One scan kept in the cache: its root, what it includes, and what it costs. */
export type CachedScan = NativeCachedScan;

/** What the scan cache has done since the process began, and what it holds. */
export type FsScanCacheStats = NativeCacheStats;

/**
 * Drops every cached scan that a change at `path` may have made wrong, and keeps scans under way from being cached.
 *
 * Call it after creating, changing, moving (both sides) or deleting something. Drops the scans whose root is the path or
 * contains it, that reached it through a followed link, that an ignore file at the path rules, or whose root the path
 * contains or contained. Without a path, drops everything. The path need not exist. Synchronous.
 *
 * Never throws: a path that is no string is taken as none, which drops more than needed and is never wrong.
 */
export function invalidateFsScanCache(path?: string): void {
  binding.invalidateFsScanCache(typeof path === 'string' ? path : undefined);
}

/**
 * What the scan cache has done and holds: a copy, made when called.
 *
 * `hits` were served as they were, `misses` found nothing, or only a scan that a change was announced for, `validations` looked at what an
 * expired or dropped scan rests on and listed again what had changed, `rescans` scanned a known root from the start (forced, or because validation could not tell),
 * `joins` shared a scan under way. `bytes` counts what a scan holds, its index for fuzzy matching included.
 */
export function fsScanCacheStats(): FsScanCacheStats {
  return binding.fsScanCacheStats();
}
