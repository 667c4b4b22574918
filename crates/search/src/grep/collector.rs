//! Collects the matches that the searcher finds in one file.

use std::cell::Cell;
use std::collections::VecDeque;
use std::io::{self, Read};
use std::ops::Range;
use std::sync::atomic::Ordering;

use cairn_cancel::Stopped;
use grep_matcher::{Captures, Match, Matcher};
use grep_searcher::{Searcher, Sink, SinkContext, SinkContextKind, SinkMatch};

use super::file::Room;
use super::file_result::FileResult;
use super::line::{between_characters, without_terminator};
use super::options::{Binary, CountUnit};
use super::outcome::{ContextLine, LineMatch, MAX_SUBMATCHES, Submatch};
use super::pcre::Failure;
use super::submatches::{BlockSubmatches, Shown, end_of_line};
use crate::cost::{Cost, SUBMATCH};

/// How much text after a multiline match is searched for submatches, if the pattern does not depend on more.
const LOOK_AHEAD: usize = 128;
/// How many bytes a result grows before they are added to the cost of the waiting results.
const HELD_STEP: usize = 64 << 10;
/// How many submatches of the same lines are found between two checks for cancellation.
const SUBMATCHES_PER_CHECK: u64 = 4096;
/// The kind of error that carries [`Stopped`] through the searcher. The searcher retries interrupted reads and passes
/// other errors on.
const STOPPED: io::ErrorKind = io::ErrorKind::ConnectionAborted;

/// What a collector keeps.
#[derive(Clone, Copy)]
pub(super) struct CollectOptions {
    /// Whether the lines are kept, or only counted.
    pub(super) keeps_lines: bool,
    pub(super) count_unit: CountUnit,
    pub(super) multiline: bool,
    pub(super) crlf: bool,
    /// Whether the lines are those without a match.
    pub(super) invert: bool,
    /// Whether to find where the matches in a line are, even if that does not decide what is kept of it.
    pub(super) submatches: bool,
    pub(super) binary: Binary,
    /// Whether the search of a file with a NUL byte ends at a match, which is kept without its line.
    pub(super) stops_at_binary: bool,
    /// The number of matched lines that are known to be text. With context, a NUL is noticed earlier.
    pub(super) text_lines: u64,
    /// Whether text far after a match can decide whether it is a match.
    pub(super) looks_far: bool,
    /// The search of a file ends at the first matched line over this number.
    pub(super) max_lines: u64,
    /// The maximal number of lines in which a match begins. Matched lines after them can only be context.
    pub(super) max_begun: u64,
    pub(super) max_columns: usize,
    /// How many lines before a match are its context. After a match that is not kept, the searcher passes more lines.
    pub(super) context_before: usize,
    pub(super) context_after: usize,
}

/// Passes cancellation and the replacement into the searcher, and the failure of the matcher out of it.
#[derive(Clone, Copy)]
pub(super) struct Control<'a> {
    pub(super) check: &'a dyn Fn() -> Result<(), Stopped>,
    /// Why the matcher failed. The searcher turns the error of a matcher into text.
    pub(super) failure: &'a Cell<Option<Failure>>,
    /// The replacement of each match.
    pub(super) replacement: Option<&'a str>,
}

/// The text to search.
#[derive(Clone, Copy)]
pub(super) enum Source<'a, R> {
    /// A whole file that needs no decoding.
    Text(&'a [u8]),
    Reader(R),
}

/// Searches `source`. The matches before an error count.
pub(super) fn collect<M: Matcher>(
    searcher: &mut Searcher,
    matcher: &M,
    options: CollectOptions,
    (control, room): (Control<'_>, Room<'_>),
    source: Source<'_, impl Read>,
) -> (io::Result<()>, FileResult) {
    let (result, pending) = (FileResult::default(), Pending::default());
    let cost = Cost::default();
    let mut sink = Collector { options, matcher, control, room, result, pending, cost, begun: 0, has_nul: false };
    let end = match source {
        Source::Text(text) => searcher.search_slice(matcher, text, &mut sink),
        Source::Reader(reader) => searcher.search_reader(matcher, reader, &mut sink),
    };
    sink.hold(0);
    sink.result.skipped = room.skip.min(sink.result.count);
    (end, sink.result)
}

