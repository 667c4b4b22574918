//! Initials of all words of a name, and of the directories above: `bmme` is `buildMatchMemberExpression.ts`, `ksc` is
//! `kernel/sched/core.c`.

use crate::index::Index;
use crate::name::{begins_word, is_transparent, is_word, stem_length};
use crate::score::TIER_SPAN;

/// More letters are not initials.
const MAX_LETTERS: usize = 8;
/// The cost of initials, of each segment that they stand for, of each letter of the stem, and of each directory above.
const INITIALS: u32 = 60;
const SEGMENT: u32 = 5;
const STEM_LETTER: u32 = 2;
const ABOVE: u32 = 3;

/// The quality if `letters` are the initials of all words of the stem, and of the segments above as far as there are letters.
pub(crate) fn quality(letters: &[u8], index: &Index, mut directory: usize, text: &[u8], name: &[u8]) -> Option<u32> {
    if letters.len() > MAX_LETTERS {
        return None;
    }
    let stem = stem_length(name);
    let mut rest = before_initials(letters, &text[..stem], &name[..stem])?;
    let mut cost = INITIALS + SEGMENT + stem as u32 * STEM_LETTER;
    while !rest.is_empty() && directory > 0 {
        let (text, folded) = index.segment(directory);
        directory = index.parent(directory);
        match before_initials(rest, text, folded) {
            Some(before) => (rest, cost) = (before, cost + SEGMENT),
            None if is_transparent(folded) => {}
            None => return None,
        }
    }
    rest.is_empty().then(|| (TIER_SPAN - 1).saturating_sub(cost + index.depth(directory) as u32 * ABOVE).max(1))
}

/// The letters before the initials of all words of a string. `None` if they do not end with these.
fn before_initials<'l>(letters: &'l [u8], text: &[u8], folded: &[u8]) -> Option<&'l [u8]> {
    let mut rest = letters;
    for at in (0..folded.len()).rev().filter(|&at| is_word(folded[at]) && begins_word(text, at)) {
        rest = rest.strip_suffix(&folded[at..=at])?;
    }
    (rest.len() < letters.len()).then_some(rest)
}
