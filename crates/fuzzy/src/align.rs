//! Best alignment of letters as a subsequence of a string.
//!
//! The recurrence and the constants come from fzf's second algorithm (`FuzzyMatchV2` in `src/algo/algo.go`): a
//! Smith-Waterman alignment in which every letter must match, with affine gaps and bonuses for the beginnings of
//! words. It reads the text byte by byte with all letters together, for two reasons: the compiler makes vector
//! instructions of it, and everything in a directory shares the state after the directory's path. `nucleo-matcher` and
//! `frizbee` have no such state: they start again for every path.

use crate::fold::symbols;
use crate::name::is_boundary;

const MATCH: i16 = 16;
const GAP_START: i16 = -3;
const GAP_EXTENSION: i16 = -1;
const BOUNDARY: i16 = MATCH / 2;
const CAMEL: i16 = BOUNDARY + GAP_EXTENSION;
const CONSECUTIVE: i16 = -(GAP_START + GAP_EXTENSION);
const FIRST_FACTOR: i16 = 2;
/// Low enough that no bonus brings it back. Sums saturate.
const IMPOSSIBLE: i16 = i16::MIN / 2;
/// Letters up to this many fit into a few vector registers.
const SHORT: usize = 16;
/// The maximal number of letters that are aligned. More letters are specific enough without it.
const LONG: usize = 64;

/// Letters to be aligned.
#[derive(Clone, Debug)]
pub(crate) enum Letters {
    Short(Box<Lanes<SHORT>>),
    Long(Box<Lanes<LONG>>),
    /// More than [`LONG`]: every alignment has the same quality.
    Endless(Box<[u8]>),
}

/// The alignment of letters with the part of a string that was read.
#[derive(Clone, Debug)]
pub(crate) enum Aligned {
    Short(Column<SHORT>),
    Long(Box<Column<LONG>>),
    Endless,
}

#[derive(Clone, Debug)]
pub(crate) struct Lanes<const N: usize> {
    /// Padded with NUL, which is in no path.
    letters: [u8; N],
    /// The extra cost of a gap before the letter: 0, or [`IMPOSSIBLE`] within a character.
    no_gap: [i16; N],
    length: usize,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Column<const N: usize> {
    /// Best score with the letter matched at this byte.
    matched: [i16; N],
    /// The bonus of the place where the run began that ends at this byte.
    begun: [i16; N],
    /// Best score with the letter matched before this byte, less the gap up to and with this byte.
    gap: [i16; N],
    /// The best score of all letters up to this byte.
    best: i16,
}

impl Letters {
    pub(crate) fn new(letters: &[u8]) -> Self {
        if letters.len() <= SHORT {
            Self::Short(Box::new(Lanes::new(letters)))
        } else if letters.len() <= LONG {
            Self::Long(Box::new(Lanes::new(letters)))
        } else {
            Self::Endless(letters.into())
        }
    }

    /// Before the first byte.
    pub(crate) fn start(&self) -> Aligned {
        match self {
            Self::Short(_) => Aligned::Short(Column::START),
            Self::Long(_) => Aligned::Long(Box::new(Column::START)),
            Self::Endless(_) => Aligned::Endless,
        }
    }

    /// Reads the next part of a string; `folded` is its lower-case form.
    pub(crate) fn read(&self, aligned: &mut Aligned, text: &[u8], folded: &[u8]) {
        match (self, aligned) {
            (Self::Short(lanes), Aligned::Short(column)) => lanes.read(column, text, folded),
            (Self::Long(lanes), Aligned::Long(column)) => lanes.read(column, text, folded),
            _ => {}
        }
    }

    /// How well the letters align: 1 to 999, or `None` when they do not occur in order.
    pub(crate) fn quality(&self, aligned: &Aligned) -> Option<u32> {
        let (best, length) = match (self, aligned) {
            (Self::Short(lanes), Aligned::Short(column)) => (column.best, lanes.length),
            (Self::Long(lanes), Aligned::Long(column)) => (column.best, lanes.length),
            _ => return Some(1),
        };
        let max = length as i32 * i32::from(MATCH + BOUNDARY) + i32::from(BOUNDARY * (FIRST_FACTOR - 1));
        let share = i32::from(best.max(0)) * 1000 / max;
        (best > IMPOSSIBLE / 2).then(|| share.clamp(1, 999).unsigned_abs())
    }

    /// How well the letters align with a string by itself.
    pub(crate) fn quality_in(&self, text: &[u8], folded: &[u8]) -> Option<u32> {
        let mut aligned = self.start();
        self.read(&mut aligned, text, folded);
        self.quality(&aligned)
    }

