//! Matches that leave a search while it runs.

use std::cell::RefCell;

use cairn_cancel::Stopped;

use super::outcome::LineMatch;
use super::page::Page;

/// A receiver that is not ready gets its next batch when the matches cost this much.
pub(super) const BATCH_BYTES: usize = 1 << 20;

/// The results that wait for earlier files cost at most this if the caller does not keep them. A file that has no room
/// passes its matches on while it is searched again.
pub(super) const MAX_HELD_BYTES: usize = 32 << 20;

/// Some matches of a search, in the order of its result.
#[derive(Clone, Debug, Default)]
pub struct GrepBatch {
    /// The files of the matches, like [`GrepOutcome::paths`](super::GrepOutcome::paths).
    pub paths: Vec<Vec<u8>>,
    /// The matches; `file` is an index in `paths`.
    pub matches: Vec<LineMatch>,
}

/// Receives the matches of a search while it runs, on the thread that leads the search.
pub trait BatchSink {
    /// Whether it takes a batch without a wait.
    fn is_ready(&self) -> bool;

    /// Takes a batch. Waits until the receiver is ready, and calls `check` at least every 10 ms meanwhile.
    ///
    /// # Errors
    /// Only the error of `check`.
    fn take(&self, batch: GrepBatch, check: &dyn Fn() -> Result<(), Stopped>) -> Result<(), Stopped>;
}

/// Where the matches of a search go while it runs.
#[derive(Clone, Copy)]
pub struct Streaming<'a> {
    /// Receives the batches. The matches after the last batch are in the outcome.
    pub sink: &'a dyn BatchSink,
    /// Whether the receiver keeps all matches, so that all of them together must fit the budget of a result. Otherwise the
    /// budget holds for what waits.
    pub keeps_all: bool,
}

/// Receives the matched lines of one file while it is searched.
pub(super) trait LineSink {
    /// Whether lines that cost `bytes` are to be taken now.
    fn wants(&self, bytes: usize) -> bool;

    /// Takes lines. Returns whether their cost no longer counts.
    fn take(&self, lines: Vec<LineMatch>, check: &dyn Fn() -> Result<(), Stopped>) -> Result<bool, Stopped>;
}

/// Passes the lines of a file to the page.
pub(super) struct FileSink<'a, 'p> {
    page: RefCell<&'a mut Page<'p>>,
    streaming: Streaming<'p>,
    path: &'a [u8],
}

impl<'a, 'p> FileSink<'a, 'p> {
    pub(super) fn new(page: &'a mut Page<'p>, streaming: Streaming<'p>, path: &'a [u8]) -> Self {
        Self { page: RefCell::new(page), streaming, path }
    }
}

impl LineSink for FileSink<'_, '_> {
    fn wants(&self, bytes: usize) -> bool {
        bytes >= BATCH_BYTES || self.streaming.sink.is_ready()
    }

    fn take(&self, lines: Vec<LineMatch>, check: &dyn Fn() -> Result<(), Stopped>) -> Result<bool, Stopped> {
        let mut page = self.page.borrow_mut();
        page.keep_live(self.path, lines);
        page.deliver_now(check)?;
        Ok(!self.streaming.keeps_all)
    }
}
