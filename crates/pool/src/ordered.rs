//! Parallel work over a range of items, with results in order.

use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use cairn_cancel::{CancelToken, Stopped};

use crate::pool::{HelpEnd, Pool, Shared};

/// How many chunks may be started beyond the next one to be absorbed. Bounds the memory of waiting results.
const WINDOW: usize = 64;
/// How long a waiting thread sleeps before it checks its token again. A new result wakes it earlier.
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
    next: AtomicUsize,
    closed: AtomicBool,
    results: Mutex<Results<W::Output>>,
    progress: Condvar,
}

struct Results<T> {
    waiting: BTreeMap<usize, T>,
    absorbed: usize,
    failed: bool,
    /// How many threads wait for progress. With none, the system call to wake them is saved.
    idle: usize,
}

/// Does `work` over `items` items in chunks, on this thread and on idle workers of `pool`. Passes the results to `absorb`
/// on this thread, in order. Stops early when `absorb` breaks; later chunks that have finished (at most 64) are
/// discarded.
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
    let chunk_items = chunk_items.max(1);
    let run = Arc::new(Run {
        work: Arc::clone(work),
        cancel: cancel.clone(),
        items,
        chunk_items,
        chunks: items.div_ceil(chunk_items),
        next: AtomicUsize::new(0),
        closed: AtomicBool::new(false),
        results: Mutex::new(Results { waiting: BTreeMap::new(), absorbed: 0, failed: false, idle: 0 }),
        progress: Condvar::new(),
    });
    let shared: Arc<dyn Shared> = run.clone();
    if run.chunks > 1 {
        pool.offer(&shared);
    }
    // Stops the helpers in every case, also when the work or `absorb` panics.
    let _close = Close { run: &run, pool, shared: &shared };
    run.lead(&mut absorb)
}

struct Close<'a, W: Ordered> {
    run: &'a Run<W>,
    pool: &'a Pool,
    shared: &'a Arc<dyn Shared>,
}

impl<W: Ordered> Drop for Close<'_, W> {
    fn drop(&mut self) {
        self.run.closed.store(true, Ordering::Release);
        self.run.progress.notify_all();
        self.pool.withdraw(self.shared);
    }
}

impl<W: Ordered> Run<W> {
    fn lead(&self, absorb: &mut dyn FnMut(W::Output) -> ControlFlow<()>) -> Result<(), Interrupted> {
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
                self.wake(results);
                self.cancel.check()?;
                if absorb(output).is_break() {
                    return Ok(());
                }
                continue;
            }
            drop(results);
            self.cancel.check()?;
            if let Some(index) = self.claim() {
                let state = state.get_or_insert_with(|| self.work.state());
                self.do_chunk(state, index)?;
            } else {
                let results = self.lock();
                if !results.failed && !results.waiting.contains_key(&next) {
                    self.wait(results);
                }
            }
        }
    }

    /// Claims the next chunk, unless all are claimed or the window is full.
    fn claim(&self) -> Option<usize> {
        let limit = self.chunks.min(self.lock().absorbed + WINDOW);
        self.next.fetch_update(Ordering::AcqRel, Ordering::Acquire, |next| (next < limit).then_some(next + 1)).ok()
    }

    fn do_chunk(&self, state: &mut W::State, index: usize) -> Result<(), Stopped> {
        let check = || {
            if self.closed.load(Ordering::Acquire) { Err(Stopped::Cancelled) } else { self.cancel.check() }
        };
        let start = index * self.chunk_items;
        let range = start..(start + self.chunk_items).min(self.items);
        let guard = FailureGuard { run: self };
        let output = self.work.chunk(state, range, &check);
        std::mem::forget(guard);
        let output = output?;
        let mut results = self.lock();
        results.waiting.insert(index, output);
        self.wake(results);
        Ok(())
    }

    /// Sleeps until there is progress, or for [`IDLE`].
    fn wait(&self, mut results: MutexGuard<'_, Results<W::Output>>) {
        results.idle += 1;
        self.progress.wait_timeout(results, IDLE).unwrap_or_else(PoisonError::into_inner).0.idle -= 1;
    }

    /// Wakes the waiting threads.
    fn wake(&self, results: MutexGuard<'_, Results<W::Output>>) {
        let idle = results.idle;
        drop(results);
        if idle > 0 {
            self.progress.notify_all();
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
            if self.closed.load(Ordering::Acquire) || self.next.load(Ordering::Acquire) >= self.chunks {
                return HelpEnd::Done;
            }
            if should_leave() {
                return HelpEnd::Left;
            }
            let Some(index) = self.claim() else {
                self.wait(self.lock());
                continue;
            };
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
