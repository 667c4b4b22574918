//! Grep over a list of candidate files: the files of a snapshot, or one file.
//!
//! ripgrep's own crates decide what matches, with the settings and the reader of ripgrep: it finds the lines of
//! `rg -n --no-require-git`. This module adds what an agent needs and ripgrep does not have: results in path order for any
//! number of threads, limits and paging, and a report of everything that was left out.

mod arriving;
mod as_typed;
mod candidates;
mod collector;
mod file;
mod file_result;
mod line;
mod many;
mod matcher;
mod options;
mod outcome;
mod page;
mod pcre;
mod prefilter;
mod repair;
mod stream;
mod submatches;

use std::io::Read;
use std::ops::{ControlFlow, Range};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use cairn_cancel::{CancelToken, Stopped};
use cairn_pool::{Interrupted, Ordered};
use cairn_walk::{Detail, Head, ScanOptions, Snapshot, resolve_existing};

use crate::content::{Claim, Nul, Reading, Watching};
use crate::context::{SearchContext, StopReason};
use crate::depth::within_depth;
use crate::error::SearchError;
use crate::glob_pattern::{GlobList, mentions_node_modules};
use crate::types::TypeList;

use self::arriving::Arriving;
use self::candidates::{Candidate, Candidates, Filter};
use self::file::{FileSearcher, Held, Room, Target};
use self::file_result::FileResult;
use self::matcher::Compiled;
use self::page::{MAX_NAMED, Page};
use self::stream::{FileSink, LineSink};

pub use self::options::{Binary, CountUnit, GrepMode, GrepOptions};
pub use self::outcome::{
    ContextLine, GrepOutcome, LineMatch, MAX_SUBMATCHES, Occurrence, RegexEngine, SearchedPattern, Skipped, Submatch,
};
pub use self::stream::{BatchSink, GrepBatch, Streaming};

/// The number of candidates that a thread takes together.
const CHUNK: usize = 64;

/// The path of the matches in a string that is not a file.
const INPUT_NAME: &[u8] = b"<stdin>";

/// Searches the files below a directory, or one file.
///
/// The result is empty for a FIFO, socket or device. Files are read into bounded buffers, never mapped.
///
/// # Errors
/// [`SearchError`]: the root, the pattern or the glob is not valid, or the caller ended the search.
pub fn grep(
    context: SearchContext<'_>,
    options: &GrepOptions,
    cancel: &CancelToken,
) -> Result<GrepOutcome, SearchError> {
    search_path(context, options, None, cancel)
}

/// Searches like [`grep`], and passes the matches on while it runs. The outcome has the matches after the last batch; its
/// counts are the counts of all.
///
/// The calling thread waits for the receiver, so it must not be one of the pool's.
///
/// # Errors
/// [`SearchError`], also after some batches.
pub fn grep_stream(
    context: SearchContext<'_>,
    options: &GrepOptions,
    streaming: Streaming<'_>,
    cancel: &CancelToken,
) -> Result<GrepOutcome, SearchError> {
    search_path(context, options, Some(streaming), cancel)
}

/// Searches a string as it arrives. The path and the file filters of `options` have no effect; the path of its matches is
/// `<stdin>`.
///
/// An error of `text` ends the search, and the text counts as unreadable.
///
/// # Errors
/// [`SearchError`]: the pattern is not valid, or the caller ended the search.
pub fn grep_reader(
    options: &GrepOptions,
    text: impl Read,
    streaming: Streaming<'_>,
    cancel: &CancelToken,
) -> Result<GrepOutcome, SearchError> {
    let Some(compiled) = compile(options, cancel)? else { return Ok(timed_out()) };
    let mut page = Page::new(options, Some(streaming));
    let check = || cancel.check();
    let room = page.room();
    let live = FileSink::new(&mut page, streaming, INPUT_NAME);
    let room = Room { live: Some(&live), ..room };
    let mut searcher = FileSearcher::for_reader(&compiled, options);
    let result = if options.multiline {
        searcher.search_reader(text, room, &check)
    } else {
        searcher.search_reader(Arriving::new(text), room, &check)
    };
    let timeout = match result {
        Ok(result) => {
            // Breaks only for the files after it.
            let _ = page.add(INPUT_NAME, result);
            None
        }
        Err(stopped) => options.scope.settle(Err(Interrupted::Stopped(stopped)))?,
    };
    let mut outcome = page.finish();
    if outcome.total == 0 && timeout.is_none() && !options.invert {
        outcome.hint = compiled.hint();
    }
    compiled.describe(&mut outcome);
    outcome.stop_reason = timeout.or(outcome.stop_reason);
    Ok(outcome)
}

