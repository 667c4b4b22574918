//! Counters of the cache.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::snapshot::Snapshot;

/// Statistics of the cache since the process began, and its current content.
#[derive(Clone, Debug, Default)]
pub struct CacheStats {
    /// Calls that received a snapshot within its time to live.
    pub hits: u64,
    /// Calls for which no snapshot was cached, or only an invalidated one.
    pub misses: u64,
    /// Calls that validated an expired or invalidated snapshot.
    pub validations: u64,
    /// Calls that scanned a known root again: forced, or because validation was not enough.
    pub rescans: u64,
    /// Snapshots dropped by [`crate::ScanCache::invalidate`].
    pub invalidations: u64,
    /// Snapshots dropped because the cache was full.
    pub evictions: u64,
    /// Calls that joined a running scan.
    pub joins: u64,
    /// Directories listed by all scans.
    pub directories_listed: u64,
    /// Directories, followed links and ignore files compared with the disk to validate snapshots.
    pub checks: u64,
    /// Memory held, in bytes. Includes invalidated snapshots that the next scan validates.
    pub bytes: usize,
    /// The cached snapshots, sorted by root.
    pub snapshots: Vec<CachedSnapshot>,
}

/// One cached snapshot.
#[derive(Clone, Debug)]
pub struct CachedSnapshot {
    /// The snapshot itself.
    pub snapshot: Arc<Snapshot>,
    /// Time since it was published.
    pub age: Duration,
}

#[derive(Debug, Default)]
pub(super) struct Counters {
    pub(super) hits: AtomicU64,
    pub(super) misses: AtomicU64,
    pub(super) validations: AtomicU64,
    pub(super) rescans: AtomicU64,
    pub(super) invalidations: AtomicU64,
    pub(super) evictions: AtomicU64,
    pub(super) joins: AtomicU64,
    pub(super) directories_listed: AtomicU64,
    pub(super) checks: AtomicU64,
}

impl Counters {
    /// Returns the counts; `bytes` and `snapshots` are empty.
    pub(super) fn read(&self) -> CacheStats {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        CacheStats {
            hits: read(&self.hits),
            misses: read(&self.misses),
            validations: read(&self.validations),
            rescans: read(&self.rescans),
            invalidations: read(&self.invalidations),
            evictions: read(&self.evictions),
            joins: read(&self.joins),
            directories_listed: read(&self.directories_listed),
            checks: read(&self.checks),
            bytes: 0,
            snapshots: Vec::new(),
        }
    }
}

pub(super) fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}
