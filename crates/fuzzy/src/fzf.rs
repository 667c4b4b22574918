//! Queries in the extended search syntax of fzf: `'exact`, `'boundary'`, `^prefix`, `suffix$`, `!not`, `a | b`.
//!
//! A layer around the plain query. Words without signs stay words of a plain query. Every other term is a condition that a
//! path meets or not: see [`Terms`]. The plain query that ranks the matches has the words and the texts of the conditions.
//! `parseTerms` in fzf's `src/pattern.go` decides what a sign means, except that a path which holds a term with its signs
//! meets it too.

use std::ops::Range;

use crate::align::Letters;
use crate::fold::fold_into;
use crate::query::Query;
use crate::subsequence::advance;

/// A query in the extended search syntax of fzf.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FzfQuery {
    /// The words without signs, which all must match.
    pub words: Query,
    /// The conditions that a path must also meet.
    pub terms: Terms,
    /// The queries that rank a match; the best of them counts. Every path that meets the conditions and matches `words` also
    /// matches one of these, unless `has_unranked`.
    pub rankings: Vec<Query>,
    /// Whether paths that none of the rankings match are matches: without rankings, or with an alternative that has no
    /// letters or is negated.
    pub has_unranked: bool,
}

/// The terms of a query that have signs or alternatives: conditions that a path meets or not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// A path must meet one term of each set.
    sets: Vec<Vec<Term>>,
    /// The terms with their signs, lower-case.
    literals: Vec<Vec<u8>>,
}

/// One term.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Term {
    kind: TermKind,
    is_negated: bool,
    /// The text without its signs; lower-case unless `is_case_sensitive`.
    text: Vec<u8>,
    is_case_sensitive: bool,
    /// The term with its signs, lower-case; `None` if it has none.
    literal: Option<Vec<u8>>,
    /// The text for the query that ranks.
    typed: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TermKind {
    /// The letters occur in order.
    Fuzzy,
    Exact,
    /// Occurs between the boundaries of words.
    Boundary,
    Prefix,
    Suffix,
    Whole,
}

/// A path as the user sees it: the path of a directory ends with `/`. Keeps its memory for the next path.
#[derive(Debug, Default)]
pub struct Line {
    text: Vec<u8>,
    folded: Vec<u8>,
}

impl Line {
    /// Reads a path, which has no slash at its end.
    pub fn read(&mut self, path: &[u8], is_directory: bool) {
        self.text.clear();
        self.text.extend_from_slice(path);
        if is_directory {
            self.text.push(b'/');
        }
        self.folded.clear();
        fold_into(&self.text, &mut self.folded);
    }

    /// Returns the line as it is.
    pub(crate) fn text(&self) -> &[u8] {
        &self.text
    }

    /// Returns the line in lower case.
    #[must_use]
    pub fn folded(&self) -> &[u8] {
        &self.folded
    }
}

/// Returns the lower-case form of a string that paths are compared with.
#[must_use]
pub fn folded(text: &str) -> Vec<u8> {
    let mut folded = Vec::with_capacity(text.len());
    fold_into(text.as_bytes(), &mut folded);
    folded
}

impl FzfQuery {
    /// Parses a query. Spaces separate terms, and a backslash before a space makes it a part of the term. A term with an
    /// upper-case letter is compared with its case, as in fzf; a word without signs is compared as in a plain query.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let (sets, literals) = parse_sets(text);
        let is_word = |set: &Vec<Term>| matches!(set.as_slice(), [term] if term.is_word());
        let (words, sets): (Vec<_>, Vec<_>) = sets.into_iter().partition(is_word);
        let words: Vec<&str> = words.iter().flatten().map(|term| term.typed.as_str()).collect();
        let required = sets.iter().filter_map(|set| match set.as_slice() {
            [term] if !term.is_negated => Some(term.ranking_text()),
            _ => None,
        });
        let all_words: Vec<String> = words.iter().map(|&word| word.to_owned()).chain(required).collect();
        let ranking = Query::parse(&all_words.join(" "));
        let mut rankings = vec![ranking];
        let mut has_unranked = false;
        if rankings[0].is_empty() {
            // Nothing is in every match, so the alternatives of one set rank.
            let alternatives = |set: &Vec<Term>| -> Vec<Query> {
                let texts = set.iter().map(|term| if term.is_negated { String::new() } else { term.ranking_text() });
                texts.map(|text| Query::parse(&text)).collect()
            };
            let ranked = sets.iter().map(alternatives).find(|queries| queries.iter().any(|query| !query.is_empty()));
            rankings = ranked.unwrap_or_default();
            has_unranked = rankings.is_empty() || rankings.iter().any(Query::is_empty);
            rankings.retain(|query| !query.is_empty());
        }
        Self { words: Query::parse(&words.join(" ")), terms: Terms { sets, literals }, rankings, has_unranked }
    }
}

