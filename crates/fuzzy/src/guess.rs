//! Guesses: matches whose paths do not contain the words of a query as typed.
//!
//! A kind is decided by the path that a user sees and by whether the match has typos, not by the tier: tiers serve the order.

use crate::fzf::{Line, Terms};
use crate::name::{begins_word, is_word};
use crate::query::{Query, Word};
use crate::score::Tier;
use crate::subsequence::advance;

/// How a path matches a query although it does not contain each word as typed, the nearest kind first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Guess {
    /// The letters split into pieces that begin words of the path, in order: initials, abbreviations, words that were typed
    /// without what separates them, or with other punctuation.
    Initials,
    /// It has a typo.
    Typo,
    /// The letters occur in the path in order.
    Scattered,
}

/// The words of a query, prepared to tell matches from guesses. Conditions with operators of fzf are never guesses.
#[derive(Debug, Default)]
pub struct Guesses {
    words: Vec<Wanted>,
    terms: Terms,
}

/// A word that a path may contain.
#[derive(Debug)]
struct Wanted {
    text: Vec<u8>,
    letters: Vec<u8>,
    /// For each byte, the bits of its places in `letters`. Empty if there are more letters than bits.
    places: Vec<u128>,
}

impl Guesses {
    /// Prepares the words of `query` and the alternatives of `terms`.
    #[must_use]
    pub fn new(query: Option<&Query>, terms: &Terms) -> Self {
        let words = query.iter().flat_map(|query| &query.words).map(Wanted::of_word).collect();
        Self { words, terms: terms.with_guesses() }
    }

    /// Whether no match can be a guess.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty() && self.terms.is_empty()
    }

    /// Returns the kind of guess that a match with this score is: the word that fits least decides. `None` if the path contains each word as
    /// typed, in any case of its letters.
    #[must_use]
    pub fn of(&self, line: &Line, score: u32) -> Option<Guess> {
        let has_typos = Tier::NameTypo.includes(score) || Tier::PathTypo.includes(score);
        let of_words = self.words.iter().filter_map(|word| word.guess(line, has_typos)).max();
        of_words.max(self.terms.worst(line, |text| Wanted::of_text(text).guess(line, false)))
    }
}

impl Wanted {
    fn of_word(word: &Word) -> Self {
        let mut letters = word.letters.clone();
        if word.wants_directory {
            letters.push(b'/');
        }
        Self::new(word.wanted.clone(), letters)
    }

    fn of_text(text: &[u8]) -> Self {
        let letters = text.iter().copied().filter(|&byte| is_word(byte) || byte == b'/').collect();
        Self::new(text.to_vec(), letters)
    }

    fn new(text: Vec<u8>, letters: Vec<u8>) -> Self {
        let mut places = Vec::new();
        if letters.len() < u128::BITS as usize {
            places = vec![0; 256];
            for (at, &byte) in letters.iter().enumerate() {
                places[usize::from(byte)] |= 1_u128 << at;
            }
        }
        Self { text, letters, places }
    }

    fn guess(&self, line: &Line, has_typos: bool) -> Option<Guess> {
        if memchr::memmem::find(line.folded(), &self.text).is_some() {
            None
        } else if self.begins_words(line) {
            Some(Guess::Initials)
        } else if has_typos || advance(&self.letters, 0, line.folded()) < self.letters.len() {
            Some(Guess::Typo)
        } else {
            Some(Guess::Scattered)
        }
    }

