//! Searches one file after the other with reused buffers.

use std::cell::{Cell, RefCell};
use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use cairn_cancel::Stopped;
use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{
    BinaryDetection, MmapChoice, Searcher, SearcherBuilder, Sink, SinkContext, SinkContextKind, SinkMatch,
};
use memchr::memmem::Finder;

use super::matcher::{Compiled, Program};
use super::open::{OpenFile, Opener, is_link};
use super::pcre::{Failure, PcreMatcher, Workspace};
use super::{ContextLine, GrepMode, GrepOptions, LineMatch, MAX_RESULT_BYTES, MAX_SUBMATCHES, Submatch};

/// What is read of a file before anything else is done with it. Nearly every source file fits.
const BUFFER_BYTES: usize = 256 * 1024;
/// The size of the searcher's own buffer. A smaller file cannot make it grow.
const SEARCHER_BUFFER_BYTES: usize = 64 * 1024;
/// How far behind multiline matches the text goes in which their places are searched, where no pattern looks farther.
const LOOK_AHEAD: usize = 128;
/// The longest line, in multiline mode the largest file, that is held in memory.
const HEAP_LIMIT: usize = 256 << 20;
/// The caller is asked after so many matches on the same lines.
const PLACES_PER_CHECK: usize = 4096;
/// The kind of error that carries the caller's wish to stop through the searcher, which repeats interrupted reads and
/// gives other errors on.
const STOPPED: io::ErrorKind = io::ErrorKind::ConnectionAborted;

/// What searching one file gave.
#[derive(Debug, Default)]
pub(super) struct FileResult {
    pub(super) state: FileState,
    /// Whether it was opened, and how much of it was read.
    pub(super) opened: bool,
    pub(super) bytes_read: u64,
    pub(super) matches: Vec<LineMatch>,
    /// How many lines matched, at most one more than can be of interest.
    pub(super) count: u64,
    /// Whether a NUL byte ended the search.
    pub(super) binary: bool,
    /// Whether something too long to hold in memory ended it.
    pub(super) oversized: bool,
    /// Whether the engine gave up on a line.
    pub(super) too_costly: bool,
    /// Whether the matches are more than one result may hold; the rest is missing.
    pub(super) over_budget: bool,
}

/// Whether a file was searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum FileState {
    #[default]
    Searched,
    /// Gone, or no file any more.
    Vanished,
    Oversized,
    Unreadable,
}

/// Searches files. Keeps its buffers; make one per thread.
pub(super) struct FileSearcher {
    builder: SearcherBuilder,
    searcher: Searcher,
    engine: Engine,
    buffer: Vec<u8>,
    path: Vec<u8>,
    opener: Opener,
    max_file_size: Option<u64>,
    whole_file_test: bool,
    required: Option<Arc<Finder<'static>>>,
    plan: Plan,
}

/// What a thread matches with.
enum Engine {
    Regex(RegexMatcher),
    Pcre2(RefCell<Workspace>),
}

/// What a sink collects.
#[derive(Clone, Copy)]
struct Plan {
    mode: GrepMode,
    multiline: bool,
    /// Whether what stands far behind a match can decide whether it is one.
    looks_far: bool,
    /// One more than this many matched lines of a file are of no interest.
    most: u64,
    max_columns: Option<usize>,
}

impl FileSearcher {
    pub(super) fn new(compiled: &Compiled, options: &GrepOptions) -> Self {
        Self::with_heap_limit(compiled, options, HEAP_LIMIT)
    }

