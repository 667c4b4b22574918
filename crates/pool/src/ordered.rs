//! Parallel work over a range of items, with results in order.

use std::collections::BTreeMap;
use std::mem;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use cairn_cancel::{CancelToken, Stopped};

use crate::pool::{HelpEnd, Pool, Shared};

/// How many chunks may be started beyond the next one to be absorbed.
const WINDOW: usize = 64;
/// No further chunk is started while the results that wait take this much.
const MAX_WAITING_BYTES: usize = 16 << 20;
/// How long the leading thread sleeps before it checks its token again. The result that it waits for wakes it earlier.
const IDLE: Duration = Duration::from_millis(1);

/// Why the work ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interrupted {
    /// The caller's token stopped it.
    Stopped(Stopped),
    /// The work panicked on a helping thread.
    WorkerFailed,
}

impl From<Stopped> for Interrupted {
    fn from(stopped: Stopped) -> Self {
        Self::Stopped(stopped)
    }
}

/// Work on a range of items.
pub trait Ordered: Send + Sync + 'static {
    /// The state that a thread keeps between chunks, such as buffers.
    type State;
    /// The result of a chunk.
    type Output: Send + 'static;

    /// Makes the state of one thread.
    fn state(&self) -> Self::State;

    /// The memory that the results take which are not absorbed yet. A result may take much more than the items.
    fn waiting_bytes(&self) -> usize {
        0
    }

    /// Works on the items `range`. Must call `check` in long loops and return its error.
    ///
    /// # Errors
    /// Only the error of `check`.
    fn chunk(
        &self,
        state: &mut Self::State,
        range: Range<usize>,
        check: &dyn Fn() -> Result<(), Stopped>,
    ) -> Result<Self::Output, Stopped>;
}

struct Run<W: Ordered> {
    work: Arc<W>,
    cancel: CancelToken,
    items: usize,
    chunk_items: usize,
    chunks: usize,
    closed: AtomicBool,
    results: Mutex<Results<W::Output>>,
    progress: Condvar,
}

struct Results<T> {
    waiting: BTreeMap<usize, T>,
    /// The next chunk to start, and the next one to absorb.
    next: usize,
    absorbed: usize,
    failed: bool,
    /// Whether the leading thread waits for progress. If not, the system call to wake it is saved.
    leader_waits: bool,
    /// How many helpers have left because too many results wait.
    gone: usize,
}

/// Does `work` over `items` items in chunks, on this thread and on idle workers of `pool`. Passes the results to `absorb`
/// on this thread, in order. Stops early when `absorb` breaks; later chunks that have finished (at most 64) are
/// discarded.
///
/// `absorb` may wait: the helpers work ahead up to a bound, then leave their workers to others until it is called again.
///
/// # Errors
/// [`Interrupted`]. `absorb` has then received the results from the first chunk up to some chunk, without gaps.
pub fn ordered_chunks<W: Ordered>(
    pool: &Pool,
    work: &Arc<W>,
    items: usize,
    chunk_items: usize,
    cancel: &CancelToken,
    mut absorb: impl FnMut(W::Output) -> ControlFlow<()>,
) -> Result<(), Interrupted> {
    let run = Arc::new(Run::new(work, items, chunk_items, cancel));
    let shared: Arc<dyn Shared> = run.clone();
    if run.chunks > 1 {
        pool.offer(&shared);
    }
    // Stops the helpers in every case, even when the work or `absorb` panics.
    let _close = Close { run: &run, pool, shared: &shared };
    run.lead(&mut absorb, &|helpers| pool.offer_to(&shared, helpers))
}

struct Close<'a, W: Ordered> {
    run: &'a Run<W>,
    pool: &'a Pool,
    shared: &'a Arc<dyn Shared>,
}

impl<W: Ordered> Drop for Close<'_, W> {
    fn drop(&mut self) {
        self.run.closed.store(true, Ordering::Release);
        self.pool.withdraw(self.shared);
    }
}

impl<W: Ordered> Run<W> {
    fn new(work: &Arc<W>, items: usize, chunk_items: usize, cancel: &CancelToken) -> Self {
        let chunk_items = chunk_items.max(1);
        Self {
            work: Arc::clone(work),
            cancel: cancel.clone(),
            items,
            chunk_items,
            chunks: items.div_ceil(chunk_items),
            closed: AtomicBool::new(false),
            results: Mutex::new(Results {
                waiting: BTreeMap::new(),
                next: 0,
                absorbed: 0,
                failed: false,
                leader_waits: false,
                gone: 0,
            }),
            progress: Condvar::new(),
        }
    }