/// The sets of alternatives of a query, and its terms with signs, lower-case. Follows `parseTerms` of fzf.
fn parse_sets(text: &str) -> (Vec<Vec<Term>>, Vec<Vec<u8>>) {
    let (mut sets, mut literals, mut set) = (Vec::new(), Vec::new(), Vec::new());
    let (mut ends_set, mut is_after_bar) = (false, false);
    for token in tokens(text) {
        if !set.is_empty() && !is_after_bar && token == "|" {
            ends_set = false;
            is_after_bar = true;
            continue;
        }
        is_after_bar = false;
        let term = Term::parse(&token);
        literals.extend(term.literal.clone());
        if !term.text.is_empty() {
            if ends_set {
                sets.push(std::mem::take(&mut set));
            }
            set.push(term);
            ends_set = true;
        }
    }
    if !set.is_empty() {
        sets.push(set);
    }
    (sets, literals)
}

/// The terms of a query with their signs; `\ ` is a space in a term.
fn tokens(text: &str) -> impl Iterator<Item = String> {
    let escaped = text.replace("\\ ", "\0");
    let tokens: Vec<String> = escaped.split_whitespace().map(|token| token.replace('\0', " ")).collect();
    tokens.into_iter()
}

impl Term {
    fn parse(token: &str) -> Self {
        let is_case_sensitive = token.to_lowercase() != token;
        let mut kind = TermKind::Fuzzy;
        let mut text = token;
        let is_negated = text.starts_with('!');
        if is_negated {
            kind = TermKind::Exact;
            text = &text[1..];
        }
        if text != "$"
            && let Some(rest) = text.strip_suffix('$')
        {
            kind = TermKind::Suffix;
            text = rest;
        }
        if let Some(inner) = text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''))
            && !inner.is_empty()
        {
            kind = TermKind::Boundary;
            text = inner;
        } else if let Some(rest) = text.strip_prefix('\'') {
            kind = if is_negated { TermKind::Fuzzy } else { TermKind::Exact };
            text = rest;
        } else if let Some(rest) = text.strip_prefix('^') {
            kind = if kind == TermKind::Suffix { TermKind::Whole } else { TermKind::Prefix };
            text = rest;
        }
        Self {
            kind,
            is_negated,
            text: if is_case_sensitive { text.as_bytes().to_vec() } else { folded(text) },
            is_case_sensitive,
            literal: (text.len() < token.len()).then(|| folded(token)),
            typed: text.to_owned(),
        }
    }

    /// Whether a plain query does the same: a word without signs that has a letter.
    fn is_word(&self) -> bool {
        self.literal.is_none() && !self.typed.contains(' ') && !Query::parse(&self.typed).is_empty()
    }

    /// Words that match every path which meets the term.
    fn ranking_text(&self) -> String {
        // A slash at the end would ask for directories, and a backslash is a slash in a plain query.
        let words = self.typed.split([' ', '\\']).map(|word| word.trim_end_matches('/'));
        words.collect::<Vec<_>>().join(" ")
    }

    /// Whether a path meets it with letters that are not adjacent.
    fn is_letters(&self) -> bool {
        self.kind == TermKind::Fuzzy && !self.is_negated
    }

    fn is_met(&self, line: &Line) -> bool {
        self.is_found(line) != self.is_negated || self.is_literal_in(line)
    }

    fn is_literal_in(&self, line: &Line) -> bool {
        self.literal.as_ref().is_some_and(|literal| memchr::memmem::find(&line.folded, literal).is_some())
    }

    fn compared<'l>(&self, line: &'l Line) -> &'l [u8] {
        if self.is_case_sensitive { &line.text } else { &line.folded }
    }

    fn is_found(&self, line: &Line) -> bool {
        match self.kind {
            TermKind::Fuzzy => advance(&self.text, 0, self.compared(line)) == self.text.len(),
            _ => self.find(line).is_some(),
        }
    }

    /// Where the text is in the line, unless only its letters are.
    fn find(&self, line: &Line) -> Option<Range<usize>> {
        let (text, wanted) = (self.compared(line), self.text.as_slice());
        // As in fzf, whitespace at the ends of a line do not count, unless the term has one there.
        let start = if wanted.first().is_some_and(u8::is_ascii_whitespace) {
            0
        } else {
            text.len() - text.trim_ascii_start().len()
        };
        let end =
            if wanted.last().is_some_and(u8::is_ascii_whitespace) { text.len() } else { text.trim_ascii_end().len() };
        let at = match self.kind {
            TermKind::Fuzzy => None,
            TermKind::Exact => memchr::memmem::find(text, wanted),
            TermKind::Boundary => {
                memchr::memmem::find_iter(text, wanted).find(|&at| is_between_words(&line.text, at..at + wanted.len()))
            }
            TermKind::Prefix => text[start..].starts_with(wanted).then_some(start),
            TermKind::Suffix => text[..end].ends_with(wanted).then(|| end - wanted.len()),
            TermKind::Whole => (start <= end && text[start..end] == *wanted).then_some(start),
        }?;
        Some(at..at + wanted.len())
    }

    fn mark(&self, line: &Line, positions: &mut Vec<usize>) {
        if let Some(literal) = &self.literal
            && let Some(at) = memchr::memmem::find(&line.folded, literal)
        {
            positions.extend(at..at + literal.len());
        } else if self.is_negated {
        } else if self.kind == TermKind::Fuzzy {
            if self.is_found(line) {
                Letters::new(&self.text).trace(&line.text, self.compared(line), positions);
            }
        } else {
            positions.extend(self.find(line).unwrap_or_default());
        }
    }
}