    pub(super) fn with_heap_limit(compiled: &Compiled, options: &GrepOptions, heap_limit: usize) -> Self {
        let content = options.mode == GrepMode::Content;
        let page = options.max_count.map(|count| count.saturating_add(options.offset));
        let most = match options.mode {
            GrepMode::FilesWithMatches => Some(0),
            GrepMode::Content | GrepMode::Count => [page, options.max_count_per_file].into_iter().flatten().min(),
        };
        let mut builder = SearcherBuilder::new();
        builder
            .binary_detection(BinaryDetection::quit(0))
            .memory_map(MmapChoice::never())
            .line_number(content)
            .multi_line(options.multiline)
            .heap_limit(Some(heap_limit))
            // In every mode: where a NUL ends the search depends on how much context is looked at.
            .before_context(options.context_before)
            .after_context(options.context_after);
        Self {
            searcher: builder.build(),
            builder,
            engine: match compiled.program() {
                Program::Regex(matcher) => Engine::Regex(matcher.clone()),
                Program::Pcre2(expression) => Engine::Pcre2(RefCell::new(Workspace::new(Arc::clone(expression)))),
            },
            buffer: vec![0; BUFFER_BYTES],
            path: Vec::new(),
            opener: Opener::default(),
            max_file_size: options.max_file_size,
            whole_file_test: compiled.is_local(),
            required: compiled.required().cloned(),
            plan: Plan {
                mode: options.mode,
                multiline: options.multiline,
                looks_far: !compiled.is_local(),
                most: most.unwrap_or(u64::MAX),
                max_columns: options.max_columns,
            },
        }
    }