    fn lead(
        &self,
        absorb: &mut dyn FnMut(W::Output) -> ControlFlow<()>,
        offer: &dyn Fn(usize),
    ) -> Result<(), Interrupted> {
        let mut state = None;
        loop {
            let mut results = self.lock();
            if results.failed {
                return Err(Interrupted::WorkerFailed);
            }
            let next = results.absorbed;
            if next == self.chunks {
                return Ok(());
            }
            if let Some(output) = results.waiting.remove(&next) {
                results.absorbed += 1;
                drop(results);
                self.cancel.check()?;
                if absorb(output).is_break() {
                    return Ok(());
                }
                let gone = self.recall();
                if gone > 0 {
                    offer(gone);
                }
                continue;
            }
            let claimed = self.claim(&mut results);
            drop(results);
            self.cancel.check()?;
            if let Some(index) = claimed {
                let state = state.get_or_insert_with(|| self.work.state());
                self.do_chunk(state, index)?;
            } else {
                self.wait_for(next);
            }
        }
    }

    /// Claims the next chunk, unless all are claimed or too much waits. The chunk that is absorbed next never waits for room.
    fn claim(&self, results: &mut Results<W::Output>) -> Option<usize> {
        let index = results.next;
        let is_full = index >= results.absorbed + WINDOW || self.work.waiting_bytes() >= MAX_WAITING_BYTES;
        let is_free = index < self.chunks && (index == results.absorbed || !is_full);
        results.next += usize::from(is_free);
        is_free.then_some(index)
    }

    /// Returns the number of helpers that left and have enough to do again.
    fn recall(&self) -> usize {
        let mut results = self.lock();
        let ahead = results.next - results.absorbed;
        let has_room =
            results.next < self.chunks && ahead <= WINDOW / 2 && self.work.waiting_bytes() <= MAX_WAITING_BYTES / 2;
        if has_room { mem::take(&mut results.gone) } else { 0 }
    }

    fn do_chunk(&self, state: &mut W::State, index: usize) -> Result<(), Stopped> {
        let check = || {
            if self.closed.load(Ordering::Acquire) { Err(Stopped::Cancelled) } else { self.cancel.check() }
        };
        let start = index * self.chunk_items;
        let range = start..(start + self.chunk_items).min(self.items);
        let guard = FailureGuard { run: self };
        let output = self.work.chunk(state, range, &check);
        mem::forget(guard);
        let output = output?;
        let mut results = self.lock();
        results.waiting.insert(index, output);
        let is_awaited = results.leader_waits && index == results.absorbed;
        drop(results);
        if is_awaited {
            self.progress.notify_one();
        }
        Ok(())
    }

    /// Sleeps until a helper has done the chunk `next`, or for [`IDLE`].
    fn wait_for(&self, next: usize) {
        let mut results = self.lock();
        if !results.failed && !results.waiting.contains_key(&next) {
            results.leader_waits = true;
            results = self.progress.wait_timeout(results, IDLE).unwrap_or_else(PoisonError::into_inner).0;
            results.leader_waits = false;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Results<W::Output>> {
        // Chunks run without the lock. `FailureGuard` handles their panics.
        self.results.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<W: Ordered> Shared for Run<W> {
    fn help(&self, should_leave: &dyn Fn() -> bool) -> HelpEnd {
        let mut state = None;
        loop {
            if self.closed.load(Ordering::Acquire) {
                return HelpEnd::Done;
            }
            if should_leave() {
                return HelpEnd::Left;
            }
            let claimed = {
                let mut results = self.lock();
                let claimed = self.claim(&mut results);
                results.gone += usize::from(claimed.is_none());
                claimed
            };
            // A worker that waited for room would be missing elsewhere for as long as `absorb` waits.
            let Some(index) = claimed else { return HelpEnd::Done };
            let state = state.get_or_insert_with(|| self.work.state());
            if self.do_chunk(state, index).is_err() {
                return HelpEnd::Done;
            }
        }
    }
}

/// Marks the run as failed when a chunk panics, so that the leading thread does not wait for its result.
struct FailureGuard<'a, W: Ordered> {
    run: &'a Run<W>,
}

impl<W: Ordered> Drop for FailureGuard<'_, W> {
    fn drop(&mut self) {
        self.run.lock().failed = true;
        self.run.progress.notify_all();
    }
}

#[cfg(test)]
mod tests;
