//! Alignment of a word with slashes with the segments of a path.

use crate::align::Letters;
use crate::index::Index;
use crate::name::{coverage, find_in_name, stands_for_directory, stem_length};
use crate::query::{Segment, Word};
use crate::score::{Hit, TIER_SPAN, Tier};
use crate::subsequence::advance;

/// The bonus if two adjacent segments of the query match adjacent segments of the path, or the first matches the first.
const ADJACENT: u32 = TIER_SPAN / 2;
/// What a segment in an extension has less.
const IN_EXTENSION: u32 = 4;
/// The cost of a file that stands for its directory.
const STANDS_FOR: u32 = 10;
/// The maximal number of segments that are compared for equality.
const MAX_EXACT: usize = 63;

/// The first segments of a word, aligned in order with the segments of a directory's path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Alignment {
    weakest: Tier,
    sum: u32,
}

/// The best alignments of a word's segments with the path of each directory.
#[derive(Debug)]
pub(crate) struct SegmentAlignments {
    rows: Vec<(Segment, Letters)>,
    /// For each directory and number of word segments, the best alignment that ends at the directory's own segment, and
    /// the best that ends at that segment or above it. In rows of `rows.len() + 1`.
    ending_here: Vec<Option<Alignment>>,
    up_to_here: Vec<Option<Alignment>>,
    /// For each directory, a bit for each number of word segments that the end of its path equals.
    exact: Vec<u64>,
}

impl SegmentAlignments {
    pub(crate) fn new<E>(word: &Word, index: &Index, check: &impl Fn() -> Result<(), E>) -> Result<Self, E> {
        let rows: Vec<(Segment, Letters)> =
            word.segments.iter().map(|segment| (segment.clone(), Letters::new(&segment.letters))).collect();
        let width = rows.len() + 1;
        let start = Some(Alignment { weakest: Tier::Exact, sum: 0 });
        let cells = index.directories() * width;
        let mut alignments = Self {
            ending_here: vec![None; cells],
            up_to_here: vec![None; cells],
            exact: vec![1; index.directories()],
            rows,
        };
        alignments.ending_here[0] = start;
        alignments.up_to_here[0] = start;
        index.visit_directories(check, |directory| {
            let parent = index.parent(directory);
            let (text, folded) = index.segment(directory);
            let mask = index.directory_mask(directory);
            alignments.up_to_here[directory * width] = start;
            for row in 0..alignments.rows.len() {
                let may_match = alignments.rows[row].0.mask & !mask == 0;
                let before = alignments.preceding(parent, row).filter(|_| may_match);
                let aligned = before.and_then(|before| Some(before.and(alignments.hit(row, text, folded)?)));
                alignments.ending_here[directory * width + row + 1] = aligned;
                alignments.up_to_here[directory * width + row + 1] =
                    aligned.max(alignments.up_to_here[parent * width + row + 1]);
                if row < MAX_EXACT
                    && alignments.exact[parent] >> row & 1 == 1
                    && alignments.rows[row].0.folded == folded
                {
                    alignments.exact[directory] |= 1 << (row + 1);
                }
            }
        })?;
        Ok(alignments)
    }

    /// The best alignment of the first `row` segments with the path of `parent`, if the next segment matches a child of it.
    fn preceding(&self, parent: usize, row: usize) -> Option<Alignment> {
        let at = parent * (self.rows.len() + 1) + row;
        let adjacent = self.ending_here[at].map(|best| Alignment { sum: best.sum + ADJACENT, ..best });
        adjacent.max(self.up_to_here[at])
    }

    fn hit(&self, row: usize, text: &[u8], folded: &[u8]) -> Option<Hit> {
        let (segment, letters) = &self.rows[row];
        if advance(&segment.letters, 0, folded) < segment.letters.len() {
            return None;
        }
        match find_in_name(&segment.folded, text, folded) {
            Some((_, at)) if at > stem_length(folded) => Some(Hit {
                tier: Tier::Subsequence,
                quality: coverage(segment.folded.len(), folded, at) / IN_EXTENSION,
            }),
            Some((tier, at)) => Some(Hit { tier, quality: coverage(segment.folded.len(), folded, at) }),
            None => {
                let quality = letters.quality_in(text, folded)?;
                Some(Hit { tier: Tier::Subsequence, quality })
            }
        }
    }

    /// How an entry of `directory` matches the whole word.
    pub(crate) fn hit_of_entry(
        &self,
        index: &Index,
        directory: usize,
        mask: u64,
        text: &[u8],
        folded: &[u8],
    ) -> Option<Hit> {
        let last = self.rows.len() - 1;
        let wanted = &self.rows[last].0;
        if wanted.mask & !mask == 0 {
            if last < MAX_EXACT && self.exact[directory] >> last & 1 == 1 && folded.starts_with(&wanted.folded) {
                return Some(whole(index.depth(directory) == last, &wanted.folded, folded));
            }
            let of_name =
                self.preceding(directory, last).and_then(|before| Some(before.and(self.hit(last, text, folded)?)));
            // Abbreviated segments never rank as high as the path itself.
            let of_name = of_name
                .map(|alignment| Hit { tier: alignment.weakest.min(Tier::Word), quality: self.quality(alignment) });
            let of_name = of_name.max(self.hit_of_directory(directory, folded));
            if of_name.is_some() {
                return of_name;
            }
        } else if let Some(hit) = self.hit_of_directory(directory, folded) {
            return Some(hit);
        }
        self.hit_below(directory)
    }

    /// How everything in `directory` matches, if the whole word matches its path.
    pub(crate) fn hit_below(&self, directory: usize) -> Option<Hit> {
        let alignment = self.up_to_here[directory * (self.rows.len() + 1) + self.rows.len()]?;
        Some(Hit { tier: Tier::Path, quality: self.quality(alignment) })
    }

    /// The hit of a file that stands for its directory, if the word ends with that.
    fn hit_of_directory(&self, directory: usize, name: &[u8]) -> Option<Hit> {
        let alignment = self.ending_here[directory * (self.rows.len() + 1) + self.rows.len()];
        let alignment = alignment.filter(|_| stands_for_directory(name))?;
        let quality = self.quality(alignment).saturating_sub(STANDS_FOR);
        Some(Hit { tier: alignment.weakest.min(Tier::Runs), quality })
    }

    fn quality(&self, alignment: Alignment) -> u32 {
        let max = self.rows.len() as u64 * u64::from(Tier::Exact.ceiling() + ADJACENT);
        (u64::from(alignment.sum) * u64::from(TIER_SPAN - 1) / max).min(u64::from(TIER_SPAN - 1)) as u32
    }
}

impl Alignment {
    fn and(self, hit: Hit) -> Self {
        Self { weakest: self.weakest.min(hit.tier), sum: self.sum + hit.score() }
    }
}

/// The hit if the word is the path, its end, or occurs in it from the beginning of a segment into the base name.
fn whole(from_root: bool, wanted: &[u8], name: &[u8]) -> Hit {
    if wanted.len() == name.len() {
        // A query that is the end of a longer path names that path too; depth decides among such paths.
        return Hit { tier: Tier::Exact, quality: if from_root { TIER_SPAN - 1 } else { TIER_SPAN / 2 } };
    }
    let quality = coverage(wanted.len(), name, 0);
    Hit { tier: Tier::Prefix, quality: quality * 9 / 10 + if from_root { 50 } else { 0 } }
}