    /// Searches the file `name` below `root`. Without `through_link`, a link that has taken its place is passed over.
    pub(super) fn search(
        &mut self,
        root: &Path,
        name: &[u8],
        through_link: bool,
        check: &dyn Fn() -> Result<(), Stopped>,
    ) -> Result<FileResult, Stopped> {
        self.path.clear();
        self.path.extend_from_slice(root.as_os_str().as_encoded_bytes());
        if !self.path.ends_with(b"/") {
            self.path.push(b'/');
        }
        self.path.extend_from_slice(name);
        match self.search_path(through_link, check) {
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

    fn search_path(&mut self, through_link: bool, check: &dyn Fn() -> Result<(), Stopped>) -> io::Result<FileResult> {
        let mut file = self.opener.open(&self.path, through_link)?;
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
        if let Some(most) = self.max_file_size
            && file.size()? > most
        {
            return Ok(FileResult { state: FileState::Oversized, ..FileResult::default() });
        }
        let (head, is_whole) = match self.look(&mut Checked { inner: &mut *file, check, read })? {
            Sight::Nothing { binary } => return Ok(FileResult { binary, ..FileResult::default() }),
            Sight::InHead { filled, at_end } => (&self.buffer[..filled], at_end),
            Sight::Behind => {
                file.rewind()?;
                (&[][..], false)
            }
        };
        // What a byte order mark or a NUL makes of a text is the reader's to say.
        let is_plain = is_whole && !has_byte_order_mark(head) && memchr::memchr(0, head).is_none();
        let is_small = is_plain || is_whole && head.len() < SEARCHER_BUFFER_BYTES;
        let source = if is_plain {
            Source::Text(head)
        } else {
            Source::Reader(head.chain(Checked { inner: file, check, read }))
        };
        let failure = Cell::new(None);
        let callers = Callers { check, failure: &failure };
        let (searched, mut result) = match &self.engine {
            Engine::Regex(matcher) => collect(&mut self.searcher, matcher, self.plan, callers, source),
            Engine::Pcre2(workspace) => {
                let matcher = PcreMatcher { workspace, check, failure: &failure };
                collect(&mut self.searcher, &matcher, self.plan, callers, source)
            }
        };
        if !is_small {
            // A long line makes the searcher's buffer larger for good, and where a NUL hides lines depends on its size.
            self.searcher = self.builder.build();
        }
        match (searched, failure.get()) {
            (Ok(()), _) => {}
            (Err(_), Some(Failure::Stopped(stopped))) => return Err(stop(stopped)),
            // What came before was searched.
            (Err(_), Some(Failure::Code(_) | Failure::Backwards)) => result.too_costly = true,
            // The searcher's own error: what came before the line that is over the heap limit was searched.
            (Err(error), None) if error.kind() == io::ErrorKind::Other => {
                if self.plan.multiline {
                    return Ok(FileResult { state: FileState::Oversized, ..FileResult::default() });
                }
                result.oversized = true;
            }
            (Err(error), None) => return Err(error),
        }
        Ok(result)
    }

    /// Looks for a match in the bytes of a file, many lines at once, so that most files never come before the searcher.
    fn look(&mut self, file: &mut impl Read) -> io::Result<Sight> {
        let (mut filled, mut is_first) = (0, true);
        loop {
            let at_end = fill(file, &mut self.buffer, &mut filled)?;
            let text = &self.buffer[..filled];
            let in_sight = if is_first { Sight::InHead { filled, at_end } } else { Sight::Behind };
            let Engine::Regex(matcher) = &self.engine else { return Ok(in_sight) };
            // UTF-16 is decoded before it is matched.
            if !self.whole_file_test || is_first && is_utf16(text) {
                return Ok(in_sight);
            }
            let end = match (at_end, self.plan.multiline) {
                (true, _) => filled,
                (false, true) => 0,
                (false, false) => memchr::memrchr(b'\n', text).map_or(0, |at| at + 1),
            };
            if end == 0 && !at_end {
                return Ok(in_sight);
            }
            let lines = &text[..end];
            let decoded = if is_first { lines.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(lines) } else { lines };
            let found = if self.required.as_ref().is_some_and(|required| required.find(decoded).is_none()) {
                Ok(false)
            } else if self.plan.multiline {
                matcher.shortest_match(decoded).map(|end| end.is_some())
            } else {
                matcher.find_candidate_line(decoded).map(|line| line.is_some())
            };
            if found.map_err(io::Error::other)? {
                return Ok(in_sight);
            }
            // Where the search would end.
            let binary = memchr::memchr(0, lines).is_some();
            if binary || at_end {
                return Ok(Sight::Nothing { binary });
            }
            self.buffer.copy_within(end..filled, 0);
            filled -= end;
            is_first = false;
        }
    }
}

/// Whether a text begins with UTF-16's byte order mark.
fn is_utf16(text: &[u8]) -> bool {
    text.starts_with(b"\xFF\xFE") || text.starts_with(b"\xFE\xFF")
}

fn has_byte_order_mark(text: &[u8]) -> bool {
    is_utf16(text) || text.starts_with(b"\xEF\xBB\xBF")
}

/// What a first look at a file shows.
enum Sight {
    /// No match, up to the end or to a NUL byte.
    Nothing { binary: bool },
    /// Perhaps a match; this much of the file has been read, perhaps all, and is in the buffer.
    InHead { filled: usize, at_end: bool },
    /// Perhaps a match, and what stands before it is not in the buffer any more.
    Behind,
}

/// Reads on until the buffer is full. Whether the file is at its end.
fn fill(file: &mut impl Read, buffer: &mut [u8], filled: &mut usize) -> io::Result<bool> {
    while *filled < buffer.len() {
        match file.read(&mut buffer[*filled..]) {
            Ok(0) => return Ok(true),
            Ok(read) => *filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(false)
}

/// What passes a sink by, to and from the caller.
#[derive(Clone, Copy)]
struct Callers<'a> {
    check: &'a dyn Fn() -> Result<(), Stopped>,
    /// Why the matcher failed, whose error comes as text alone.
    failure: &'a Cell<Option<Failure>>,
}

/// What is searched.
enum Source<'a, R> {
    /// All of a file, to be taken as it is.
    Text(&'a [u8]),
    Reader(R),
}

/// Searches `source`. What was found up to an error counts.
fn collect<M: Matcher>(
    searcher: &mut Searcher,
    matcher: &M,
    plan: Plan,
    callers: Callers<'_>,
    source: Source<'_, impl Read>,
) -> (io::Result<()>, FileResult) {
    let (result, pending) = (FileResult::default(), Pending::default());
    let mut sink = Collector { plan, matcher, callers, result, pending, bytes: 0 };
    let end = match source {
        Source::Text(text) => searcher.search_slice(matcher, text, &mut sink),
        Source::Reader(reader) => searcher.search_reader(matcher, reader, &mut sink),
    };
    (end, sink.result)
}

/// A reader that counts what it reads, and ends with an error when the search is to stop.
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

fn stop(stopped: Stopped) -> io::Error {
    io::Error::new(STOPPED, stopped)
}

/// Collects what the searcher finds in one file.
struct Collector<'a, M> {
    plan: Plan,
    matcher: &'a M,
    callers: Callers<'a>,
    result: FileResult,
    /// Context before a match that has not come yet.
    pending: Pending,
    /// Bytes of lines kept so far.
    bytes: usize,
}

#[derive(Default)]
struct Pending {
    lines: Vec<ContextLine>,
    any_cut: bool,
}

impl<M: Matcher> Sink for Collector<'_, M> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        let mut places = Places::default();
        let mut line_start = 0;
        for (index, line) in found.lines().enumerate() {
            self.result.count += 1;
            if self.result.count > self.plan.most {
                return Ok(false);
            }
            if self.bytes > MAX_RESULT_BYTES {
                self.result.over_budget = true;
                return Ok(false);
            }
            if self.plan.mode == GrepMode::Content {
                if index == 0 {
                    places = self.places(found);
                }
                let line_number = found.line_number().unwrap_or(0) + index as u64;
                let text = without_terminator(line);
                // Outside of multiline mode a block is one line.
                let inside = if self.plan.multiline {
                    within(&places.kept, line_start, text.len())
                } else {
                    std::mem::take(&mut places.kept)
                };
                self.push(line_number, text, inside, places.gave_up);
            }
            line_start += line.len();
        }
        if places.over_budget {
            self.result.over_budget = true;
            return Ok(false);
        }
        places.end.map(|()| true)
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        if self.plan.mode != GrepMode::Content {
            return Ok(true);
        }
        if self.bytes > MAX_RESULT_BYTES {
            self.result.over_budget = true;
            return Ok(false);
        }
        let text = without_terminator(context.bytes());
        let kept = kept_part(text, 0..0, self.plan.max_columns);
        let cut = kept.len() < text.len();
        self.bytes += kept.len();
        let line = ContextLine { line_number: context.line_number().unwrap_or(0), line: text[kept].to_vec() };
        if let (SinkContextKind::After, Some(last)) = (context.kind(), self.result.matches.last_mut()) {
            last.truncated |= cut;
            last.after.push(line);
        } else {
            self.pending.any_cut |= cut;
            self.pending.lines.push(line);
        }
        Ok(true)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> io::Result<bool> {
        self.result.binary = true;
        Ok(true)
    }
}

impl<M: Matcher> Collector<'_, M> {
    /// Where in a block of matched lines the matches are.
    fn places(&self, found: &SinkMatch<'_>) -> Places {
        // In multiline mode a match may take the line break with it, and look at what follows.
        let (text, block) = if self.plan.multiline {
            let block = found.bytes_range_in_buffer();
            let buffer = found.buffer();
            let end = if self.plan.looks_far { buffer.len() } else { buffer.len().min(block.end + LOOK_AHEAD) };
            (&buffer[..end], block)
        } else {
            let line = without_terminator(found.bytes());
            (line, 0..line.len())
        };
        let mut places = Places::default();
        let (mut line_end, mut in_line, mut seen) = (block.start, 0, 0_usize);
        let searched = self.matcher.try_find_iter_at(text, block.start, |place| {
            seen += 1;
            if seen % PLACES_PER_CHECK == 0 {
                (self.callers.check)().map_err(stop)?;
            }
            if place.start() > block.end || (place.start() == block.end && self.plan.multiline) {
                return Ok(false);
            }
            if place.start() >= line_end {
                let rest = &text[place.start()..];
                line_end = memchr::memchr(b'\n', rest).map_or(text.len() + 1, |at| place.start() + at + 1);
                in_line = 0;
            }
            in_line += 1;
            if in_line <= MAX_SUBMATCHES + 1 {
                places.kept.push(Submatch { start: place.start() - block.start, end: place.end() - block.start });
            }
            places.over_budget = size_of_val(places.kept.as_slice()) > MAX_RESULT_BYTES;
            Ok(!places.over_budget)
        });
        places.end = match (searched, self.callers.failure.take()) {
            (Ok(end), _) => end,
            (Err(_), Some(Failure::Stopped(stopped))) => Err(stop(stopped)),
            // That the lines match is known.
            (Err(_), _) => {
                places.gave_up = true;
                Ok(())
            }
        };
        places
    }

