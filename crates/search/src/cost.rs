//! The cost of a result: the memory of its JavaScript objects and strings, which is more than the same takes in Rust.

/// The maximal cost of a result, in bytes. A JavaScript engine with a heap of 512 MB can hold it.
pub(crate) const MAX_RESULT_BYTES: usize = 256 << 20;

/// The size of an object without its fields, of a field or an item of an array, and of a string without its characters.
const OBJECT: usize = 24;
const FIELD: usize = 8;
const STRING: usize = 32;
/// An array of one item.
pub(crate) const ARRAY: usize = 32 + 16 + FIELD;

/// A place in the list of matches, and the object there with `fields` fields.
const fn listed(fields: usize) -> usize {
    FIELD + OBJECT + fields * FIELD
}

/// A match of `glob`, and what its times add to it.
pub(crate) const GLOB_MATCH: usize = listed(2);
pub(crate) const GLOB_DETAILS: usize = 104;
/// A match of `fuzzyFind`, whose path is a second string for a directory, and the array of its positions.
pub(crate) const FIND_MATCH: usize = listed(3) + STRING;
pub(crate) const FIND_POSITIONS: usize = ARRAY + 40;
pub(crate) const FIND_POSITION: usize = FIELD;
/// A file of `grep`, a match with its array of submatches, a submatch in an array that has grown, and a line of
/// context.
pub(crate) const GREP_FILE: usize = listed(3);
pub(crate) const GREP_MATCH: usize = listed(5) + ARRAY;
pub(crate) const SUBMATCH: usize = listed(2) + FIELD;
pub(crate) const CONTEXT_LINE: usize = listed(2) + ARRAY + FIELD;

/// The cost of a part of a result.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cost {
    objects: usize,
    text: usize,
    is_wide: bool,
}

impl Cost {
    /// Adds an object or an array of objects.
    pub(crate) fn add(&mut self, bytes: usize) {
        self.objects += bytes;
    }

    /// Adds a string.
    pub(crate) fn add_text(&mut self, text: &[u8]) {
        self.objects += STRING;
        self.text += text.len();
        self.is_wide = self.is_wide || !text.is_ascii();
    }

    /// Adds the most that `count` strings with `bytes` of text in all can cost.
    pub(crate) fn add_any_texts(&mut self, count: usize, bytes: usize) {
        self.objects += count * STRING;
        self.text += bytes;
        self.is_wide = true;
    }

    /// The sum of two costs.
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            objects: self.objects + other.objects,
            text: self.text + other.text,
            is_wide: self.is_wide || other.is_wide,
        }
    }

    /// The cost in bytes among any other strings.
    pub(crate) fn max_bytes(self) -> usize {
        self.objects + 2 * self.text
    }

    /// The cost in bytes. Strings are decoded many together, and a single character outside of Latin-1 makes each character of
    /// these take two bytes.
    pub(crate) fn bytes(self) -> usize {
        self.objects + if self.is_wide { 2 * self.text } else { self.text }
    }
}