/// An error that ends the searcher when the search is to stop.
pub(super) fn stop(stopped: Stopped) -> io::Error {
    io::Error::new(STOPPED, stopped)
}

struct Collector<'a, M> {
    options: CollectOptions,
    matcher: &'a M,
    control: Control<'a>,
    room: Room<'a>,
    result: FileResult,
    /// Lines that may be the context before the next match.
    pending: Pending,
    /// The cost of what is kept up to now.
    cost: Cost,
    /// The number of lines in which a match begins.
    begun: u64,
    /// Whether the searcher noticed a NUL byte.
    has_nul: bool,
}

#[derive(Default)]
struct Pending {
    lines: VecDeque<ContextLine>,
    /// The maximal cost of `lines`.
    bytes: usize,
    any_cut: bool,
}

impl Pending {
    /// Adds a line, and drops the lines that are too far before the next one. There are such lines after a match that is left
    /// out: the searcher passes the context after that match, too.
    fn push(&mut self, (line, is_cut): (ContextLine, bool), context_before: u64) {
        let next = line.line_number + 1;
        self.bytes += line.cost().max_bytes();
        self.any_cut |= is_cut;
        self.lines.push_back(line);
        while let Some(first) = self.lines.front().filter(|first| first.line_number + context_before < next) {
            self.bytes -= first.cost().max_bytes();
            self.lines.pop_front();
        }
    }
}

impl<M: Matcher> Sink for Collector<'_, M> {
    type Error = io::Error;

    fn matched(&mut self, searcher: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        if self.options.stops_at_binary && self.has_nul && self.result.count >= self.options.text_lines {
            if self.begin_line() {
                self.push_binary();
            }
            return Ok(false);
        }
        let spans_lines = !self.options.invert && searcher.multi_line_with_matcher(self.matcher);
        match self.options.count_unit {
            CountUnit::Spanning if spans_lines => self.count_matches(found),
            CountUnit::Matches if !self.options.invert => self.count_matches(found),
            _ => self.push_lines(found, spans_lines),
        }
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        if !self.options.keeps_lines {
            return Ok(true);
        }
        let is_after = *context.kind() == SinkContextKind::After;
        // In multiline mode the searcher goes on after the end.
        if self.result.cut && !(is_after && self.has_room_after()) {
            return Ok(false);
        }
        let Some(line) = self.context_line(context.line_number().unwrap_or(0), context.bytes(), self.options.invert)?
        else {
            return Ok(false);
        };
        if is_after && !self.result.matches.is_empty() {
            return self.push_after(line);
        }
        self.pending.push(line, self.options.context_before as u64);
        if self.pending.bytes > self.room.max_bytes {
            self.drop_pending();
        }
        Ok(true)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> io::Result<bool> {
        self.has_nul = true;
        self.result.binary = self.options.binary == Binary::Skip;
        Ok(true)
    }
}

