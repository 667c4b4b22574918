//! Searches one file after the other with the same buffers.

use std::cell::{Cell, RefCell};
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use cairn_cancel::Stopped;
use grep_matcher::LineTerminator;
use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, MmapChoice, Searcher, SearcherBuilder};
use memchr::memmem::Finder;

use super::collector::{CollectOptions, Control, Source, collect, stop};
use super::file_result::{FileResult, FileState};
use super::matcher::{Compiled, Program};
use super::open::{OpenFile, Opener, is_link};
use super::options::{GrepMode, GrepOptions};
use super::pcre::{Failure, PcreMatcher, Workspace};
use super::prefilter::{Prefilter, Prefiltered, has_byte_order_mark};

/// How much of a file is read before it is searched. Nearly every source file fits.
const BUFFER_BYTES: usize = 256 * 1024;
/// The size of the searcher's own buffer. A smaller file cannot make it grow.
const SEARCHER_BUFFER_BYTES: usize = 64 * 1024;
/// The maximal length of a line, in multiline mode of a file, that is held in memory.
const HEAP_LIMIT: usize = 256 << 20;

/// Searches files. It keeps its buffers: make one for each thread.
pub(super) struct FileSearcher {
    builder: SearcherBuilder,
    searcher: Searcher,
    thread_matcher: ThreadMatcher,
    buffer: Vec<u8>,
    path: Vec<u8>,
    opener: Opener,
    max_file_size: Option<u64>,
    /// Whether the matcher finds the same in a whole file as in each line.
    is_local: bool,
    required: Option<Arc<Finder<'static>>>,
    collect_options: CollectOptions,
}

/// The matcher of a thread.
enum ThreadMatcher {
    Regex(RegexMatcher),
    Pcre2(RefCell<Workspace>),
}

impl FileSearcher {
    pub(super) fn new(compiled: &Compiled, options: &GrepOptions) -> Self {
        Self::with_heap_limit(compiled, options, HEAP_LIMIT)
    }

    pub(super) fn with_heap_limit(compiled: &Compiled, options: &GrepOptions, heap_limit: usize) -> Self {
        let content = options.mode == GrepMode::Content;
        let page = options.max_count.map(|count| count.saturating_add(options.offset));
        let max_lines = match options.mode {
            GrepMode::FilesWithMatches => Some(0),
            GrepMode::Content | GrepMode::Count => [page, options.max_count_per_file].into_iter().flatten().min(),
        };
        let mut builder = SearcherBuilder::new();
        builder
            .binary_detection(BinaryDetection::quit(0))
            .memory_map(MmapChoice::never())
            .line_number(content)
            .multi_line(options.multiline)
            .line_terminator(if options.crlf { LineTerminator::crlf() } else { LineTerminator::byte(b'\n') })
            .heap_limit(Some(heap_limit))
            // In every mode, because the place where a NUL ends the search depends on the context.
            .before_context(options.context_before)
            .after_context(options.context_after);
        Self {
            searcher: builder.build(),
            builder,
            thread_matcher: match compiled.program() {
                Program::Regex(matcher) => ThreadMatcher::Regex(matcher.clone()),
                Program::Pcre2(expression) => {
                    ThreadMatcher::Pcre2(RefCell::new(Workspace::new(Arc::clone(expression))))
                }
            },
            buffer: vec![0; BUFFER_BYTES],
            path: Vec::new(),
            opener: Opener::default(),
            max_file_size: options.max_file_size,
            is_local: compiled.is_local(),
            required: compiled.required().cloned(),
            collect_options: CollectOptions {
                mode: options.mode,
                multiline: options.multiline,
                crlf: options.crlf,
                looks_far: !compiled.is_local(),
                max_lines: max_lines.unwrap_or(u64::MAX),
                max_columns: options.max_columns,
            },
        }
    }

    /// Searches the file `name` below `root`. A symbolic link in this path is skipped. A file that is searched `alone` is
    /// the only one.
    pub(super) fn search(
        &mut self,
        root: &Path,
        name: &[u8],
        alone: bool,
        check: &dyn Fn() -> Result<(), Stopped>,
    ) -> Result<FileResult, Stopped> {
        self.path.clear();
        self.path.extend_from_slice(root.as_os_str().as_encoded_bytes());
        if !self.path.ends_with(b"/") {
            self.path.push(b'/');
        }
        self.path.extend_from_slice(name);
        match self.search_path(alone, check) {
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

    fn search_path(&mut self, alone: bool, check: &dyn Fn() -> Result<(), Stopped>) -> io::Result<FileResult> {
        let mut file = self.opener.open(&self.path, alone)?;
        let read = Cell::new(0);
        let mut result = self.search_file(&mut file, &read, check)?;
        result.bytes_read = read.get();
        result.opened = true;
        Ok(result)
    }

    fn search_file(
        &mut self,
        file: &mut OpenFile,
        read: &Cell<u64>,
        check: &dyn Fn() -> Result<(), Stopped>,
    ) -> io::Result<FileResult> {
        if let Some(max) = self.max_file_size
            && file.size()? > max
        {
            return Ok(FileResult { state: FileState::Oversized, ..FileResult::default() });
        }
        let prefilter = Prefilter {
            matcher: match &self.thread_matcher {
                ThreadMatcher::Regex(matcher) if self.is_local => Some(matcher),
                ThreadMatcher::Regex(_) | ThreadMatcher::Pcre2(_) => None,
            },
            required: self.required.as_ref(),
            multiline: self.collect_options.multiline,
        };
        let (head, is_whole) =
            match prefilter.test(&mut Checked { inner: &mut *file, check, read }, &mut self.buffer)? {
                Prefiltered::NoMatch { binary } => return Ok(FileResult { binary, ..FileResult::default() }),
                Prefiltered::InHead { filled, at_end } => (&self.buffer[..filled], at_end),
                Prefiltered::AfterHead => {
                    file.rewind()?;
                    (&[][..], false)
                }
            };
        // Only the reader handles byte order marks and NULs.
        let is_plain = is_whole && !has_byte_order_mark(head) && memchr::memchr(0, head).is_none();
        let is_small = is_plain || is_whole && head.len() < SEARCHER_BUFFER_BYTES;
        let source = if is_plain {
            Source::Text(head)
        } else {
            Source::Reader(head.chain(Checked { inner: file, check, read }))
        };
        let failure = Cell::new(None);
        let control = Control { check, failure: &failure };
        let (searched, mut result) = match &self.thread_matcher {
            ThreadMatcher::Regex(matcher) => {
                collect(&mut self.searcher, matcher, self.collect_options, control, source)
            }
            ThreadMatcher::Pcre2(workspace) => {
                let cut_line_break = self.collect_options.crlf && !self.collect_options.multiline;
                let matcher = PcreMatcher { workspace, check, failure: &failure, cut_line_break };
                collect(&mut self.searcher, &matcher, self.collect_options, control, source)
            }
        };
        if !is_small {
            // A long line enlarges the searcher's buffer for good, and its size decides which lines a NUL hides.
            self.searcher = self.builder.build();
        }
        match (searched, failure.get()) {
            (Ok(()), _) => {}
            (Err(_), Some(Failure::Stopped(stopped))) => return Err(stop(stopped)),
            // The lines before the error were searched.
            (Err(_), Some(Failure::Code(_) | Failure::Backwards)) => result.too_costly = true,
            // The searcher's own error: the lines before the one that exceeds the heap limit were searched.
            (Err(error), None) if error.kind() == io::ErrorKind::Other => {
                if self.collect_options.multiline {
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
