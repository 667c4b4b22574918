//! The result of searching one file.

use super::outcome::LineMatch;

/// The result of searching one file.
#[derive(Debug, Default)]
pub(super) struct FileResult {
    pub(super) state: FileState,
    /// Whether the file was opened, and how many bytes of it were read.
    pub(super) opened: bool,
    pub(super) bytes_read: u64,
    /// If this is not 0, the result is of this many files in a row that an index proved to have no match, so that they were not
    /// opened.
    pub(super) excluded: u32,
    /// How many of them have a NUL byte that would have ended the search.
    pub(super) excluded_binary: u32,
    pub(super) matches: Vec<LineMatch>,
    /// The number of matched lines, or of matches. The search ends at one more than the page has room for.
    pub(super) count: u64,
    /// Whether the file has more matches than its limit allows; `count` is without them.
    pub(super) cut: bool,
    /// Whether a NUL byte ended the search.
    pub(super) binary: bool,
    /// Whether the last match is the first one after a NUL byte, and the search ended there.
    pub(super) binary_match: bool,
    /// Whether a line that is too long to hold in memory ended the search.
    pub(super) oversized: bool,
    /// Whether PCRE2 exceeded its limit on a line.
    pub(super) too_costly: bool,
    /// How many matched lines at the start are in `count`, but not in `matches`.
    pub(super) skipped: u64,
    /// Whether the matches exceed the budget of a result; the rest is missing.
    pub(super) over_budget: bool,
    /// Whether the search ended because too many results of later files wait; the rest is missing.
    pub(super) crowded_out: bool,
    /// The cost of `matches` while they wait for the results of earlier files.
    pub(super) held: usize,
}

/// Whether a file was searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum FileState {
    #[default]
    Searched,
    /// It does not exist any more, or is not a file any more.
    Vanished,
    Oversized,
    Unreadable,
}

impl FileResult {
    /// The number of files that it is the result of.
    pub(super) fn files(&self) -> u64 {
        u64::from(self.excluded.max(1))
    }

    /// Adds a file that was not opened to the results of a list. The last result may be that of such files too.
    pub(super) fn add_excluded(results: &mut Vec<(usize, Self)>, index: usize, binary: bool) {
        let has_run = results.last().is_some_and(|(_, last)| last.excluded > 0);
        if !has_run {
            results.push((index, Self::default()));
        }
        if let Some((_, last)) = results.last_mut() {
            last.excluded += 1;
            last.excluded_binary += u32::from(binary);
        }
    }
}
