//! What a segment costs for the letters that were not typed.

use crate::name::{is_word, stem_length};
use crate::score::POINT;

/// The cost of a directory segment without typed letters; each typed letter gives its share back.
const SEGMENT: u32 = 48 * POINT;
/// The extra cost of a segment, and of a stem, that was not typed to its end.
const OPEN_SEGMENT: u32 = 8 * POINT;
const OPEN_STEM: u32 = 20 * POINT;
/// The same for the stem of the base name, and the cost of each of its letters.
const STEM: u32 = 150 * POINT;
const STEM_LETTER: u32 = 6 * POINT;

/// What the letters of a segment cost that were not typed.
pub(crate) struct Rest {
    pub(crate) is_name: bool,
    /// The cost if none was typed.
    pub(crate) whole: u32,
    /// What each typed letter gives back.
    pub(crate) letter: u32,
    /// Letters from this offset on are free.
    pub(crate) until: usize,
    /// The extra cost of an end before that.
    pub(crate) open: u32,
}

impl Rest {
    pub(crate) fn of_name(name: &[u8]) -> Self {
        let until = stem_length(name);
        let letters = count_letters(&name[..until]);
        let letter = STEM / letters + STEM_LETTER;
        Self { is_name: true, whole: STEM + STEM_LETTER * letters, letter, until, open: OPEN_STEM }
    }

    pub(crate) fn of_directory(name: &[u8]) -> Self {
        let letter = SEGMENT / count_letters(name);
        Self { is_name: false, whole: SEGMENT, letter, until: name.len(), open: OPEN_SEGMENT }
    }
}

fn count_letters(text: &[u8]) -> u32 {
    text.iter().filter(|&&byte| is_word(byte)).count().max(1) as u32
}
