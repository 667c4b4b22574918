//! Lower case that keeps the offset of every byte, and masks of characters for the prefilter.

/// Appends the lower-case form of `path` to `folded`, byte for byte of the same length, so that offsets into one are
/// offsets into the other. A character whose lower-case form has another length in UTF-8 stays unchanged.
pub(crate) fn fold_into(path: &[u8], folded: &mut Vec<u8>) {
    let start = folded.len();
    folded.extend_from_slice(path);
    let appended = &mut folded[start..];
    appended.make_ascii_lowercase();
    if appended.is_ascii() {
        return;
    }
    let mut offset = start;
    for chunk in path.utf8_chunks() {
        for character in chunk.valid().chars() {
            let length = character.len_utf8();
            let mut lower = character.to_lowercase();
            if let (Some(lower), None) = (lower.next(), lower.next())
                && lower.len_utf8() == length
            {
                lower.encode_utf8(&mut folded[offset..offset + length]);
            }
            offset += length;
        }
        offset += chunk.invalid().len();
    }
}

/// The characters of `text`: single bytes of ASCII, and of the rest a leading byte with those that continue it.
pub(crate) fn symbols(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (&first, following) = rest.split_first()?;
        let more = if first.is_ascii() { 0 } else { following.iter().take_while(|&&byte| byte & 0xC0 == 0x80).count() };
        let (symbol, after) = rest.split_at(1 + more);
        rest = after;
        Some(symbol)
    })
}

/// Which characters occur in `folded`: a bit for each letter and digit, one for `/`, one for each of a few
/// punctuation marks, and the rest shared by all other bytes. Text can contain a query only if its mask covers the
/// query's.
pub(crate) fn character_mask(folded: &[u8]) -> u64 {
    folded.iter().fold(0, |mask, &byte| mask | 1 << MASK_BITS[byte as usize])
}

static MASK_BITS: [u8; 256] = mask_bits();

const fn mask_bits() -> [u8; 256] {
    let mut bits = [0_u8; 256];
    let mut byte = 0;
    while byte < 256 {
        bits[byte] = match byte as u8 {
            letter @ b'a'..=b'z' => letter - b'a',
            digit @ b'0'..=b'9' => 26 + digit - b'0',
            b'/' => 36,
            b'.' => 37,
            b'_' => 38,
            b'-' => 39,
            other if other < 0x80 => 40 + other % 8,
            other => 48 + other % 16,
        };
        byte += 1;
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fold(text: &[u8]) -> Vec<u8> {
        let mut folded = b"before".to_vec();
        fold_into(text, &mut folded);
        folded.split_off(6)
    }

    #[test]
    fn folding_lower_cases_what_keeps_its_length() {
        for (reason, text, expected) in [
            ("ASCII", "Src/README.md", "src/readme.md"),
            ("two-byte letters", "ÄÖÜ/Éa", "äöü/éa"),
            ("a lower-case form of another length stays", "İx", "İx"),
            ("no case", "漢字", "漢字"),
        ] {
            assert_eq!(fold(text.as_bytes()), expected.as_bytes(), "{reason}");
        }
    }

    #[test]
    fn invalid_utf8_survives_between_letters() {
        assert_eq!(fold(b"A\xFF\xC3B\xC3\x84"), b"a\xFF\xC3b\xC3\xA4");
    }

    proptest! {
        #[test]
        fn folding_keeps_the_length(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            prop_assert_eq!(fold(&bytes).len(), bytes.len());
        }

        #[test]
        fn a_mask_covers_the_mask_of_every_part(bytes in proptest::collection::vec(any::<u8>(), 0..64), cut in 0_usize..64) {
            let part = &bytes[..cut.min(bytes.len())];
            prop_assert_eq!(character_mask(part) & !character_mask(&bytes), 0);
        }
    }
}
