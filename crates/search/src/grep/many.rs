//! Several matchers as one, for patterns that cannot be one program.

use std::cell::RefCell;

use grep_matcher::{Match, Matcher, NoCaptures};
use grep_regex::RegexMatcher;

use super::pcre::{Failure, PcreMatcher};

/// Matches where one of its parts does: the first match in the text, of the first part that has one there.
pub(super) struct ManyMatcher<'a> {
    parts: Vec<Part<'a>>,
    /// What the last search of each part found, if the text is the same for the lifetime of this matcher. Without it, each
    /// match of one part would cost a search of the others up to the end of the text.
    known: Option<RefCell<Vec<Option<Known>>>>,
}

/// A matcher of one engine.
pub(super) enum Part<'a> {
    Regex(&'a RegexMatcher),
    Pcre2(PcreMatcher<'a>),
}

/// The first match of a part from an offset of a text.
#[derive(Clone, Copy)]
struct Known {
    text: (*const u8, usize),
    from: usize,
    found: Option<Match>,
}

impl<'a> ManyMatcher<'a> {
    /// `same_text`: whether every text is a part of one text that does not change, and the same slice is the same text.
    pub(super) fn new(parts: Vec<Part<'a>>, same_text: bool) -> Self {
        let known = same_text.then(|| RefCell::new(vec![None; parts.len()]));
        Self { parts, known }
    }

    fn find_part(&self, index: usize, text: &[u8], at: usize) -> Result<Option<Match>, Failure> {
        let slice = (text.as_ptr(), text.len());
        if let Some(known) = &self.known
            && let Some(known) = known.borrow()[index]
            && known.text == slice
            && known.from <= at
            && known.found.is_none_or(|found| found.start() >= at)
        {
            return Ok(known.found);
        }
        let found = match &self.parts[index] {
            // Rust's engine does not fail.
            Part::Regex(matcher) => matcher.find_at(text, at).ok().flatten(),
            Part::Pcre2(matcher) => matcher.find_at(text, at)?,
        };
        if let Some(known) = &self.known {
            known.borrow_mut()[index] = Some(Known { text: slice, from: at, found });
        }
        Ok(found)
    }
}

impl Matcher for ManyMatcher<'_> {
    type Captures = NoCaptures;
    type Error = Failure;

    fn find_at(&self, text: &[u8], at: usize) -> Result<Option<Match>, Failure> {
        let mut first: Option<Match> = None;
        for index in 0..self.parts.len() {
            if let Some(found) = self.find_part(index, text, at)?
                && first.is_none_or(|first| found.start() < first.start())
            {
                first = Some(found);
            }
        }
        Ok(first)
    }

    fn new_captures(&self) -> Result<NoCaptures, Failure> {
        Ok(NoCaptures::new())
    }
}
