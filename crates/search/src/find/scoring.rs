//! Scores entries, chunk by chunk on many threads.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use cairn_cancel::Stopped;
use cairn_fuzzy::{Line, Search, TypoSearch, Verdict};
use cairn_pool::Ordered;
use cairn_walk::{Kind, Snapshot};

use super::best::{Best, Ranked};
use super::derived::Derived;
use super::filter::Filter;
use super::recent::Entries;

/// Entries per chunk, a multiple of the bits of a word. See the constant of the same name in `glob/matching.rs`.
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
    /// The ones that reach [`Scoring::settled`].
    pub(super) settled: Entries,
    pub(super) compared: usize,
}

impl Scoring {
    /// Scores some entries. `plausible` says which of at most 64 entries may match; `verdict` receives an entry and the floor.
    // Generic, so that what does not change from entry to entry is decided once.
    fn scan(
        &self,
        line: &mut Line,
        range: Range<usize>,
        check: &dyn Fn() -> Result<(), Stopped>,
        plausible: impl Fn(Range<usize>) -> u64,
        verdict: impl Fn(usize, u32) -> Verdict,
    ) -> Result<Chunk, Stopped> {
        let none = Entries::none(range.len());
        let mut chunk = Chunk { best: Best::new(self.max_hits), settled: none.clone(), matched: none, compared: 0 };
        let mut floor = 0;
        let (entries, bonus, filter) = (self.snapshot.len(), self.bonus, self.filter.as_deref());
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
            left &= plausible(word * 64..entries.min((word + 1) * 64));
            while left != 0 {
                let entry = word * 64 + left.trailing_zeros() as usize;
                left &= left - 1;
                if filter.is_some_and(|filter| !filter.admits(&self.snapshot, entry, line)) {
                    continue;
                }
                let verdict = verdict(entry, floor.saturating_sub(bonus));
                if verdict != Verdict::Miss {
                    chunk.matched.insert(entry - range.start);
                }
                let Verdict::Score(score) = verdict else { continue };
                let score = score + bonus;
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
        let snapshot = &*self.snapshot;
        match &self.matching {
            Matching::Listed => {
                let verdict = |entry, _| {
                    let is_directory = snapshot.kind(entry) == Kind::Dir;
                    Verdict::Score(if is_directory { LISTED_DIRECTORY } else { LISTED_OTHER })
                };
                self.scan(line, range, check, |_| u64::MAX, verdict)
            }
            Matching::AsTyped(Prepared { derived, search }) => {
                let index = &derived.index;
                let verdict = |entry, floor| search.score(index, entry, || snapshot.composed_path(entry), floor);
                self.scan(line, range, check, |entries| search.plausible(index, entries), verdict)
            }
            Matching::WithTypos(Prepared { derived, search }, typos) => {
                let index = &derived.index;
                let verdict = |entry, _| typos.score(search, index, entry, || snapshot.composed_path(entry));
                self.scan(line, range, check, |entries| typos.plausible(search, index, entries), verdict)
            }
        }
    }
}
