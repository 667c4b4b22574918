//! Searches one file after the other with the same buffers.

use std::cell::{Cell, RefCell};
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use cairn_cancel::Stopped;
use grep_matcher::LineTerminator;
use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, MmapChoice, Searcher, SearcherBuilder};
use memchr::memmem::Finder;

use super::collector::{CollectOptions, Control, Source, collect, stop};
use super::file_result::{FileResult, FileState};
use super::many::{ManyMatcher, Part};
use super::matcher::{Compiled, Program};
use super::options::{Binary, CountUnit, GrepMode, GrepOptions};
use super::pcre::{Failure, PcreMatcher, Workspace};
use super::prefilter::{Prefilter, Prefiltered, has_byte_order_mark};
use super::stream::LineSink;
use crate::open::{FileStat, OpenFile, Opener, is_link};

/// How much of a file is read before it is searched. Nearly every source file fits.
const BUFFER_BYTES: usize = 256 * 1024;
/// The initial size of the searcher's own buffer. A file that is smaller cannot make it grow.
const SEARCHER_BUFFER_BYTES: usize = 64 * 1024;
/// The maximal length of a line that is held in memory. In multiline mode it is the maximal length of a file.
const HEAP_LIMIT: usize = 256 << 20;

/// A line is cut at this part of the budget, counted in characters: a character costs up to eight bytes.
const LINE_PART: usize = 16;

/// A file to search.
#[derive(Clone, Copy)]
pub(super) struct Target<'a> {
    pub(super) root: &'a Path,
    /// The path below the root.
    pub(super) name: &'a [u8],
    /// Whether it is the only file of the search.
    pub(super) alone: bool,
}

/// How much of the matches of a file is kept.
#[derive(Clone, Copy)]
pub(super) struct Room<'a> {
    /// How many matched lines at the start are counted and not kept.
    pub(super) skip: u64,
    /// The search ends at the first matched line over this number.
    pub(super) max_lines: u64,
    /// The maximal cost of the matched lines after those.
    pub(super) max_bytes: usize,
    /// The results that wait for earlier files, if this one will. The search ends when they cost too much.
    pub(super) held: Option<Held<'a>>,
    /// Receives the lines while the file is searched. Otherwise the result has all of them.
    pub(super) live: Option<&'a dyn LineSink>,
}

impl Room<'_> {
    /// Whether too many results wait.
    pub(super) fn is_crowded(self) -> bool {
        self.held.is_some_and(|held| held.bytes.load(Ordering::Relaxed) > held.max_bytes)
    }
}

/// The cost of all results that wait for earlier files, and the maximal cost.
#[derive(Clone, Copy)]
pub(super) struct Held<'a> {
    pub(super) bytes: &'a AtomicUsize,
    pub(super) max_bytes: usize,
}

/// Searches files. It keeps its buffers: make one for each thread.
pub(super) struct FileSearcher {
    /// Finds the matched lines without context: with context, a NUL ends the search at another place.
    plain: Reusable,
    /// Finds the matched lines with context, in text without a NUL, or up to a line that `plain` has found.
    with_context: Option<Reusable>,
    thread_matcher: ThreadMatcher,
    buffer: Vec<u8>,
    path: Vec<u8>,
    opener: Opener,
    max_file_size: Option<u64>,
    follow_links: bool,
    /// [`Compiled::is_local`].
    is_local: bool,
    required: Option<Arc<Finder<'static>>>,
    collect_options: CollectOptions,
    replacement: Option<String>,
}

/// A searcher and how to make another.
struct Reusable {
    builder: SearcherBuilder,
    searcher: Searcher,
}

impl Reusable {
    fn new(builder: SearcherBuilder) -> Self {
        Self { searcher: builder.build(), builder }
    }

    /// Makes the searcher again. A long line enlarges its buffer for all later files, and the size of the buffer decides
    /// which lines before a NUL are found.
    fn renew(&mut self) {
        self.searcher = self.builder.build();
    }
}

/// The matcher of a thread.
enum ThreadMatcher {
    Regex(RegexMatcher),
    Pcre2(RefCell<Workspace>),
    Many(Vec<ThreadMatcher>),
}

