//! Limits and paging over the results of files in path order.

use std::mem;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use cairn_cancel::Stopped;

use super::file::Room;
use super::file_result::{FileResult, FileState};
use super::options::{GrepMode, GrepOptions};
use super::outcome::{GrepOutcome, LineMatch};
use super::stream::{BATCH_BYTES, BatchSink, GrepBatch, MAX_HELD_BYTES, Streaming};
use crate::content::Freshness;
use crate::context::StopReason;
use crate::cost::{Cost, GREP_FILE, GREP_MATCH};

/// The maximal number of unreadable files and directories that a result names.
pub(super) const MAX_NAMED: usize = 16;

/// A batch has at least this much, or comes this long after the last one.
const MIN_BATCH_BYTES: usize = 64 << 10;
const MAX_BATCH_TIME: Duration = Duration::from_millis(10);

/// Receives the results of the files in path order, and keeps the results of the requested page.
pub(super) struct Page<'a> {
    mode: GrepMode,
    /// Where the matches go while the search runs.
    streaming: Option<Streaming<'a>>,
    /// How many matches are still to be left out, and after them how many are still to be kept.
    skip: u64,
    take: u64,
    max_bytes: usize,
    /// The cost of what is kept up to now, and whether more would exceed the budget of a result.
    cost: Cost,
    over_budget: bool,
    /// How many matches of the file that is being searched were kept before its result is added.
    live: u64,
    /// The part of the cost that was delivered.
    delivered: usize,
    last_delivery: Option<Instant>,
    has_matches: bool,
    outcome: GrepOutcome,
}

impl<'a> Page<'a> {
    pub(super) fn new(options: &GrepOptions, streaming: Option<Streaming<'a>>) -> Self {
        Self {
            mode: options.mode,
            streaming,
            skip: options.offset,
            take: options.max_count.unwrap_or(u64::MAX),
            max_bytes: options.scope.max_result_bytes,
            cost: Cost::default(),
            over_budget: false,
            live: 0,
            delivered: 0,
            last_delivery: None,
            has_matches: false,
            outcome: GrepOutcome::default(),
        }
    }

