//! Scores entries, chunk by chunk on many threads.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use cairn_cancel::Stopped;
use cairn_fuzzy::{Line, Search, TypoSearch, Verdict};
use cairn_pool::Ordered;
use cairn_walk::{Kind, Snapshot};

use super::Derived;
use super::best::{Best, Ranked};
use super::filter::Filter;
use super::recent::Entries;

/// Entries per chunk, a multiple of the bits of a word. See the constant of the same name in `glob.rs`.
pub(super) const CHUNK: usize = 8192;
/// How many entries are scored between two checks for cancellation.
const CHECK_EVERY: usize = 1024;

/// Scores of entries that are listed, not ranked: directories above everything else.
const LISTED_DIRECTORY: u32 = 2;
const LISTED_OTHER: u32 = 1;

/// A query, prepared for the index of a snapshot.
#[derive(Clone)]
pub(super) struct Prepared {
    pub(super) derived: Arc<Derived>,
    pub(super) search: Arc<Search>,
}

/// How entries are matched.
pub(super) enum Matching {
    /// All of them match.
    Listed,
    AsTyped(Prepared),
    WithTypos(Prepared, TypoSearch),
}

pub(super) struct Scoring {
    pub(super) snapshot: Arc<Snapshot>,
    pub(super) matching: Matching,
    /// `None` if every entry passes.
    pub(super) filter: Option<Arc<Filter>>,
    /// Added to each score.
    pub(super) bonus: u32,
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
    fn plausible(&self, word: usize) -> u64 {
        let entries = word * 64..self.snapshot.len().min((word + 1) * 64);
        match &self.matching {
            Matching::Listed => u64::MAX,
            Matching::AsTyped(Prepared { derived, search }) => search.plausible(&derived.index, entries),
            Matching::WithTypos(Prepared { derived, search }, typos) => {
                typos.plausible(search, &derived.index, entries)
            }
        }
    }

    fn verdict(&self, entry: usize, floor: u32) -> Verdict {
        let path = || self.snapshot.composed_path(entry);
        match &self.matching {
            Matching::Listed => {
                let is_directory = self.snapshot.kind(entry) == Kind::Dir;
                Verdict::Score(if is_directory { LISTED_DIRECTORY } else { LISTED_OTHER })
            }
            Matching::AsTyped(Prepared { derived, search }) => search.score(&derived.index, entry, path, floor),
            Matching::WithTypos(Prepared { derived, search }, typos) => {
                typos.score(search, &derived.index, entry, path)
            }
        }
    }
}

impl Ordered for Scoring {
    type State = Line;
    type Output = Chunk;

    fn state(&self) -> Line {
        Line::default()
    }

    fn chunk(
        &self,
        line: &mut Line,
        range: Range<usize>,
        check: &dyn Fn() -> Result<(), Stopped>,
    ) -> Result<Chunk, Stopped> {
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
            left &= self.plausible(word);
            while left != 0 {
                let entry = word * 64 + left.trailing_zeros() as usize;
                left &= left - 1;
                if self.filter.as_ref().is_some_and(|filter| !filter.admits(&self.snapshot, entry, line)) {
                    continue;
                }
                let verdict = self.verdict(entry, floor.saturating_sub(self.bonus));
                if verdict != Verdict::Miss {
                    chunk.matched.insert(entry - range.start);
                }
                let Verdict::Score(score) = verdict else { continue };
                let score = score + self.bonus;
                if score >= self.settled {
                    chunk.settled.insert(entry - range.start);
                }
                if score >= floor {
                    chunk.best.push(Ranked::new(score, &self.snapshot, entry));
                    floor = chunk.best.floor().max(floor);
                }
            }
        }
        self.floor.fetch_max(floor, Ordering::Relaxed);
        Ok(chunk)
    }
}