    fn push(&mut self, line_number: u64, text: &[u8], mut submatches: Vec<Submatch>, places_missing: bool) {
        let focus = submatches.first().map_or(0..0, |first| first.start..first.end);
        let kept = kept_part(text, focus, self.plan.max_columns);
        if kept.len() < text.len() {
            submatches = within(&submatches, kept.start, kept.len());
        }
        let too_many = submatches.len() > MAX_SUBMATCHES;
        submatches.truncate(MAX_SUBMATCHES);
        self.bytes += kept.len() + size_of_val(submatches.as_slice());
        let pending = std::mem::take(&mut self.pending);
        self.result.matches.push(LineMatch {
            line_number,
            truncated: kept.len() < text.len() || pending.any_cut || too_many || places_missing,
            line: text[kept].to_vec(),
            before: pending.lines,
            submatches,
            ..LineMatch::default()
        });
    }
}

/// Where the matches of a block are.
struct Places {
    /// In order; of each line at most one more than [`MAX_SUBMATCHES`].
    kept: Vec<Submatch>,
    /// Whether there are more than one result may hold.
    over_budget: bool,
    /// Whether the engine gave up before it found all.
    gave_up: bool,
    /// How the search for them ended.
    end: io::Result<()>,
}

impl Default for Places {
    fn default() -> Self {
        Self { kept: Vec::new(), over_budget: false, gave_up: false, end: Ok(()) }
    }
}