fn search_path(
    context: SearchContext<'_>,
    options: &GrepOptions,
    streaming: Option<Streaming<'_>>,
    cancel: &CancelToken,
) -> Result<GrepOutcome, SearchError> {
    let scope = &options.scope;
    let (root, metadata) = resolve_existing(&scope.path)?;
    scope.check_links(&root)?;
    let Some(compiled) = compile(options, cancel)? else { return Ok(timed_out()) };
    let call = Call { context, options, compiled: &compiled, streaming, cancel, watching: None };
    let directory_of = |path: &Path| if metadata.is_dir() { path } else { path.parent().unwrap_or(path) }.to_owned();
    let roots = [directory_of(&root), directory_of(&scope.path)];
    let filter = Filter {
        globs: GlobList::of_options(&options.globs, roots.each_ref())?,
        types: TypeList::new(&options.file_types, &options.excluded_types)?,
        max_depth: options.max_depth,
    };
    if !metadata.is_dir() {
        filter.types.check(|| std::iter::once(root.as_os_str().as_encoded_bytes()))?;
        let candidates = if metadata.is_file() { Candidates::of_file(&root) } else { Candidates::empty() };
        return Ok(call.search(&candidates)?.0);
    }
    let mentions = || options.globs.iter().any(|glob| mentions_node_modules(glob));
    let include_node_modules = options.include_node_modules.unwrap_or_else(|| !scope.use_cache || mentions());
    let scan = ScanOptions {
        include_hidden: scope.include_hidden,
        use_gitignore: scope.use_gitignore,
        skip_node_modules: !include_node_modules,
        record_excluded: false,
        follow_links: options.follow_links,
        detail: Detail::Minimal,
    };
    let mut request = scope.request(&root, scan);
    let contents = context.contents.filter(|_| scope.use_cache);
    // An index is exact, so the list of files is to be.
    request.validate |= contents.is_some_and(|contents| contents.covers(&root));
    let contents = contents.filter(|_| !options.follow_links);
    let watching = contents.filter(|_| scope.watch).and_then(|contents| contents.begin(&root, scan));
    if watching.is_some() {
        request.asked = Instant::now();
    }
    let part = within_depth(filter.globs.scope(), options.max_depth);
    let filter = Arc::new(filter);
    let list = |snapshot: &Arc<Snapshot>| Candidates::filtered(Arc::clone(snapshot), Arc::clone(&filter));
    let describe = |(mut outcome, files): (GrepOutcome, usize), snapshot: &Snapshot| {
        let list = &filter.globs;
        outcome.globs = list.several().to_vec();
        let note = list.note().map(ToOwned::to_owned);
        let is_none = files == 0 && outcome.stop_reason.is_none();
        let note = note.or_else(|| if is_none { list.hint(roots.each_ref(), snapshot) } else { None });
        outcome.hint = note.or(outcome.hint);
        (outcome, files)
    };
    // The first matches do not wait for the scan of the whole tree. Whether it has a file of a type must be known before.
    // Links are entered in an order of their own.
    let is_in_order = !scope.use_cache && !options.follow_links;
    let has_head = streaming.is_some() && is_in_order && filter.types.check(std::iter::empty).is_ok();
    let head = if has_head { Some(context.cache.scan_head(&request, part.clone(), cancel)?) } else { None };
    let call = Call { watching: watching.as_ref(), ..call };
    let mut progress = Progress::new(&call);
    if let Some(Head { snapshot, end: Some(end) }) = &head {
        let files = list(snapshot).before(end);
        call.search_part(&mut progress, files.clone(), usize::MAX)?;
        if progress.is_over {
            return Ok(describe(call.finish(progress, &files), snapshot).0);
        }
    }
    let mut progress = Some(progress);
    let mut search = |snapshot: &Arc<Snapshot>| {
        if let Err(unknown) = filter.types.check_snapshot(snapshot) {
            // 0 files: a newer scan may have a file of the type.
            return Ok((Err(unknown), 0));
        }
        let files = list(snapshot);
        let rest = match &head {
            Some(Head { end: Some(end), .. }) => files.clone().from(end),
            _ => files.clone(),
        };
        let progress = progress.take().unwrap_or_else(|| Progress::new(&call));
        let (outcome, files) = describe(call.search_on(progress, rest, &files)?, snapshot);
        if let Some(contents) = contents {
            contents.count_use(snapshot, context.pool);
        }
        Ok((Ok(outcome), files))
    };
    let known = watching.as_ref().and_then(|watching| watching.tree.clone());
    let whole = match &head {
        _ if known.is_some() => known,
        Some(Head { snapshot, end: None }) => Some(Arc::clone(snapshot)),
        // A snapshot of the whole tree has the target of several links once, which may be outside the part.
        _ if (!scope.use_cache || options.follow_links) && !part.is_whole_tree() => {
            Some(context.cache.scan_subtree(&request, part, context.pool, cancel)?)
        }
        _ => None,
    };
    let (outcome, _) = match whole {
        Some(snapshot) => search(&snapshot)?,
        None => context.on_snapshot(scope, &request, cancel, search, |&(_, files)| files == 0)?,
    };
    outcome
}

