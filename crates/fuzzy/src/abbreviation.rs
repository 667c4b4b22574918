//! A word of a name with letters left out, or with a typo.

use crate::name::{begins_word, is_word};

/// The typos that may be at `at` if `letters` should continue there: how many letters and bytes each takes. A letter missing,
/// wrong, too many, or swapped with the next one.
pub(crate) fn typos_at(
    letters: &[u8],
    text: &[u8],
    folded: &[u8],
    at: usize,
) -> impl Iterator<Item = (usize, usize)> + use<> {
    let in_word = |at: usize| folded.get(at).is_some_and(|&byte| is_word(byte)) && !begins_word(text, at);
    let (here, next) = (in_word(at), in_word(at) && in_word(at + 1));
    let is_swapped = next && letters.len() > 1 && letters[0] == folded[at + 1] && letters[1] == folded[at];
    let is_left = !letters.is_empty();
    let typos = [(0, 1, here && is_left), (1, 1, here && is_left), (1, 0, is_left), (2, 2, is_swapped)];
    typos.into_iter().filter(|typo| typo.2).map(|(letters, bytes, _)| (letters, bytes))
}

/// The bits of the places of letters in one word of a name, from its beginning on; the others are left out.
pub(crate) fn abbreviation(letters: &[u8], text: &[u8], name: &[u8]) -> Option<u128> {
    let starts = (0..name.len()).filter(|&start| letters.first() == Some(&name[start]) && begins_word(text, start));
    for start in starts {
        let (mut rest, mut places) = (letters, 0);
        for (at, &byte) in name.iter().enumerate().skip(start) {
            if at >= 128 || !is_word(byte) || (at > start && begins_word(text, at)) {
                break;
            }
            if rest.first() == Some(&byte) {
                places |= 1 << at;
                rest = &rest[1..];
            }
        }
        if rest.is_empty() {
            return Some(places);
        }
    }
    None
}

/// The bits of the places of letters with a typo, from the beginning of a word of a name on.
pub(crate) fn with_typo(letters: &[u8], text: &[u8], name: &[u8]) -> Option<u128> {
    let starts = (0..name.len()).filter(|&start| letters.first() == Some(&name[start]) && begins_word(text, start));
    for start in starts {
        let same = letters.iter().zip(&name[start..]).take_while(|(letter, byte)| letter == byte).count();
        for (typed, bytes) in typos_at(&letters[same..], text, name, start + same) {
            let (rest, end) = (&letters[same + typed..], start + same + bytes);
            if name[end..].starts_with(rest) {
                return Some(bits(start, end + rest.len() - start));
            }
        }
    }
    None
}

/// The bits of `length` bytes from `at`, as far as there are bits.
pub(crate) fn bits(at: usize, length: usize) -> u128 {
    let below = |end: usize| if end >= 128 { u128::MAX } else { (1 << end) - 1 };
    below(at + length) & !below(at)
}
