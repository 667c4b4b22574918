//! The worker threads and their queue.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;

/// Work that several threads can do together.
pub trait Shared: Send + Sync {
    /// Does a part of the work on the current thread. Returns when no work is left, or soon after `should_leave` returns
    /// true. In the second case it is called again later, on this or another worker.
    fn help(&self, should_leave: &dyn Fn() -> bool) -> HelpEnd;
}

/// Why a helper returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HelpEnd {
    /// The work needs no further help.
    Done,
    /// The helper left because a call waits for a thread; more work is left.
    Left,
}

type Call = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct Queue {
    calls: VecDeque<Call>,
    offers: VecDeque<Arc<dyn Shared>>,
    background: VecDeque<Arc<dyn Shared>>,
}

struct Inner {
    queue: Mutex<Queue>,
    work_arrived: Condvar,
    threads: usize,
}

/// A fixed set of worker threads. Cloning gives another handle to the same threads.
#[derive(Clone)]
pub struct Pool {
    inner: Arc<Inner>,
}

impl Pool {
    /// Starts `threads` workers (at least one).
    ///
    /// # Panics
    /// When the system does not start even one thread, because no call could ever run.
    #[must_use]
    pub fn new(threads: usize) -> Self {
        let threads = threads.max(1);
        let inner = Arc::new(Inner { queue: Mutex::default(), work_arrived: Condvar::new(), threads });
        let mut started = 0;
        for index in 0..threads {
            let worker = Arc::clone(&inner);
            if thread::Builder::new().name(format!("cairn-{index}")).spawn(move || worker.run()).is_ok() {
                started += 1;
            }
        }
        assert!(started > 0, "the system does not start a single worker thread");
        Self { inner }
    }

    /// Returns the pool of the process. Its size is `FS_SCAN_THREADS` when that is a whole number from 1 to 256, otherwise
    /// the number of processors. The variable is read once.
    #[must_use]
    pub fn global() -> &'static Self {
        static GLOBAL: OnceLock<Pool> = OnceLock::new();
        GLOBAL.get_or_init(|| {
            let wanted = std::env::var("FS_SCAN_THREADS").ok().and_then(|text| parse_thread_count(&text));
            Self::new(wanted.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from)))
        })
    }

    /// Returns the number of workers.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.inner.threads
    }

    /// Queues a call. A panic in it ends the call, not the worker.
    pub fn spawn(&self, call: impl FnOnce() + Send + 'static) {
        self.inner.lock().calls.push_back(Box::new(call));
        self.inner.work_arrived.notify_one();
    }

    /// Offers `work` to every worker except the caller's own. The caller continues the work itself; it may get no help.
    pub fn offer(&self, work: &Arc<dyn Shared>) {
        self.offer_to(work, self.inner.threads - 1);
    }

    /// Like [`Pool::offer`], to up to `helpers` workers.
    pub(crate) fn offer_to(&self, work: &Arc<dyn Shared>, helpers: usize) {
        if helpers == 0 {
            return;
        }
        let mut queue = self.inner.lock();
        for _ in 0..helpers {
            queue.offers.push_back(Arc::clone(work));
        }
        drop(queue);
        self.inner.work_arrived.notify_all();
    }

    /// Offers `work` to every worker for the time when nothing else is to do. A helper leaves when a call or an offer waits.
    pub fn offer_background(&self, work: &Arc<dyn Shared>) {
        self.inner.lock().background.extend((0..self.inner.threads).map(|_| Arc::clone(work)));
        self.inner.work_arrived.notify_all();
    }

    /// Withdraws the offers of `work` that no worker has accepted. Call it when the work is done.
    pub fn withdraw(&self, work: &Arc<dyn Shared>) {
        self.inner.lock().offers.retain(|offer| !Arc::ptr_eq(offer, work));
    }
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        // No code panics while it holds the lock, so the queue is always consistent.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn call_waits(&self) -> bool {
        !self.lock().calls.is_empty()
    }

    fn other_work_waits(&self) -> bool {
        let queue = self.lock();
        !queue.calls.is_empty() || !queue.offers.is_empty()
    }

    fn run(&self) {
        let mut queue = self.lock();
        loop {
            if let Some(call) = queue.calls.pop_front() {
                drop(queue);
                // The call reports its own panics. This only keeps the worker alive.
                let _ = catch_unwind(AssertUnwindSafe(call));
            } else if let Some(work) = queue.offers.pop_front() {
                drop(queue);
                let end = catch_unwind(AssertUnwindSafe(|| work.help(&|| self.call_waits())));
                if matches!(end, Ok(HelpEnd::Left)) {
                    self.lock().offers.push_back(work);
                    self.work_arrived.notify_one();
                }
            } else if let Some(work) = queue.background.pop_front() {
                drop(queue);
                let end = catch_unwind(AssertUnwindSafe(|| work.help(&|| self.other_work_waits())));
                if matches!(end, Ok(HelpEnd::Left)) {
                    self.lock().background.push_back(work);
                    self.work_arrived.notify_one();
                }
            } else {
                queue = self.work_arrived.wait(queue).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            queue = self.lock();
        }
    }
}

fn parse_thread_count(text: &str) -> Option<usize> {
    text.trim().parse().ok().filter(|count| (1..=256).contains(count))
}

#[cfg(test)]
mod tests;
