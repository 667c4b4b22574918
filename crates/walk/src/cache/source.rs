//! Which other snapshot serves a request: one with all of its entries and more.

use crate::options::ScanOptions;
use crate::snapshot::covers;

use super::request::{ScanKey, ScanRequest};
use super::state::{CacheState, StoredSnapshot};

/// A snapshot that serves a request for another one.
pub(super) enum Source {
    /// It is within its time to live. Whether the view of it exists already.
    Fresh(StoredSnapshot, bool),
    /// It is not, or its scan is running; these are its options.
    Other(ScanOptions),
}

impl CacheState {
    /// Returns the best source for the snapshot of `key`, if there is any.
    pub(super) fn source(&self, key: &ScanKey, request: &ScanRequest<'_>) -> Option<Source> {
        let is_source = |other: &ScanKey| other.root == key.root && covers(other.options, key.options);
        let mut stale = None;
        for entry in &self.snapshots {
            if !is_source(entry.key()) {
                continue;
            }
            let Some(is_known) = entry.snapshot.has_view(key.options) else { continue };
            if self.is_fresh(entry.value(), request) {
                return Some(Source::Fresh(entry.value().clone(), is_known));
            }
            stale = entry.snapshot.fingerprint().map(|_| entry.key().options).or(stale);
        }
        // Whether a tree has links is known at the end of its scan.
        let is_running = |other: &&ScanKey| is_source(other) && !key.options.follow_links;
        let options = stale.or_else(|| self.lock().scans.keys().find(is_running).map(|other| other.options));
        options.map(Source::Other)
    }
}
