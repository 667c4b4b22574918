//! Parses a query.

use crate::fold::{character_mask, fold_into, symbols};
use crate::role::Roles;

/// The minimal number of letters for one typo, and for two.
const ONE_TYPO: usize = 4;
const TWO_TYPOS: usize = 9;
/// The minimal number of letters of a word with one typo: a shorter word is not recognisable with a wrong letter.
const SHORT_WORD: usize = 3;
/// The minimal number of letters of a word with two typos: many paths contain two of any four letters.
const MEDIUM_WORD: usize = 5;

/// The maximal length of a query in bytes.
pub const MAX_BYTES: usize = 1024;
/// The maximal number of words and segments of words of a query: each is compared with every directory.
pub const MAX_PIECES: usize = 32;

/// A parsed query: words that must all match. Each is a name or a path; its segments may be abbreviated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    pub(crate) words: Vec<Word>,
    /// The roles of files that it asks for.
    pub(crate) roles: Roles,
}

/// One word of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    /// As typed, without a leading `./`.
    pub(crate) typed: Vec<u8>,
    /// Lower-case.
    pub(crate) folded: Vec<u8>,
    /// What a path contains that has the word as typed: `folded` without segments that say nothing, and with the slash at the
    /// end.
    pub(crate) wanted: Vec<u8>,
    /// The letters that must occur in order: `folded` without ASCII punctuation, but with the slashes between segments.
    pub(crate) letters: Vec<u8>,
    /// The segments between slashes, lower-case; one segment if there is no slash.
    pub(crate) segments: Vec<Segment>,
    /// Whether the word ends with a slash, so that only directories match, and what is in them.
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
    /// Parses a query. White space separates words; a backslash is a slash; punctuation can only improve the score. A word
    /// without a letter or digit is dropped, and so is a repeated word.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut words: Vec<Word> = Vec::new();
        for word in text.split_whitespace().filter_map(Word::parse) {
            if !words.contains(&word) {
                words.push(word);
            }
        }
        let roles = words.iter().map(|word| Roles::of_query(&word.folded));
        let roles = roles.fold(Roles::default(), Roles::and);
        Self { words, roles }
    }

    /// Whether a string is too long for a query: more than [`MAX_BYTES`] or [`MAX_PIECES`].
    #[must_use]
    pub fn is_too_long(text: &str) -> bool {
        let is_between = |character: char| character.is_whitespace() || matches!(character, '/' | '\\');
        text.len() > MAX_BYTES || text.split(is_between).filter(|piece| !piece.is_empty()).count() > MAX_PIECES
    }

    /// Whether the query has no words. Such a query matches nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The maximal number of typos in the whole query.
    #[must_use]
    pub fn typos(&self) -> usize {
        let letters: usize = self.words.iter().map(Word::count).sum();
        usize::from(letters >= ONE_TYPO) + usize::from(letters >= TWO_TYPOS)
    }

    /// Whether every path that matches this query as typed also matches `shorter`: each word of `shorter` has its
    /// letters in order in a word of this query.
    #[must_use]
    pub fn narrows(&self, shorter: &Self) -> bool {
        shorter.words.iter().all(|short| self.words.iter().any(|word| word.contains(short)))
    }

    /// Whether every path that matches this query with typos also matches `shorter` with typos: each word begins with the
    /// word of `shorter`, and both may have the same number of typos.
    #[must_use]
    pub fn narrows_with_typos(&self, shorter: &Self) -> bool {
        let typos = self.typos();
        typos == shorter.typos()
            && shorter.words.len() <= self.words.len()
            && shorter.words.iter().zip(&self.words).all(|(short, word)| {
                short.typos().min(typos) == word.typos().min(typos)
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
        let mut wanted = typed.split('/').filter(|part| !matches!(*part, "" | ".")).collect::<Vec<_>>().join("/");
        if wants_directory {
            wanted.push('/');
        }
        let typed = typed.trim_matches('/').as_bytes().to_vec();
        let folded = folded(&typed);
        let letters = segments.iter().map(|segment| segment.letters.as_slice()).collect::<Vec<_>>().join(&b'/');
        let cases = symbols(&typed).zip(symbols(&folded));
        let upper_case = cases.filter(|(typed, lower)| typed != lower).map(|(typed, _)| typed.to_vec()).collect();
        let wanted = self::folded(wanted.as_bytes());
        (!letters.is_empty()).then_some(Self { typed, folded, wanted, letters, segments, wants_directory, upper_case })
    }

    /// Whether the word has a slash.
    pub(crate) fn is_path(&self) -> bool {
        self.segments.len() > 1 || self.wants_directory
    }

    /// The number of letters and digits.
    fn count(&self) -> usize {
        self.segments.iter().map(|segment| symbols(&segment.letters).count()).sum()
    }

    /// The maximal number of typos in this word, if the query allows that many.
    pub(crate) fn typos(&self) -> usize {
        let letters = self.count();
        usize::from(letters >= SHORT_WORD) + usize::from(letters >= MEDIUM_WORD)
    }

    fn contains(&self, short: &Self) -> bool {
        let mut wanted = short.symbols().peekable();
        for symbol in self.symbols() {
            wanted.next_if_eq(&symbol);
        }
        wanted.peek().is_none()
    }

    /// The letters, with the slash at the end.
    fn symbols(&self) -> impl Iterator<Item = &[u8]> {
        let slash = if self.wants_directory { b"/".as_slice() } else { &[] };
        symbols(&self.letters).chain(symbols(slash))
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
    fn a_repeated_word_is_dropped() {
        assert_eq!(Query::parse("core e e core e"), Query::parse("core e"));
        assert_eq!(Query::parse("core core/").words.len(), 2, "a directory is another word");
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
    fn words_are_split_into_segments() {
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
    fn the_number_of_typos_depends_on_the_letters_of_the_whole_query() {
        for (query, typos) in
            [("cor", 0), ("core", 1), ("c-o.r", 0), ("ab cd", 1), ("schedcore", 2), ("éééé", 1), ("kernel/co", 1)]
        {
            assert_eq!(Query::parse(query).typos(), typos, "{query}");
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
            ("ker/s", "ker/", true),
            ("k/er", "ker/", false),
            ("a/b/c", "ab/", true),
            ("ker/", "ker/s", false),
            ("core", "core s", false),
            ("kernelsched", "kernel/sched", false),
            ("©", "é", false),
        ] {
            assert_eq!(Query::parse(longer).narrows(&Query::parse(shorter)), narrows, "{longer} after {shorter}");
        }
    }
}
