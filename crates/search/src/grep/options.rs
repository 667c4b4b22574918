//! What a grep searches for, and where.

use std::path::PathBuf;

use crate::context::Scope;

/// The unit that a grep reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GrepMode {
    /// Matched lines.
    #[default]
    Content,
    /// The number of matched lines per file.
    Count,
    /// Files with a match.
    FilesWithMatches,
}

/// The options of a grep.
#[derive(Clone, Debug)]
pub struct GrepOptions {
    /// A regular expression in Rust's syntax, or in PCRE2's if Rust's does not have it.
    pub pattern: String,
    /// Take the pattern literally. Default: false.
    pub literal: bool,
    /// The directory or file to search. A file is searched even if the filters exclude it.
    pub scope: Scope,
    /// Only files whose relative path matches this glob; a `!` before it excludes them. A comma outside of braces separates
    /// several globs if every one has a wildcard.
    pub glob: Option<String>,
    /// Only files of this type: one of ripgrep's types, another common name of one, or an extension that some file has.
    pub file_type: Option<String>,
    /// Ignore case. Default: false.
    pub ignore_case: bool,
    /// Let matches span lines. Default: false.
    pub multiline: bool,
    /// A `\r` before a `\n` belongs to the end of the line: `$` matches before both, and without `multiline` nothing
    /// matches a `\r`. Default: false.
    pub crlf: bool,
    /// The unit to report. Default: lines.
    pub mode: GrepMode,
    /// The maximal number of lines, matches or files, by mode. The search ends at the first one that is over the limit, or
    /// at the end of the tree. Default: no limit.
    pub max_count: Option<u64>,
    /// How many of them to leave out at the start. Default: 0.
    pub offset: u64,
    /// Lines of context before each match. Default: 0.
    pub context_before: usize,
    /// Lines of context after each match. Default: 0.
    pub context_after: usize,
    /// The maximal number of characters of a line. Default: whole lines.
    pub max_columns: Option<usize>,
    /// The maximal number of lines of one file. Default: no limit.
    pub max_count_per_file: Option<u64>,
    /// The maximal size in bytes of a file that is searched. Default: no limit.
    pub max_file_size: Option<u64>,
}

impl GrepOptions {
    /// Options for all lines that match `pattern` in the files below `path`, hidden files included.
    #[must_use]
    pub fn new(pattern: impl Into<String>, path: impl Into<PathBuf>) -> Self {
        Self {
            pattern: pattern.into(),
            literal: false,
            scope: Scope { include_hidden: true, ..Scope::new(path) },
            glob: None,
            file_type: None,
            ignore_case: false,
            multiline: false,
            crlf: false,
            mode: GrepMode::Content,
            max_count: None,
            offset: 0,
            context_before: 0,
            context_after: 0,
            max_columns: None,
            max_count_per_file: None,
            max_file_size: None,
        }
    }
}