    /// Appends the offsets at which the letters align best with `text`, in order; nothing when they do not occur.
    pub(crate) fn trace(&self, text: &[u8], folded: &[u8], positions: &mut Vec<usize>) {
        match self {
            Self::Short(lanes) => lanes.trace(text, folded, positions),
            Self::Long(lanes) => lanes.trace(text, folded, positions),
            Self::Endless(letters) => trace_first(letters, folded, positions),
        }
    }
}

impl<const N: usize> Column<N> {
    const START: Self = Self { matched: [IMPOSSIBLE; N], begun: [0; N], gap: [IMPOSSIBLE; N], best: IMPOSSIBLE };
}

impl<const N: usize> Lanes<N> {
    fn new(given: &[u8]) -> Self {
        let mut letters = [0; N];
        let mut no_gap = [0; N];
        for (lane, &byte) in given.iter().enumerate() {
            letters[lane] = byte;
            no_gap[lane] = if byte & 0xC0 == 0x80 { IMPOSSIBLE } else { 0 };
        }
        Self { letters, no_gap, length: given.len() }
    }

    fn read(&self, column: &mut Column<N>, text: &[u8], folded: &[u8]) {
        for (index, &byte) in folded.iter().enumerate() {
            self.step(column, byte, bonus_at(text, index));
        }
    }

    #[inline]
    fn step(&self, column: &mut Column<N>, byte: u8, bonus: i16) {
        let mut next = Column { matched: [IMPOSSIBLE; N], begun: [bonus; N], ..*column };
        if self.letters[0] == byte {
            next.matched[0] = MATCH + bonus * FIRST_FACTOR;
        }
        for lane in 1..N {
            // A run keeps the bonus of the place where it began, unless a later place has a better one.
            let in_run = column.begun[lane - 1].max(bonus).max(CONSECUTIVE);
            let from_run = column.matched[lane - 1].saturating_add(in_run);
            let from_gap = column.gap[lane - 1].saturating_add(bonus).saturating_add(self.no_gap[lane]);
            let score = from_run.max(from_gap).saturating_add(MATCH);
            next.matched[lane] = if self.letters[lane] == byte { score } else { IMPOSSIBLE };
            next.begun[lane] = if from_run >= from_gap { column.begun[lane - 1] } else { bonus };
        }
        for lane in 0..N {
            let extended = column.gap[lane].saturating_add(GAP_EXTENSION);
            next.gap[lane] = extended.max(column.matched[lane].saturating_add(GAP_START));
        }
        next.best = column.best.max(next.matched[self.length - 1]);
        *column = next;
    }

    fn trace(&self, text: &[u8], folded: &[u8], positions: &mut Vec<usize>) {
        let mut columns = vec![Column::<N>::START];
        for (index, &byte) in folded.iter().enumerate() {
            let mut column = columns[index];
            self.step(&mut column, byte, bonus_at(text, index));
            columns.push(column);
        }
        let matched = |column: usize, lane: usize| columns[column + 1].matched[lane];
        let last = self.length - 1;
        let Some(mut column) = (0..folded.len()).rev().max_by_key(|&column| matched(column, last)) else { return };
        if matched(column, last) <= IMPOSSIBLE / 2 {
            return;
        }
        let start = positions.len();
        for lane in (0..self.length).rev() {
            positions.push(column);
            if lane == 0 {
                break;
            }
            let bonus = bonus_at(text, column);
            let before = &columns[column];
            let in_run = before.begun[lane - 1].max(bonus).max(CONSECUTIVE);
            let from_run = before.matched[lane - 1].saturating_add(in_run);
            let from_gap = before.gap[lane - 1].saturating_add(bonus).saturating_add(self.no_gap[lane]);
            column = if from_run >= from_gap {
                column - 1
            } else {
                // The gap in the score: the nearest of the best.
                let paid = |at: usize| {
                    let extensions = (column - at - 2).min(i16::MAX as usize) as i16;
                    matched(at, lane - 1).saturating_add(GAP_START).saturating_sub(extensions)
                };
                (0..column - 1).max_by_key(|&at| paid(at)).unwrap_or(0)
            };
        }
        positions[start..].reverse();
    }
}

/// Appends for each letter the offsets of its first place after the previous letter.
fn trace_first(letters: &[u8], folded: &[u8], positions: &mut Vec<usize>) {
    let mut wanted = symbols(letters).peekable();
    let mut at = 0;
    for symbol in symbols(folded) {
        if wanted.next_if_eq(&symbol).is_some() {
            positions.extend(at..at + symbol.len());
        }
        at += symbol.len();
    }
}

/// The bonus for a match of the byte at `index`.
fn bonus_at(text: &[u8], index: usize) -> i16 {
    if is_boundary(text, index) {
        BOUNDARY
    } else if text[index].is_ascii_uppercase() || (text[index].is_ascii_digit() && !text[index - 1].is_ascii_digit()) {
        CAMEL
    } else {
        0
    }
}

#[cfg(fuzzing)]
pub(crate) mod fuzzing;

#[cfg(test)]
mod tests;
