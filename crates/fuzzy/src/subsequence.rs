//! How far letters occur in a string, in order.

use crate::fold::symbols;
use crate::name::is_word;

/// How many bytes of `letters` have occurred in order after `text`, if `from` bytes had occurred before it.
pub(crate) fn advance(letters: &[u8], from: usize, text: &[u8]) -> usize {
    advance_in(letters, letters.is_ascii(), from, text)
}

/// [`advance`] if it is known whether the letters are ASCII.
#[inline]
pub(crate) fn advance_in(letters: &[u8], is_ascii: bool, from: usize, text: &[u8]) -> usize {
    if is_ascii {
        return advance_bytes(letters, from, text);
    }
    symbols(text).fold(from, |at, symbol| if letters[at..].starts_with(symbol) { at + symbol.len() } else { at })
}

/// [`advance`] for letters of one byte each.
#[inline]
fn advance_bytes(letters: &[u8], from: usize, text: &[u8]) -> usize {
    let mut at = from;
    for &byte in text {
        match letters.get(at) {
            None => break,
            Some(&wanted) => at += usize::from(byte == wanted),
        }
    }
    at
}

/// The rest of `wanted` after the part that occurs in `text` in order. Any punctuation stands for any other.
pub(crate) fn advance_separated<'w>(wanted: &'w [u8], text: &[u8]) -> &'w [u8] {
    let is_found = |wanted: u8, byte: u8| wanted == byte || !(is_word(wanted) || is_word(byte));
    text.iter().fold(wanted, |wanted, &byte| match wanted {
        [first, rest @ ..] if is_found(*first, byte) => rest,
        _ => wanted,
    })
}
