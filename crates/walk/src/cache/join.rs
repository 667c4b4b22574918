//! Single flight: concurrent identical calls share one scan.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use crate::error::WalkError;
use crate::options::Subtree;
use crate::snapshot::Snapshot;
use crate::walker::{Walk, WalkPlan};

use super::announced::Announced;
use super::base::Base;
use super::request::{ScanKey, ScanRequest};
use super::state::{CacheState, Running, RunningScan, StoredSnapshot};
use super::stats::count;

/// Which running scans a call may join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Freshness {
    Any,
    /// Only full scans that began after the call was made.
    SinceAsked,
}

/// How a call gets its snapshot.
pub(super) enum Joined {
    /// Another call has published one in the meantime.
    Cached(StoredSnapshot),
    /// The call works on a scan that another call started.
    Running(Arc<RunningScan>),
    /// The call works on a new scan.
    Started(Arc<RunningScan>),
}

/// How a call's work on a scan ended.
pub(super) enum ScanEnd {
    /// The scan is done. It is published if any of its calls wants that.
    Finished(Arc<Snapshot>),
    /// The call was stopped; other calls may continue.
    Stopped,
    /// The scan failed, or its root is another directory now. No call joins it any more.
    Failed,
}

/// Leaves a scan when dropped, even when its call panics.
pub(super) struct JoinGuard<'a> {
    pub(super) state: &'a CacheState,
    pub(super) key: &'a ScanKey,
    pub(super) scan: &'a Arc<RunningScan>,
    pub(super) end: ScanEnd,
}

impl Drop for JoinGuard<'_> {
    fn drop(&mut self) {
        self.state.leave(self.key, self.scan, &self.end);
    }
}

impl CacheState {
    /// Returns a snapshot published in the meantime, joins a running scan, or starts one.
    pub(super) fn join(
        &self,
        key: &ScanKey,
        request: &ScanRequest<'_>,
        store: bool,
        freshness: Freshness,
    ) -> Result<Joined, WalkError> {
        loop {
            let mut base = {
                let running = self.lock();
                if let Some(joined) = self.join_existing(&running, key, request, store, freshness) {
                    return Ok(joined);
                }
                self.base(&running, key.clone(), request.asked)
            };
            // Reads ignore files above the root, so not under the lock: `invalidate` takes it on the caller's thread.
            let began = self.now();
            base.taken = began;
            let walk = Walk::new(WalkPlan {
                root: key.root.clone(),
                options: key.options,
                subtree: Subtree::default(),
                only_head: false,
                max_entries: self.policy.max_scan_entries,
                record_fingerprint: store,
                base: base.snapshot.clone().filter(|_| freshness == Freshness::Any),
                places: if request.validate { None } else { self.places_to_check(&base) },
            })?;
            let mut running = self.lock();
            if let Some(joined) = self.join_existing(&running, key, request, store, freshness) {
                return Ok(joined);
            }
            if running.log.has_files_since(base.position) {
                // The invalidation may concern the files that were read.
                continue;
            }
            match freshness {
                // The caller has counted the forced scan.
                Freshness::SinceAsked => {
                    self.forget(&mut running, key);
                    base = self.base(&running, key.clone(), began).of_scan(&base);
                }
                Freshness::Any if base.snapshot().is_none() => count(&self.counters.misses),
                Freshness::Any if walk.validates() => {}
                Freshness::Any => count(&self.counters.rescans),
            }
            if walk.validates() {
                count(&self.counters.validations);
            }
            let store = AtomicBool::new(store);
            let scan = Arc::new(RunningScan { walk, base, began, store, calls: AtomicUsize::new(1) });
            running.scans.insert(key.clone(), Arc::clone(&scan));
            return Ok(Joined::Started(scan));
        }
    }

    fn join_existing(
        &self,
        running: &Running,
        key: &ScanKey,
        request: &ScanRequest<'_>,
        store: bool,
        freshness: Freshness,
    ) -> Option<Joined> {
        if freshness == Freshness::Any
            && let Some(stored) = self.fresh(key, request)
        {
            return Some(Joined::Cached(stored));
        }
        // A caller that wants a fresh scan wants a full one, not a validation.
        let can_join = |scan: &&Arc<RunningScan>| match freshness {
            Freshness::Any => {
                !request.validate || (scan.began >= request.asked && !scan.walk.has_checked_places_only())
            }
            Freshness::SinceAsked => scan.began >= request.asked && !scan.walk.validates(),
        };
        let scan = running.scans.get(key).filter(can_join)?;
        scan.calls.fetch_add(1, Ordering::Relaxed);
        scan.store.fetch_or(store, Ordering::Relaxed);
        count(&self.counters.joins);
        Some(Joined::Running(Arc::clone(scan)))
    }

    /// Ends a call's work on a scan. Publishes the snapshot of a finished scan, unless it can no longer be joined.
    pub(super) fn leave(&self, key: &ScanKey, scan: &Arc<RunningScan>, end: &ScanEnd) {
        let mut running = self.lock();
        let can_be_joined = running.scans.get(key).is_some_and(|other| Arc::ptr_eq(other, scan));
        let calls = scan.calls.fetch_sub(1, Ordering::Relaxed) - 1;
        if calls == 0 {
            scan.walk.abandon();
            self.count_effort(&scan.walk);
        }
        if !can_be_joined {
            return;
        }
        match end {
            ScanEnd::Finished(snapshot) => {
                running.scans.remove(key);
                if scan.store.load(Ordering::Relaxed) {
                    // The calls receive the snapshot, whether it is published or not.
                    let checked = Self::checked_at(scan);
                    let published = checked.unwrap_or_else(|| self.now());
                    let _ = self.publish(&running, &scan.base, snapshot, published, checked.is_some());
                }
            }
            ScanEnd::Failed => self.forget(&mut running, key),
            ScanEnd::Stopped if calls == 0 => _ = running.scans.remove(key),
            ScanEnd::Stopped => {}
        }
    }

    /// The places to compare with the disk while the rest of the base is within its time to live; `None` means all of it.
    fn places_to_check(&self, base: &Base) -> Option<Vec<Box<[u8]>>> {
        let Announced::Places(places) = &base.announced else { return None };
        let age = self.now().saturating_duration_since(base.published?);
        (age < self.policy.ttl).then(|| places.clone())
    }

    /// When the parts of the tree that a finished scan did not check were compared with the disk; `None` if it checked all of
    /// them.
    pub(super) fn checked_at(scan: &RunningScan) -> Option<Instant> {
        scan.base.published.filter(|_| scan.walk.has_checked_places_only())
    }

    pub(super) fn count_effort(&self, walk: &Walk) {
        let effort = walk.effort();
        self.counters.directories_listed.fetch_add(effort.listed, Ordering::Relaxed);
        self.counters.checks.fetch_add(effort.checked, Ordering::Relaxed);
        self.counters.rescans.fetch_add(u64::from(effort.rescanned), Ordering::Relaxed);
    }
}
