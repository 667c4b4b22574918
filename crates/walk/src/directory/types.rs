//! What both implementations of a directory handle return.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::kind::Kind;

/// The type of a name in a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryType {
    /// A file, a directory or a symbolic link.
    Known(Kind),
    /// A FIFO, socket or device. Scans leave it out.
    Special,
}

/// Modification time in milliseconds since the epoch, and size for regular files.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Meta {
    pub(crate) mtime_ms: f64,
    pub(crate) size: Option<u64>,
}

/// Identity and times of a directory or file.
///
/// While the stamp stays the same, so do the names in the directory or the contents of the file. That holds on file
/// systems with reliable times: they update the change time at every change, and no program can set it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) device: u64,
    pub(crate) inode: u64,
    /// Nanoseconds since the epoch.
    pub(crate) modified: i64,
    /// Nanoseconds since the epoch.
    pub(crate) changed: i64,
    /// The file type bits of its mode; 0 where the system has none.
    pub(crate) file_type: u32,
}

/// The longest time between two ticks of a file system's clock, in nanoseconds: ten milliseconds at 100 Hz, doubled for
/// safety.
const TICK: i64 = 20_000_000;
/// The same for file systems that record whole seconds.
const COARSE_TICK: i64 = 2_000_000_000;

impl Stamp {
    /// Device and inode.
    pub(crate) fn identity(self) -> (u64, u64) {
        (self.device, self.inode)
    }

    /// Whether every change from the time `now` on gives another stamp.
    pub(crate) fn is_settled(self, now: SystemTime) -> bool {
        are_times_settled(self.modified, self.changed, now)
    }
}

/// Whether every change of a file from the time `now` on gives it other times than these, in nanoseconds since the epoch.
#[must_use]
pub fn are_times_settled(modified: i64, changed: i64, now: SystemTime) -> bool {
    let now = now.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos().try_into().unwrap_or(i64::MAX));
    let whole_seconds = changed % 1_000_000_000 == 0 && modified % 1_000_000_000 == 0;
    changed.saturating_add(if whole_seconds { COARSE_TICK } else { TICK }) < now
}

/// What a symbolic link points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinkTarget {
    File,
    Dir,
    Special,
    Missing,
}