impl ThreadMatcher {
    fn new(program: &Program) -> Self {
        match program {
            Program::Regex(matcher) => Self::Regex(matcher.clone()),
            Program::Pcre2(expression) => Self::Pcre2(RefCell::new(Workspace::new(Arc::clone(expression)))),
            Program::Many(parts) => Self::Many(parts.iter().map(Self::new).collect()),
        }
    }
}

impl FileSearcher {
    pub(super) fn new(compiled: &Compiled, options: &GrepOptions) -> Self {
        Self::with_heap_limit(compiled, options, HEAP_LIMIT)
    }

    /// For a string that can be read only once, like ripgrep: its context changes where a NUL ends the search.
    pub(super) fn for_reader(compiled: &Compiled, options: &GrepOptions) -> Self {
        let mut searcher = Self::new(compiled, options);
        if let Some(with_context) = searcher.with_context.take() {
            let mut builder = with_context.builder;
            searcher.plain = Reusable::new(builder.binary_detection(BinaryDetection::quit(0)).clone());
        }
        searcher
    }

    pub(super) fn with_heap_limit(compiled: &Compiled, options: &GrepOptions, heap_limit: usize) -> Self {
        let content = options.mode == GrepMode::Content;
        let page = options.max_count.map(|count| count.saturating_add(options.offset));
        let max_lines = match options.mode {
            GrepMode::FilesWithMatches => Some(0),
            GrepMode::Content | GrepMode::Count => page,
        };
        let mut builder = SearcherBuilder::new();
        builder
            .binary_detection(match options.binary {
                Binary::Skip => BinaryDetection::quit(0),
                Binary::Search => BinaryDetection::convert(0),
                Binary::Text => BinaryDetection::none(),
            })
            .memory_map(MmapChoice::never())
            .line_number(content)
            .multi_line(options.multiline)
            .invert_match(options.invert)
            .line_terminator(if options.crlf { LineTerminator::crlf() } else { LineTerminator::byte(b'\n') })
            .heap_limit(Some(heap_limit));
        let mut with_context = builder.clone();
        if options.binary == Binary::Skip {
            with_context.binary_detection(BinaryDetection::none());
        }
        with_context.before_context(options.context_before).after_context(options.context_after);
        let has_context = content && options.context_before.max(options.context_after) > 0;
        Self {
            plain: Reusable::new(builder),
            with_context: has_context.then(|| Reusable::new(with_context)),
            thread_matcher: ThreadMatcher::new(compiled.program()),
            buffer: vec![0; BUFFER_BYTES],
            path: Vec::new(),
            opener: Opener::default(),
            max_file_size: options.max_file_size,
            follow_links: options.follow_links,
            is_local: compiled.is_local(),
            required: compiled.required().cloned(),
            replacement: options.replacement.clone(),
            collect_options: CollectOptions {
                keeps_lines: content,
                count_unit: if options.mode == GrepMode::Count { options.count_unit } else { CountUnit::Lines },
                multiline: options.multiline,
                crlf: options.crlf,
                invert: options.invert,
                submatches: options.submatches || options.replacement.is_some(),
                binary: options.binary,
                stops_at_binary: options.binary == Binary::Search && content,
                text_lines: 0,
                looks_far: !compiled.is_local(),
                max_lines: max_lines.unwrap_or(u64::MAX),
                max_begun: options.max_count_per_file.unwrap_or(u64::MAX),
                max_columns: options.max_columns.unwrap_or(usize::MAX).min(options.scope.max_result_bytes / LINE_PART),
                context_before: options.context_before,
                context_after: options.context_after,
            },
        }
    }

    /// Searches a file. A symbolic link in its path is skipped, unless links are followed.
    pub(super) fn search(
        &mut self,
        target: Target<'_>,
        room: Room<'_>,
        check: &dyn Fn() -> Result<(), Stopped>,
    ) -> Result<FileResult, Stopped> {
        self.set_path(target);
        match self.search_path(target.alone, room, check) {
            Ok(result) => Ok(result),
            Err(error) => {
                check()?;
                let state = match error.kind() {
                    io::ErrorKind::NotFound
                    | io::ErrorKind::NotADirectory
                    | io::ErrorKind::IsADirectory
                    | io::ErrorKind::NotSeekable
                    | io::ErrorKind::WouldBlock => FileState::Vanished,
                    _ if is_link(&error) => FileState::Vanished,
                    _ => FileState::Unreadable,
                };
                Ok(FileResult { state, ..FileResult::default() })
            }
        }
    }

