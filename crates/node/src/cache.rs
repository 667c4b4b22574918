//! `invalidateFsScanCache` and `fsScanCacheStats`.

use std::path::Path;

use cairn_walk::{CacheStats, CachedSnapshot, Detail, ScanCache};
use napi_derive::napi;

/// Counts of the scan cache, and its contents.
#[napi(object)]
pub struct NativeCacheStats {
    pub hits: f64,
    pub misses: f64,
    pub validations: f64,
    pub rescans: f64,
    pub invalidations: f64,
    pub evictions: f64,
    pub joins: f64,
    pub total_bytes: f64,
    pub entries: Vec<NativeCachedScan>,
}

/// One cached scan.
#[napi(object)]
pub struct NativeCachedScan {
    pub root: String,
    pub hidden: bool,
    pub gitignore: bool,
    pub skip_node_modules: bool,
    /// It also lists what the rules leave out, for `treeSummary`.
    pub record_excluded: bool,
    pub follow_links: bool,
    #[napi(ts_type = "'minimal' | 'full'")]
    pub detail: String,
    pub entries: f64,
    pub bytes: f64,
    pub age_ms: f64,
    pub complete: bool,
}

impl From<CacheStats> for NativeCacheStats {
    fn from(stats: CacheStats) -> Self {
        let entries: Vec<NativeCachedScan> = stats.snapshots.iter().map(NativeCachedScan::from).collect();
        Self {
            hits: stats.hits as f64,
            misses: stats.misses as f64,
            validations: stats.validations as f64,
            rescans: stats.rescans as f64,
            invalidations: stats.invalidations as f64,
            evictions: stats.evictions as f64,
            joins: stats.joins as f64,
            total_bytes: stats.bytes as f64,
            entries,
        }
    }
}

impl From<&CachedSnapshot> for NativeCachedScan {
    fn from(kept: &CachedSnapshot) -> Self {
        let snapshot = &kept.snapshot;
        let options = snapshot.options();
        Self {
            root: snapshot.root().to_string_lossy().into_owned(),
            hidden: options.include_hidden,
            gitignore: options.use_gitignore,
            skip_node_modules: options.skip_node_modules,
            record_excluded: options.record_excluded,
            follow_links: options.follow_links,
            detail: match options.detail {
                Detail::Minimal => "minimal",
                Detail::Full => "full",
            }
            .to_owned(),
            entries: snapshot.len() as f64,
            bytes: snapshot.bytes() as f64,
            age_ms: kept.age.as_secs_f64() * 1000.0,
            complete: snapshot.cut().is_none(),
        }
    }
}

/// Drops every cached scan that a change at `path` may have made stale; without a path, all of them.
#[napi]
#[allow(clippy::needless_pass_by_value, reason = "a string from JavaScript is owned")]
pub fn invalidate_fs_scan_cache(path: Option<String>) {
    ScanCache::global().invalidate(path.as_deref().map(Path::new));
}

/// Returns the counts of the scan cache since the process began, and its contents.
#[napi]
#[must_use]
pub fn fs_scan_cache_stats() -> NativeCacheStats {
    ScanCache::global().stats().into()
}
