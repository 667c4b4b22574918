//! The shared state of a cache: its snapshots, its running scans, and its bounds.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use dashmap::DashMap;

use crate::snapshot::Snapshot;
use crate::walker::Walk;

use super::announced::Announced;
use super::base::Base;
use super::log::InvalidationLog;
use super::policy::Policy;
use super::request::{ScanKey, ScanRequest};
use super::stats::{CachedSnapshot, Counters, count};

/// Returns the current time. Tests pass their own clock; everything else uses [`Instant::now`].
pub type Clock = Arc<dyn Fn() -> Instant + Send + Sync>;

pub(super) struct CacheState {
    pub(super) policy: Policy,
    clock: Clock,
    /// Only changed under the `running` lock.
    pub(super) snapshots: DashMap<ScanKey, StoredSnapshot>,
    running: Mutex<Running>,
    pub(super) counters: Counters,
}

#[derive(Clone, Debug)]
pub(super) struct StoredSnapshot {
    pub(super) snapshot: Arc<Snapshot>,
    pub(super) published: Instant,
    /// When the comparison of the whole tree with the disk began that the snapshot is the result of.
    pub(super) began: Instant,
    /// If this is anything, the snapshot is no longer returned to callers. The next scan validates it.
    pub(super) announced: Announced,
}

impl StoredSnapshot {
    pub(super) fn is_invalidated(&self) -> bool {
        self.announced != Announced::Nothing
    }
}

/// The scans that calls can join, and the recent invalidations.
#[derive(Default)]
pub(super) struct Running {
    /// A scan that is no longer in here when it ends is not published.
    pub(super) scans: HashMap<ScanKey, Arc<RunningScan>>,
    pub(super) log: InvalidationLog,
}

pub(super) struct RunningScan {
    pub(super) walk: Arc<Walk>,
    pub(super) base: Base,
    pub(super) began: Instant,
    /// Whether any of its calls wants the snapshot to be cached.
    pub(super) store: AtomicBool,
    /// How many calls work on it. Changed under the `running` lock.
    pub(super) calls: AtomicUsize,
}

impl CacheState {
    pub(super) fn new(policy: Policy, clock: Clock) -> Self {
        Self { policy, clock, snapshots: DashMap::new(), running: Mutex::default(), counters: Counters::default() }
    }

    pub(super) fn now(&self) -> Instant {
        (self.clock)()
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Running> {
        // No code panics between two changes that belong together.
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn stored(&self, key: &ScanKey) -> Option<StoredSnapshot> {
        self.snapshots.get(key).map(|stored| stored.value().clone())
    }

    /// Returns the cached snapshot if it is fresh enough for the request.
    pub(super) fn fresh(&self, key: &ScanKey, request: &ScanRequest<'_>) -> Option<StoredSnapshot> {
        self.stored(key).filter(|stored| self.is_fresh(stored, request))
    }

    pub(super) fn is_fresh(&self, stored: &StoredSnapshot, request: &ScanRequest<'_>) -> bool {
        !stored.is_invalidated()
            && self.age(stored) < self.policy.ttl
            && (!request.validate || stored.began >= request.asked)
    }

    pub(super) fn age(&self, stored: &StoredSnapshot) -> Duration {
        self.now().saturating_duration_since(stored.published)
    }

    /// Drops the oldest snapshots until the rest fits into the bounds. The snapshots of ignored directories that a tree shows do
    /// not count as snapshots while the snapshot of the tree is there. Call it under the `running` lock.
    pub(super) fn evict(&self) {
        let mut all: Vec<(ScanKey, StoredSnapshot, usize)> = self
            .snapshots
            .iter()
            .map(|entry| (entry.key().clone(), entry.value().clone(), entry.value().snapshot.bytes()))
            .collect();
        all.sort_unstable_by_key(|(_, stored, _)| {
            (!stored.is_invalidated(), stored.published, stored.snapshot.generation())
        });
        let mut bytes: usize = all.iter().map(|(.., bytes)| bytes).sum();
        let with_excluded = |key: &&ScanKey| key.options.record_excluded;
        let roots: HashSet<PathBuf> =
            all.iter().map(|(key, ..)| key).filter(with_excluded).map(|key| key.root.clone()).collect();
        let is_part =
            |key: &ScanKey| with_excluded(&key) && key.root.ancestors().skip(1).any(|above| roots.contains(above));
        let mut remaining = all.iter().filter(|(key, ..)| !is_part(key)).count();
        for (key, stored, entry_bytes) in all {
            let counts = !is_part(&key);
            if (!counts || remaining <= self.policy.max_snapshots) && bytes <= self.policy.max_bytes {
                continue;
            }
            self.snapshots.remove(&key);
            if !stored.is_invalidated() {
                count(&self.counters.evictions);
            }
            remaining -= usize::from(counts);
            bytes -= entry_bytes;
        }
    }

    /// Returns the cached snapshots by root, and the bytes that all snapshots hold, with the invalidated ones.
    pub(super) fn contents(&self) -> (Vec<CachedSnapshot>, usize) {
        let mut snapshots: Vec<CachedSnapshot> = self
            .snapshots
            .iter()
            .filter(|entry| !entry.value().is_invalidated())
            .map(|entry| CachedSnapshot { snapshot: Arc::clone(&entry.value().snapshot), age: self.age(entry.value()) })
            .collect();
        snapshots.sort_unstable_by(|a, b| {
            let key = |cached: &CachedSnapshot| (cached.snapshot.root().to_owned(), cached.snapshot.generation());
            key(a).cmp(&key(b))
        });
        (snapshots, self.snapshots.iter().map(|entry| entry.value().snapshot.bytes()).sum())
    }
}