    /// Returns the state of a file. A symbolic link in its path is an error.
    pub(super) fn stat(&mut self, target: Target<'_>) -> io::Result<FileStat> {
        self.set_path(target);
        self.opener.stat(&self.path)
    }

    fn set_path(&mut self, target: Target<'_>) {
        self.path.clear();
        self.path.extend_from_slice(target.root.as_os_str().as_encoded_bytes());
        if !self.path.ends_with(b"/") {
            self.path.push(b'/');
        }
        self.path.extend_from_slice(target.name);
    }

    /// Searches a string from its start to its end.
    pub(super) fn search_reader(
        &mut self,
        text: impl Read,
        room: Room<'_>,
        check: &dyn Fn() -> Result<(), Stopped>,
    ) -> Result<FileResult, Stopped> {
        let read = Cell::new(0);
        let failure = Cell::new(None);
        let run = Run {
            thread_matcher: &self.thread_matcher,
            options: self.collect_options,
            control: Control { check, failure: &failure, replacement: self.replacement.as_deref() },
            room,
        };
        let rest = Checked { inner: text, check, read: &read };
        if let Ok(result) = run.collect(&mut self.plain, false, Source::Reader(&[]), rest) {
            return Ok(FileResult { bytes_read: read.get(), ..result });
        }
        check()?;
        Ok(FileResult { state: FileState::Unreadable, ..FileResult::default() })
    }

    fn search_path(
        &mut self,
        alone: bool,
        room: Room<'_>,
        check: &dyn Fn() -> Result<(), Stopped>,
    ) -> io::Result<FileResult> {
        let mut file =
            if self.follow_links { self.opener.follow(&self.path)? } else { self.opener.open(&self.path, alone)? };
        let read = Cell::new(0);
        let mut result = self.search_file(&mut file, &read, room, check)?;
        result.bytes_read = read.get();
        result.opened = true;
        Ok(result)
    }

    fn search_file(
        &mut self,
        file: &mut OpenFile,
        read: &Cell<u64>,
        room: Room<'_>,
        check: &dyn Fn() -> Result<(), Stopped>,
    ) -> io::Result<FileResult> {
        if let Some(max) = self.max_file_size
            && file.size()? > max
        {
            return Ok(FileResult { state: FileState::Oversized, ..FileResult::default() });
        }
        let prefilter = Prefilter {
            matcher: match &self.thread_matcher {
                ThreadMatcher::Regex(matcher) if self.is_local && !self.collect_options.invert => Some(matcher),
                _ => None,
            },
            required: self.required.as_ref(),
            multiline: self.collect_options.multiline,
            binary: self.collect_options.binary,
        };
        let (filled, is_whole) =
            match prefilter.test(&mut Checked { inner: &mut *file, check, read }, &mut self.buffer)? {
                Prefiltered::NoMatch { binary } => return Ok(FileResult { binary, ..FileResult::default() }),
                Prefiltered::InHead { filled, at_end } => (filled, at_end),
                Prefiltered::AfterHead => {
                    file.rewind()?;
                    (0, false)
                }
            };
        let head = &self.buffer[..filled];
        // Only the reader handles byte order marks and NULs.
        let is_text = || self.collect_options.binary == Binary::Text || memchr::memchr(0, head).is_none();
        let is_plain = is_whole && !has_byte_order_mark(head) && is_text();
        let is_small = is_plain || is_whole && head.len() < SEARCHER_BUFFER_BYTES;
        let head = if is_plain { Source::Text(head) } else { Source::Reader(head) };
        let mut run = Run {
            thread_matcher: &self.thread_matcher,
            options: self.collect_options,
            control: Control { check, failure: &Cell::new(None), replacement: self.replacement.as_deref() },
            room,
        };
        let result = match &mut self.with_context {
            None => run.collect(&mut self.plain, is_small, head, Checked { inner: &mut *file, check, read })?,
            Some(with_context) if is_plain => {
                run.collect(with_context, is_small, head, Checked { inner: &mut *file, check, read })?
            }
            Some(with_context) => {
                let kept = run.options;
                run.options.keeps_lines = false;
                let rest = Checked { inner: &mut *file, check, read };
                let counted = run.collect(&mut self.plain, is_small, head, rest)?;
                if counted.count == 0 || counted.state != FileState::Searched {
                    return Ok(counted);
                }
                let text_lines = counted.count - u64::from(counted.binary_match);
                run.options = CollectOptions { max_lines: kept.max_lines.min(counted.count), text_lines, ..kept };
                if !is_whole {
                    file.rewind()?;
                }
                let head = Source::Reader(if is_whole { &self.buffer[..filled] } else { &[][..] });
                let found = run.collect(with_context, is_small, head, Checked { inner: file, check, read })?;
                FileResult { count: counted.count, cut: counted.cut, binary: counted.binary, ..found }
            }
        };
        Ok(result)
    }
}

