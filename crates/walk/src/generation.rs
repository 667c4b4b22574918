//! The numbers that order the snapshots of a process.

use std::sync::atomic::{AtomicU64, Ordering};

static LATEST: AtomicU64 = AtomicU64::new(0);

/// Returns a number that is higher than all before.
pub fn next_generation() -> u64 {
    LATEST.fetch_add(1, Ordering::Relaxed) + 1
}

/// Returns the highest number given out so far; 0 before the first.
pub(crate) fn latest_generation() -> u64 {
    LATEST.load(Ordering::Relaxed)
}