/// Compiles the pattern. `None` if the time ran out and the caller accepts a partial result.
fn compile(options: &GrepOptions, cancel: &CancelToken) -> Result<Option<Compiled>, SearchError> {
    match Compiled::new(options, cancel) {
        Err(SearchError::Stopped(Stopped::TimedOut)) if options.scope.partial_on_timeout => Ok(None),
        compiled => compiled.map(Some),
    }
}

/// The outcome if the time ran out before the search began.
fn timed_out() -> GrepOutcome {
    GrepOutcome { stop_reason: Some(StopReason::Timeout), ..GrepOutcome::default() }
}

/// The parameters of one call.
struct Call<'a> {
    context: SearchContext<'a>,
    options: &'a GrepOptions,
    compiled: &'a Compiled,
    streaming: Option<Streaming<'a>>,
    cancel: &'a CancelToken,
    watching: Option<&'a Watching>,
}

/// A search of one list after the other.
struct Progress<'a> {
    page: Page<'a>,
    /// How many files the lists had, up to where the search stopped.
    files: usize,
    timeout: Option<StopReason>,
    /// Whether the result needs no more files.
    is_over: bool,
}

impl<'a> Progress<'a> {
    fn new(call: &Call<'a>) -> Self {
        Self { page: Page::new(call.options, call.streaming), files: 0, timeout: None, is_over: false }
    }
}

impl<'a> Call<'a> {
    /// Searches a list of files. Also returns the number of files up to where the search stopped.
    fn search(&self, candidates: &Candidates) -> Result<(GrepOutcome, usize), SearchError> {
        self.search_on(Progress::new(self), candidates.clone(), candidates)
    }

    /// Searches the `rest` of the list `all`.
    fn search_on(
        &self,
        mut progress: Progress<'a>,
        rest: Candidates,
        all: &Candidates,
    ) -> Result<(GrepOutcome, usize), SearchError> {
        self.search_part(&mut progress, rest, usize::MAX)?;
        let (mut outcome, files) = self.finish(progress, all);
        if outcome.total == 0 && outcome.stop_reason.is_none() && !self.options.invert {
            outcome.as_typed = self.occurrence_as_typed(all);
            outcome.hint = self.compiled.hint();
        }
        Ok((outcome, files))
    }

