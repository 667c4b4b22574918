//! Grep over the files of a snapshot, or over one file.
//!
//! What matches is decided by ripgrep's own crates, set up as ripgrep sets them up, on a reader: the lines are those
//! of `rg -n --no-require-git`. Around them lies what an agent needs and ripgrep does not give: results in path order
//! whatever the number of threads, limits and paging over them, and an account of what was left out.

mod file;
mod matcher;
mod open;
mod page;
mod pcre;
mod repair;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cairn_cancel::{CancelToken, Stopped};
use cairn_pool::Ordered;
use cairn_walk::{Detail, Kind, ScanOptions, Snapshot, resolve_existing};

use crate::engine::{Engine, Scope, StopReason};
use crate::error::SearchError;
use crate::pattern::{Anchoring, GlobPattern, mentions_node_modules};
use crate::types::TypeFilter;

use self::file::{FileResult, FileSearcher};
use self::matcher::Compiled;
use self::page::Page;
use crate::engine::MAX_RESULT_BYTES;

/// Entries looked at per chunk.
const CHUNK: usize = 64;
/// How many places of matches are given for one line.
pub const MAX_SUBMATCHES: usize = 100_000;

/// What a grep reports.
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

/// What to look for.
#[derive(Clone, Debug)]
pub struct GrepOptions {
    /// A regular expression in Rust's syntax, or in PCRE2's where only that has a meaning for it.
    pub pattern: String,
    /// Take the pattern literally. Default: false.
    pub literal: bool,
    /// Where to look: a directory or a file. A file is searched whatever the filters say.
    pub scope: Scope,
    /// Only files whose relative path matches this glob.
    pub glob: Option<String>,
    /// Only files of this type: one of ripgrep's, else an extension.
    pub file_type: Option<String>,
    /// Ignore case. Default: false.
    pub ignore_case: bool,
    /// Let matches span lines. Default: false.
    pub multiline: bool,
    /// What to report. Default: lines.
    pub mode: GrepMode,
    /// At most so many lines, matches or files, by mode. The search ends at the next one, which shows that there are
    /// more, or at the end of the tree. Default: all.
    pub max_count: Option<u64>,
    /// Leave out the first so many of them. Default: 0.
    pub offset: u64,
    /// Lines of context before each match. Default: 0.
    pub context_before: usize,
    /// Lines of context after each match. Default: 0.
    pub context_after: usize,
    /// Cut lines to so many characters. Default: whole lines.
    pub max_columns: Option<usize>,
    /// At most so many lines of one file. Default: all.
    pub max_count_per_file: Option<u64>,
    /// Leave out files of more bytes. Default: none.
    pub max_file_size: Option<u64>,
}

impl GrepOptions {
    /// All lines that match `pattern` in the files below `path`, hidden ones included.
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

/// A matched line; in the other modes, a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineMatch {
    /// Which of [`GrepOutcome::paths`] it is in.
    pub file: usize,
    /// 1-based; 0 in count and files mode.
    pub line_number: u64,
    /// The line without its terminator `\n`. Not necessarily UTF-8.
    pub line: Vec<u8>,
    /// The lines before it that are no matches and were not shown behind the match before.
    pub before: Vec<ContextLine>,
    /// The lines behind it, up to the next match.
    pub after: Vec<ContextLine>,
    /// Whether the line or one of its context lines was cut, or `submatches` was.
    pub truncated: bool,
    /// In count mode, how many lines of the file matched.
    pub match_count: Option<u64>,
    /// Where in `line` the matches are: the first [`MAX_SUBMATCHES`].
    pub submatches: Vec<Submatch>,
}

/// A line of context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextLine {
    /// 1-based.
    pub line_number: u64,
    /// The line without its terminator.
    pub line: Vec<u8>,
}

/// A range of bytes of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Submatch {
    /// The first byte.
    pub start: usize,
    /// Behind the last byte.
    pub end: usize,
}

/// Which engine searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RegexEngine {
    /// Rust's `regex`, on the pattern as given or repaired.
    #[default]
    Regex,
    /// PCRE2, on the pattern as given or repaired.
    Pcre2,
    /// A literal search, asked for or because the pattern is no expression.
    Literal,
}

