//! Several matchers as one, for patterns that cannot be one program.

use std::cell::{Cell, RefCell};

use grep_matcher::{Captures, Match, Matcher};
use grep_regex::RegexMatcher;

use super::pcre::{Failure, Groups, PcreMatcher};

/// Matches where one of its parts does: the first match in the text, of the first part that has one there.
///
/// The groups of the parts are numbered in sequence, as in one expression.
pub(super) struct ManyMatcher<'a> {
    parts: Vec<Part<'a>>,
    /// What the last search of each part found, if the text is the same for the lifetime of this matcher. Without it, each
    /// match of one part would cost a search of the others up to the end of the text.
    known: Option<RefCell<Vec<Option<Known>>>>,
    /// The part of the last captures. Groups of other parts may have the same names.
    captured: Cell<usize>,
}

/// A matcher of one engine.
pub(super) enum Part<'a> {
    Regex(&'a RegexMatcher),
    Pcre2(PcreMatcher<'a>),
}

impl Part<'_> {
    fn find_at(&self, text: &[u8], at: usize) -> Result<Option<Match>, Failure> {
        match self {
            // Rust's engine does not fail.
            Self::Regex(matcher) => Ok(matcher.find_at(text, at).ok().flatten()),
            Self::Pcre2(matcher) => matcher.find_at(text, at),
        }
    }

    fn captures_at(&self, text: &[u8], at: usize) -> Result<Groups, Failure> {
        let mut groups = Groups::default();
        match self {
            Self::Regex(matcher) => {
                if let Ok(mut captures) = matcher.new_captures()
                    && matcher.captures_at(text, at, &mut captures) == Ok(true)
                {
                    groups.0.extend((0..captures.len()).map(|index| captures.get(index)));
                }
            }
            Self::Pcre2(matcher) => {
                matcher.captures_at(text, at, &mut groups)?;
            }
        }
        Ok(groups)
    }

    /// The number of groups without the match itself.
    fn groups(&self) -> usize {
        match self {
            Self::Regex(matcher) => matcher.capture_count() - 1,
            Self::Pcre2(matcher) => matcher.capture_count() - 1,
        }
    }

    fn capture_index(&self, name: &str) -> Option<usize> {
        match self {
            Self::Regex(matcher) => matcher.capture_index(name),
            Self::Pcre2(matcher) => matcher.capture_index(name),
        }
    }
}

/// The first match of a part from an offset of a string.
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
        Self { parts, known, captured: Cell::new(0) }
    }

    /// The first match of all parts, and the part that has it.
    fn first(&self, text: &[u8], at: usize) -> Result<Option<(usize, Match)>, Failure> {
        let mut first: Option<(usize, Match)> = None;
        for index in 0..self.parts.len() {
            if let Some(found) = self.find_part(index, text, at)?
                && first.is_none_or(|(_, first)| found.start() < first.start())
            {
                first = Some((index, found));
            }
        }
        Ok(first)
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
        let found = self.parts[index].find_at(text, at)?;
        if let Some(known) = &self.known {
            known.borrow_mut()[index] = Some(Known { text: slice, from: at, found });
        }
        Ok(found)
    }

    /// The number of the groups before a part.
    fn groups_before(&self, part: usize) -> usize {
        self.parts[..part].iter().map(Part::groups).sum()
    }
}

impl Matcher for ManyMatcher<'_> {
    type Captures = Groups;
    type Error = Failure;

    fn find_at(&self, text: &[u8], at: usize) -> Result<Option<Match>, Failure> {
        Ok(self.first(text, at)?.map(|(_, found)| found))
    }

    fn new_captures(&self) -> Result<Groups, Failure> {
        Ok(Groups::default())
    }

    fn capture_index(&self, name: &str) -> Option<usize> {
        let part = self.captured.get();
        self.parts.get(part)?.capture_index(name).map(|index| self.groups_before(part) + index)
    }

    fn captures_at(&self, text: &[u8], at: usize, groups: &mut Groups) -> Result<bool, Failure> {
        groups.0.clear();
        let Some((part, found)) = self.first(text, at)? else { return Ok(false) };
        self.captured.set(part);
        let own = self.parts[part].captures_at(text, at)?;
        groups.0.push(Some(found));
        groups.0.resize(1 + self.groups_before(part), None);
        groups.0.extend(own.0.into_iter().skip(1));
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_part_found_counts_only_for_the_same_text_and_later_offsets() {
        let [a, b] = ["a", "b"].map(|pattern| RegexMatcher::new(pattern).expect("an expression"));
        for same_text in [false, true] {
            let matcher = ManyMatcher::new(vec![Part::Regex(&a), Part::Regex(&b)], same_text);
            let start = |text: &[u8], at| matcher.find_at(text, at).ok().flatten().map(|found| found.start());
            let starts = [3, 0, 1, 2, 4, 5].map(|at| start(b"ab ab", at));
            assert_eq!(starts, [Some(3), Some(0), Some(1), Some(3), Some(4), None], "{same_text}");
            assert_eq!(start(b"-b", 0), Some(1), "{same_text}");
        }
    }
}
