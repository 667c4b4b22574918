//! The memory of all indexes of a process.

use std::sync::atomic::{AtomicUsize, Ordering};

/// A number of bytes that is given out before it is allocated.
#[derive(Debug)]
pub(super) struct Budget {
    used: AtomicUsize,
    max: usize,
}

impl Budget {
    pub(super) fn new(max: usize) -> Self {
        Self { used: AtomicUsize::new(0), max }
    }

    /// Takes bytes, or nothing if they are not there.
    pub(super) fn reserve(&self, bytes: usize) -> bool {
        let take = |used: usize| used.checked_add(bytes).filter(|used| *used <= self.max);
        self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok()
    }

    pub(super) fn release(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }

    pub(super) fn left(&self) -> usize {
        self.max - self.used.load(Ordering::Relaxed)
    }
}
