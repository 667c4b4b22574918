//! The recent invalidations, so that a snapshot made before one of them is not published after it.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use crate::snapshot::Snapshot;

use super::request::ScanKey;

/// How many invalidations are remembered. A snapshot that took longer than this many is not published.
const MAX_REMEMBERED: usize = 256;

/// The recent invalidations in order. Each has a sequence number.
#[derive(Debug, Default)]
pub(super) struct InvalidationLog {
    /// The sequence number of the next invalidation.
    next: u64,
    recent: VecDeque<Invalidation>,
}

#[derive(Debug)]
pub(super) enum Invalidation {
    Everything,
    /// One file or directory, by every path it was resolved to.
    Paths(Vec<PathBuf>),
    /// The snapshot of one key, which a caller does not trust.
    Key(ScanKey),
}

impl InvalidationLog {
    pub(super) fn position(&self) -> u64 {
        self.next
    }

    pub(super) fn push(&mut self, invalidation: Invalidation) {
        self.next += 1;
        self.recent.push_back(invalidation);
        if self.recent.len() > MAX_REMEMBERED {
            self.recent.pop_front();
        }
    }

    /// Returns the invalidations since `position`; `None` when they are no longer all remembered.
    fn since(&self, position: u64) -> Option<impl Iterator<Item = &Invalidation>> {
        let count = usize::try_from(self.next - position).ok()?;
        let skipped = self.recent.len().checked_sub(count)?;
        Some(self.recent.iter().skip(skipped))
    }

    /// Whether files were invalidated since `position`, whichever.
    pub(super) fn has_files_since(&self, position: u64) -> bool {
        let is_files = |invalidation: &Invalidation| !matches!(invalidation, Invalidation::Key(_));
        self.since(position).is_none_or(|mut since| since.any(is_files))
    }

    /// Whether an invalidation since `position` may concern `snapshot`.
    pub(super) fn affects_since(&self, position: u64, key: &ScanKey, snapshot: &Snapshot) -> bool {
        let affects = |invalidation: &Invalidation| match invalidation {
            Invalidation::Everything => true,
            Invalidation::Paths(targets) => targets.iter().any(|target| affects_snapshot(target, key, snapshot)),
            Invalidation::Key(other) => other == key,
        };
        self.since(position).is_none_or(|mut since| since.any(affects))
    }
}

/// Whether a change at `target` may make `snapshot` wrong.
pub(super) fn affects_snapshot(target: &Path, key: &ScanKey, snapshot: &Snapshot) -> bool {
    affects_root(target, key) || affects_outside(target, snapshot)
}

/// Whether a change at `target` may concern a snapshot of the key's root. Compares path components: `/a/b` does not
/// contain `/a/bc`.
pub(super) fn affects_root(target: &Path, key: &ScanKey) -> bool {
    let root = &key.root;
    if target.starts_with(root) {
        return true;
    }
    let rules = [".gitignore", ".ignore", ".git", ".git/config", ".git/info/exclude"];
    let rules_above = key.options.use_gitignore
        && rules.iter().any(|name| {
            let directory = target.ends_with(name).then(|| target.ancestors().nth(Path::new(name).iter().count()));
            directory.flatten().is_some_and(|directory| root.starts_with(directory))
        });
    // Only a directory can contain the root, so the target is or was one.
    rules_above || root.starts_with(target)
}

/// Whether a change at `target` may concern the snapshot by another path than its own: a link or a rule leads to it.
pub(super) fn affects_outside(target: &Path, snapshot: &Snapshot) -> bool {
    let outside = snapshot.outside();
    outside.rule_files.iter().any(|file| file.starts_with(target))
        || outside.link_targets.iter().any(|linked| target.starts_with(linked) || linked.starts_with(target))
}