impl<M: Matcher> Collector<'_, M> {
    /// Counts a line in which a match begins. Returns whether the file may have one more.
    fn begin_line(&mut self) -> bool {
        self.result.cut = self.begun == self.options.max_begun;
        self.begun += u64::from(!self.result.cut);
        !self.result.cut
    }

    /// Counts the matches in a block of matched lines. Returns whether the search goes on.
    fn count_matches(&mut self, found: &SinkMatch<'_>) -> io::Result<bool> {
        let (text, block) = self.searched_text(found);
        let matcher = self.matcher;
        let (mut count, mut line_end) = (0_u64, 0);
        let searched = matcher.try_find_iter_at(text, block.start, |found| {
            count += 1;
            if count % SUBMATCHES_PER_CHECK == 0 {
                (self.control.check)().map_err(stop)?;
            }
            let is_over = self.is_after(found, &block) || (found.start() >= line_end && !self.begin_line());
            count -= u64::from(is_over);
            line_end = line_end.max(end_of_line(text, found.start()));
            Ok(!is_over)
        });
        self.result.count += if self.result.cut { count } else { count.max(1) };
        self.end_of(searched)?;
        Ok(!self.result.cut && self.result.count <= self.max_lines())
    }

    /// Keeps or counts the lines of a block of matched lines. Returns whether the search goes on.
    fn push_lines(&mut self, found: &SinkMatch<'_>, spans_lines: bool) -> io::Result<bool> {
        let mut block = None;
        let within_limit = if spans_lines && self.options.max_begun < u64::MAX {
            let block = block.insert(self.submatches(found, true));
            self.begin_lines(found.bytes(), &block.kept)
        } else if self.begin_line() {
            usize::MAX
        } else {
            0
        };
        let mut line_end = 0;
        for (index, line) in found.lines().enumerate() {
            let line_start = line_end;
            line_end += line.len();
            let line_number = found.line_number().unwrap_or(0) + index as u64;
            if line_start >= within_limit {
                if !self.push_over_limit(line_number, line, spans_lines)? {
                    return Ok(false);
                }
                continue;
            }
            self.result.count += 1;
            if self.result.count > self.max_lines() {
                return Ok(false);
            }
            if self.options.keeps_lines {
                if self.result.count <= self.room.skip {
                    self.pending = Pending::default();
                } else {
                    let block = block.get_or_insert_with(|| self.submatches(found, false));
                    if line_end > block.searched_to {
                        self.result.over_budget = true;
                        return Ok(false);
                    }
                    let text = without_terminator(line);
                    let takes_line_end = block.covers(line_start + text.len()..line_end);
                    // Outside of multiline mode a block is one line.
                    let (submatches, replacements) =
                        if self.options.multiline { block.within(line_start, text.len()) } else { block.take() };
                    // The context after the matches before is complete now.
                    self.deliver()?;
                    let found =
                        LineMatch { line_number, submatches, takes_line_end, replacements, ..LineMatch::default() };
                    if !self.push(found, text, block.gave_up) {
                        return Ok(false);
                    }
                    if self.options.context_after == 0 {
                        self.deliver()?;
                    }
                }
            }
        }
        block.map_or(Ok(true), |block| block.end.map(|()| true))
    }

    /// The number of matched lines at which the search ends.
    fn max_lines(&self) -> u64 {
        self.options.max_lines.min(self.room.max_lines)
    }

    /// Counts the lines of a block in which the matches begin. Returns the end of the last line that belongs to a match
    /// within the limit of the file.
    fn begin_lines(&mut self, block: &[u8], submatches: &[Submatch]) -> usize {
        let (mut line_end, mut last) = (0, 0);
        for place in submatches {
            if place.start >= line_end {
                if !self.begin_line() {
                    return last;
                }
                line_end = end_of_line(block, place.start);
            }
            last = last.max(end_of_line(block, place.end.max(place.start + 1) - 1));
        }
        // The engine may have failed to find a match.
        if submatches.is_empty() { usize::MAX } else { last }
    }

    /// Keeps a matched line over the limit of the file if it is context. Returns whether another line can be.
    fn push_over_limit(&mut self, line_number: u64, line: &[u8], spans_lines: bool) -> io::Result<bool> {
        if !self.options.keeps_lines || !self.has_room_after() {
            return Ok(false);
        }
        // As in ripgrep, a part of a match is context like any other.
        let is_match = !spans_lines || self.matcher.is_match(self.searched_line(line)).unwrap_or(false);
        let has_matches = is_match && !self.options.invert;
        let Some((line, is_cut)) = self.context_line(line_number, line, has_matches)? else { return Ok(false) };
        self.push_after((ContextLine { is_match, ..line }, is_cut))
    }

    /// A line of context, and whether it was cut. `None` if its matches exceed the budget.
    fn context_line(
        &mut self,
        line_number: u64,
        line: &[u8],
        has_matches: bool,
    ) -> io::Result<Option<(ContextLine, bool)>> {
        let text = without_terminator(line);
        let mut places = BlockSubmatches::default();
        if has_matches && self.options.submatches {
            let searched = self.searched_line(line);
            places = self.places(searched, 0..searched.len());
        }
        if places.searched_to < usize::MAX {
            self.result.over_budget = true;
            return Ok(None);
        }
        let (submatches, replacements) = places.take();
        let shown = Shown::new(text, submatches, replacements, self.options.max_columns);
        places.end?;
        let Shown { line, submatches, replacements, is_cut } = shown;
        let line = ContextLine { line_number, line, is_match: false, submatches, replacements };
        Ok(Some((line, is_cut || places.gave_up)))
    }

    /// Whether the next line can be context of the last match.
    fn has_room_after(&self) -> bool {
        self.result.matches.last().is_some_and(|last| last.after.len() < self.options.context_after)
    }

    /// Adds a line to the context after the last match. Returns whether the search goes on.
    fn push_after(&mut self, (line, is_cut): (ContextLine, bool)) -> io::Result<bool> {
        if !self.fits(line.cost()) {
            return Ok(false);
        }
        let Some(last) = self.result.matches.last_mut() else { return Ok(true) };
        last.truncated |= is_cut;
        last.after.push(line);
        if last.after.len() < self.options.context_after {
            return Ok(true);
        }
        self.deliver()?;
        Ok(!self.result.cut)
    }

    /// The line in which the matches of a line are searched.
    fn searched_line<'t>(&self, line: &'t [u8]) -> &'t [u8] {
        let is_dos = self.options.crlf && line.ends_with(b"\r\n");
        if is_dos { &line[..line.len() - 2] } else { without_terminator(line) }
    }

    /// The text in which the matches of a block are searched, and where the block is in it. In multiline mode a match may
    /// include the line break, and may depend on the text after it.
    fn searched_text<'t>(&self, found: &SinkMatch<'t>) -> (&'t [u8], Range<usize>) {
        if self.options.multiline {
            let block = found.bytes_range_in_buffer();
            let buffer = found.buffer();
            let end = if self.options.looks_far { buffer.len() } else { buffer.len().min(block.end + LOOK_AHEAD) };
            (&buffer[..end], block)
        } else {
            let line = self.searched_line(found.bytes());
            (line, 0..line.len())
        }
    }

    /// Whether a match begins after a block.
    fn is_after(&self, found: Match, block: &Range<usize>) -> bool {
        found.start() > block.end || (found.start() == block.end && self.options.multiline)
    }

    /// How a search for matches in matched lines ended.
    fn end_of(&self, searched: Result<io::Result<()>, M::Error>) -> io::Result<bool> {
        match (searched, self.control.failure.take()) {
            (Ok(end), _) => end.map(|()| true),
            (Err(_), Some(Failure::Stopped(stopped))) => Err(stop(stopped)),
            // The searcher already knows that the lines match.
            (Err(_), _) => Ok(false),
        }
    }

    /// Finds the matches in a block of matched lines, if `is_needed` or if that decides what is kept of it.
    fn submatches(&self, found: &SinkMatch<'_>, is_needed: bool) -> BlockSubmatches {
        let is_whole = found.bytes().len() <= self.options.max_columns;
        if self.options.invert || (is_whole && !self.options.submatches && !is_needed) {
            return BlockSubmatches::default();
        }
        let (text, block) = self.searched_text(found);
        self.places(text, block)
    }

    /// Finds the matches that begin in a block of a string.
    fn places(&self, text: &[u8], block: Range<usize>) -> BlockSubmatches {
        let max_kept = self.room.max_bytes.saturating_sub(self.cost.bytes()) / SUBMATCH + 1;
        let mut submatches = BlockSubmatches::default();
        let (mut line_end, mut in_line, mut seen, mut last_end) = (block.start, 0, 0, block.start);
        let mut replaced_bytes = 0;
        let mut visit = |found: Match, captures: Option<(&M::Captures, &str)>| {
            seen += 1;
            if seen % SUBMATCHES_PER_CHECK == 0 {
                (self.control.check)().map_err(stop)?;
            }
            if self.is_after(found, &block) {
                return Ok(false);
            }
            if found.start() >= line_end {
                line_end = end_of_line(text, found.start());
                in_line = 0;
            }
            let Some(place) = between_characters(text, found.start()..found.end(), last_end) else { return Ok(true) };
            last_end = place.end;
            let place = Submatch { start: place.start - block.start, end: place.end - block.start };
            // After an empty match, the next one may begin inside the same character. It is kept instead.
            if submatches.kept.last().is_some_and(|last| last.start == place.start) {
                submatches.kept.pop();
                submatches.replacements.pop();
            } else {
                in_line += 1;
            }
            if in_line <= MAX_SUBMATCHES + 1 {
                submatches.kept.push(place);
                if let Some((captures, replacement)) = captures {
                    let mut replaced = Vec::new();
                    let index = |name: &str| self.matcher.capture_index(name);
                    captures.interpolate(index, text, replacement.as_bytes(), &mut replaced);
                    replaced_bytes += replaced.len();
                    submatches.replacements.push(replaced);
                }
            }
            if submatches.kept.len() + replaced_bytes / SUBMATCH > max_kept {
                submatches.searched_to = found.start() - block.start;
                return Ok(false);
            }
            // A block of several lines may have matches in a later line.
            Ok(in_line <= MAX_SUBMATCHES || self.options.multiline)
        };
        let searched = match self.control.replacement {
            None => self.matcher.try_find_iter_at(text, block.start, |found| visit(found, None)),
            Some(replacement) => self.matcher.new_captures().and_then(|mut captures| {
                self.matcher.try_captures_iter_at(text, block.start, &mut captures, |captures| {
                    captures.get(0).map_or(Ok(true), |found| visit(found, Some((captures, replacement))))
                })
            }),
        };
        match self.end_of(searched) {
            Ok(is_whole) => submatches.gave_up = !is_whole,
            Err(error) => submatches.end = Err(error),
        }
        submatches
    }

    /// Keeps a matched line, with its context if that fits. Returns whether the search goes on.
    fn push(&mut self, mut found: LineMatch, text: &[u8], some_missing: bool) -> bool {
        let Shown { line, submatches, replacements, is_cut } =
            Shown::new(text, found.submatches, found.replacements, self.options.max_columns);
        found = LineMatch { line, submatches, replacements, truncated: is_cut || some_missing, ..found };
        let own_cost = found.own_cost();
        let with_context = self.pending.lines.iter().fold(own_cost, |cost, line| cost.plus(line.cost()));
        let is_too_much = self.cost.plus(with_context).bytes() > self.room.max_bytes;
        if is_too_much {
            self.drop_pending();
        }
        if !self.fits(if is_too_much { own_cost } else { with_context }) {
            return false;
        }
        let pending = std::mem::take(&mut self.pending);
        let truncated = found.truncated || pending.any_cut;
        self.result.matches.push(LineMatch { truncated, before: pending.lines.into(), ..found });
        !self.result.over_budget
    }

    /// Passes the lines on, if the caller wants them while the file is searched.
    fn deliver(&mut self) -> io::Result<()> {
        if let Some(live) = self.room.live
            && !self.result.matches.is_empty()
            && live.wants(self.cost.bytes())
            && live.take(std::mem::take(&mut self.result.matches), self.control.check).map_err(stop)?
        {
            self.cost = Cost::default();
        }
        Ok(())
    }

    /// Keeps the match that shows that a binary file has one.
    fn push_binary(&mut self) {
        self.result.count += 1;
        self.result.binary_match = true;
        let is_kept = self.result.count > self.room.skip && self.result.count <= self.max_lines();
        let found = LineMatch { binary: true, ..LineMatch::default() };
        if self.options.keeps_lines && is_kept && self.fits(found.own_cost()) {
            self.result.matches.push(found);
        }
    }

    /// Drops the context before a match, so that the match has room.
    fn drop_pending(&mut self) {
        if !self.pending.lines.is_empty() {
            self.pending = Pending { any_cut: true, ..Pending::default() };
            self.result.over_budget = true;
        }
    }

    /// Reserves room for a part of the result. Returns whether it fits.
    fn fits(&mut self, cost: Cost) -> bool {
        let cost = self.cost.plus(cost);
        if cost.bytes() > self.room.max_bytes {
            self.result.over_budget = true;
            return false;
        }
        self.cost = cost;
        self.hold(HELD_STEP);
        self.result.crowded_out = self.room.is_crowded();
        !self.result.crowded_out
    }

    /// Adds the cost of what is kept to the cost of the waiting results, if it has grown by more than `step` bytes.
    fn hold(&mut self, step: usize) {
        let grown = self.cost.bytes() - self.result.held;
        if let Some(held) = self.room.held
            && grown > step
        {
            held.bytes.fetch_add(grown, Ordering::Relaxed);
            self.result.held += grown;
        }
    }
}
