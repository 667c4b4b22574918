//! The newest hits.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::{GlobDetails, GlobHit};

/// The newest N hits. Memory grows with N, not with the number of hits.
pub(super) struct Newest {
    capacity: usize,
    /// The oldest hit is on top.
    heap: BinaryHeap<Ranked>,
}

/// A hit with its modification time.
pub(super) struct Ranked {
    pub(super) hit: GlobHit,
    pub(super) details: GlobDetails,
}

impl Newest {
    pub(super) fn new(capacity: usize) -> Self {
        Self { capacity, heap: BinaryHeap::new() }
    }

    pub(super) fn push(&mut self, hit: Ranked) {
        self.heap.push(hit);
        if self.heap.len() > self.capacity {
            self.heap.pop();
        }
    }

    /// Newest first, ties by path; entries whose time is unknown last.
    pub(super) fn into_sorted(self) -> Vec<Ranked> {
        self.heap.into_sorted_vec()
    }
}

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> Ordering {
        let time = |ranked: &Self| ranked.details.mtime_ms.unwrap_or(f64::NEG_INFINITY);
        time(other).total_cmp(&time(self)).then(self.hit.entry.cmp(&other.hit.entry))
    }
}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ranked {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Ranked {}
