//! A query as the user typed it, in the parts that rank and the parts that filter.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use cairn_fuzzy::{FzfQuery, Guesses, Query, Terms};
use cairn_walk::{composed, to_bytes};

use crate::error::SearchError;

use super::filter::Filter;
use super::options::{FindOptions, QuerySyntax};

/// What a query asks for.
pub(super) struct ParsedQuery {
    /// The queries that rank a match; the best of them counts.
    pub(super) rankings: Vec<Query>,
    /// Whether entries that none of them match are matches too.
    pub(super) has_unranked: bool,
    /// What a match must pass in any case.
    pub(super) filter: Arc<Filter>,
    /// The conditions of the filter that have positions.
    pub(super) terms: Terms,
    /// The words that have positions besides these conditions, unless they are the only ranking.
    pub(super) words: Option<Query>,
}

impl ParsedQuery {
    /// Parses the query of a search below `root`, or in a list.
    pub(super) fn new(options: &FindOptions, root: Option<&PathBuf>) -> Result<Self, SearchError> {
        // Letters and their marks are compared in one form.
        let query = composed(options.query.as_bytes());
        let mut query = String::from_utf8_lossy(&query).into_owned();
        for root in root.iter().flat_map(|root| [&options.scope.path, root]) {
            query = below_root(&query, root, options.syntax);
        }
        if Query::is_too_long(&query) {
            return Err(SearchError::QueryTooLong);
        }
        let is_blank = query.trim().is_empty();
        let (rankings, has_unranked, terms, words) = match options.syntax {
            QuerySyntax::Plain => {
                let query = Query::parse(&query);
                let rankings = if query.is_empty() { Vec::new() } else { vec![query] };
                (rankings, is_blank, Terms::default(), None)
            }
            QuerySyntax::Fzf => {
                let FzfQuery { words, terms, rankings, has_unranked } = FzfQuery::parse(&query);
                let words = (!terms.is_empty()).then_some(words);
                (rankings, has_unranked, terms, words)
            }
        };
        let filter = Arc::new(Filter::new(options, terms.clone()));
        Ok(Self { rankings, has_unranked, filter, terms, words })
    }

    /// The words as typed, to tell matches from guesses.
    pub(super) fn guesses(&self) -> Guesses {
        Guesses::new(self.words.as_ref().or(self.rankings.first()), &self.terms)
    }

    /// Whether nothing can match.
    pub(super) fn matches_nothing(&self) -> bool {
        self.rankings.is_empty() && !self.has_unranked
    }

    /// Whether every entry matches.
    pub(super) fn matches_all(&self) -> bool {
        self.rankings.is_empty() && self.has_unranked && self.filter.is_open()
    }
}

/// The query, with each path in it that begins with `root` relative to that.
fn below_root(query: &str, root: &Path, syntax: QuerySyntax) -> String {
    let root = to_bytes(root);
    let Ok(root) = std::str::from_utf8(&composed(&root)).map(|root| root.trim_end_matches('/').to_owned()) else {
        return query.to_owned();
    };
    let begins = |before: Option<char>| {
        before.is_none_or(|one| one.is_whitespace() || (syntax == QuerySyntax::Fzf && matches!(one, '!' | '^' | '\'')))
    };
    let mut relative = String::with_capacity(query.len());
    let mut rest = query;
    while let Some(first) = rest.chars().next() {
        if begins(relative.chars().next_back())
            && let Some(below) = rest.strip_prefix(root.as_str())
            && below.chars().next().is_none_or(|next| next == '/' || next.is_whitespace())
        {
            rest = below.trim_start_matches('/');
            // Not the beginning of another path.
            if let Some(first) = rest.chars().next() {
                relative.push(first);
                rest = &rest[first.len_utf8()..];
            }
            continue;
        }
        relative.push(first);
        rest = &rest[first.len_utf8()..];
    }
    relative
}