    /// Searches the first N candidates of a list.
    fn search_first(&self, candidates: &Candidates, count: usize) -> Result<(GrepOutcome, usize), SearchError> {
        let mut progress = Progress::new(self);
        self.search_part(&mut progress, candidates.clone(), count)?;
        Ok(self.finish(progress, candidates))
    }

    /// Goes on with the first N candidates of a list.
    fn search_part(
        &self,
        Progress { page, files, timeout, is_over }: &mut Progress<'a>,
        candidates: Candidates,
        count: usize,
    ) -> Result<(), SearchError> {
        let candidates = self.with_exclusion(candidates);
        let is_content = self.options.mode == GrepMode::Content;
        let work = Arc::new(Searching {
            compiled: self.compiled.clone(),
            options: self.options.clone(),
            is_live: self.streaming.is_some() && candidates.is_file() && is_content,
            candidates,
            held: AtomicUsize::new(0),
            max_held: page.max_held(),
        });
        let mut searcher = None;
        let mut stopped = Ok(());
        let check = || self.cancel.check();
        let result = self.context.ordered(&work, work.candidates.len().min(count), CHUNK, self.cancel, |results| {
            *files += results.iter().map(|(_, result)| result.files() as usize).sum::<usize>();
            let flow = results.into_iter().try_for_each(|(index, mut result)| {
                work.held.fetch_sub(result.held, Ordering::Relaxed);
                let name = work.candidates.name(index);
                if let Some(room) = page.missing(&result) {
                    let searcher = searcher.get_or_insert_with(|| work.state());
                    let live = self.streaming.map(|streaming| FileSink::new(&mut *page, streaming, name));
                    let room = Room { live: live.as_ref().map(|live| live as &dyn LineSink), ..room };
                    match searcher.search(work.target(name), room, &check) {
                        Ok(again) => {
                            result = FileResult { bytes_read: result.bytes_read.max(again.bytes_read), ..again }
                        }
                        Err(reason) => {
                            stopped = Err(reason);
                            return ControlFlow::Break(());
                        }
                    }
                }
                page.add(name, result)?;
                page.deliver(&check).map_or_else(
                    |reason| {
                        stopped = Err(reason);
                        ControlFlow::Break(())
                    },
                    ControlFlow::Continue,
                )
            });
            *is_over = flow.is_break();
            flow
        });
        if let (Some(contents), Some(exclusion)) = (self.context.contents, work.candidates.exclusion()) {
            page.set_freshness(exclusion.freshness());
            contents.update(exclusion, self.context.pool);
        }
        let result = result.and(stopped.map_err(Interrupted::Stopped));
        *timeout = self.options.scope.settle(result)?;
        *is_over |= timeout.is_some();
        Ok(())
    }

    /// Lets an index show which files of a list have no match.
    fn with_exclusion(&self, candidates: Candidates) -> Candidates {
        let options = self.options;
        let Some(contents) = self.context.contents.filter(|_| options.scope.use_cache && !options.follow_links) else {
            return candidates;
        };
        // Without a match, every line of a file is found.
        if options.invert {
            return candidates;
        }
        let nul = match options.binary {
            Binary::Text => Nul::Plain,
            Binary::Skip if !options.multiline => Nul::Ends,
            Binary::Skip | Binary::Search => Nul::ByPlace,
        };
        let reading = Reading { nul, multiline: options.multiline };
        candidates.excluding(|snapshot, entries| {
            contents.exclusion(snapshot, entries, |detail| self.compiled.query(detail), reading, self.watching)
        })
    }

