//! What a fuzzy find is asked for.

use std::path::PathBuf;
use std::sync::Arc;

use cairn_walk::Kind;

use crate::context::Scope;

use super::list::PathList;

/// The syntax of a query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QuerySyntax {
    /// Words.
    #[default]
    Plain,
    /// Words and terms with signs: see [`FzfQuery`](cairn_fuzzy::FzfQuery).
    Fzf,
}

/// The options of a fuzzy find.
#[derive(Clone, Debug)]
pub struct FindOptions {
    /// The query as the user typed it. An empty one lists everything. A path of it that begins with the root is relative to
    /// the root.
    pub query: String,
    /// The syntax of `query`. Default: [`QuerySyntax::Plain`].
    pub syntax: QuerySyntax,
    /// The entries to search.
    pub scope: Scope,
    /// The paths to search instead of the entries below the path of `scope`.
    pub list: Option<Arc<PathList>>,
    /// Only entries of this kind. Links are of the kind of their target.
    pub kind: Option<Kind>,
    /// Only entries with one of these extensions, in any case, with or without a dot before them. Empty: all entries.
    pub extensions: Vec<String>,
    /// The maximal number of hits. Default: 100.
    pub max_results: usize,
    /// Also return which bytes matched. Default: false.
    pub include_positions: bool,
}

impl FindOptions {
    /// The 100 best matches of `query` below `path`.
    #[must_use]
    pub fn new(query: impl Into<String>, path: impl Into<PathBuf>) -> Self {
        Self {
            query: query.into(),
            syntax: QuerySyntax::Plain,
            scope: Scope::new(path),
            list: None,
            kind: None,
            extensions: Vec::new(),
            max_results: 100,
            include_positions: false,
        }
    }
}
