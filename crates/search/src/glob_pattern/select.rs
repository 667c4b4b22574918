//! Tests many paths together.

use std::ops::Range;

use super::{GlobPattern, Test};

/// A suffix of up to eight bytes, compared as one number. Most globs name an extension, and a processor mispredicts a loop
/// over bytes that ends early about once for each path that matches.
struct Tail {
    value: u64,
    mask: u64,
    length: usize,
}

impl Tail {
    fn new(end: &[u8]) -> Option<Self> {
        let mut bytes = [0; 8];
        bytes.get_mut(8_usize.checked_sub(end.len())?..)?.copy_from_slice(end);
        let mask = u64::MAX.checked_shl(64 - 8 * end.len() as u32).unwrap_or(0);
        Some(Self { value: u64::from_le_bytes(bytes), mask, length: end.len() })
    }
}

impl GlobPattern {
    /// Appends the numbers of the paths that match; the first path has the number `first`. The paths are spans of `arena`, in
    /// any order, and composed; with `has_prefix`, each begins with the pattern's prefix.
    pub(crate) fn select(
        &self,
        arena: &[u8],
        spans: impl ExactSizeIterator<Item = Range<usize>>,
        first: u32,
        has_prefix: bool,
        selected: &mut Vec<u32>,
    ) {
        if (has_prefix || self.prefix.is_empty())
            && let Test::Suffixes { suffixes, any_depth: true } = &self.test
            && let [suffix] = suffixes.as_slice()
            && let Some(tail) = Tail::new(suffix)
        {
            // A match is longer than the prefix, because the prefix itself is a directory.
            let min_length = self.prefix.len() + tail.length.max(1);
            keep(spans, first, selected, |span| match arena[..span.end].last_chunk() {
                Some(&last) => (span.len() >= min_length) & (u64::from_le_bytes(last) & tail.mask == tail.value),
                None => self.matches_composed(&arena[span]),
            });
        } else {
            keep(spans, first, selected, |span| self.matches_composed(&arena[span]));
        }
    }
}

/// Appends the numbers of the spans that pass `test`, without a branch for each.
#[inline]
fn keep(
    spans: impl ExactSizeIterator<Item = Range<usize>>,
    first: u32,
    selected: &mut Vec<u32>,
    test: impl Fn(Range<usize>) -> bool,
) {
    let mut kept = selected.len();
    selected.resize(kept + spans.len(), 0);
    for (number, span) in (first..).zip(spans) {
        selected[kept] = number;
        kept += usize::from(test(span));
    }
    selected.truncate(kept);
}
