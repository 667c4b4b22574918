//! What a glob is asked for.

use std::path::PathBuf;

use cairn_walk::Kind;

use crate::context::Scope;
use crate::glob_pattern::Anchoring;

/// The options of a glob.
#[derive(Clone, Debug)]
pub struct GlobOptions {
    /// The globs: `*` and `?` stop at `/`, `**` as a whole component does not; `[…]`, `{a,b}` and a backslash as in
    /// gitignore(5). Empty is `*`. A `!` before one excludes, also what is below a directory that matches. The last one that
    /// matches decides.
    pub patterns: Vec<String>,
    /// The entries to search.
    pub scope: Scope,
    /// Only entries of this kind. A symbolic link counts as the kind of its target. Default: all.
    pub kind: Option<Kind>,
    /// Only files of one of these types, as in [`GrepOptions`](crate::GrepOptions). Default: all entries.
    pub file_types: Vec<String>,
    /// No files of these types.
    pub excluded_types: Vec<String>,
    /// The depth of the deepest entries; 1 means only the root's own entries. Default: no limit.
    pub max_depth: Option<usize>,
    /// Follow symbolic links, to each directory once. Default: false.
    pub follow_links: bool,
    /// A pattern without `/` matches at any depth. Default: true.
    pub recursive: bool,
    /// The maximal number of hits. Default: no limit.
    pub max_results: Option<usize>,
    /// Newest first instead of path order. Default: false.
    pub sort_by_mtime: bool,
    /// Include the contents of `node_modules`. Default: whether the pattern mentions it.
    pub include_node_modules: Option<bool>,
}

impl GlobOptions {
    /// All entries below `path` that match `pattern`.
    #[must_use]
    pub fn new(pattern: impl Into<String>, path: impl Into<PathBuf>) -> Self {
        Self {
            patterns: vec![pattern.into()],
            scope: Scope::new(path),
            kind: None,
            file_types: Vec::new(),
            excluded_types: Vec::new(),
            max_depth: None,
            follow_links: false,
            recursive: true,
            max_results: None,
            sort_by_mtime: false,
            include_node_modules: None,
        }
    }

    /// The meaning of a pattern without a slash.
    pub(super) fn anchoring(&self) -> Anchoring {
        if self.recursive { Anchoring::Recursive } else { Anchoring::Rooted }
    }
}
