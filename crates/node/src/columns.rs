//! The columns of a result: its matches, as one buffer.
//!
//! Everything else about a result (counts, flags, the stop reason) crosses the border as fields of a `#[napi(object)]`.
//! Each `encode` function ends with the list of its columns; the table with the same names in the same order is next to the
//! function in `packages/natives/src` that reads them. `docs/design/border.md` describes both.
//!
//! Layout, in the machine's byte order. Every part begins at a multiple of eight bytes:
//!
//! 1. the head, in `f64`s: the length of the text in bytes, whether it is ASCII, and of each column how many values it has;
//! 2. the text: all strings as UTF-8, in sequence. Their lengths, in UTF-16 code units, are columns;
//! 3. the columns, in the order of the list.
//!
//! The text comes first because it is the longest part: it is built in its final place.

use std::ops::Range;

use crate::utf16::push_text;

/// The head's fields before the lengths of the columns.
const TEXT_FIELDS: usize = 2;
/// Every part begins at a multiple of this, so that JavaScript can view it in place.
const ALIGNMENT: usize = size_of::<f64>();

/// One column: a value for each match, path, line or other item.
#[derive(Clone, Copy)]
pub(crate) enum Column<'a> {
    F64(&'a [f64]),
    U32(&'a [u32]),
    U8(&'a [u8]),
}

impl Column<'_> {
    fn len(self) -> usize {
        match self {
            Self::F64(values) => values.len(),
            Self::U32(values) => values.len(),
            Self::U8(values) => values.len(),
        }
    }

    fn byte_len(self) -> usize {
        match self {
            Self::F64(values) => size_of_val(values),
            Self::U32(values) => size_of_val(values),
            Self::U8(values) => values.len(),
        }
    }
}

/// The text of a result with `COLUMNS` columns, after the space for the head.
pub(crate) struct Text<const COLUMNS: usize> {
    bytes: Vec<u8>,
}

impl<const COLUMNS: usize> Text<COLUMNS> {
    const HEAD_BYTES: usize = (TEXT_FIELDS + COLUMNS) * size_of::<f64>();

    /// An empty text. `text` and `columns` are the expected sizes in bytes; a longer result makes room for itself.
    pub(crate) fn with_capacity(text: usize, columns: usize) -> Self {
        let padding = (COLUMNS + 1) * ALIGNMENT;
        let mut bytes = Vec::with_capacity(Self::HEAD_BYTES + text + columns + padding);
        bytes.resize(Self::HEAD_BYTES, 0);
        Self { bytes }
    }

    pub(crate) fn new() -> Self {
        Self::with_capacity(0, 0)
    }

    /// Adds a string to the text and its length to `lengths`. Returns whether a part of it was not valid UTF-8.
    pub(crate) fn push(&mut self, string: &[u8], lengths: &mut Vec<u32>) -> bool {
        let (units, lossy) = push_text(string, &mut self.bytes);
        lengths.push(units);
        lossy
    }

    /// Adds parts of one text as strings if all of them are ASCII, and returns whether they are; otherwise adds nothing.
    /// Faster than [`Self::push`] for each, most of all where the parts are adjacent.
    pub(crate) fn push_ascii_parts(
        &mut self,
        whole: &[u8],
        parts: impl Iterator<Item = Range<usize>>,
        lengths: &mut Vec<u32>,
    ) -> bool {
        let (text_before, lengths_before) = (self.bytes.len(), lengths.len());
        let mut run = 0..0;
        for part in parts {
            lengths.push(part.len() as u32);
            if part.start == run.end {
                run.end = part.end;
            } else {
                self.bytes.extend_from_slice(&whole[std::mem::replace(&mut run, part)]);
            }
        }
        self.bytes.extend_from_slice(&whole[run]);
        let is_ascii = self.bytes[text_before..].is_ascii();
        if !is_ascii {
            self.bytes.truncate(text_before);
            lengths.truncate(lengths_before);
        }
        is_ascii
    }

    /// Adds the columns and returns the buffer.
    pub(crate) fn pack(self, columns: [Column<'_>; COLUMNS]) -> Vec<u8> {
        let mut bytes = self.bytes;
        let text = &bytes[Self::HEAD_BYTES..];
        let text_fields = [text.len() as f64, f64::from(u8::from(text.is_ascii()))];
        let head = text_fields.into_iter().chain(columns.iter().map(|column| column.len() as f64));
        fill(&mut bytes[..Self::HEAD_BYTES], head.map(f64::to_ne_bytes));
        let total = columns.iter().fold(bytes.len().next_multiple_of(ALIGNMENT), |end, column| {
            end.next_multiple_of(ALIGNMENT) + column.byte_len()
        });
        bytes.reserve_exact(total - bytes.len());
        for column in columns {
            let start = bytes.len().next_multiple_of(ALIGNMENT);
            bytes.resize(start, 0);
            match column {
                Column::U8(values) => bytes.extend_from_slice(values),
                Column::U32(values) => append(&mut bytes, values.iter().map(|value| value.to_ne_bytes())),
                Column::F64(values) => append(&mut bytes, values.iter().map(|value| value.to_ne_bytes())),
            }
        }
        bytes
    }
}

fn append<const N: usize>(bytes: &mut Vec<u8>, values: impl ExactSizeIterator<Item = [u8; N]>) {
    let start = bytes.len();
    bytes.resize(start + values.len() * N, 0);
    fill(&mut bytes[start..], values);
}

/// Writes values in sequence.
fn fill<const N: usize>(bytes: &mut [u8], values: impl Iterator<Item = [u8; N]>) {
    bytes.chunks_exact_mut(N).zip(values).for_each(|(bytes, value)| bytes.copy_from_slice(&value));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_gives_the_length_of_each_part_and_every_part_is_aligned() {
        let mut text = Text::<3>::new();
        let mut lengths = Vec::new();
        assert!(!text.push("aé".as_bytes(), &mut lengths));
        let bytes = text.pack([Column::U8(&[7, 8]), Column::F64(&[1.5]), Column::U32(&lengths)]);
        let bits = |at: usize| u64::from_ne_bytes(bytes[at..at + 8].try_into().unwrap());
        let word = |at: usize| u32::from_ne_bytes(bytes[at..at + 4].try_into().unwrap());
        assert_eq!([0, 8, 16, 24, 32].map(bits), [3.0, 0.0, 2.0, 1.0, 1.0].map(f64::to_bits), "the head");
        assert_eq!(&bytes[40..48], "aé\0\0\0\0\0".as_bytes(), "the text and its padding");
        assert_eq!(&bytes[48..50], [7, 8], "the first column");
        assert_eq!((bits(56), word(64)), (1.5_f64.to_bits(), 2), "the other columns");
        assert_eq!(bytes.len(), 68);
    }

    #[test]
    fn an_exact_capacity_is_enough_and_does_not_change_the_buffer() {
        let pack = |mut text: Text<2>| {
            let mut lengths = Vec::new();
            text.push(b"abc", &mut lengths);
            text.pack([Column::U32(&lengths), Column::U8(&[1])])
        };
        let roomy = Text::with_capacity(3, 5);
        let capacity = roomy.bytes.capacity();
        let packed = pack(roomy);
        assert_eq!(packed.capacity(), capacity, "nothing was moved");
        assert_eq!(packed, pack(Text::new()));
    }

    #[test]
    fn parts_of_a_text_are_the_strings_they_would_be_one_by_one() {
        let whole = "one/two/thréé/four".as_bytes();
        for (reason, parts, is_ascii) in [
            ("no part", vec![], true),
            ("adjacent", vec![0..3, 3..8], true),
            ("apart", vec![0..3, 4..7, 15..19], true),
            ("backwards", vec![4..7, 0..3], true),
            ("an empty part", vec![0..3, 3..3, 4..7], true),
            ("one is not ASCII", vec![0..3, 8..15, 15..19], false),
        ] {
            let (mut together, mut apart) = (Text::<1>::new(), Text::<1>::new());
            let (mut together_lengths, mut apart_lengths) = (Vec::new(), Vec::new());
            together.push(b"before", &mut together_lengths);
            apart.push(b"before", &mut apart_lengths);
            let added = together.push_ascii_parts(whole, parts.iter().cloned(), &mut together_lengths);
            assert_eq!(added, is_ascii, "{reason}");
            if is_ascii {
                for part in parts {
                    apart.push(&whole[part], &mut apart_lengths);
                }
            }
            let (together, apart) =
                (together.pack([Column::U32(&together_lengths)]), apart.pack([Column::U32(&apart_lengths)]));
            assert_eq!(together, apart, "{reason}");
        }
    }
}