    /// The outcome of a search, and how many files it had. The scan of `all` may have left out some.
    fn finish(&self, Progress { page, files, timeout, .. }: Progress<'a>, all: &Candidates) -> (GrepOutcome, usize) {
        let mut outcome = page.finish();
        outcome.skipped.unreadable += all.unreadable();
        outcome.skipped.node_modules = all.skipped_node_modules();
        outcome.unreadable_paths.extend(all.unreadable_paths().iter().map(|path| path.to_vec()));
        outcome.unreadable_paths.sort_unstable();
        // Both the scan and the search read an ignore file, and either can fail.
        let named = outcome.unreadable_paths.len();
        outcome.unreadable_paths.dedup();
        outcome.skipped.unreadable -= (named - outcome.unreadable_paths.len()) as u64;
        outcome.unreadable_paths.truncate(MAX_NAMED);
        self.compiled.describe(&mut outcome);
        outcome.stop_reason = timeout.or(all.stop_reason()).or(outcome.stop_reason);
        (outcome, files)
    }
}

struct Searching {
    compiled: Compiled,
    options: GrepOptions,
    /// Whether the thread that leads searches the only file, which passes its lines on meanwhile.
    is_live: bool,
    candidates: Candidates,
    /// The cost of the results that wait for earlier files, and how much it may be.
    held: AtomicUsize,
    max_held: usize,
}

impl Searching {
    fn target<'a>(&'a self, name: &'a [u8]) -> Target<'a> {
        Target { root: self.candidates.root(), name, alone: self.candidates.is_file() }
    }

    /// Whether the state of a file proves that it has no match. Notes the file if its state is another one.
    fn is_proved(&self, searcher: &mut FileSearcher, index: usize, name: &[u8], claim: &Claim) -> bool {
        if claim.is_watched && self.options.max_file_size.is_none() {
            return true;
        }
        let Ok(stat) = searcher.stat(self.target(name)) else { return false };
        if !claim.holds(&stat) {
            self.candidates.note(index);
            return false;
        }
        self.candidates.verify(index, &stat);
        // A file that is too large is counted as such.
        self.options.max_file_size.is_none_or(|max| stat.size <= max)
    }

    /// What the search of one file may keep. A single file has no earlier ones, so it can skip the whole offset itself.
    fn room(&self) -> Room<'_> {
        let skip = if self.candidates.len() == 1 { self.options.offset } else { 0 };
        let max_bytes = self.options.scope.max_result_bytes;
        let held = Held { bytes: &self.held, max_bytes: self.max_held };
        Room { skip, max_lines: u64::MAX, max_bytes, held: Some(held), live: None }
    }
}

impl Ordered for Searching {
    type State = FileSearcher;
    type Output = Vec<(usize, FileResult)>;

    fn state(&self) -> FileSearcher {
        FileSearcher::new(&self.compiled, &self.options)
    }

    fn waiting_bytes(&self) -> usize {
        self.held.load(Ordering::Relaxed)
    }

    fn chunk(
        &self,
        searcher: &mut FileSearcher,
        range: Range<usize>,
        check: &dyn Fn() -> Result<(), Stopped>,
    ) -> Result<Self::Output, Stopped> {
        let mut results = Vec::new();
        check()?;
        for index in range.clone() {
            let result = match self.candidates.candidate(index) {
                Candidate::Skip => continue,
                Candidate::Claimed(name, claim) if self.is_proved(searcher, index, name, &claim) => {
                    check()?;
                    FileResult::add_excluded(&mut results, index, claim.binary);
                    continue;
                }
                // The page searches the file again if it has room for it.
                Candidate::Search(_) | Candidate::Claimed(..) if self.is_live || self.room().is_crowded() => {
                    check()?;
                    FileResult { crowded_out: true, ..FileResult::default() }
                }
                Candidate::Search(name) | Candidate::Claimed(name, _) => {
                    check()?;
                    searcher.search(self.target(name), self.room(), check)?
                }
            };
            if results.len() == results.capacity() {
                results.reserve_exact(range.end - index);
            }
            results.push((index, result));
        }
        Ok(results)
    }
}

/// The pattern that is searched for instead of the one that was given, if it had to be repaired.
#[cfg(fuzzing)]
pub(crate) fn searched_pattern(options: &GrepOptions, cancel: &CancelToken) -> Result<Option<String>, SearchError> {
    Ok(Compiled::new(options, cancel)?.searched().map(ToOwned::to_owned))
}

#[cfg(test)]
mod stream_tests;
#[cfg(test)]
mod tests;
