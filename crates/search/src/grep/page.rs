//! Limits and paging over the results of files in path order.

use std::ops::ControlFlow;

use super::file_result::{FileResult, FileState};
use super::options::{GrepMode, GrepOptions};
use super::outcome::{GrepOutcome, LineMatch};
use crate::context::{MAX_RESULT_BYTES, StopReason};

/// Takes the results of one file after the other and keeps those of the requested page.
pub(super) struct Page {
    mode: GrepMode,
    /// How many matches are still to be left out, and then to be taken.
    skip: u64,
    take: u64,
    per_file: u64,
    context_before: usize,
    /// Bytes of paths and lines kept up to now, and whether they exceed the budget of a result.
    bytes: usize,
    over_budget: bool,
    outcome: GrepOutcome,
}

impl Page {
    pub(super) fn new(options: &GrepOptions) -> Self {
        Self {
            mode: options.mode,
            skip: options.offset,
            take: options.max_count.unwrap_or(u64::MAX),
            per_file: options.max_count_per_file.unwrap_or(u64::MAX),
            context_before: options.context_before,
            bytes: 0,
            over_budget: false,
            outcome: GrepOutcome::default(),
        }
    }

    /// Adds the next file in path order. Breaks if a match does not fit on the page.
    pub(super) fn add(&mut self, path: &[u8], result: FileResult) -> ControlFlow<()> {
        self.outcome.files_opened += u64::from(result.opened);
        self.outcome.bytes_read += result.bytes_read;
        let skipped = &mut self.outcome.skipped;
        match result.state {
            FileState::Searched => {}
            FileState::Vanished => return ControlFlow::Continue(()),
            FileState::Oversized => {
                skipped.oversized += 1;
                return ControlFlow::Continue(());
            }
            FileState::Unreadable => {
                skipped.unreadable += 1;
                return ControlFlow::Continue(());
            }
        }
        skipped.binary += u64::from(result.binary);
        skipped.oversized += u64::from(result.oversized);
        skipped.too_costly += u64::from(result.too_costly);
        self.outcome.files_searched += 1;
        self.outcome.files_excluded += u64::from(result.excluded);
        if result.count == 0 {
            return ControlFlow::Continue(());
        }
        let found = match self.mode {
            GrepMode::FilesWithMatches => 1,
            GrepMode::Content | GrepMode::Count => {
                self.outcome.files_cut += u64::from(result.count > self.per_file);
                result.count.min(self.per_file)
            }
        };
        let skip = found.min(self.skip);
        let take = (found - skip).min(self.take);
        self.skip -= skip;
        self.take -= take;
        self.over_budget |= result.over_budget;
        let kept = if take > 0 { self.keep(path, result, skip, take) } else { 0 };
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

    /// Keeps `take` matches of a file after the first `skip`, as far as they fit into the result. Returns how many it kept.
    fn keep(&mut self, path: &[u8], result: FileResult, skip: u64, take: u64) -> u64 {
        if !self.has_room(path.len()) {
            return 0;
        }
        let file = self.outcome.paths.len();
        self.outcome.paths.push(path.to_vec());
        match self.mode {
            GrepMode::Content => {
                let mut lines = result.matches;
                carry_context(&mut lines, skip as usize, self.context_before);
                let mut kept = 0;
                for line in lines.into_iter().skip(skip as usize).take(take as usize) {
                    let context = line.before.iter().chain(&line.after).map(|context| context.line.len());
                    if !self.has_room(line.line.len() + context.sum::<usize>()) {
                        break;
                    }
                    self.outcome.matches.push(LineMatch { file, ..line });
                    kept += 1;
                }
                kept
            }
            GrepMode::Count => {
                self.outcome.matches.push(LineMatch { file, match_count: Some(take), ..LineMatch::default() });
                take
            }
            GrepMode::FilesWithMatches => {
                self.outcome.matches.push(LineMatch { file, ..LineMatch::default() });
                take
            }
        }
    }

    /// Takes room for some bytes. The first piece always fits, so that a result has at least one match.
    fn has_room(&mut self, bytes: usize) -> bool {
        self.over_budget |= !self.outcome.matches.is_empty() && self.bytes + bytes > MAX_RESULT_BYTES;
        self.bytes += bytes;
        !self.over_budget
    }

    pub(super) fn finish(mut self) -> GrepOutcome {
        self.outcome.stop_reason = if self.over_budget {
            Some(StopReason::Budget)
        } else {
            (self.outcome.limit_reached || self.outcome.files_cut > 0).then_some(StopReason::Limit)
        };
        self.outcome
    }
}

/// The lines between the last match that is left out and the first that is kept are in `after` of the former. This moves
/// those that are context of the latter to its `before`.
fn carry_context(lines: &mut [LineMatch], skip: usize, context_before: usize) {
    let (left_out, kept) = lines.split_at_mut(skip);
    let (Some(left_out), Some(first)) = (left_out.last_mut(), kept.first_mut()) else { return };
    let reach = first.line_number.saturating_sub(context_before as u64);
    let mut before: Vec<_> = left_out.after.drain(..).filter(|line| line.line_number >= reach).collect();
    before.append(&mut first.before);
    first.before = before;
}
