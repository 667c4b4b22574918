//! The starting point of a snapshot that is to be published.

use std::sync::Arc;
use std::time::Instant;

use crate::snapshot::Snapshot;

use super::announced::Announced;
use super::request::ScanKey;

/// The starting point for a new snapshot of one root: the cached snapshot, if any, and the moment it was taken.
///
/// Make one with [`crate::ScanCache::base`] **before** reading the disk. The cache uses it to tell, when the new snapshot
/// is published, whether something was invalidated or published in the meantime. It is used for one snapshot.
#[derive(Debug)]
pub struct Base {
    pub(super) key: ScanKey,
    /// The cached snapshot, even when it is expired or invalidated.
    pub(super) snapshot: Option<Arc<Snapshot>>,
    /// When the cached snapshot was published.
    pub(super) published: Option<Instant>,
    /// When the comparison of its whole tree with the disk began.
    pub(super) stored_began: Option<Instant>,
    /// The changes that were announced since then.
    pub(super) announced: Announced,
    /// The position in the invalidation log.
    pub(super) position: u64,
    /// The highest generation when the base was taken. Scans that began later have higher ones.
    pub(super) latest_generation: u64,
    /// When it was taken, which is before the disk is read.
    pub(super) taken: Instant,
}

impl Base {
    /// Returns the cached snapshot, whatever its age. Returns `None` when there is none or when it was invalidated: then
    /// the new snapshot needs a scan of the disk.
    #[must_use]
    pub fn snapshot(&self) -> Option<&Arc<Snapshot>> {
        self.snapshot.as_ref().filter(|_| !self.is_invalidated())
    }

    pub(super) fn is_invalidated(&self) -> bool {
        self.announced != Announced::Nothing
    }

    /// The generation of the cached snapshot; 0 without one.
    pub(super) fn generation(&self) -> u64 {
        self.snapshot.as_ref().map_or(0, |snapshot| snapshot.generation())
    }

    /// The same base for the scan of an earlier one.
    pub(super) fn of_scan(self, earlier: &Self) -> Self {
        Self { latest_generation: earlier.latest_generation, ..self }
    }
}
