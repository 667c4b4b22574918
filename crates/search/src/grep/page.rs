//! Limits and paging over the results of files that come in path order.

use std::ops::ControlFlow;

use super::file::{FileResult, FileState};
use super::{GrepMode, GrepOptions, GrepOutcome, LineMatch};
use crate::engine::StopReason;

/// Takes the results of one file after the other and keeps those of the page asked for.
pub(super) struct Page {
    mode: GrepMode,
    /// How many are still to be left out, and then to be taken.
    skip: u64,
    take: u64,
    per_file: u64,
    outcome: GrepOutcome,
}

impl Page {
    pub(super) fn new(options: &GrepOptions) -> Self {
        Self {
            mode: options.mode,
            skip: options.offset,
            take: options.max_count.unwrap_or(u64::MAX),
            per_file: options.max_count_per_file.unwrap_or(u64::MAX),
            outcome: GrepOutcome::default(),
        }
    }

    /// Adds the next file in path order. Breaks when a match does not fit on the page any more.
    pub(super) fn add(&mut self, path: &[u8], result: FileResult) -> ControlFlow<()> {
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
        self.outcome.files_searched += 1;
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
        self.outcome.total += skip + take;
        self.outcome.files_with_matches += u64::from(skip + take > 0);
        if take > 0 {
            self.keep(path, result, skip, take);
        }
        if skip + take < found {
            self.outcome.limit_reached = true;
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn keep(&mut self, path: &[u8], result: FileResult, skip: u64, take: u64) {
        let file = self.outcome.paths.len();
        self.outcome.paths.push(path.to_vec());
        match self.mode {
            GrepMode::Content => {
                let kept = result.matches.into_iter().skip(skip as usize).take(take as usize);
                self.outcome.matches.extend(kept.map(|line| LineMatch { file, ..line }));
            }
            GrepMode::Count => {
                self.outcome.matches.push(LineMatch { file, match_count: Some(take), ..LineMatch::default() });
            }
            GrepMode::FilesWithMatches => self.outcome.matches.push(LineMatch { file, ..LineMatch::default() }),
        }
    }

    pub(super) fn finish(mut self) -> GrepOutcome {
        self.outcome.limit_reached |= self.outcome.files_cut > 0;
        self.outcome.stop_reason = self.outcome.limit_reached.then_some(StopReason::Limit);
        self.outcome
    }
}
