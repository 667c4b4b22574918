//! The best N hits.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use cairn_walk::{Kind, Snapshot};

/// The bits of the number of an entry; an index has no more.
const ENTRY_BITS: u32 = 32;

/// A hit that sorts best last. Entries are in path order, so their index stands for the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Ranked {
    pub(super) score: u32,
    /// The depth, then whether it is a directory, then the entry, in one number.
    order: Reverse<u64>,
}

/// Keeps the best N hits.
pub(super) struct Best {
    capacity: usize,
    /// The worst hit is on top.
    heap: BinaryHeap<Reverse<Ranked>>,
}

impl Ranked {
    /// Among equal scores shallow entries come first, then files.
    pub(super) fn new(score: u32, snapshot: &Snapshot, entry: usize) -> Self {
        let is_directory = u64::from(snapshot.kind(entry) == Kind::Dir);
        let order = (snapshot.depth(entry) as u64) << (ENTRY_BITS + 1) | is_directory << ENTRY_BITS | entry as u64;
        Self { score, order: Reverse(order) }
    }

    pub(super) fn entry(self) -> usize {
        (self.order.0 & ((1 << ENTRY_BITS) - 1)) as usize
    }
}

impl Best {
    pub(super) fn new(capacity: usize) -> Self {
        Self { capacity, heap: BinaryHeap::new() }
    }

    pub(super) fn push(&mut self, ranked: Ranked) {
        if self.heap.len() < self.capacity {
            self.heap.push(Reverse(ranked));
        } else if let Some(mut worst) = self.heap.peek_mut()
            && ranked.cmp(&worst.0) == Ordering::Greater
        {
            *worst = Reverse(ranked);
        }
    }

    pub(super) fn absorb(&mut self, other: Self) {
        other.heap.into_iter().for_each(|Reverse(ranked)| self.push(ranked));
    }

    /// Absorbs hits of a later pass: an entry that both have keeps its better score.
    pub(super) fn absorb_again(&mut self, other: Self) {
        if self.heap.is_empty() {
            *self = other;
            return;
        }
        let both = self.heap.drain().chain(other.heap);
        let mut hits: Vec<Ranked> = both.map(|Reverse(ranked)| ranked).collect();
        hits.sort_unstable_by_key(|ranked| (ranked.entry(), Reverse(ranked.score)));
        hits.dedup_by_key(|ranked| ranked.entry());
        for ranked in hits {
            self.push(ranked);
        }
    }

    /// A score below this is not kept.
    pub(super) fn floor(&self) -> u32 {
        if self.heap.len() < self.capacity { 0 } else { self.heap.peek().map_or(0, |Reverse(worst)| worst.score) }
    }

    pub(super) fn into_sorted(self) -> Vec<Ranked> {
        self.heap.into_sorted_vec().into_iter().map(|Reverse(ranked)| ranked).collect()
    }
}
