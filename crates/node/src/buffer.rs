//! The one buffer a result crosses in.
//!
//! Layout, in the machine's byte order: a head of `f64`s; the text, all strings as UTF-8 one behind the other, filled up
//! with NULs to a multiple of eight; then columns of `f64`, columns of `u32` and columns of `u8`. The strings' lengths, in
//! UTF-16 code units, are among the columns. Each kind of result says which columns it has;
//! `packages/natives/src/decode.ts` reads them in the same order.
//!
//! The text comes first because it is the longest part: it is made where it stays.

use std::ops::Range;

use crate::utf16::{push_offsets, push_text};

/// A result under construction.
pub(crate) struct ResultBuffer {
    doubles: Vec<f64>,
    words: Vec<u32>,
    flags: Vec<u8>,
    /// The head, not filled in yet, and the text.
    bytes: Vec<u8>,
}

/// The head's fields: how many doubles, words and flags there are, the bytes of text, and whether the text is ASCII.
const HEAD: usize = 5;
const HEAD_BYTES: usize = HEAD * size_of::<f64>();

/// What a result will hold, as far as that is known: what is more makes room for itself.
#[derive(Clone, Copy, Default)]
pub(crate) struct Room {
    pub(crate) doubles: usize,
    pub(crate) words: usize,
    pub(crate) flags: usize,
    /// In bytes.
    pub(crate) text: usize,
}

impl Default for ResultBuffer {
    fn default() -> Self {
        Self::with_room(Room::default())
    }
}

impl ResultBuffer {
    /// An empty result with room for more.
    pub(crate) fn with_room(room: Room) -> Self {
        let text = (HEAD_BYTES + room.text).next_multiple_of(size_of::<f64>());
        let columns = room.doubles * size_of::<f64>() + room.words * size_of::<u32>() + room.flags;
        let mut bytes = Vec::with_capacity(text + columns);
        bytes.resize(HEAD_BYTES, 0);
        Self {
            doubles: Vec::with_capacity(room.doubles),
            words: Vec::with_capacity(room.words),
            flags: Vec::with_capacity(room.flags),
            bytes,
        }
    }

    /// Adds a number.
    pub(crate) fn double(&mut self, value: f64) {
        self.doubles.push(value);
    }

    /// Adds a count, exact up to 2^53.
    pub(crate) fn count(&mut self, value: u64) {
        self.doubles.push(value as f64);
    }

    /// Adds a small whole number.
    pub(crate) fn word(&mut self, value: u32) {
        self.words.push(value);
    }

    /// Adds small whole numbers.
    pub(crate) fn words(&mut self, values: &[u32]) {
        self.words.extend_from_slice(values);
    }

    /// Adds a byte.
    pub(crate) fn flag(&mut self, value: u8) {
        self.flags.push(value);
    }

    /// Adds a string to the text and its length to the words. Whether it had to be replaced in part.
    pub(crate) fn string(&mut self, bytes: &[u8]) -> bool {
        let (units, lossy) = push_text(bytes, &mut self.bytes);
        self.words.push(units);
        lossy
    }

    /// Adds parts of one text as strings, if all of them are ASCII; else nothing. Quicker than one by one, more so where
    /// they touch.
    pub(crate) fn ascii_parts(&mut self, whole: &[u8], parts: impl Iterator<Item = Range<usize>>) -> bool {
        let (text, words) = (self.bytes.len(), self.words.len());
        let mut run = 0..0;
        for part in parts {
            self.words.push(part.len() as u32);
            if part.start == run.end {
                run.end = part.end;
            } else {
                self.bytes.extend_from_slice(&whole[std::mem::replace(&mut run, part)]);
            }
        }
        self.bytes.extend_from_slice(&whole[run]);
        let is_ascii = self.bytes[text..].is_ascii();
        if !is_ascii {
            self.bytes.truncate(text);
            self.words.truncate(words);
        }
        is_ascii
    }

    /// Adds places in a string, given as ascending offsets into its bytes, to the words.
    pub(crate) fn places(&mut self, bytes: &[u8], byte_offsets: impl Iterator<Item = usize>) {
        push_offsets(bytes, byte_offsets, &mut self.words);
    }

