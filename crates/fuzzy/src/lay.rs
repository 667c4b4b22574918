//! A word with slashes, laid over the segments of a path.

use crate::align::Letters;
use crate::index::Index;
use crate::name::{contiguous, coverage};
use crate::query::{Segment, Word};
use crate::score::{Hit, TIER_SPAN, Tier};
use crate::search::advance;

/// What it is worth that two segments of the query lie on neighbouring ones of the path, or the first on the first.
const ADJACENT: u32 = TIER_SPAN / 2;
/// Longer words are not compared segment by segment as a whole.
const MAX_EXACT: usize = 63;

/// Some first segments of the query laid, in order, over a directory's path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Laid {
    weakest: Tier,
    sum: u32,
}

/// The segments of a word, and how they lie over each directory.
#[derive(Debug)]
pub(crate) struct Layout {
    rows: Vec<(Segment, Letters)>,
    /// For each directory and number of segments: the last of them on the directory's own segment, and anywhere up to
    /// it. In rows of `rows.len() + 1`.
    here: Vec<Option<Laid>>,
    anywhere: Vec<Option<Laid>>,
    /// For each directory a bit for each number of segments that its path ends with, letter by letter.
    exact: Vec<u64>,
}

impl Layout {
    pub(crate) fn new<E>(word: &Word, index: &Index, check: &impl Fn() -> Result<(), E>) -> Result<Self, E> {
        let rows: Vec<(Segment, Letters)> =
            word.segments.iter().map(|segment| (segment.clone(), Letters::new(&segment.letters))).collect();
        let width = rows.len() + 1;
        let start = Some(Laid { weakest: Tier::Exact, sum: 0 });
        let cells = index.directories() * width;
        let mut layout =
            Self { here: vec![None; cells], anywhere: vec![None; cells], exact: vec![1; index.directories()], rows };
        layout.here[0] = start;
        layout.anywhere[0] = start;
        index.visit_directories(check, |directory| {
            let parent = index.parent(directory);
            let (text, folded) = index.segment(directory);
            let mask = index.directory_mask(directory);
            layout.anywhere[directory * width] = start;
            for row in 0..layout.rows.len() {
                let may_lie = layout.rows[row].0.mask & !mask == 0;
                let before = layout.before(parent, row).filter(|_| may_lie);
                let here = before.and_then(|before| Some(before.and(layout.hit(row, text, folded)?)));
                layout.here[directory * width + row + 1] = here;
                layout.anywhere[directory * width + row + 1] = here.max(layout.anywhere[parent * width + row + 1]);
                if row < MAX_EXACT && layout.exact[parent] >> row & 1 == 1 && layout.rows[row].0.folded == folded {
                    layout.exact[directory] |= 1 << (row + 1);
                }
            }
        })?;
        Ok(layout)
    }

    /// The best way to have laid the first `row` segments when the next lies in `parent`.
    fn before(&self, parent: usize, row: usize) -> Option<Laid> {
        let at = parent * (self.rows.len() + 1) + row;
        let adjacent = self.here[at].map(|laid| Laid { sum: laid.sum + ADJACENT, ..laid });
        adjacent.max(self.anywhere[at])
    }

    fn hit(&self, row: usize, text: &[u8], folded: &[u8]) -> Option<Hit> {
        let (segment, letters) = &self.rows[row];
        if advance(&segment.letters, 0, folded) < segment.letters.len() {
            return None;
        }
        contiguous(&segment.folded, text, folded).or_else(|| {
            let quality = letters.quality_in(text, folded)?;
            Some(Hit { tier: Tier::Subsequence, quality })
        })
    }

    /// How the whole word stands against an entry of `directory`.
    pub(crate) fn on(&self, index: &Index, directory: usize, mask: u64, text: &[u8], folded: &[u8]) -> Option<Hit> {
        let last = self.rows.len() - 1;
        let wanted = &self.rows[last].0;
        if wanted.mask & !mask == 0 {
            if last < MAX_EXACT && self.exact[directory] >> last & 1 == 1 && folded.starts_with(&wanted.folded) {
                return Some(whole(index.depth(directory) == last, &wanted.folded, folded));
            }
            if let Some(before) = self.before(directory, last)
                && let Some(hit) = self.hit(last, text, folded)
            {
                let laid = before.and(hit);
                // Abbreviated segments are never as good as the path itself.
                return Some(Hit { tier: laid.weakest.min(Tier::Word), quality: self.quality(laid) });
            }
        }
        let laid = self.anywhere[directory * (self.rows.len() + 1) + self.rows.len()]?;
        Some(Hit { tier: Tier::Path, quality: self.quality(laid) })
    }

    fn quality(&self, laid: Laid) -> u32 {
        let most = self.rows.len() as u64 * u64::from(Tier::Exact.ceiling() + ADJACENT);
        (u64::from(laid.sum) * u64::from(TIER_SPAN - 1) / most).min(u64::from(TIER_SPAN - 1)) as u32
    }
}

impl Laid {
    fn and(self, hit: Hit) -> Self {
        Self { weakest: self.weakest.min(hit.tier), sum: self.sum + hit.score() }
    }
}

/// The word is the path, its end, or stands in it from the beginning of a segment into the base name.
fn whole(from_root: bool, wanted: &[u8], name: &[u8]) -> Hit {
    if wanted.len() == name.len() {
        // A query that stands at the end of a longer path names it all the same; depth decides among those.
        return Hit { tier: Tier::Exact, quality: if from_root { TIER_SPAN - 1 } else { TIER_SPAN / 2 } };
    }
    let quality = coverage(wanted.len(), name, 0);
    Hit { tier: Tier::Prefix, quality: quality * 9 / 10 + if from_root { 50 } else { 0 } }
}