/// The search of a file.
struct Run<'a> {
    thread_matcher: &'a ThreadMatcher,
    options: CollectOptions,
    control: Control<'a>,
    room: Room<'a>,
}

impl Run<'_> {
    fn pcre_matcher<'a>(&'a self, workspace: &'a RefCell<Workspace>) -> PcreMatcher<'a> {
        let Control { check, failure, .. } = self.control;
        PcreMatcher { workspace, check, failure, cut_line_break: self.options.crlf && !self.options.multiline }
    }

    /// Searches the head of a file and, unless that is all of it, the rest.
    fn collect(
        &self,
        reusable: &mut Reusable,
        is_small: bool,
        head: Source<'_, &[u8]>,
        rest: impl Read,
    ) -> io::Result<FileResult> {
        let Self { options, control, room, .. } = *self;
        let source = match head {
            Source::Text(text) => Source::Text(text),
            Source::Reader(head) => Source::Reader(head.chain(rest)),
        };
        let searcher = &mut reusable.searcher;
        let (end, mut result) = match self.thread_matcher {
            ThreadMatcher::Regex(matcher) => collect(searcher, matcher, options, (control, room), source),
            ThreadMatcher::Pcre2(workspace) => {
                let matcher = self.pcre_matcher(workspace);
                collect(searcher, &matcher, options, (control, room), source)
            }
            ThreadMatcher::Many(parts) => {
                let parts = parts.iter().filter_map(|part| match part {
                    ThreadMatcher::Regex(matcher) => Some(Part::Regex(matcher)),
                    ThreadMatcher::Pcre2(workspace) => Some(Part::Pcre2(self.pcre_matcher(workspace))),
                    ThreadMatcher::Many(_) => None,
                });
                let matcher = ManyMatcher::new(parts.collect(), options.multiline);
                collect(searcher, &matcher, options, (control, room), source)
            }
        };
        if !is_small {
            reusable.renew();
        }
        match (end, control.failure.get()) {
            (Ok(()), _) => {}
            (Err(_), Some(Failure::Stopped(stopped))) => return Err(stop(stopped)),
            // The lines before the error were searched.
            (Err(_), Some(Failure::Code(_) | Failure::Backwards)) => result.too_costly = true,
            // The searcher's own error: the lines before the one that exceeds the heap limit were searched.
            (Err(error), None) if error.kind() == io::ErrorKind::Other => {
                if options.multiline {
                    return Ok(FileResult { state: FileState::Oversized, ..FileResult::default() });
                }
                result.oversized = true;
            }
            (Err(error), None) => return Err(error),
        }
        Ok(result)
    }
}

/// A reader that counts the bytes it reads, and returns an error when the search is to stop.
struct Checked<'a, R> {
    inner: R,
    check: &'a dyn Fn() -> Result<(), Stopped>,
    read: &'a Cell<u64>,
}

impl<R: Read> Read for Checked<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        (self.check)().map_err(stop)?;
        let read = self.inner.read(buffer)?;
        self.read.set(self.read.get() + read as u64);
        Ok(read)
    }
}
