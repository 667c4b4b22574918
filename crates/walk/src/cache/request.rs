//! Requests to the cache, and the scans that answer them.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::options::ScanOptions;
use crate::snapshot::Snapshot;

/// What to scan, and how the caller waits for it.
#[derive(Clone, Debug)]
pub struct ScanRequest<'a> {
    /// The canonical root; see [`crate::resolve_root`].
    pub root: &'a Path,
    /// What to include.
    pub options: ScanOptions,
    /// When the caller asked. A scan that began earlier may miss changes that the caller already knows about, so a call
    /// for a fresh scan does not join it.
    pub asked: Instant,
    /// Accept a cached snapshot only if it was compared with the disk after `asked`, whatever the time to live.
    pub validate: bool,
    /// When the time runs out, return the entries listed so far instead of an error.
    pub partial_on_timeout: bool,
}

/// A snapshot and how stale it may be.
#[derive(Clone, Debug)]
pub struct Scan {
    /// The entries.
    pub snapshot: Arc<Snapshot>,
    /// Zero for a scan made for this call. Otherwise the time since the snapshot was published or, when the call joined
    /// a running scan, since that scan began. If only the places of announced changes were checked for this call, the
    /// time since the rest was.
    pub age: Duration,
}

/// The key of a snapshot in the cache.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct ScanKey {
    pub(super) root: PathBuf,
    pub(super) options: ScanOptions,
}

impl ScanRequest<'_> {
    pub(super) fn key(&self) -> ScanKey {
        ScanKey { root: self.root.to_owned(), options: self.options }
    }
}