/// How many files were not, or not wholly, searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    /// Over `max_file_size`, or searched only up to a line (in multiline mode, not at all) too long to hold in memory.
    pub oversized: u64,
    /// With a NUL byte: searched up to the buffer before it, as ripgrep does.
    pub binary: u64,
    /// Files and directories that could not be read.
    pub unreadable: u64,
    /// With a line on which PCRE2 gave up, because it would have had to backtrack too often: searched up to it.
    pub too_costly: u64,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct GrepOutcome {
    /// The files that `matches` are in, relative to the root; a single file by its name. Not necessarily UTF-8.
    pub paths: Vec<Vec<u8>>,
    /// Matches in path order, within a file in line order.
    pub matches: Vec<LineMatch>,
    /// How many lines (in files mode: files) matched in what was searched, those left out by `offset` included.
    pub total: u64,
    /// How many files had a match.
    pub files_with_matches: u64,
    /// How many files were searched, in path order up to where the search stopped.
    pub files_searched: u64,
    /// How many files were opened for that, and how many bytes were read. A cost, for tests to hold: without limits
    /// the same for the same files.
    pub files_opened: u64,
    /// See `files_opened`.
    pub bytes_read: u64,
    /// Whether `max_count` left something out.
    pub limit_reached: bool,
    /// How many files had more matches than `max_count_per_file`, which left those out.
    pub files_cut: u64,
    /// What was not searched.
    pub skipped: Skipped,
    /// Which engine searched.
    pub engine: RegexEngine,
    /// What was searched for, when it is not the pattern as given.
    pub searched_pattern: Option<String>,
    /// Why matches may be missing.
    pub stop_reason: Option<StopReason>,
}

/// Searches the files below a directory, or one file.
///
/// A FIFO, socket or device is no file: searching it gives an empty result. Files are read into bounded buffers, never
/// mapped.
///
/// # Errors
/// [`SearchError`]: the root, the pattern, the glob, or the caller's end of the search.
pub fn grep(engine: Engine<'_>, options: &GrepOptions, cancel: &CancelToken) -> Result<GrepOutcome, SearchError> {
    let scope = &options.scope;
    let (root, metadata) = resolve_existing(&scope.path)?;
    let compiled = match Compiled::new(options, cancel) {
        Err(SearchError::Stopped(Stopped::TimedOut)) if scope.partial_on_timeout => {
            return Ok(GrepOutcome { stop_reason: Some(StopReason::Timeout), ..GrepOutcome::default() });
        }
        compiled => compiled?,
    };
    let call = Call { engine, options, compiled: &compiled, cancel };
    if !metadata.is_dir() {
        let single = if metadata.is_file() { single_file(&root) } else { None };
        return Ok(call.search(single.unwrap_or(Files::Nothing))?.0);
    }
    let glob = options.glob.as_deref();
    let pick = Pick {
        glob: glob.map(|glob| GlobPattern::compile(glob, [&root, &scope.path], Anchoring::Recursive)).transpose()?,
        file_type: options.file_type.as_deref().map(TypeFilter::new),
    };
    let scan = ScanOptions {
        include_hidden: scope.include_hidden,
        use_gitignore: scope.use_gitignore,
        skip_node_modules: scope.use_cache && !glob.is_some_and(mentions_node_modules),
        follow_links: false,
        detail: Detail::Minimal,
    };
    let request = scope.request(&root, scan);
    let part = pick.glob.as_ref().map(GlobPattern::scope).unwrap_or_default();
    let pick = Arc::new(pick);
    let search = |snapshot: &Arc<Snapshot>| call.search(Files::of(Arc::clone(snapshot), Arc::clone(&pick)));
    let (outcome, _) = if !scope.use_cache && !part.is_whole_tree() {
        search(&engine.cache.scan_subtree(&request, part, engine.pool, cancel)?)?
    } else {
        engine.on_snapshot(scope, &request, cancel, search, |&(_, files)| files == 0)?
    };
    Ok(outcome)
}

/// Where to look for files, in path order.
enum Files {
    Nothing,
    /// A single file, with its directory.
    Single {
        directory: PathBuf,
        name: Vec<u8>,
    },
    /// Those of a snapshot, among some of its entries.
    Tree {
        snapshot: Arc<Snapshot>,
        entries: Range<usize>,
        pick: Arc<Pick>,
    },
}