    /// Puts it all together.
    pub(crate) fn finish(self) -> Vec<u8> {
        let Self { doubles, words, flags, mut bytes } = self;
        let text = &bytes[HEAD_BYTES..];
        let head: [f64; HEAD] = [
            doubles.len() as f64,
            words.len() as f64,
            flags.len() as f64,
            text.len() as f64,
            f64::from(u8::from(text.is_ascii())),
        ];
        place(&mut bytes[..HEAD_BYTES], head.map(f64::to_ne_bytes).into_iter());
        let aligned = bytes.len().next_multiple_of(size_of::<f64>());
        let (doubles_bytes, words_bytes) = (size_of_val(&*doubles), size_of_val(&*words));
        bytes.reserve_exact(aligned - bytes.len() + doubles_bytes + words_bytes + flags.len());
        bytes.resize(aligned + doubles_bytes + words_bytes, 0);
        let (for_doubles, for_words) = bytes[aligned..].split_at_mut(doubles_bytes);
        place(for_doubles, doubles.iter().map(|value| value.to_ne_bytes()));
        place(for_words, words.iter().map(|value| value.to_ne_bytes()));
        bytes.extend_from_slice(&flags);
        bytes
    }
}

/// Writes values one behind the other.
fn place<const N: usize>(bytes: &mut [u8], values: impl Iterator<Item = [u8; N]>) {
    bytes.chunks_exact_mut(N).zip(values).for_each(|(bytes, value)| bytes.copy_from_slice(&value));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_come_in_the_order_of_the_head() {
        let mut buffer = ResultBuffer::default();
        assert!(!buffer.string("aé".as_bytes()));
        buffer.double(1.5);
        buffer.flag(7);
        buffer.count(2);
        buffer.words(&[9]);
        let bytes = buffer.finish();
        let bits = |at: usize| u64::from_ne_bytes(bytes[at..at + 8].try_into().unwrap());
        let word = |at: usize| u32::from_ne_bytes(bytes[at..at + 4].try_into().unwrap());
        assert_eq!([0, 8, 16, 24, 32].map(bits), [2.0, 2.0, 1.0, 3.0, 0.0].map(f64::to_bits), "the head");
        assert_eq!(&bytes[40..48], "aé\0\0\0\0\0".as_bytes(), "the text, and what fills it up");
        assert_eq!(([48, 56].map(bits), [64, 68].map(word)), ([1.5, 2.0].map(f64::to_bits), [2, 9]), "the columns");
        assert_eq!(bytes[72..], [7]);
    }

    #[test]
    fn room_that_was_made_does_not_show() {
        let fill = |mut buffer: ResultBuffer| {
            buffer.double(1.0);
            buffer.string(b"abc");
            buffer.flag(1);
            buffer.finish()
        };
        let exact = fill(ResultBuffer::with_room(Room { doubles: 1, words: 1, flags: 1, text: 3 }));
        assert_eq!(exact.capacity(), exact.len());
        assert_eq!(exact, fill(ResultBuffer::default()));
    }

    #[test]
    fn parts_of_a_text_are_the_strings_they_would_be_one_by_one() {
        let whole = "one/two/thréé/four".as_bytes();
        for (reason, parts, is_ascii) in [
            ("none", vec![], true),
            ("side by side", vec![0..3, 3..8], true),
            ("apart", vec![0..3, 4..7, 15..19], true),
            ("backwards", vec![4..7, 0..3], true),
            ("an empty one", vec![0..3, 3..3, 4..7], true),
            ("one is not ASCII", vec![0..3, 8..15, 15..19], false),
        ] {
            let (mut together, mut apart) = (ResultBuffer::default(), ResultBuffer::default());
            together.string(b"before");
            apart.string(b"before");
            assert_eq!(together.ascii_parts(whole, parts.iter().cloned()), is_ascii, "{reason}");
            if is_ascii {
                for part in parts {
                    apart.string(&whole[part]);
                }
            }
            assert_eq!(together.finish(), apart.finish(), "{reason}");
        }
    }
}
