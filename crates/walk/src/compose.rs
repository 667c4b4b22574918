//! Composed names: a letter and its marks may be one character (NFC) or several (NFD). Searches compare names in the
//! composed form.

use std::borrow::Cow;
use std::ops::Range;

use unicode_normalization::char::canonical_combining_class;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc, is_nfc_quick};

/// Returns the composed form of a path. Invalid UTF-8 in it stays as it is.
#[must_use]
pub fn composed(path: &[u8]) -> Cow<'_, [u8]> {
    if path.is_ascii() || path.utf8_chunks().all(|chunk| is_nfc(chunk.valid())) {
        return Cow::Borrowed(path);
    }
    let mut composed = Vec::with_capacity(path.len());
    for chunk in path.utf8_chunks() {
        let mut buffer = [0; 4];
        for character in chunk.valid().nfc() {
            composed.extend_from_slice(character.encode_utf8(&mut buffer).as_bytes());
        }
        composed.extend_from_slice(chunk.invalid());
    }
    Cow::Owned(composed)
}

/// Maps ascending offsets of bytes in the composed form of `path` to those in `path`: for a letter that `path` has in
/// parts, all bytes of the parts.
#[must_use]
pub fn offsets_before_composition(path: &[u8], offsets: &[usize]) -> Vec<usize> {
    let mut wanted = offsets.iter().copied().peekable();
    let mut found = Vec::with_capacity(offsets.len());
    let mut begin = 0;
    for part in parts(path) {
        let text = &path[part.clone()];
        let composed = composed(text);
        let end = begin + composed.len();
        let is_same = *composed == *text;
        let mut is_wanted = false;
        while let Some(offset) = wanted.next_if(|&offset| offset < end) {
            if is_same {
                found.push(part.start + offset - begin);
            }
            is_wanted = true;
        }
        if is_wanted && !is_same {
            found.extend(part);
        }
        begin = end;
    }
    found
}

/// The parts of a path that are composed independently of one another.
fn parts(path: &[u8]) -> Vec<Range<usize>> {
    let mut starts = Vec::new();
    let mut at = 0;
    for chunk in path.utf8_chunks() {
        for (offset, character) in chunk.valid().char_indices() {
            let continues = offset > 0
                && (canonical_combining_class(character) != 0
                    || is_nfc_quick(std::iter::once(character)) == IsNormalized::Maybe);
            if !continues {
                starts.push(at + offset);
            }
        }
        at += chunk.valid().len();
        if !chunk.invalid().is_empty() {
            starts.push(at);
            at += chunk.invalid().len();
        }
    }
    let ends = starts.iter().copied().skip(1).chain([path.len()]);
    starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_letter_and_its_marks_become_one_character() {
        for (path, expected) in [
            (&b"plain/name"[..], &b"plain/name"[..]),
            ("e\u{301}/a".as_bytes(), "é/a".as_bytes()),
            ("\u{1100}\u{1161}\u{11A8}".as_bytes(), "각".as_bytes()),
            ("q\u{307}\u{323}".as_bytes(), "q\u{323}\u{307}".as_bytes()),
            (b"e\xCC\x81\xFFe\xCC\x81", b"\xC3\xA9\xFF\xC3\xA9"),
            (b"\xFF\xCC\x81", b"\xFF\xCC\x81"),
        ] {
            assert_eq!(&*composed(path), expected);
            assert_eq!(
                composed(path).len() == path.len() && matches!(composed(path), Cow::Borrowed(_)),
                path == expected
            );
        }
    }

    #[test]
    fn offsets_of_a_composed_letter_are_those_of_its_parts() {
        let path = "ae\u{301}b/\u{1100}\u{1161}c";
        let text = composed(path.as_bytes()).into_owned();
        let all: Vec<usize> = (0..text.len()).collect();
        assert_eq!(offsets_before_composition(path.as_bytes(), &all), (0..path.len()).collect::<Vec<_>>());
        for (character, expected) in [('a', vec![0]), ('é', vec![1, 2, 3]), ('b', vec![4]), ('c', vec![12])] {
            let at = String::from_utf8_lossy(&text).find(character).expect("it is there");
            let offsets: Vec<usize> = (at..at + character.len_utf8()).collect();
            assert_eq!(offsets_before_composition(path.as_bytes(), &offsets), expected, "{character}");
        }
    }

    proptest! {
        #[test]
        fn a_path_is_the_sum_of_its_parts(path in "[ae\u{301}\u{308}\u{323}é\u{1100}\u{1161}\u{11A8}가/]{0,12}") {
            let composed_parts: Vec<u8> =
                parts(path.as_bytes()).into_iter().flat_map(|part| composed(&path.as_bytes()[part]).into_owned()).collect();
            prop_assert_eq!(&*composed(path.as_bytes()), &composed_parts[..]);
            prop_assert_eq!(composed_parts, path.nfc().collect::<String>().into_bytes());
        }
    }
}
