//! Collects the matches that the searcher finds in one file.

use std::cell::Cell;
use std::io::{self, Read};

use cairn_cancel::Stopped;
use grep_matcher::Matcher;
use grep_searcher::{Searcher, Sink, SinkContext, SinkContextKind, SinkMatch};

use super::file_result::FileResult;
use super::line::{kept_part, within, without_terminator};
use super::options::GrepMode;
use super::outcome::{ContextLine, LineMatch, MAX_SUBMATCHES, Submatch};
use super::pcre::Failure;
use crate::context::MAX_RESULT_BYTES;

/// How much text after a multiline match is searched for submatches, if the pattern does not depend on more.
const LOOK_AHEAD: usize = 128;
/// How many submatches of the same lines are found between two checks for cancellation.
const SUBMATCHES_PER_CHECK: usize = 4096;
/// The kind of error that carries [`Stopped`] through the searcher. The searcher retries interrupted reads and passes
/// other errors on.
const STOPPED: io::ErrorKind = io::ErrorKind::ConnectionAborted;

/// What a collector keeps.
#[derive(Clone, Copy)]
pub(super) struct CollectOptions {
    pub(super) mode: GrepMode,
    pub(super) multiline: bool,
    pub(super) crlf: bool,
    /// Whether text far after a match can decide whether it is a match.
    pub(super) looks_far: bool,
    /// The search of a file ends at the first matched line over this number.
    pub(super) max_lines: u64,
    pub(super) max_columns: Option<usize>,
}

/// Reaches the caller and the matcher from inside the searcher.
#[derive(Clone, Copy)]
pub(super) struct Control<'a> {
    pub(super) check: &'a dyn Fn() -> Result<(), Stopped>,
    /// Why the matcher failed: the searcher passes its error on as text only.
    pub(super) failure: &'a Cell<Option<Failure>>,
}

/// The text to search.
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
    control: Control<'_>,
    source: Source<'_, impl Read>,
) -> (io::Result<()>, FileResult) {
    let (result, pending) = (FileResult::default(), Pending::default());
    let mut sink = Collector { options, matcher, control, result, pending, bytes: 0 };
    let end = match source {
        Source::Text(text) => searcher.search_slice(matcher, text, &mut sink),
        Source::Reader(reader) => searcher.search_reader(matcher, reader, &mut sink),
    };
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
    result: FileResult,
    /// Context before a match that has not come yet.
    pending: Pending,
    /// Bytes of lines kept up to now.
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
        let mut block = BlockSubmatches::default();
        let mut line_start = 0;
        for (index, line) in found.lines().enumerate() {
            self.result.count += 1;
            if self.result.count > self.options.max_lines {
                return Ok(false);
            }
            if self.bytes > MAX_RESULT_BYTES {
                self.result.over_budget = true;
                return Ok(false);
            }
            if self.options.mode == GrepMode::Content {
                if index == 0 {
                    block = self.submatches(found);
                }
                let line_number = found.line_number().unwrap_or(0) + index as u64;
                let text = without_terminator(line);
                // Outside of multiline mode a block is one line.
                let submatches = if self.options.multiline {
                    within(&block.kept, line_start, text.len())
                } else {
                    std::mem::take(&mut block.kept)
                };
                self.push(line_number, text, submatches, block.gave_up);
            }
            line_start += line.len();
        }
        if block.over_budget {
            self.result.over_budget = true;
            return Ok(false);
        }
        block.end.map(|()| true)
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        if self.options.mode != GrepMode::Content {
            return Ok(true);
        }
        if self.bytes > MAX_RESULT_BYTES {
            self.result.over_budget = true;
            return Ok(false);
        }
        let text = without_terminator(context.bytes());
        let kept = kept_part(text, 0..0, self.options.max_columns);
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
    /// Finds the matches in a block of matched lines.
    fn submatches(&self, found: &SinkMatch<'_>) -> BlockSubmatches {
        // In multiline mode a match may include the line break, and depend on the text after it.
        let (text, block) = if self.options.multiline {
            let block = found.bytes_range_in_buffer();
            let buffer = found.buffer();
            let end = if self.options.looks_far { buffer.len() } else { buffer.len().min(block.end + LOOK_AHEAD) };
            (&buffer[..end], block)
        } else {
            let line = found.bytes();
            let is_dos = self.options.crlf && line.ends_with(b"\r\n");
            let line = if is_dos { &line[..line.len() - 2] } else { without_terminator(line) };
            (line, 0..line.len())
        };
        let mut submatches = BlockSubmatches::default();
        let (mut line_end, mut in_line, mut seen) = (block.start, 0, 0_usize);
        let searched = self.matcher.try_find_iter_at(text, block.start, |found| {
            seen += 1;
            if seen % SUBMATCHES_PER_CHECK == 0 {
                (self.control.check)().map_err(stop)?;
            }
            if found.start() > block.end || (found.start() == block.end && self.options.multiline) {
                return Ok(false);
            }
            if found.start() >= line_end {
                let rest = &text[found.start()..];
                line_end = memchr::memchr(b'\n', rest).map_or(text.len() + 1, |at| found.start() + at + 1);
                in_line = 0;
            }
            in_line += 1;
            if in_line <= MAX_SUBMATCHES + 1 {
                submatches.kept.push(Submatch { start: found.start() - block.start, end: found.end() - block.start });
            }
            submatches.over_budget = size_of_val(submatches.kept.as_slice()) > MAX_RESULT_BYTES;
            Ok(!submatches.over_budget)
        });
        submatches.end = match (searched, self.control.failure.take()) {
            (Ok(end), _) => end,
            (Err(_), Some(Failure::Stopped(stopped))) => Err(stop(stopped)),
            // The lines match in any case.
            (Err(_), _) => {
                submatches.gave_up = true;
                Ok(())
            }
        };
        submatches
    }

    fn push(&mut self, line_number: u64, text: &[u8], mut submatches: Vec<Submatch>, some_missing: bool) {
        let focus = submatches.first().map_or(0..0, |first| first.start..first.end);
        let kept = kept_part(text, focus, self.options.max_columns);
        if kept.len() < text.len() {
            submatches = within(&submatches, kept.start, kept.len());
        }
        let too_many = submatches.len() > MAX_SUBMATCHES;
        submatches.truncate(MAX_SUBMATCHES);
        self.bytes += kept.len() + size_of_val(submatches.as_slice());
        let pending = std::mem::take(&mut self.pending);
        self.result.matches.push(LineMatch {
            line_number,
            truncated: kept.len() < text.len() || pending.any_cut || too_many || some_missing,
            line: text[kept].to_vec(),
            before: pending.lines,
            submatches,
            ..LineMatch::default()
        });
    }
}

/// The matches in a block of lines.
struct BlockSubmatches {
    /// In order; of each line at most one more than [`MAX_SUBMATCHES`].
    kept: Vec<Submatch>,
    /// Whether they exceed the budget of a result.
    over_budget: bool,
    /// Whether the engine failed before it found all.
    gave_up: bool,
    /// How the search for them ended.
    end: io::Result<()>,
}

impl Default for BlockSubmatches {
    fn default() -> Self {
        Self { kept: Vec::new(), over_budget: false, gave_up: false, end: Ok(()) }
    }
}
