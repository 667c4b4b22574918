//! The alignment for the fuzz targets, with the score of any other alignment to compare it with.

use super::*;

/// An alignment: its score, and the offsets of the letters.
#[derive(Debug)]
pub struct Alignment {
    /// By the rules of the alignment, before it becomes a share of what is possible.
    pub score: i32,
    /// Ascending.
    pub positions: Vec<usize>,
}

/// The best alignment of `letters`, in lower case, with `text`; `None` when they do not occur in order, or are too many
/// to be aligned.
#[must_use]
pub fn best_alignment(letters: &[u8], text: &[u8]) -> Option<Alignment> {
    let folded = text.to_ascii_lowercase();
    let letters = Letters::new(letters);
    let mut aligned = letters.start();
    letters.read(&mut aligned, text, &folded);
    let best = match &aligned {
        Aligned::Short(column) => column.best,
        Aligned::Long(column) => column.best,
        Aligned::Endless => return None,
    };
    let mut positions = Vec::new();
    letters.trace(text, &folded, &mut positions);
    (best > IMPOSSIBLE / 2).then_some(Alignment { score: i32::from(best), positions })
}

/// The score of an alignment at these offsets, which ascend.
#[must_use]
pub fn score_of(positions: &[usize], text: &[u8]) -> i32 {
    let mut score = 0;
    let mut run_begun: Option<(usize, i16)> = None;
    for &at in positions {
        let bonus = bonus_at(text, at);
        let (gained, begun) = match run_begun {
            None => (MATCH + bonus * FIRST_FACTOR, bonus),
            Some((last, begun)) if last + 1 == at => {
                let begun = begun.max(bonus);
                (MATCH + begun.max(CONSECUTIVE), begun)
            }
            Some((last, _)) => {
                let extensions = i32::try_from(at - last - 2).unwrap_or(i32::MAX);
                score += i32::from(GAP_EXTENSION) * extensions;
                (MATCH + bonus + GAP_START, bonus)
            }
        };
        score += i32::from(gained);
        run_begun = Some((at, begun));
    }
    score
}
