//! Invalidation: dropping the snapshots that a change may have made wrong.

use std::path::{Path, PathBuf};

use crate::paths;
use crate::snapshot::Snapshot;

use super::announced::Announced;
use super::log::{Invalidation, affects_root};
use super::request::ScanKey;
use super::state::{CacheState, Running, StoredSnapshot};
use super::stats::count;

impl CacheState {
    /// See [`crate::ScanCache::invalidate`].
    pub(super) fn invalidate(&self, path: Option<&Path>) {
        let targets = path.map(paths::resolve_target);
        let mut running = self.lock();
        let affected: Vec<(ScanKey, Announced)> = self
            .snapshots
            .iter()
            .map(|entry| (entry.key().clone(), announced(targets.as_deref(), entry.key(), &entry.snapshot)))
            .filter(|(_, announced)| *announced != Announced::Nothing)
            .collect();
        for (key, announced) in affected {
            self.invalidate_stored(&key, announced, path.is_some());
        }
        // Which directories a running scan reaches through links is only known at its end.
        running.scans.retain(|key, scan| {
            !is_any(targets.as_deref(), |target| {
                key.options.follow_links || affects_root(target, key) || scan.walk.depends_on(target)
            })
        });
        running.log.push(targets.map_or(Invalidation::Everything, Invalidation::Paths));
    }

    /// Drops the snapshot of `key`. With `can_validate`, a snapshot with a fingerprint is kept for the next scan to
    /// validate.
    fn invalidate_stored(&self, key: &ScanKey, announced: Announced, can_validate: bool) {
        let is_kept = |stored: &StoredSnapshot| can_validate && stored.snapshot.fingerprint().is_some();
        if let Some(mut stored) = self.snapshots.get_mut(key)
            && is_kept(&stored)
        {
            if !stored.is_invalidated() {
                count(&self.counters.invalidations);
            }
            stored.announced.extend(announced);
            return;
        }
        if self.snapshots.remove(key).is_some_and(|(_, stored)| !stored.is_invalidated()) {
            count(&self.counters.invalidations);
        }
    }

    /// Forgets the snapshot of one key, because a caller does not trust it.
    pub(super) fn forget(&self, running: &mut Running, key: &ScanKey) {
        let removed_scan = running.scans.remove(key).is_some();
        if self.snapshots.remove(key).is_some() || removed_scan {
            running.log.push(Invalidation::Key(key.clone()));
        }
    }
}

/// The changes at the targets that may concern a snapshot. Without targets, everything may have changed.
fn announced(targets: Option<&[PathBuf]>, key: &ScanKey, snapshot: &Snapshot) -> Announced {
    let Some(targets) = targets else { return Announced::Anywhere };
    let mut announced = Announced::default();
    for target in targets {
        announced.add(target, key, snapshot);
    }
    announced
}

/// Whether `test` holds for any target; without targets, everything is affected.
fn is_any(targets: Option<&[PathBuf]>, test: impl Fn(&Path) -> bool) -> bool {
    targets.is_none_or(|targets| targets.iter().any(|target| test(target)))
}
