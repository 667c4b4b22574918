//! `invalidateFsScanCache` and `fsScanCacheStats`.

use std::fs::File;
use std::path::Path;

use cairn_search::{ContentIndexes, IndexOff, IndexPolicy, IndexStats};
#[cfg(target_os = "linux")]
use cairn_walk::has_reliable_times as keeps_times;
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
    pub content_index: NativeContentIndex,
}

/// The state of the indexes of contents.
#[napi(object)]
pub struct NativeContentIndex {
    pub files: f64,
    pub indexed: f64,
    pub bytes: f64,
    pub building: bool,
    pub watches: f64,
    #[napi(ts_type = "'disabled' | 'notUsed' | 'tooSmall' | 'tooLarge' | 'tooWide' | 'fileSystem' | 'failed'")]
    pub off_reason: Option<String>,
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

impl From<(CacheStats, IndexStats)> for NativeCacheStats {
    fn from((stats, index): (CacheStats, IndexStats)) -> Self {
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
            content_index: index.into(),
        }
    }
}

impl From<IndexStats> for NativeContentIndex {
    fn from(stats: IndexStats) -> Self {
        Self {
            files: stats.files as f64,
            indexed: stats.indexed as f64,
            bytes: stats.bytes as f64,
            building: stats.building,
            watches: stats.watches as f64,
            off_reason: stats.off.map(|reason| off_reason(reason).to_owned()),
        }
    }
}

fn off_reason(reason: IndexOff) -> &'static str {
    match reason {
        IndexOff::Disabled => "disabled",
        IndexOff::NotUsed => "notUsed",
        IndexOff::TooSmall => "tooSmall",
        IndexOff::TooLarge => "tooLarge",
        IndexOff::TooWide => "tooWide",
        IndexOff::FileSystem => "fileSystem",
        IndexOff::Failed => "failed",
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
    let path = path.as_deref().map(Path::new);
    ScanCache::global().invalidate(path);
    ContentIndexes::global().invalidate(path);
}

/// Returns the counts of the scan cache since the process began, its contents, and the state of the indexes of contents.
#[napi]
#[must_use]
pub fn fs_scan_cache_stats() -> NativeCacheStats {
    (ScanCache::global().stats(), ContentIndexes::global().stats()).into()
}

/// When a tree gets an index of contents.
#[napi(object)]
pub struct NativeContentIndexPolicy {
    pub max_bytes: f64,
    pub min_files: f64,
    /// Absent if the kernel has no limit.
    pub settle_ms: Option<f64>,
    pub keeps_times: bool,
}

/// Returns when a tree at `path` gets an index of contents.
#[napi]
#[must_use]
#[allow(clippy::needless_pass_by_value, reason = "a string from JavaScript is owned")]
pub fn content_index_policy(path: String) -> NativeContentIndexPolicy {
    let policy = IndexPolicy::from_env();
    NativeContentIndexPolicy {
        max_bytes: policy.max_bytes as f64,
        min_files: policy.min_files as f64,
        settle_ms: policy.settle.map(|settle| settle.as_secs_f64() * 1000.0),
        keeps_times: File::open(path).is_ok_and(|directory| keeps_times(&directory)),
    }
}

#[cfg(not(target_os = "linux"))]
fn keeps_times(_: &File) -> bool {
    false
}
