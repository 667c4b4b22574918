//! The matches in lines, and the part of a line to show.

use std::io;
use std::ops::Range;

use super::line::{kept_part, within};
use super::outcome::{MAX_SUBMATCHES, Submatch};

/// The matches in a block of lines.
pub(super) struct BlockSubmatches {
    /// In order, at most [`MAX_SUBMATCHES`] and one for each line.
    pub(super) kept: Vec<Submatch>,
    /// The replacement of each of them; empty if none is asked for.
    pub(super) replacements: Vec<Vec<u8>>,
    /// Where the search for them ended because they exceeded the budget of a result.
    pub(super) searched_to: usize,
    /// Whether the engine failed before it found all.
    pub(super) gave_up: bool,
    /// How the search for them ended.
    pub(super) end: io::Result<()>,
}

impl BlockSubmatches {
    /// All of them, for a block of one line.
    pub(super) fn take(&mut self) -> (Vec<Submatch>, Vec<Option<Vec<u8>>>) {
        let replacements = std::mem::take(&mut self.replacements).into_iter().map(Some).collect();
        (std::mem::take(&mut self.kept), replacements)
    }

    /// Whether a replaced match includes this line end.
    pub(super) fn covers(&self, line_end: Range<usize>) -> bool {
        let next = self.kept.partition_point(|place| place.start < line_end.end);
        !self.replacements.is_empty() && next > 0 && self.kept[next - 1].end >= line_end.end && !line_end.is_empty()
    }

    /// Those in a line, and what would replace them. The first line of a match has its replacement.
    pub(super) fn within(&mut self, start: usize, length: usize) -> (Vec<Submatch>, Vec<Option<Vec<u8>>>) {
        let (mut places, mut replacements) = (Vec::new(), Vec::new());
        for (index, place) in within(&self.kept, start, length) {
            places.push(place);
            if let Some(replacement) = self.replacements.get_mut(index) {
                replacements.push((self.kept[index].start >= start).then(|| std::mem::take(replacement)));
            }
        }
        (places, replacements)
    }
}

impl Default for BlockSubmatches {
    fn default() -> Self {
        Self { kept: Vec::new(), replacements: Vec::new(), searched_to: usize::MAX, gave_up: false, end: Ok(()) }
    }
}

/// The part of a line to show, with the matches in it.
pub(super) struct Shown {
    pub(super) line: Vec<u8>,
    pub(super) submatches: Vec<Submatch>,
    pub(super) replacements: Vec<Option<Vec<u8>>>,
    /// Whether a part of the line or some of its matches are left out.
    pub(super) is_cut: bool,
}

impl Shown {
    pub(super) fn new(
        text: &[u8],
        mut submatches: Vec<Submatch>,
        mut replacements: Vec<Option<Vec<u8>>>,
        max_columns: usize,
    ) -> Self {
        let focus = submatches.first().map_or(0..0, |first| first.start..first.end);
        let kept = kept_part(text, focus, max_columns);
        if kept.len() < text.len() {
            let mut all = replacements.into_iter();
            let mut next = 0;
            let shown: Vec<_> = within(&submatches, kept.start, kept.len()).collect();
            let replaced = shown.iter().filter_map(|&(index, _)| {
                let skipped = index - next;
                next = index + 1;
                all.nth(skipped)
            });
            replacements = replaced.collect();
            submatches = shown.into_iter().map(|(_, place)| place).collect();
        }
        let is_cut = kept.len() < text.len() || submatches.len() > MAX_SUBMATCHES;
        submatches.truncate(MAX_SUBMATCHES);
        replacements.truncate(MAX_SUBMATCHES);
        Self { line: text[kept].to_vec(), submatches, replacements, is_cut }
    }
}

/// The offset after the line that has an offset.
pub(super) fn end_of_line(text: &[u8], at: usize) -> usize {
    memchr::memchr(b'\n', &text[at..]).map_or(text.len() + 1, |length| at + length + 1)
}