    /// Returns the way to search the next file again if `result` does not have the matches that the page needs. The first search
    /// did not know how many matches the earlier files have, and may have ended early to save memory.
    pub(super) fn missing(&self, result: &FileResult) -> Option<Room<'static>> {
        let is_cut = result.over_budget || result.crowded_out;
        let starts_inside = self.skip > result.skipped && (self.skip < result.count || is_cut);
        let is_unknown = result.crowded_out && result.count == 0;
        // Its matches leave while it is searched, so that they all have room.
        let outgrows = result.over_budget && self.drains();
        let is_short = self.take > 0 && (starts_inside || result.crowded_out || outgrows);
        let is_missing = self.mode == GrepMode::Content && (is_unknown || is_short);
        is_missing.then(|| self.room())
    }

    /// How to search the next file if its matches go nowhere else first.
    pub(super) fn room(&self) -> Room<'static> {
        let max_bytes = if self.drains() { self.max_bytes } else { self.max_bytes.saturating_sub(self.cost.bytes()) };
        let max_lines = self.skip.saturating_add(self.take);
        Room { skip: self.skip, max_lines, max_bytes, held: None, live: None }
    }

    /// The maximal cost of the results that wait for earlier files. A file without room is searched again.
    pub(super) fn max_held(&self) -> usize {
        if self.drains() { self.max_bytes.min(MAX_HELD_BYTES) } else { self.max_bytes }
    }

    /// Whether matches that were delivered no longer count for the budget.
    fn drains(&self) -> bool {
        self.streaming.is_some_and(|streaming| !streaming.keeps_all)
    }

    /// Keeps matches of a file that is still being searched; [`Page::add`] counts them.
    pub(super) fn keep_live(&mut self, path: &[u8], lines: Vec<LineMatch>) {
        self.live += lines.len() as u64;
        self.cost = lines.iter().fold(self.cost, |cost, line| cost.plus(line.cost()));
        let file = self.begin(path);
        self.has_matches = true;
        self.outcome.matches.extend(lines.into_iter().map(|line| LineMatch { file, ..line }));
    }

    /// Passes on what is kept if the receiver is ready, or waits for it if that is enough for a batch. After the first match,
    /// matches wait for others for a short time, because each batch has a cost.
    pub(super) fn deliver(&mut self, check: &dyn Fn() -> Result<(), Stopped>) -> Result<(), Stopped> {
        let waiting = self.cost.bytes() - self.delivered;
        let is_due = |sink: &dyn BatchSink| {
            waiting >= BATCH_BYTES
                || !self.outcome.matches.is_empty()
                    && sink.is_ready()
                    && (waiting >= MIN_BATCH_BYTES
                        || self.last_delivery.is_none_or(|last| last.elapsed() >= MAX_BATCH_TIME))
        };
        if self.streaming.is_some_and(|streaming| is_due(streaming.sink)) { self.deliver_now(check) } else { Ok(()) }
    }

    /// Passes on what is kept. Waits for the receiver.
    pub(super) fn deliver_now(&mut self, check: &dyn Fn() -> Result<(), Stopped>) -> Result<(), Stopped> {
        let Some(Streaming { sink, keeps_all }) = self.streaming else { return Ok(()) };
        if self.outcome.matches.is_empty() {
            return Ok(());
        }
        let batch =
            GrepBatch { paths: mem::take(&mut self.outcome.paths), matches: mem::take(&mut self.outcome.matches) };
        if keeps_all {
            self.delivered = self.cost.bytes();
        } else {
            self.cost = Cost::default();
        }
        let taken = sink.take(batch, check);
        self.last_delivery = Some(Instant::now());
        taken
    }

    /// States that an index was used.
    pub(super) fn set_freshness(&mut self, freshness: Freshness) {
        self.outcome.freshness = Some(freshness);
    }

    /// Adds the next file in path order. Breaks if a match does not fit on the page.
    pub(super) fn add(&mut self, path: &[u8], result: FileResult) -> ControlFlow<()> {
        self.outcome.files_opened += u64::from(result.opened);
        self.outcome.bytes_read += result.bytes_read;
        let skipped = &mut self.outcome.skipped;
        match result.state {
            FileState::Searched | FileState::Vanished => {}
            FileState::Oversized => skipped.oversized += 1,
            FileState::Unreadable => {
                skipped.unreadable += 1;
                if self.outcome.unreadable_paths.len() < MAX_NAMED {
                    self.outcome.unreadable_paths.push(path.to_vec());
                }
            }
        }
        if result.state != FileState::Searched {
            self.count_live();
            return ControlFlow::Continue(());
        }
        skipped.binary += u64::from(result.binary) + u64::from(result.excluded_binary);
        skipped.oversized += u64::from(result.oversized);
        skipped.too_costly += u64::from(result.too_costly);
        self.outcome.files_searched += result.files();
        self.outcome.files_excluded += u64::from(result.excluded);
        self.outcome.files_cut += u64::from(result.cut);
        if result.count == 0 {
            return ControlFlow::Continue(());
        }
        let found = match self.mode {
            GrepMode::FilesWithMatches => 1,
            GrepMode::Content | GrepMode::Count => result.count,
        };
        let skip = found.min(self.skip);
        let take = (found - skip).min(self.take);
        self.skip -= skip;
        self.take -= take;
        let is_cut = result.over_budget || result.crowded_out;
        let kept = if take > 0 { self.keep(path, result, skip, take) } else { 0 };
        self.over_budget |= is_cut && take > 0;
        self.outcome.total += skip + kept;
        self.outcome.files_with_matches += u64::from(skip + kept > 0);
        if self.over_budget {
            return ControlFlow::Break(());
        }
        if skip + take < found {
            self.outcome.limit_reached = true;
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    /// Counts the matches of a file whose search did not come to its end.
    fn count_live(&mut self) {
        let live = mem::take(&mut self.live);
        if live > 0 {
            self.outcome.total += mem::take(&mut self.skip) + live;
            self.outcome.files_with_matches += 1;
            self.take -= live;
        }
    }

    /// Adds the file of the next matches, unless they continue those before. Returns its index.
    fn begin(&mut self, path: &[u8]) -> usize {
        if self.outcome.paths.last().is_none_or(|last| last != path) {
            self.outcome.paths.push(path.to_vec());
        }
        self.outcome.paths.len() - 1
    }

    /// Keeps up to `take` matches of a file after the first `skip`, until the result is full. Returns the number that it kept,
    /// with those it already had.
    fn keep(&mut self, path: &[u8], result: FileResult, skip: u64, take: u64) -> u64 {
        let mut kept = mem::take(&mut self.live);
        if kept == take {
            return kept;
        }
        let mut cost = Cost::default();
        cost.add(GREP_FILE);
        cost.add_text(path);
        if self.mode != GrepMode::Content {
            cost.add(GREP_MATCH);
        }
        if !self.has_room(cost) {
            return kept;
        }
        let file = self.begin(path);
        if self.mode != GrepMode::Content {
            let match_count = (self.mode == GrepMode::Count).then_some(take);
            self.outcome.matches.push(LineMatch { file, match_count, ..LineMatch::default() });
            self.has_matches = true;
            return take;
        }
        let skip = skip.saturating_sub(result.skipped);
        for line in result.matches.into_iter().skip(skip as usize).take((take - kept) as usize) {
            if !self.has_room(line.cost()) {
                break;
            }
            self.outcome.matches.push(LineMatch { file, ..line });
            self.has_matches = true;
            kept += 1;
        }
        kept
    }

    /// Reserves room for a part of the result. Returns whether it fits; the first match always does.
    fn has_room(&mut self, cost: Cost) -> bool {
        let cost = self.cost.plus(cost);
        self.over_budget |= self.has_matches && !self.drains() && cost.bytes() > self.max_bytes;
        if !self.over_budget {
            self.cost = cost;
        }
        !self.over_budget
    }

    pub(super) fn finish(mut self) -> GrepOutcome {
        self.count_live();
        self.outcome.stop_reason = if self.over_budget {
            Some(StopReason::Budget)
        } else {
            (self.outcome.limit_reached || self.outcome.files_cut > 0).then_some(StopReason::Limit)
        };
        self.outcome
    }
}
