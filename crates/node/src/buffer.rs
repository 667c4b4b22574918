//! The one buffer a result crosses in.
//!
//! Layout, in the machine's byte order: a head of `f64`s, then columns of `f64`, columns of `u32`, columns of `u8`, and
//! the text: all strings as UTF-8 one behind the other. Their lengths, in UTF-16 code units, are among the columns.
//! Each kind of result says which columns it has; `packages/natives/src/decode.ts` reads them in the same order.

use crate::utf16::{push_offsets, push_text};

/// A result under construction.
#[derive(Default)]
pub(crate) struct ResultBuffer {
    doubles: Vec<f64>,
    words: Vec<u32>,
    flags: Vec<u8>,
    text: Vec<u8>,
}

/// The head's fields before those of the kind: how many doubles, words and flags follow, the bytes of text, and
/// whether the text is ASCII.
const HEAD: usize = 5;

impl ResultBuffer {
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
        let (units, lossy) = push_text(bytes, &mut self.text);
        self.words.push(units);
        lossy
    }

    /// Adds places in a string, given as ascending offsets into its bytes, to the words.
    pub(crate) fn places(&mut self, bytes: &[u8], byte_offsets: impl Iterator<Item = usize>) {
        push_offsets(bytes, byte_offsets, &mut self.words);
    }

    /// Puts it all together.
    pub(crate) fn finish(self) -> Vec<u8> {
        let size = (HEAD + self.doubles.len()) * 8 + self.words.len() * 4 + self.flags.len() + self.text.len();
        let head: [f64; HEAD] = [
            self.doubles.len() as f64,
            self.words.len() as f64,
            self.flags.len() as f64,
            self.text.len() as f64,
            f64::from(u8::from(self.text.is_ascii())),
        ];
        let mut bytes = vec![0; size];
        let mut at = 0;
        let mut place = |part: &[u8]| {
            bytes[at..at + part.len()].copy_from_slice(part);
            at += part.len();
        };
        head.iter().chain(&self.doubles).for_each(|value| place(&value.to_ne_bytes()));
        self.words.iter().for_each(|value| place(&value.to_ne_bytes()));
        place(&self.flags);
        place(&self.text);
        bytes
    }
}
