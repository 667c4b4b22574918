//! What a grep found.

use crate::content::Freshness;
use crate::context::StopReason;
use crate::cost::{ARRAY, CONTEXT_LINE, Cost, GREP_MATCH, SUBMATCH};

/// How many submatches one line may have; the others are left out.
pub const MAX_SUBMATCHES: usize = 100_000;

/// A matched line; in the other modes, a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineMatch {
    /// The index of its file in [`GrepOutcome::paths`].
    pub file: usize,
    /// 1-based; 0 in count and files mode.
    pub line_number: u64,
    /// The line without its terminator `\n`. Not necessarily UTF-8.
    pub line: Vec<u8>,
    /// The lines before it that do not match and are not in `after` of the previous match.
    pub before: Vec<ContextLine>,
    /// The lines after it, up to the next match.
    pub after: Vec<ContextLine>,
    /// Whether the line, one of its context lines, the context or `submatches` was cut.
    pub truncated: bool,
    /// In count mode, the number of matched lines or matches of the file.
    pub match_count: Option<u64>,
    /// With [`Binary::Search`](super::Binary::Search): the file has a NUL byte, so that this line is not shown, and the
    /// search of the file ended here.
    pub binary: bool,
    /// The ranges of the matches in `line`: the first [`MAX_SUBMATCHES`].
    pub submatches: Vec<Submatch>,
    /// Whether the last of them includes the end of the line; with `multiline` and a replacement.
    pub takes_line_end: bool,
    /// With a replacement, the text in place of each of them; `None` for the rest of a match that begins in an earlier line.
    pub replacements: Vec<Option<Vec<u8>>>,
}

impl LineMatch {
    /// What it costs in a result, without its context.
    pub(super) fn own_cost(&self) -> Cost {
        let mut cost = Cost::default();
        cost.add(GREP_MATCH + self.submatches.len() * SUBMATCH);
        cost.add_text(&self.line);
        self.replacements.iter().flatten().for_each(|text| cost.add_text(text));
        cost
    }

    /// What it costs in a result.
    pub(super) fn cost(&self) -> Cost {
        self.before.iter().chain(&self.after).fold(self.own_cost(), |cost, line| cost.plus(line.cost()))
    }
}

/// A line of context.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContextLine {
    /// 1-based.
    pub line_number: u64,
    /// The line without its terminator.
    pub line: Vec<u8>,
    /// Whether it is a matched line over the limit of the file.
    pub is_match: bool,
    /// As in a match: of a line over the limit, or if the matched lines are the ones without a match.
    pub submatches: Vec<Submatch>,
    /// As in a match.
    pub replacements: Vec<Option<Vec<u8>>>,
}

impl ContextLine {
    /// What it costs in a result.
    pub(super) fn cost(&self) -> Cost {
        let mut cost = Cost::default();
        cost.add(CONTEXT_LINE);
        if !self.submatches.is_empty() {
            cost.add(ARRAY + self.submatches.len() * SUBMATCH);
        }
        cost.add_text(&self.line);
        self.replacements.iter().flatten().for_each(|text| cost.add_text(text));
        cost
    }
}

/// The range of a match in a line, in bytes. It begins and ends between characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Submatch {
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

/// The engine of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RegexEngine {
    /// Rust's `regex`, on the pattern as given or repaired.
    #[default]
    Regex,
    /// PCRE2, on the pattern as given or repaired.
    Pcre2,
    /// A literal search, because the caller asked for it or the pattern is not a valid expression.
    Literal,
}

/// How many files were not searched, or not completely, and how many directories were not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    /// Over `max_file_size`; or with a line that is too long to hold in memory, which ends the search of the file. In
    /// multiline mode a file that is too long to hold in memory is not searched at all.
    pub oversized: u64,
    /// With a NUL byte, which ends the search of the file as in ripgrep.
    pub binary: u64,
    /// Files and directories that could not be read.
    pub unreadable: u64,
    /// With a line that exceeds PCRE2's limit for backtracking, which ends the search of the file.
    pub too_costly: u64,
    /// Directories `node_modules`, not counting those that the ignore rules or the filters leave out. Their files are not in
    /// the other counts.
    pub node_modules: u64,
}

/// A pattern that was not searched as given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchedPattern {
    /// As given.
    pub pattern: String,
    /// The expression that was searched.
    pub searched: String,
}

/// A place where a string occurs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// The text.
    pub text: String,
    /// The file, like [`GrepOutcome::paths`].
    pub path: Vec<u8>,
    /// 1-based.
    pub line_number: u64,
}

/// The result of a grep.
#[derive(Clone, Debug, Default)]
pub struct GrepOutcome {
    /// The files with matches, relative to the root; a single file by its name. Not necessarily UTF-8.
    pub paths: Vec<Vec<u8>>,
    /// Matches in path order, within a file in line order.
    pub matches: Vec<LineMatch>,
    /// How many lines (in files mode: files) matched in the searched files, including those left out by `offset`.
    pub total: u64,
    /// How many files had a match.
    pub files_with_matches: u64,
    /// How many files were searched, in path order up to where the search stopped. Includes `files_excluded`.
    pub files_searched: u64,
    /// How many files an index proved to have no match, so that they were not opened.
    pub files_excluded: u64,
    /// If an index was used: how it is known that the files were still as they were indexed.
    pub freshness: Option<Freshness>,
    /// How many files were opened. Tests pin this cost: without limits it is the same for the same files.
    pub files_opened: u64,
    /// How many bytes were read, for the same use.
    pub bytes_read: u64,
    /// Whether `max_count` left something out.
    pub limit_reached: bool,
    /// How many files had more matches than `max_count_per_file`.
    pub files_cut: u64,
    /// The files that were not searched, or not completely.
    pub skipped: Skipped,
    /// The first 16 files and directories that could not be read, in path order, relative to the root; an ignore file above
    /// the root has an absolute path.
    pub unreadable_paths: Vec<Vec<u8>>,
    /// The engine that searched.
    pub engine: RegexEngine,
    /// The pattern that was searched, if it is not the given one, which is the only one.
    pub searched_pattern: Option<String>,
    /// Of several patterns, those that were not searched as given. A pattern that was taken literally is escaped.
    pub searched_patterns: Vec<SearchedPattern>,
    /// If nothing matched, the first place where a pattern occurs as a literal text. The search for it is bounded.
    pub as_typed: Option<Occurrence>,
    /// The globs that were used, if the option holds several.
    pub globs: Vec<String>,
    /// What an exclusion, or a glob that selects no file, may have meant; or why a
    /// pattern without a match cannot match in single lines.
    pub hint: Option<String>,
    /// Why matches may be missing; `None` if the result is complete.
    pub stop_reason: Option<StopReason>,
}
