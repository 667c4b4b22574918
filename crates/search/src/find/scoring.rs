//! Scoring entries, chunk by chunk on many threads.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use cairn_cancel::Stopped;
use cairn_fuzzy::{Index, Search, SlipSearch, Verdict};
use cairn_pool::Ordered;
use cairn_walk::Snapshot;

use super::best::{Best, Ranked};
use super::recent::Entries;

/// Entries per chunk, whole words of a set. See the same constant of glob.
pub(super) const CHUNK: usize = 8192;
/// A scoring loop looks at its token every so many entries.
const CHECK_EVERY: usize = 1024;

/// What there is to look for.
pub(super) enum Looking {
    /// What matches as typed.
    Typed,
    /// What matches with slips forgiven.
    Slipped(SlipSearch),
}

pub(super) struct Scoring {
    pub(super) snapshot: Arc<Snapshot>,
    pub(super) index: Arc<super::Derived>,
    pub(super) search: Arc<Search>,
    pub(super) looking: Looking,
    /// Only these entries are looked at.
    pub(super) among: Entries,
    pub(super) most: usize,
    /// What scores as much is not looked at again.
    pub(super) settled: u32,
    /// Scores below this do not matter any more.
    pub(super) floor: AtomicU32,
}

pub(super) struct Chunk {
    pub(super) best: Best,
    /// The chunk's words of the set of entries that matched.
    pub(super) matched: Entries,
    /// Those of them known to score enough not to be looked at again.
    pub(super) settled: Entries,
    pub(super) looked_at: usize,
}

impl Scoring {
    /// Which of the entries of a word of a set may match.
    fn plausible(&self, index: &Index, word: usize) -> u64 {
        let entries = word * 64..index.len().min((word + 1) * 64);
        match &self.looking {
            Looking::Typed => self.search.plausible(index, entries),
            Looking::Slipped(slips) => slips.plausible(&self.search, index, entries),
        }
    }

    fn verdict(&self, index: &Index, entry: usize, floor: u32) -> Verdict {
        let path = || self.snapshot.path(entry);
        match &self.looking {
            Looking::Typed => self.search.score(index, entry, path, floor),
            Looking::Slipped(slips) => slips.score(&self.search, index, entry, path),
        }
    }
}

impl Ordered for Scoring {
    type State = ();
    type Output = Chunk;

    fn state(&self) {}

    fn chunk(
        &self,
        (): &mut (),
        range: Range<usize>,
        check: &dyn Fn() -> Result<(), Stopped>,
    ) -> Result<Chunk, Stopped> {
        let index = &self.index.index;
        let none = Entries::none(range.len());
        let mut chunk = Chunk { best: Best::new(self.most), settled: none.clone(), matched: none, looked_at: 0 };
        let mut floor = 0;
        for word in range.start / 64..range.end.div_ceil(64) {
            if word % (CHECK_EVERY / 64) == 0 {
                check()?;
                floor = self.floor.load(Ordering::Relaxed).max(floor);
            }
            let mut left = self.among.words[word];
            if left == 0 {
                continue;
            }
            chunk.looked_at += left.count_ones() as usize;
            left &= self.plausible(index, word);
            while left != 0 {
                let entry = word * 64 + left.trailing_zeros() as usize;
                left &= left - 1;
                let verdict = self.verdict(index, entry, floor);
                if verdict != Verdict::Miss {
                    chunk.matched.insert(entry - range.start);
                }
                let Verdict::Score(score) = verdict else { continue };
                if score >= self.settled {
                    chunk.settled.insert(entry - range.start);
                }
                if score >= floor {
                    chunk.best.push(Ranked::new(score, self.snapshot.depth(entry), entry));
                    floor = chunk.best.floor().max(floor);
                }
            }
        }
        self.floor.fetch_max(floor, Ordering::Relaxed);
        Ok(chunk)
    }
}
