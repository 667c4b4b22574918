//! What a grep searches for, and where.

use std::path::PathBuf;

use crate::context::Scope;

/// The unit that a grep reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GrepMode {
    /// Matched lines.
    #[default]
    Content,
    /// The number of matched lines or matches per file.
    Count,
    /// Files with a match.
    FilesWithMatches,
}

/// What count mode counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CountUnit {
    /// Matched lines.
    #[default]
    Lines,
    /// Matches; with `invert`, lines.
    Matches,
    /// Matches if the pattern may match over lines, otherwise lines: ripgrep's `--count`.
    Spanning,
}

/// What a NUL byte in a file means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Binary {
    /// It ends the search of the file: ripgrep's default.
    #[default]
    Skip,
    /// It ends a line. The search of the file ends at the first match that shows that the file has one, as with
    /// `rg --binary`.
    Search,
    /// It is a character like any other, as with `rg --text`.
    Text,
}

/// The options of a grep.
#[derive(Clone, Debug)]
pub struct GrepOptions {
    /// Regular expressions in Rust's syntax, or in PCRE2's if Rust's does not have it. A line matches if one of them does;
    /// none match nothing.
    pub patterns: Vec<String>,
    /// Take the patterns literally. Default: false.
    pub literal: bool,
    /// Use PCRE2 for every pattern that it accepts. Default: false.
    pub pcre2: bool,
    /// The directory or file to search. A file is searched even if the filters exclude it.
    pub scope: Scope,
    /// Only files whose relative path matches one of these globs; a `!` before one excludes them. The last glob that matches
    /// decides. A comma outside of braces separates several globs if every one has a wildcard; of these, the ones that
    /// exclude decide.
    pub globs: Vec<String>,
    /// Only files of one of these types: a type of ripgrep, another common name of one, or an extension that some file has.
    pub file_types: Vec<String>,
    /// No files of these types.
    pub excluded_types: Vec<String>,
    /// The depth of the deepest files; 1 means only those in the root itself. Default: no limit.
    pub max_depth: Option<usize>,
    /// Follow symbolic links, to each directory once. Default: false.
    pub follow_links: bool,
    /// Search `node_modules`. Default: whether a glob mentions it, or the cache is not used.
    pub include_node_modules: Option<bool>,
    /// What a NUL byte in a file means. Default: [`Binary::Skip`].
    pub binary: Binary,
    /// Ignore case. Default: false.
    pub ignore_case: bool,
    /// Ignore case if the patterns have a literal character, and none in upper case. Default: false.
    pub smart_case: bool,
    /// Only matches without a word character directly before or after them. Default: false.
    pub whole_word: bool,
    /// Only matches of a whole line. Default: false.
    pub whole_line: bool,
    /// The lines without a match. Default: false.
    pub invert: bool,
    /// Let matches span lines. Default: false.
    pub multiline: bool,
    /// A `\r` before a `\n` belongs to the end of the line: `$` matches before both, and without `multiline` nothing
    /// matches a `\r`. Default: false.
    pub crlf: bool,
    /// Return with each match what would replace it: `$1` and `${name}` stand for groups, `$$` for `$`. Default: none.
    pub replacement: Option<String>,
    /// The unit to report. Default: lines.
    pub mode: GrepMode,
    /// What count mode counts. Default: lines.
    pub count_unit: CountUnit,
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
    /// Find where the matches in a line are. Without it, a line has no submatches unless `max_columns` or `replacement` needs
    /// them. Default: true.
    pub submatches: bool,
    /// The maximal number of lines of one file in which a match begins. Later ones can only be context. Default: no limit.
    pub max_count_per_file: Option<u64>,
    /// The maximal size in bytes of a file that is searched. Default: no limit.
    pub max_file_size: Option<u64>,
}

impl GrepOptions {
    /// Options for all lines that match `pattern` in the files below `path`, hidden files included.
    #[must_use]
    pub fn new(pattern: impl Into<String>, path: impl Into<PathBuf>) -> Self {
        Self {
            patterns: vec![pattern.into()],
            literal: false,
            pcre2: false,
            scope: Scope { include_hidden: true, ..Scope::new(path) },
            globs: Vec::new(),
            file_types: Vec::new(),
            excluded_types: Vec::new(),
            max_depth: None,
            follow_links: false,
            include_node_modules: None,
            binary: Binary::Skip,
            ignore_case: false,
            smart_case: false,
            whole_word: false,
            whole_line: false,
            invert: false,
            multiline: false,
            crlf: false,
            replacement: None,
            mode: GrepMode::Content,
            count_unit: CountUnit::Lines,
            max_count: None,
            offset: 0,
            context_before: 0,
            context_after: 0,
            max_columns: None,
            submatches: true,
            max_count_per_file: None,
            max_file_size: None,
        }
    }
}
