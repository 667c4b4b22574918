//! Scores entries, chunk by chunk on many threads.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use cairn_cancel::Stopped;
use cairn_fuzzy::{Index, Search, TypoSearch, Verdict};
use cairn_pool::Ordered;
use cairn_walk::{Kind, Snapshot};

use super::best::{Best, Ranked};
use super::recent::Entries;

/// Entries per chunk, a multiple of the bits of a word. See the constant of the same name in `glob.rs`.
pub(super) const CHUNK: usize = 8192;
/// How many entries are scored between two checks for cancellation.
const CHECK_EVERY: usize = 1024;

/// How entries are matched.
pub(super) enum Matching {
    AsTyped,
    WithTypos(TypoSearch),
}

pub(super) struct Scoring {
    pub(super) snapshot: Arc<Snapshot>,
    pub(super) index: Arc<super::Derived>,
    pub(super) search: Arc<Search>,
    pub(super) matching: Matching,
    /// The entries to score.
    pub(super) among: Entries,
    pub(super) max_hits: usize,
    /// Entries with at least this score are not matched again in a later pass.
    pub(super) settled: u32,
    /// Lower scores cannot be among the hits.
    pub(super) floor: AtomicU32,
}

pub(super) struct Chunk {
    pub(super) best: Best,
    /// The chunk's words of the set of entries that matched.
    pub(super) matched: Entries,
    /// Those of them that reach [`Scoring::settled`].
    pub(super) settled: Entries,
    pub(super) compared: usize,
}

impl Scoring {
    /// Which of the entries of one word of a set may match.
    fn plausible(&self, index: &Index, word: usize) -> u64 {
        let entries = word * 64..index.len().min((word + 1) * 64);
        match &self.matching {
            Matching::AsTyped => self.search.plausible(index, entries),
            Matching::WithTypos(typos) => typos.plausible(&self.search, index, entries),
        }
    }

    fn verdict(&self, index: &Index, entry: usize, floor: u32) -> Verdict {
        let path = || self.snapshot.composed_path(entry);
        match &self.matching {
            Matching::AsTyped => self.search.score(index, entry, path, floor),
            Matching::WithTypos(typos) => typos.score(&self.search, index, entry, path),
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
        let mut chunk = Chunk { best: Best::new(self.max_hits), settled: none.clone(), matched: none, compared: 0 };
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
            chunk.compared += left.count_ones() as usize;
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
                    let is_directory = self.snapshot.kind(entry) == Kind::Dir;
                    chunk.best.push(Ranked::new(score, self.snapshot.depth(entry), is_directory, entry));
                    floor = chunk.best.floor().max(floor);
                }
            }
        }
        self.floor.fetch_max(floor, Ordering::Relaxed);
        Ok(chunk)
    }
}