/// Whether neither a letter nor a digit is next to a part of a string.
fn is_between_words(text: &[u8], part: Range<usize>) -> bool {
    let before = text[..part.start].utf8_chunks().last();
    let before = before.filter(|chunk| chunk.invalid().is_empty()).and_then(|chunk| chunk.valid().chars().next_back());
    let after = text[part.end..].utf8_chunks().next().and_then(|chunk| chunk.valid().chars().next());
    !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
}

impl Terms {
    /// Whether there are no conditions: every path meets them.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }

    /// Whether a path meets all conditions.
    #[must_use]
    pub fn are_met(&self, line: &Line) -> bool {
        self.sets.iter().all(|set| set.iter().any(|term| term.is_met(line)))
    }

    /// Returns the sets that a path may meet without what was typed.
    pub(crate) fn with_guesses(&self) -> Self {
        let sets = self.sets.iter().filter(|set| set.iter().any(Term::is_letters)).cloned().collect();
        Self { sets, literals: Vec::new() }
    }

    /// The worst of the sets, each as good as its best term that a path meets. `of_letters` judges the lower-case text of a term
    /// that is met by letters; `None` is the best, and the kind of every other term.
    pub(crate) fn worst<G: Ord>(&self, line: &Line, of_letters: impl Fn(&[u8]) -> Option<G>) -> Option<G> {
        let of_term = |term: &Term| if term.is_letters() { of_letters(&folded(&term.typed)) } else { None };
        let best = |set: &Vec<Term>| set.iter().filter(|term| term.is_met(line)).map(of_term).min().flatten();
        self.sets.iter().filter_map(best).max()
    }

    /// The terms with their signs, in lower case, if there are any: paths that hold one of these come first.
    pub fn literals(&self) -> impl Iterator<Item = &[u8]> {
        self.literals.iter().map(Vec::as_slice)
    }

    /// Appends the offsets of the bytes of a line that the conditions name.
    pub fn mark(&self, line: &Line, positions: &mut Vec<usize>) {
        for term in self.sets.iter().flatten() {
            term.mark(line, positions);
        }
    }
}

#[cfg(test)]
mod tests;