/// The parts of `places` that lie in the `length` bytes from `start`, counted from there. An empty match is kept where
/// it stands.
fn within(places: &[Submatch], start: usize, length: usize) -> Vec<Submatch> {
    let end = start + length;
    let overlaps = |place: &&Submatch| {
        if place.start == place.end {
            (start..=end).contains(&place.start)
        } else {
            place.start < end && place.end > start
        }
    };
    let shift = |place: &Submatch| Submatch { start: place.start.max(start) - start, end: place.end.min(end) - start };
    // They are in order and do not overlap.
    let first = places.partition_point(|place| place.end < start);
    let behind = first + places[first..].partition_point(|place| place.start <= end);
    places[first..behind].iter().filter(overlaps).map(shift).collect()
}

/// A line without its `\n`. A `\r` before it belongs to the line: the terminator is what separates the lines.
fn without_terminator(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\n").unwrap_or(line)
}

/// Which bytes of a line to show when it may have `max_columns` characters: from its beginning, or, when the match at
/// `focus` would not be in there, from a little before the match.
fn kept_part(line: &[u8], focus: Range<usize>, max_columns: Option<usize>) -> Range<usize> {
    let Some(max_columns) = max_columns else { return 0..line.len() };
    if line.len() <= max_columns {
        return 0..line.len();
    }
    let (mut columns, mut first, mut last) = (0, 0, 0);
    for start in character_starts(line) {
        columns += 1;
        first += usize::from(start < focus.start);
        last += usize::from(start < focus.end);
    }
    if columns <= max_columns {
        return 0..line.len();
    }
    let from = if last <= max_columns {
        0
    } else {
        // The match in the middle, or from its beginning when it does not fit.
        let lead = max_columns.saturating_sub(last - first) / 2;
        first.saturating_sub(lead).min(columns - max_columns)
    };
    let byte_of = |column| character_starts(line).nth(column).unwrap_or(line.len());
    byte_of(from)..byte_of(from + max_columns)
}

/// Where the characters of a line begin. Each run of bytes that is no UTF-8 counts as one character.
fn character_starts(line: &[u8]) -> impl Iterator<Item = usize> {
    let mut offset = 0;
    line.utf8_chunks().flat_map(move |chunk| {
        let start = offset;
        let invalid = start + chunk.valid().len();
        offset = invalid + chunk.invalid().len();
        let valid = chunk.valid().char_indices().map(move |(at, _)| start + at);
        valid.chain((!chunk.invalid().is_empty()).then_some(invalid))
    })
}