    /// Whether the letters split into pieces that each begin a word of a path, in order. A slash may be any later one.
    fn begins_words(&self, line: &Line) -> bool {
        if self.places.is_empty() {
            return false;
        }
        // A bit for each number of letters: found up to here, and found with the last one right before this byte.
        let (mut found, mut adjacent) = (1_u128, 0_u128);
        for (at, &byte) in line.folded().iter().enumerate() {
            let from = if byte == b'/' || begins_word(line.text(), at) { found } else { adjacent };
            adjacent = (from & self.places[usize::from(byte)]) << 1;
            found |= adjacent;
        }
        found >> self.letters.len() & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fzf::FzfQuery;

    fn guess(query: &str, path: &str, tier: Tier) -> Option<Guess> {
        let mut line = Line::default();
        line.read(path.trim_end_matches('/').as_bytes(), path.ends_with('/'));
        Guesses::new(Some(&Query::parse(query)), &Terms::default()).of(&line, tier as u32 * 1000 + 999)
    }

    #[test]
    fn a_path_that_contains_each_word_as_typed_is_not_a_guess() {
        for (reason, query, path) in [
            ("a part of a name", "ched", "kernel/sched/core.c"),
            ("another case", "README", "docs/readme.md"),
            ("another case outside ASCII", "ÄRGER", "x/ärger.txt"),
            ("with its punctuation", "app.jsx", "src/App.jsx"),
            ("across a slash", "ched/co", "kernel/sched/core.c"),
            ("words in another order", "core kernel", "kernel/sched/core.c"),
            ("one letter", "c", "kernel/sched/core.c"),
            ("a leading ./ and a slash say nothing", "./sched/core /kernel", "kernel/sched/core.c"),
            ("nor do a dot and a slash more between segments", "sched/.//core", "kernel/sched/core.c"),
            ("a directory with its slash", "sched/", "kernel/sched/"),
            ("what is in a directory", "sched/", "kernel/sched/core.c"),
            ("a backslash is a slash", "sched\\core", "kernel/sched/core.c"),
            ("words without letters do not count", "core --", "kernel/sched/core.c"),
            ("a segment of punctuation", "a/--/b", "a/--/b"),
        ] {
            assert_eq!(guess(query, path, Tier::Scattered), None, "{reason}: {query} in {path}");
        }
    }

    #[test]
    fn the_kind_of_a_guess_is_that_of_the_word_that_fits_least() {
        use Guess::{Initials, Scattered, Typo};
        for (reason, query, path, tier, kind) in [
            ("starts of segments", "schedcore", "kernel/sched/core.c", Tier::Runs, Initials),
            ("initials", "ksc", "kernel/sched/core.c", Tier::Runs, Initials),
            ("abbreviated segments", "ker/sch/cor", "kernel/sched/core.c", Tier::Path, Initials),
            ("an abbreviated directory", "sch/", "kernel/sched/", Tier::Path, Initials),
            ("a name without its punctuation", "pagealloc", "mm/page_alloc.c", Tier::Prefix, Initials),
            ("other punctuation", "usb-xhci", "usb_xhci.c", Tier::Prefix, Initials),
            ("words in capitals", "fbz", "src/fooBarZoo.c", Tier::Runs, Initials),
            ("letters that were left out", "tmplt", "src/template.c", Tier::Runs, Scattered),
            ("letters inside words", "gitignore", "packages/integration/ignore/x.ts", Tier::Scattered, Scattered),
            ("a letter too many", "app.jsx", "src/app.js", Tier::NameTypo, Typo),
            ("two letters swapped", "flie", "src/file.c", Tier::NameTypo, Typo),
            (
                "a typo whose letters the path happens to have",
                "ihd-primax",
                "drivers/hid/hid-primax.c",
                Tier::NameTypo,
                Typo,
            ),
            ("a typo in a path", "flie x", "file/x.c", Tier::PathTypo, Typo),
            ("a typo and initials", "flie kc", "kernel/file/core.c", Tier::PathTypo, Typo),
            ("a word as typed and a scattered one", "core knl", "kernel/sched/core.c", Tier::Scattered, Scattered),
            ("the parent directory is in no path", "../core", "kernel/sched/core.c", Tier::Prefix, Initials),
            ("the directory of another name", "ched/core", "schedule/core.c", Tier::Path, Scattered),
        ] {
            assert_eq!(guess(query, path, tier), Some(kind), "{reason}: {query} in {path}");
        }
    }

    #[test]
    fn a_word_with_more_letters_than_bits_has_no_initials() {
        let path = "ab/".repeat(64);
        let letters = |count: usize| "ab".repeat(count);
        assert_eq!(guess(&letters(63), &path, Tier::PathWords), Some(Guess::Initials));
        assert_eq!(guess(&letters(64), &path, Tier::PathWords), Some(Guess::Scattered));
    }

    #[test]
    fn conditions_are_not_guesses_and_alternatives_count_as_the_best_one() {
        use Guess::{Initials, Scattered};
        for (reason, query, path, expected) in [
            ("met conditions", "^ker core.c$ !test 'sched", "kernel/sched/core.c", None),
            ("a word next to a condition", "ksc !test", "kernel/sched/core.c", Some(Initials)),
            ("an alternative as typed", "x | core", "kernel/sched/core.c", None),
            ("an alternative that is met with its sign", "krn | .c$", "kernel/sched/core.c", None),
            ("alternatives of letters", "krn | ksc", "kernel/sched/core.c", Some(Initials)),
            ("one alternative of letters", "zz | krn", "kernel/sched/core.c", Some(Scattered)),
            ("an escaped space", "my\\ file", "docs/My file.txt", None),
            ("letters around an escaped space", "m\\ fl", "docs/my file.txt", Some(Scattered)),
            ("a path with the signs themselves", "!x", "a/!x.c", None),
        ] {
            let FzfQuery { words, terms, .. } = FzfQuery::parse(query);
            let mut line = Line::default();
            line.read(path.as_bytes(), false);
            assert_eq!(Guesses::new(Some(&words), &terms).of(&line, 0), expected, "{reason}: {query} in {path}");
        }
    }
}
