//! How one name matches a word.

use crate::score::{Hit, TIER_SPAN, Tier};

/// The quality of a whole name or stem.
pub(crate) const WHOLE_STEM: u32 = 950;

/// Where in `text` the lower-case `wanted` begins.
pub(crate) fn occurrences<'a>(wanted: &'a [u8], text: &'a [u8]) -> impl Iterator<Item = usize> + 'a {
    let first = wanted.first().copied().unwrap_or_default();
    memchr::memchr_iter(first, text).filter(move |&at| text[at..].starts_with(wanted))
}

/// The best occurrence of `wanted` in `name`, the lower-case form of `text`: its tier and its offset.
pub(crate) fn find_in_name(wanted: &[u8], text: &[u8], name: &[u8]) -> Option<(Tier, usize)> {
    if name.starts_with(wanted) {
        return Some((if wanted.len() == name.len() { Tier::Exact } else { Tier::Prefix }, 0));
    }
    find_inside(wanted, text, name)
}

/// [`find_in_name`] for a name that does not begin with `wanted`.
pub(crate) fn find_inside(wanted: &[u8], text: &[u8], name: &[u8]) -> Option<(Tier, usize)> {
    let mut inside_word = None;
    for at in occurrences(wanted, name) {
        if is_boundary(text, at) || begins_camel_word(text, at) {
            return Some((Tier::Word, at));
        }
        inside_word.get_or_insert(at);
    }
    inside_word.map(|at| (Tier::Substring, at))
}

/// [`find_in_name`] with its quality.
pub(crate) fn contiguous(wanted: &[u8], text: &[u8], name: &[u8]) -> Option<Hit> {
    let (tier, at) = find_in_name(wanted, text, name)?;
    Some(Hit { tier, quality: coverage(wanted.len(), name, at) })
}

/// How much of `name` the `length` bytes from `at` cover: more if only an extension is left, less if they begin late.
pub(crate) fn coverage(length: usize, name: &[u8], at: usize) -> u32 {
    let stem = stem_length(name);
    let left_in_stem = stem.saturating_sub(length.min(stem));
    let share = (length * 700 / name.len().max(1)) as u32;
    let stem_share = 250_u32.saturating_sub(left_in_stem as u32 * 12);
    (share + stem_share).saturating_sub(at.min(40) as u32).min(TIER_SPAN - 1)
}

/// The quality of a name that begins with `length` typed bytes. The best is a name that ends with them or has only an
/// extension after them. Otherwise the rest of the stem counts, in fifths of the typed length: smaller differences mean
/// nothing.
pub(crate) fn beginning(length: usize, name: &[u8]) -> u32 {
    let stem = stem_length(name);
    if length == stem || length == name.len() {
        return WHOLE_STEM;
    }
    let fifths = 5 * stem.saturating_sub(length) / length.max(1);
    900 - fifths.min(20) as u32 * 40
}

/// Whether the stem of a name is `letters` with punctuation between them.
pub(crate) fn is_whole_stem(letters: &[u8], name: &[u8]) -> bool {
    is_whole_name(letters, &name[..stem_length(name)])
}

/// Whether a name is `letters` with punctuation between them.
pub(crate) fn is_whole_name(letters: &[u8], name: &[u8]) -> bool {
    name.len() >= letters.len() && name.iter().copied().filter(|&byte| is_word(byte)).eq(letters.iter().copied())
}

/// Where letters that are adjacent in a name without its separators begin, at the beginning of a word, and where they end.
pub(crate) fn squashed<'a>(
    letters: &'a [u8],
    text: &'a [u8],
    name: &'a [u8],
) -> impl Iterator<Item = (usize, usize)> + 'a {
    let starts = occurrences(&letters[..1], name).filter(move |&start| is_boundary(text, start));
    starts.filter_map(move |start| {
        let (mut end, mut wanted) = (start, letters);
        while let (Some((&next, rest)), Some(&byte)) = (wanted.split_first(), name.get(end)) {
            if byte == next {
                wanted = rest;
            } else if is_word(byte) {
                break;
            }
            end += 1;
        }
        wanted.is_empty().then_some((start, end))
    })
}

/// The length of a name without its last extension.
pub(crate) fn stem_length(name: &[u8]) -> usize {
    memchr::memrchr(b'.', name).filter(|&dot| dot > 0).unwrap_or(name.len())
}

/// Whether a word begins at `index`: at the start, or after a byte that is neither a letter nor a digit.
pub(crate) fn is_boundary(text: &[u8], index: usize) -> bool {
    match index.checked_sub(1) {
        None => true,
        Some(before) => is_word(text[index]) && !is_word(text[before]),
    }
}

pub(crate) fn begins_camel_word(text: &[u8], at: usize) -> bool {
    at > 0 && text[at].is_ascii_uppercase() && !text[at - 1].is_ascii_uppercase()
}

/// Whether the byte belongs to a letter or a digit, as far as ASCII can tell.
pub(crate) const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || !byte.is_ascii()
}

/// Whether a word begins at `at`: after a separator, with an upper-case letter, or with the first digit of a number.
pub(crate) fn begins_word(text: &[u8], at: usize) -> bool {
    is_boundary(text, at)
        || begins_camel_word(text, at)
        || (at > 0 && text[at].is_ascii_digit() && !text[at - 1].is_ascii_digit())
}

/// Whether a file of this name stands for its directory.
pub(crate) fn stands_for_directory(name: &[u8]) -> bool {
    matches!(&name[..stem_length(name)], b"index" | b"mod" | b"__init__")
}

/// Whether a directory of this name says nothing: all sources of a package are in it.
pub(crate) fn is_transparent(name: &[u8]) -> bool {
    matches!(name, b"src" | b"lib" | b"source")
}
