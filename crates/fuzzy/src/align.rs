//! Best alignment of a needle as a subsequence of a text.
//!
//! The recurrence and the constants are those of fzf's second algorithm (`FuzzyMatchV2` in `src/algo/algo.go`): a
//! Smith-Waterman alignment in which every needle byte must match, with affine gaps and bonuses for the beginnings of
//! words.

const MATCH: i32 = 16;
const GAP_START: i32 = -3;
const GAP_EXTENSION: i32 = -1;
const BOUNDARY: i32 = MATCH / 2;
const CAMEL: i32 = BOUNDARY + GAP_EXTENSION;
const CONSECUTIVE: i32 = -(GAP_START + GAP_EXTENSION);
const FIRST_FACTOR: i32 = 2;
/// Low enough that no bonus brings it back, high enough that sums do not wrap.
const IMPOSSIBLE: i32 = i32::MIN / 4;

/// Scratch space of [`Aligner::align`]; reusing it saves the allocations.
#[derive(Debug, Default)]
pub(crate) struct Aligner {
    bonus: Vec<i32>,
    /// Best score with needle byte `i` matched at text byte `j`, row by row.
    matched: Vec<i32>,
    /// Length of the run of consecutive matches that ends there.
    run: Vec<u16>,
}

impl Aligner {
    /// How well `needle` aligns with `folded`, the lower-case form of `text`: 0 to 1000, or `None` if it does not
    /// occur in order. With `positions` the offsets of the matched bytes are appended to it, in order.
    ///
    /// A character of several bytes matches as a whole. Takes time in proportion to the product of the lengths.
    pub(crate) fn align(
        &mut self,
        needle: &[u8],
        text: &[u8],
        folded: &[u8],
        positions: Option<&mut Vec<usize>>,
    ) -> Option<u32> {
        let (first, last) = occurrence(needle, folded)?;
        let (text, folded) = (&text[..last], &folded[..last]);
        let width = last - first;
        self.bonus.clear();
        self.bonus.extend((first..last).map(|index| bonus_at(text, index)));
        self.matched.clear();
        self.matched.resize(needle.len() * width, IMPOSSIBLE);
        self.run.clear();
        self.run.resize(needle.len() * width, 0);
        for (row, &wanted) in needle.iter().enumerate() {
            self.fill_row(row, wanted, &folded[first..], width);
        }
        let last_row = &self.matched[(needle.len() - 1) * width..];
        let (best_at, best) =
            last_row.iter().copied().enumerate().max_by_key(|&(at, score)| (score, usize::MAX - at))?;
        // A needle that occurs can always be placed; wide gaps only make the score low.
        if best < IMPOSSIBLE / 2 {
            return None;
        }
        if let Some(positions) = positions {
            self.trace(needle, best_at, width, first, positions);
        }
        let count = needle.len() as i32;
        let most = count * (MATCH + BOUNDARY) + BOUNDARY * (FIRST_FACTOR - 1);
        Some((best.max(0) * 1000 / most).clamp(1, 1000).unsigned_abs())
    }

    fn fill_row(&mut self, row: usize, wanted: u8, folded: &[u8], width: usize) {
        let continues_character = wanted & 0xC0 == 0x80;
        // The best of all matches of the previous needle byte so far, less the gap up to here.
        let mut with_gap = IMPOSSIBLE;
        for (column, &byte) in folded.iter().enumerate() {
            let at = row * width + column;
            if row > 0 && column >= 2 {
                let opened = self.matched[at - width - 2] + GAP_START;
                with_gap = (with_gap + GAP_EXTENSION).max(opened);
            }
            if byte != wanted {
                continue;
            }
            let bonus = self.bonus[column];
            if row == 0 {
                self.matched[at] = MATCH + bonus * FIRST_FACTOR;
                self.run[at] = 1;
                continue;
            }
            let before = if column > 0 { self.matched[at - width - 1] } else { IMPOSSIBLE };
            let mut score = if continues_character { IMPOSSIBLE } else { with_gap + MATCH + bonus };
            let mut run = 1;
            if before > IMPOSSIBLE / 2 {
                let length = self.run[at - width - 1];
                // A run keeps the bonus of the place where it began, unless a better one comes by.
                let begun = self.bonus[column - usize::from(length)];
                let consecutive = before + MATCH + bonus.max(begun).max(CONSECUTIVE);
                if consecutive >= score {
                    score = consecutive;
                    run = length + 1;
                }
            }
            if score > IMPOSSIBLE / 2 {
                self.matched[at] = score;
                self.run[at] = run;
            }
        }
    }

    fn trace(&self, needle: &[u8], best_at: usize, width: usize, first: usize, positions: &mut Vec<usize>) {
        let start = positions.len();
        let mut column = best_at;
        for row in (0..needle.len()).rev() {
            positions.push(first + column);
            if row == 0 {
                break;
            }
            let previous = &self.matched[(row - 1) * width..row * width];
            column = if self.run[row * width + column] > 1 {
                column - 1
            } else {
                // The gap that was paid for: the nearest of the best.
                let gap = |at: usize| {
                    let length = (column - at - 1) as i32;
                    previous[at] + GAP_START + GAP_EXTENSION * (length - 1)
                };
                (0..column.saturating_sub(1)).rev().max_by_key(|&at| (gap(at), at)).unwrap_or(0)
            };
        }
        positions[start..].reverse();
    }
}

/// Where the first occurrence of the needle's first byte is, and the end of the last occurrence of its last byte,
/// if the needle occurs in order at all.
fn occurrence(needle: &[u8], folded: &[u8]) -> Option<(usize, usize)> {
    let mut at = 0;
    let mut first = None;
    for &wanted in needle {
        let found = at + memchr::memchr(wanted, &folded[at..])?;
        first.get_or_insert(found);
        at = found + 1;
    }
    let last = memchr::memrchr(*needle.last()?, folded)?;
    Some((first?, last + 1))
}

/// How much it is worth to match the byte at `index`.
fn bonus_at(text: &[u8], index: usize) -> i32 {
    if is_boundary(text, index) {
        BOUNDARY
    } else if text[index].is_ascii_uppercase() || (text[index].is_ascii_digit() && !text[index - 1].is_ascii_digit()) {
        CAMEL
    } else {
        0
    }
}

/// Whether a word begins at `index`: at the start, or behind anything that is no letter or digit.
pub(crate) fn is_boundary(text: &[u8], index: usize) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || !byte.is_ascii();
    match index.checked_sub(1) {
        None => true,
        Some(before) => is_word(text[index]) && !is_word(text[before]),
    }
}

#[cfg(test)]
mod tests;
