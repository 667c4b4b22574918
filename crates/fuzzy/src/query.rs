//! What was typed, made ready for matching.

use crate::fold::{character_mask, fold_into};

/// A parsed query: words that must all match, each a file name or a path of abbreviated segments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    pub(crate) words: Vec<Word>,
    mask: u64,
}

/// One word of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    /// As typed, without a leading `./`.
    pub(crate) typed: Vec<u8>,
    /// Lower-case.
    pub(crate) folded: Vec<u8>,
    /// `folded` without ASCII punctuation; what has to occur in order.
    pub(crate) letters: Vec<u8>,
    /// The segments between slashes, lower-case; one without a slash.
    pub(crate) segments: Vec<Segment>,
    /// Whether the word ends with a slash, and so wants a directory.
    pub(crate) wants_directory: bool,
    /// Whether an upper-case letter was typed.
    pub(crate) has_upper_case: bool,
}

/// One segment of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    pub(crate) folded: Vec<u8>,
    pub(crate) letters: Vec<u8>,
}

impl Query {
    /// Parses what was typed. Words are separated by white space; a backslash is a slash; punctuation matters only
    /// where it helps. A word without a letter or digit is dropped.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let words: Vec<Word> = text.split_whitespace().filter_map(Word::parse).collect();
        let mask = words.iter().fold(0, |mask, word| mask | character_mask(&word.letters));
        Self { words, mask }
    }

    /// Whether nothing is left to look for. Such a query matches nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The characters a path needs to match; see [`character_mask`].
    #[must_use]
    pub fn mask(&self) -> u64 {
        self.mask
    }
}

impl Word {
    fn parse(text: &str) -> Option<Self> {
        let slashed = text.replace('\\', "/");
        let mut typed = slashed.as_str();
        while let Some(rest) = typed.strip_prefix("./") {
            typed = rest;
        }
        let wants_directory = typed.ends_with('/');
        let segments: Vec<Segment> =
            typed.split('/').map(Segment::parse).filter(|segment| !segment.letters.is_empty()).collect();
        let typed = typed.trim_matches('/').as_bytes().to_vec();
        let folded = folded(&typed);
        let letters = letters(&folded);
        let has_upper_case = folded != typed;
        (!letters.is_empty()).then_some(Self { typed, folded, letters, segments, wants_directory, has_upper_case })
    }

    /// Whether the word names a path, not just a file.
    pub(crate) fn is_path(&self) -> bool {
        self.segments.len() > 1 || self.wants_directory
    }
}

impl Segment {
    fn parse(text: &str) -> Self {
        let folded = folded(text.as_bytes());
        Self { letters: letters(&folded), folded }
    }
}

fn folded(text: &[u8]) -> Vec<u8> {
    let mut folded = Vec::with_capacity(text.len());
    fold_into(text, &mut folded);
    folded
}

fn letters(folded: &[u8]) -> Vec<u8> {
    folded.iter().copied().filter(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_of_punctuation_is_empty() {
        for text in ["", " ", "./", "--", "/", ".//.", "__", "- _", "\\"] {
            assert!(Query::parse(text).is_empty(), "query {text:?}");
        }
    }

    #[test]
    fn words_and_segments_are_told_apart() {
        let query = Query::parse("./Src\\main  util/");
        let segments: Vec<Vec<&[u8]>> = query
            .words
            .iter()
            .map(|word| word.segments.iter().map(|segment| segment.folded.as_slice()).collect())
            .collect();
        assert_eq!(segments, [vec![&b"src"[..], b"main"], vec![&b"util"[..]]]);
        assert!(query.words[0].has_upper_case && !query.words[1].has_upper_case);
        assert!(query.words[1].wants_directory);
    }
}
