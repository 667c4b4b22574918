//! The input of a walk.

use std::path::PathBuf;
use std::sync::Arc;

use crate::options::{ScanOptions, Subtree};
use crate::snapshot::Snapshot;

/// A thread checks its token every this many entries.
pub(super) const CHECK_INTERVAL: usize = 128;

/// What to scan.
pub(crate) struct WalkPlan {
    /// The canonical root.
    pub(crate) root: PathBuf,
    pub(crate) options: ScanOptions,
    pub(crate) subtree: Subtree,
    /// List directories in path order on one thread, and end after a few of them.
    pub(crate) only_head: bool,
    pub(crate) max_entries: usize,
    /// Make a snapshot that can be validated later.
    pub(crate) record_fingerprint: bool,
    /// An older snapshot of the same root and options. When it has a fingerprint, the walk validates it first.
    pub(crate) base: Option<Arc<Snapshot>>,
    /// The paths, relative to the root, at and below which the older snapshot is validated; `None` means everywhere.
    pub(crate) places: Option<Vec<Box<[u8]>>>,
}
