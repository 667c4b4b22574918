//! What was typed, made ready for matching.

use crate::fold::{character_mask, fold_into, symbols};

/// From so many letters on one slip is forgiven, and from so many on two.
const ONE_SLIP: usize = 4;
const TWO_SLIPS: usize = 9;
/// A word of fewer letters is not recognized any more when one of them is wrong.
const SHORT_WORD: usize = 3;
/// Nor is one of fewer when two are: half of four letters are in every other path.
const MIDDLING_WORD: usize = 5;

/// A query has at most so many bytes.
pub const MAX_BYTES: usize = 1024;
/// And so many words and segments of words: each is compared with every directory.
pub const MAX_PIECES: usize = 32;

/// A parsed query: words that must all match, each a file name or a path of abbreviated segments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    pub(crate) words: Vec<Word>,
}

/// One word of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    /// As typed, without a leading `./`.
    pub(crate) typed: Vec<u8>,
    /// Lower-case.
    pub(crate) folded: Vec<u8>,
    /// What has to occur in order: `folded` without ASCII punctuation; in a path, with the slashes between segments.
    pub(crate) letters: Vec<u8>,
    /// The segments between slashes, lower-case; one without a slash.
    pub(crate) segments: Vec<Segment>,
    /// Whether the word ends with a slash, and so wants a directory.
    pub(crate) wants_directory: bool,
    /// The upper-case letters, as typed.
    pub(crate) upper_case: Vec<Vec<u8>>,
}

/// One segment of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    pub(crate) folded: Vec<u8>,
    pub(crate) letters: Vec<u8>,
    /// The characters of `letters`.
    pub(crate) mask: u64,
}

impl Query {
    /// Parses what was typed. Words are separated by white space; a backslash is a slash; punctuation matters only
    /// where it helps. A word without a letter or digit is dropped, and so is one that was there before.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut words: Vec<Word> = Vec::new();
        for word in text.split_whitespace().filter_map(Word::parse) {
            if !words.contains(&word) {
                words.push(word);
            }
        }
        Self { words }
    }

    /// Whether a text is too long to be looked for: more than [`MAX_BYTES`] or [`MAX_PIECES`].
    #[must_use]
    pub fn is_too_long(text: &str) -> bool {
        let is_between = |character: char| character.is_whitespace() || matches!(character, '/' | '\\');
        text.len() > MAX_BYTES || text.split(is_between).filter(|piece| !piece.is_empty()).count() > MAX_PIECES
    }

    /// Whether nothing is left to look for. Such a query matches nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// How many slips are forgiven in the whole query.
    #[must_use]
    pub fn slips(&self) -> usize {
        let letters: usize = self.words.iter().map(Word::count).sum();
        usize::from(letters >= ONE_SLIP) + usize::from(letters >= TWO_SLIPS)
    }

    /// Whether every path that matches this query as typed also matches `shorter`: each word of `shorter` has its
    /// letters in order in a word of this query.
    #[must_use]
    pub fn narrows(&self, shorter: &Self) -> bool {
        shorter.words.iter().all(|short| self.words.iter().any(|word| word.contains(short)))
    }

    /// Whether every path that matches this query, slips forgiven, also matches `shorter` so: word by word it begins
    /// with `shorter`, and as many slips are forgiven.
    #[must_use]
    pub fn narrows_slips(&self, shorter: &Self) -> bool {
        let slips = self.slips();
        slips == shorter.slips()
            && shorter.words.len() <= self.words.len()
            && shorter.words.iter().zip(&self.words).all(|(short, word)| {
                short.slips().min(slips) == word.slips().min(slips)
                    && word.letters.starts_with(&short.letters)
                    && short.wants_directory <= word.wants_directory
                    && short.is_path() <= word.is_path()
            })
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
        let letters = segments.iter().map(|segment| segment.letters.as_slice()).collect::<Vec<_>>().join(&b'/');
        let cases = symbols(&typed).zip(symbols(&folded));
        let upper_case = cases.filter(|(typed, lower)| typed != lower).map(|(typed, _)| typed.to_vec()).collect();
        (!letters.is_empty()).then_some(Self { typed, folded, letters, segments, wants_directory, upper_case })
    }

    /// Whether the word names a path, not just a file.
    pub(crate) fn is_path(&self) -> bool {
        self.segments.len() > 1 || self.wants_directory
    }

    /// How many letters and digits there are.
    fn count(&self) -> usize {
        self.segments.iter().map(|segment| symbols(&segment.letters).count()).sum()
    }

    /// How many slips are forgiven in this word, when the query allows so many.
    pub(crate) fn slips(&self) -> usize {
        let letters = self.count();
        usize::from(letters >= SHORT_WORD) + usize::from(letters >= MIDDLING_WORD)
    }

    fn contains(&self, short: &Self) -> bool {
        let mut wanted = symbols(&short.letters).peekable();
        for symbol in symbols(&self.letters) {
            wanted.next_if_eq(&symbol);
        }
        wanted.peek().is_none() && short.wants_directory <= self.wants_directory
    }
}

impl Segment {
    fn parse(text: &str) -> Self {
        let folded = folded(text.as_bytes());
        let letters: Vec<u8> =
            folded.iter().copied().filter(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii()).collect();
        Self { mask: character_mask(&letters), letters, folded }
    }
}

fn folded(text: &[u8]) -> Vec<u8> {
    let mut folded = Vec::with_capacity(text.len());
    fold_into(text, &mut folded);
    folded
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
    fn a_word_is_looked_for_once() {
        assert_eq!(Query::parse("core e e core e"), Query::parse("core e"));
        assert_eq!(Query::parse("core core/").words.len(), 2, "a directory is something else");
    }

    #[test]
    fn a_query_of_too_many_bytes_words_or_segments_is_too_long() {
        for (text, is_too_long) in [
            ("e".repeat(1024), false),
            ("e".repeat(1025), true),
            ("é".repeat(513), true),
            ("e ".repeat(32), false),
            ("e ".repeat(33), true),
            ("e/".repeat(32), false),
            ("e\\f ".repeat(17), true),
        ] {
            assert_eq!(Query::is_too_long(&text), is_too_long, "{} bytes: {text}", text.len());
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
        assert!(query.words[0].upper_case == [b"S"] && query.words[1].upper_case.is_empty());
        assert!(query.words[1].wants_directory);
    }

    #[test]
    fn slips_are_forgiven_by_letters_of_the_whole_query() {
        for (query, slips) in
            [("cor", 0), ("core", 1), ("c-o.r", 0), ("ab cd", 1), ("schedcore", 2), ("éééé", 1), ("kernel/co", 1)]
        {
            assert_eq!(Query::parse(query).slips(), slips, "{query}");
        }
    }

    #[test]
    fn a_query_narrows_what_it_extends() {
        for (longer, shorter, narrows) in [
            ("core", "cor", true),
            ("core s", "core", true),
            ("score", "core", true),
            ("kernel/s", "kernel", true),
            ("core", "core", true),
            ("cor", "core", false),
            ("ker/s", "ker/", false),
            ("core", "core s", false),
            ("kernelsched", "kernel/sched", false),
            ("©", "é", false),
        ] {
            assert_eq!(Query::parse(longer).narrows(&Query::parse(shorter)), narrows, "{longer} after {shorter}");
        }
    }
}
