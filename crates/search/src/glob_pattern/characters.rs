//! The characters of a glob that have a meaning: those that are neither escaped nor in a class.

use super::syntax::named;

/// The characters of a glob that are neither escaped nor in a class, with their offsets. A class is its `[`.
pub(super) fn plain_characters(glob: &str) -> Vec<(usize, char)> {
    let mut plain = Vec::new();
    let mut at = 0;
    while let Some(character) = glob[at..].chars().next() {
        match character {
            '\\' => at += glob[at + 1..].chars().next().map_or(0, char::len_utf8),
            '[' => {
                plain.push((at, character));
                at += class_length(&glob[at..]).map_or(0, |length| length - 1);
            }
            _ => plain.push((at, character)),
        }
        at += character.len_utf8();
    }
    plain
}

/// The length of the class at the beginning of a string, which begins with `[`.
fn class_length(text: &str) -> Option<usize> {
    let mut characters = text.char_indices().skip(1).peekable();
    characters.next_if(|&(_, character)| matches!(character, '!' | '^'));
    let mut is_first = true;
    while let Some((at, character)) = characters.next() {
        match character {
            ']' if !is_first => return Some(at + 1),
            '\\' => {
                characters.next();
            }
            '[' => {
                if let Some((_, rest)) = named(&text[at..], ':') {
                    let end = text.len() - rest.len();
                    while characters.next_if(|&(next, _)| next < end).is_some() {}
                }
            }
            _ => {}
        }
        is_first = false;
    }
    None
}

/// The parts of a glob between characters that are neither escaped nor in a class or braces.
pub(super) fn separated(glob: &str, separator: char) -> Vec<&str> {
    let mut depth = 0_usize;
    let mut from = 0;
    let mut parts = Vec::new();
    for (at, character) in plain_characters(glob) {
        match character {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ if character == separator && depth == 0 => {
                parts.push(glob[from..at].trim());
                from = at + separator.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(glob[from..].trim());
    parts
}

/// Whether a glob has a wildcard that is not escaped.
pub(super) fn has_wildcard(glob: &str) -> bool {
    plain_characters(glob).iter().any(|(_, character)| matches!(character, '*' | '?' | '[' | '{'))
}
