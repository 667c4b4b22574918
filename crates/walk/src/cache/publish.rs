//! Publishing a snapshot: the only way into the cache, for scans and for every other producer.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use thiserror::Error;

use crate::generation::latest_generation;
use crate::snapshot::{Cut, Snapshot};

use super::announced::Announced;
use super::base::Base;
use super::request::ScanKey;
use super::state::{CacheState, Running, StoredSnapshot};
use super::stats::count;

/// Why a snapshot was not published. The cache is unchanged then.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PublishError {
    /// Something in the tree was invalidated after the base was taken, so the snapshot may not contain the change.
    #[error("{} was invalidated after the base was taken; take a new base and scan again", root.display())]
    Invalidated {
        /// The root of the snapshot.
        root: PathBuf,
    },
    /// Another snapshot was published after the base was taken.
    #[error("a newer snapshot of {} was published after the base was taken; take a new base", root.display())]
    Superseded {
        /// The root of the snapshot.
        root: PathBuf,
    },
    /// The scan of the snapshot began before the base was taken.
    #[error("the snapshot of {} is older than its base; take the base before the scan", root.display())]
    Outdated {
        /// The root of the snapshot.
        root: PathBuf,
    },
    /// The snapshot has another root or other options than the base.
    #[error("the snapshot of {} has another root or other options than its base", root.display())]
    Mismatch {
        /// The root of the snapshot.
        root: PathBuf,
    },
    /// The snapshot covers only a part of the tree: a [`crate::Subtree`], or the entries that were listed before the time ran out.
    #[error("the snapshot of {} is not complete; scan the whole tree", root.display())]
    Incomplete {
        /// The root of the snapshot.
        root: PathBuf,
    },
    /// The snapshot alone holds more bytes than the cache may hold.
    #[error("the snapshot of {} holds {bytes} bytes, over the limit of {max_bytes}; raise FS_SCAN_CACHE_MAX_BYTES", root.display())]
    TooLarge {
        /// The root of the snapshot.
        root: PathBuf,
        /// The bytes of the snapshot.
        bytes: usize,
        /// [`crate::Policy::max_bytes`].
        max_bytes: usize,
    },
    /// The policy has a time to live of zero or room for no snapshot, so the cache stores nothing.
    #[error("the cache is off; set FS_SCAN_CACHE_TTL_MS and FS_SCAN_CACHE_MAX_ENTRIES to more than 0")]
    Disabled,
}

impl CacheState {
    /// Takes the base for a snapshot of `key`. `taken` is a time before the disk is read.
    pub(super) fn base(&self, running: &Running, key: ScanKey, taken: Instant) -> Base {
        let stored = self.stored(&key);
        let published = stored.as_ref().map(|stored| stored.published);
        let stored_began = stored.as_ref().map(|stored| stored.began);
        let (snapshot, announced) = stored.map(|stored| (stored.snapshot, stored.announced)).unzip();
        Base {
            key,
            snapshot,
            published,
            stored_began,
            announced: announced.unwrap_or_default(),
            position: running.log.position(),
            latest_generation: latest_generation(),
            taken,
        }
    }

    /// Stores `snapshot` in place of its base; see [`crate::ScanCache::publish`]. Its time to live starts at
    /// `published`. `is_partial`: only the places of announced changes were compared with the disk.
    pub(super) fn publish(
        &self,
        running: &Running,
        base: &Base,
        snapshot: &Arc<Snapshot>,
        published: Instant,
        is_partial: bool,
    ) -> Result<(), PublishError> {
        let root = || snapshot.root().to_owned();
        if self.policy.ttl.is_zero() || self.policy.max_snapshots == 0 {
            return Err(PublishError::Disabled);
        }
        if base.key.root != snapshot.root() || base.key.options != snapshot.options() {
            return Err(PublishError::Mismatch { root: root() });
        }
        if !snapshot.is_whole() || snapshot.cut() == Some(Cut::Timeout) {
            return Err(PublishError::Incomplete { root: root() });
        }
        let is_base = base.snapshot.as_ref().is_some_and(|base| Arc::ptr_eq(base, snapshot));
        if !is_base && snapshot.generation() <= base.latest_generation {
            return Err(PublishError::Outdated { root: root() });
        }
        if self.stored(&base.key).is_some_and(|stored| stored.snapshot.generation() > base.generation()) {
            return Err(PublishError::Superseded { root: root() });
        }
        if running.log.affects_since(base.position, &base.key, snapshot) {
            return Err(PublishError::Invalidated { root: root() });
        }
        let (bytes, max_bytes) = (snapshot.bytes(), self.policy.max_bytes);
        if bytes > max_bytes {
            // The statistics report the cache as too small, as they do when a snapshot leaves it.
            count(&self.counters.evictions);
            return Err(PublishError::TooLarge { root: root(), bytes, max_bytes });
        }
        // A scan that checked some places only leaves the rest as it was.
        let began = base.stored_began.filter(|_| is_partial).unwrap_or(base.taken);
        let announced = Announced::Nothing;
        let stored = StoredSnapshot { snapshot: Arc::clone(snapshot), published, began, announced };
        self.snapshots.insert(base.key.clone(), stored);
        self.evict();
        Ok(())
    }
}
