//! The directories of a snapshot without contents, because they could not be read.

use cairn_walk::{Snapshot, from_bytes};

/// The directories that a scan could not read.
pub(super) struct Unreadable {
    /// Ascending.
    named: Vec<usize>,
    /// There are more than those that the snapshot names.
    has_more: bool,
}

impl Unreadable {
    pub(super) fn of(snapshot: &Snapshot) -> Self {
        let paths = snapshot.unreadable_paths();
        let mut named: Vec<usize> = paths.iter().filter_map(|path| snapshot.find(path)).collect();
        named.sort_unstable();
        Self { named, has_more: snapshot.unreadable() > paths.len() as u64 }
    }

    /// Whether a directory could not be read, and none of its entries is known.
    pub(super) fn contains(&self, snapshot: &Snapshot, entry: usize) -> bool {
        if self.named.binary_search(&entry).is_err() && !self.has_more {
            return false;
        }
        let path = snapshot.path(entry);
        if !snapshot.with_prefix(&[path, b"/"].concat()).is_empty() {
            return false;
        }
        self.named.binary_search(&entry).is_ok()
            || std::fs::read_dir(snapshot.root().join(from_bytes(path)))
                .is_err_and(|error| error.kind() != std::io::ErrorKind::NotFound)
    }
}