impl Files {
    fn of(snapshot: Arc<Snapshot>, pick: Arc<Pick>) -> Self {
        let entries = pick.glob.as_ref().map_or(0..snapshot.len(), |glob| snapshot.with_prefix(glob.prefix()));
        Self::Tree { snapshot, entries, pick }
    }

    fn len(&self) -> usize {
        match self {
            Self::Nothing => 0,
            Self::Single { .. } => 1,
            Self::Tree { entries, .. } => entries.len(),
        }
    }

    /// The path of what has number `index`, relative to where the search begins; `None` when it is not to be searched.
    fn wanted(&self, index: usize) -> Option<&[u8]> {
        match self {
            Self::Nothing => None,
            Self::Single { name, .. } => Some(name),
            Self::Tree { snapshot, entries, pick } => pick.wants(snapshot, entries.start + index),
        }
    }

    fn name(&self, index: usize) -> &[u8] {
        match self {
            Self::Nothing => b"",
            Self::Single { name, .. } => name,
            Self::Tree { snapshot, entries, .. } => snapshot.path(entries.start + index),
        }
    }
}

fn single_file(path: &Path) -> Option<Files> {
    let directory = path.parent()?.to_owned();
    let name = path.file_name()?.as_encoded_bytes().to_vec();
    Some(Files::Single { directory, name })
}

/// Which of a snapshot's files to search.
struct Pick {
    glob: Option<GlobPattern>,
    file_type: Option<TypeFilter>,
}

impl Pick {
    /// The path of an entry that is to be searched.
    fn wants<'s>(&self, snapshot: &'s Snapshot, entry: usize) -> Option<&'s [u8]> {
        if snapshot.kind(entry) != Kind::File {
            return None;
        }
        let path = snapshot.path(entry);
        let is_wanted = self.glob.as_ref().is_none_or(|glob| !glob.only_directories() && glob.matches(path))
            && self.file_type.as_ref().is_none_or(|file_type| file_type.matches(path));
        is_wanted.then_some(path)
    }
}

/// What one call searches with.
struct Call<'a> {
    engine: Engine<'a>,
    options: &'a GrepOptions,
    compiled: &'a Compiled,
    cancel: &'a CancelToken,
}

impl Call<'_> {
    /// Searches some files. Also says how many there were, up to where the search stopped.
    fn search(&self, files: Files) -> Result<(GrepOutcome, usize), SearchError> {
        let mut page = Page::new(self.options);
        let work = Arc::new(Searching { compiled: self.compiled.clone(), options: self.options.clone(), files });
        let mut seen = 0;
        let result = self.engine.ordered(&work, work.files.len(), CHUNK, self.cancel, |results| {
            seen += results.len();
            results.into_iter().try_for_each(|(index, result)| page.add(work.files.name(index), result))
        });
        let mut timeout = self.options.scope.settle(result)?;
        let mut outcome = page.finish();
        if let Files::Tree { snapshot, .. } = &work.files {
            outcome.skipped.unreadable += snapshot.unreadable();
            timeout = timeout.or(snapshot.cut().map(StopReason::from));
        }
        outcome.engine = self.compiled.engine();
        outcome.searched_pattern = self.compiled.repaired().map(ToOwned::to_owned);
        outcome.stop_reason = timeout.or(outcome.stop_reason);
        Ok((outcome, seen))
    }
}

struct Searching {
    compiled: Compiled,
    options: GrepOptions,
    files: Files,
}

impl Ordered for Searching {
    type State = FileSearcher;
    type Output = Vec<(usize, FileResult)>;

    fn state(&self) -> FileSearcher {
        FileSearcher::new(&self.compiled, &self.options)
    }

    fn chunk(
        &self,
        searcher: &mut FileSearcher,
        range: Range<usize>,
        check: &dyn Fn() -> Result<(), Stopped>,
    ) -> Result<Self::Output, Stopped> {
        let mut results = Vec::new();
        // A single file was resolved by name; one of a tree is no link, or was none when it was listed.
        let (root, through_link) = match &self.files {
            Files::Nothing => (Path::new(""), false),
            Files::Single { directory, .. } => (directory.as_path(), true),
            Files::Tree { snapshot, .. } => (snapshot.root(), false),
        };
        check()?;
        for index in range {
            let Some(name) = self.files.wanted(index) else { continue };
            check()?;
            results.push((index, searcher.search(root, name, through_link, check)?));
        }
        Ok(results)
    }
}

#[cfg(test)]
mod tests;
