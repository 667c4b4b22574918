//! From bytes to JavaScript strings: lossy decoding, and offsets in UTF-16 code units. No other module converts them.

/// Appends `bytes` as UTF-8, each invalid sequence as U+FFFD. Returns the length in UTF-16 code units and whether
/// anything was replaced.
pub(crate) fn push_text(bytes: &[u8], into: &mut Vec<u8>) -> (u32, bool) {
    if bytes.is_ascii() {
        into.extend_from_slice(bytes);
        return (bytes.len() as u32, false);
    }
    let mut units = 0;
    let mut lossy = false;
    for chunk in bytes.utf8_chunks() {
        into.extend_from_slice(chunk.valid().as_bytes());
        units += chunk.valid().encode_utf16().count();
        if !chunk.invalid().is_empty() {
            lossy = true;
            into.extend_from_slice("\u{FFFD}".as_bytes());
            units += 1;
        }
    }
    (units as u32, lossy)
}

/// Turns ascending byte offsets into `bytes` into offsets into the string that [`push_text`] makes of them. An offset
/// inside a character becomes the offset of its beginning.
pub(crate) fn offsets(bytes: &[u8], byte_offsets: impl Iterator<Item = usize>) -> Vec<u32> {
    let mut offsets = Vec::new();
    push_offsets(bytes, byte_offsets, &mut offsets);
    offsets
}

/// Appends the result of [`offsets`].
pub(crate) fn push_offsets(bytes: &[u8], byte_offsets: impl Iterator<Item = usize>, into: &mut Vec<u32>) {
    if bytes.is_ascii() {
        into.extend(byte_offsets.map(|offset| offset as u32));
        return;
    }
    // Where each character begins, in bytes and in units, and the end of the text.
    let mut starts: Vec<(usize, u32)> = Vec::new();
    let mut units = 0;
    let mut offset = 0;
    for chunk in bytes.utf8_chunks() {
        for (at, character) in chunk.valid().char_indices() {
            starts.push((offset + at, units));
            units += character.len_utf16() as u32;
        }
        offset += chunk.valid().len();
        if !chunk.invalid().is_empty() {
            starts.push((offset, units));
            units += 1;
            offset += chunk.invalid().len();
        }
    }
    starts.push((offset, units));
    into.extend(byte_offsets.map(|wanted| {
        let after = starts.partition_point(|&(start, _)| start <= wanted);
        starts[after.saturating_sub(1)].1
    }));
}

/// All UTF-16 code units of the characters at the given byte offsets: two for one outside the basic plane.
pub(crate) fn unit_positions(bytes: &[u8], byte_offsets: &[usize]) -> Vec<u32> {
    if bytes.is_ascii() {
        return byte_offsets.iter().map(|&offset| offset as u32).collect();
    }
    let starts = offsets(bytes, byte_offsets.iter().copied());
    let mut positions = Vec::with_capacity(starts.len());
    for (&offset, &unit) in byte_offsets.iter().zip(&starts) {
        if positions.last().is_some_and(|&last| last >= unit) {
            continue;
        }
        positions.push(unit);
        // A four-byte character is two code units.
        if bytes[offset] >= 0xF0 && std::str::from_utf8(&bytes[offset..bytes.len().min(offset + 4)]).is_ok() {
            positions.push(unit + 1);
        }
    }
    positions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_count_utf16_code_units() {
        for (reason, bytes, byte_offset, unit) in [
            ("ASCII", &b"abc"[..], 2, 2),
            ("after a two-byte character", "éa".as_bytes(), 2, 1),
            ("after a surrogate pair", "😀a".as_bytes(), 4, 2),
            ("after an invalid byte", b"\xFFab", 1, 1),
            ("the end", "éa".as_bytes(), 3, 2),
            ("inside a character", "éa".as_bytes(), 1, 0),
        ] {
            assert_eq!(offsets(bytes, [byte_offset].into_iter()), [unit], "{reason}");
        }
    }

    #[test]
    fn text_is_decoded_as_javascript_would() {
        for bytes in [&b"plain"[..], "é漢😀".as_bytes(), b"a\xFF\xFEb", b"\xC3", b"\xF0\x9F\x98", b""] {
            let mut text = Vec::new();
            let (units, lossy) = push_text(bytes, &mut text);
            let expected = String::from_utf8_lossy(bytes);
            assert_eq!(text, expected.as_bytes());
            assert_eq!(units as usize, expected.encode_utf16().count());
            assert_eq!(lossy, std::str::from_utf8(bytes).is_err());
        }
    }

    #[test]
    fn a_surrogate_pair_is_two_positions() {
        assert_eq!(unit_positions("a😀b".as_bytes(), &[1, 2, 3, 4, 5]), [1, 2, 3]);
    }
}
