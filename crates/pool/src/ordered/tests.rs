use std::cell::Cell;
use std::sync::atomic::AtomicUsize;
use std::thread::{self, ThreadId};

use super::*;

struct Squares {
    panic_at: Option<usize>,
}

impl Ordered for Squares {
    type State = ();
    type Output = Vec<usize>;

    fn state(&self) {}

    fn chunk(
        &self,
        (): &mut (),
        range: Range<usize>,
        check: &dyn Fn() -> Result<(), Stopped>,
    ) -> Result<Vec<usize>, Stopped> {
        check()?;
        assert!(!self.panic_at.is_some_and(|at| range.contains(&at)), "expected in this test");
        Ok(range.map(|item| item * item).collect())
    }
}

fn collect(threads: usize, items: usize, max: usize) -> Vec<usize> {
    let pool = Pool::new(threads);
    let mut all = Vec::new();
    ordered_chunks(&pool, &Arc::new(Squares { panic_at: None }), items, 3, &CancelToken::new(), |squares| {
        all.extend(squares);
        if all.len() >= max { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })
    .expect("nothing interrupts");
    all
}

#[test]
fn results_come_in_order_on_any_number_of_threads() {
    let expected: Vec<usize> = (0..1000).map(|item| item * item).collect();
    for threads in [1, 2, 5] {
        assert_eq!(collect(threads, 1000, usize::MAX), expected, "{threads} threads");
        assert_eq!(collect(threads, 0, usize::MAX), [], "{threads} threads, nothing to do");
    }
}

#[test]
fn an_early_stop_absorbs_the_first_chunks_without_gaps() {
    for threads in [1, 2, 5] {
        let all = collect(threads, 1000, 10);
        assert_eq!(all, (0..12).map(|item| item * item).collect::<Vec<_>>(), "{threads} threads");
    }
}

#[test]
fn a_cancelled_run_absorbs_no_further_chunk() {
    let cancel = CancelToken::new();
    let mut absorbed = 0;
    let result = ordered_chunks(&Pool::new(2), &Arc::new(Squares { panic_at: None }), 100_000, 1, &cancel, |_| {
        absorbed += 1;
        if absorbed == 5 {
            cancel.cancel();
        }
        ControlFlow::Continue(())
    });
    assert_eq!(result, Err(Interrupted::Stopped(Stopped::Cancelled)));
    assert_eq!(absorbed, 5);
}

#[test]
fn a_panic_on_a_helping_thread_does_not_hang_the_caller() {
    // Either thread can panic: a helper's panic is reported, the caller's own is passed on.
    let result = std::panic::catch_unwind(|| {
        let work = Arc::new(Squares { panic_at: Some(500) });
        ordered_chunks(&Pool::new(2), &work, 1000, 1, &CancelToken::new(), |_| ControlFlow::Continue(()))
    });
    assert!(matches!(result, Err(_) | Ok(Err(Interrupted::WorkerFailed))), "{result:?}");
}

/// Each item makes a result of `bytes`, which wait until the test takes them away.
struct Large {
    bytes: usize,
    waiting: AtomicUsize,
    started: AtomicUsize,
}

impl Large {
    fn new(bytes: usize) -> Self {
        Self { bytes, waiting: AtomicUsize::new(0), started: AtomicUsize::new(0) }
    }
}

impl Ordered for Large {
    type State = ();
    type Output = ();

    fn state(&self) {}

    fn waiting_bytes(&self) -> usize {
        self.waiting.load(Ordering::SeqCst)
    }

    fn chunk(&self, (): &mut (), _: Range<usize>, check: &dyn Fn() -> Result<(), Stopped>) -> Result<(), Stopped> {
        check()?;
        self.started.fetch_add(1, Ordering::SeqCst);
        self.waiting.fetch_add(self.bytes, Ordering::SeqCst);
        Ok(())
    }
}

#[test]
fn a_helper_returns_its_worker_when_too_much_waits() {
    let half = MAX_WAITING_BYTES / 2;
    for (bytes, expected) in [(0, WINDOW), (half, 2), (half + 1, 2), (MAX_WAITING_BYTES, 1), (2 * MAX_WAITING_BYTES, 1)]
    {
        let run = Run::new(&Arc::new(Large::new(bytes)), 1000, 1, &CancelToken::new());
        let asked = Cell::new(0);
        let should_leave = || {
            asked.set(asked.get() + 1);
            asked.get() > 1000
        };
        assert_eq!(run.help(&should_leave), HelpEnd::Done, "{bytes} bytes");
        assert_eq!(run.work.started.load(Ordering::SeqCst), expected, "{bytes} bytes");
        assert_eq!(run.lock().gone, 1, "{bytes} bytes");
    }
}

#[test]
fn helpers_return_when_half_of_what_may_wait_is_absorbed() {
    let run = Run::new(&Arc::new(Large::new(0)), 1000, 1, &CancelToken::new());
    assert_eq!(run.help(&|| false), HelpEnd::Done);
    let recalled = |absorbed: usize, bytes: usize| {
        run.lock().absorbed = absorbed;
        run.work.waiting.store(bytes, Ordering::SeqCst);
        run.recall()
    };
    assert_eq!(recalled(WINDOW / 2 - 1, 0), 0);
    assert_eq!(recalled(WINDOW / 2, MAX_WAITING_BYTES / 2 + 1), 0);
    assert_eq!(recalled(WINDOW / 2, MAX_WAITING_BYTES / 2), 1);
    assert_eq!(recalled(WINDOW, 0), 0, "it has returned");
}

#[test]
fn the_results_that_wait_stay_within_the_bound() {
    for threads in [1, 2, 5] {
        let work = Arc::new(Large::new(MAX_WAITING_BYTES / 4));
        let mut most = 0;
        ordered_chunks(&Pool::new(threads), &work, 1000, 1, &CancelToken::new(), |()| {
            most = most.max(work.waiting.fetch_sub(work.bytes, Ordering::SeqCst));
            ControlFlow::Continue(())
        })
        .expect("nothing interrupts");
        assert_eq!(work.started.load(Ordering::SeqCst), 1000);
        // Each thread may have begun a chunk before the bound was reached, and one is absorbed.
        assert!(most <= MAX_WAITING_BYTES + threads * work.bytes, "{most} bytes wait with {threads} threads");
    }
}

#[test]
fn a_run_goes_on_even_if_what_waits_never_becomes_less() {
    let work = Arc::new(Large::new(MAX_WAITING_BYTES));
    let mut absorbed = 0;
    ordered_chunks(&Pool::new(2), &work, 100, 1, &CancelToken::new(), |()| {
        absorbed += 1;
        ControlFlow::Continue(())
    })
    .expect("nothing interrupts");
    assert_eq!(absorbed, 100);
}

/// From the item `from` on, the leading thread waits for a helper to begin an item.
struct Meeting {
    leader: ThreadId,
    from: usize,
    started: AtomicUsize,
    is_helped: Mutex<bool>,
    helped: Condvar,
}

impl Meeting {
    fn new(from: usize) -> Self {
        let leader = thread::current().id();
        Self { leader, from, started: AtomicUsize::new(0), is_helped: Mutex::new(false), helped: Condvar::new() }
    }
}

impl Ordered for Meeting {
    type State = ();
    type Output = usize;

    fn state(&self) {}

    fn chunk(
        &self,
        (): &mut (),
        range: Range<usize>,
        check: &dyn Fn() -> Result<(), Stopped>,
    ) -> Result<usize, Stopped> {
        check()?;
        self.started.fetch_add(1, Ordering::SeqCst);
        if range.start >= self.from {
            let mut is_helped = self.is_helped.lock().expect("no holder panics");
            if thread::current().id() == self.leader {
                let wait = self.helped.wait_timeout_while(is_helped, Duration::from_secs(60), |helped| !*helped);
                assert!(*wait.expect("no holder panics").0, "no worker helps with item {}", range.start);
            } else {
                *is_helped = true;
                self.helped.notify_all();
            }
        }
        Ok(range.start)
    }
}

#[test]
fn while_a_run_waits_for_its_receiver_its_workers_help_others_and_then_return() {
    let pool = Pool::new(2);
    let slow = Arc::new(Meeting::new(WINDOW + 1));
    let cancel = CancelToken::new();
    ordered_chunks(&pool, &slow, 1000, 1, &cancel, |item| {
        if item == 0 {
            while slow.started.load(Ordering::SeqCst) <= WINDOW {
                thread::yield_now();
            }
            let other = Arc::new(Meeting::new(0));
            ordered_chunks(&pool, &other, 2, 1, &cancel, |_| ControlFlow::Continue(())).expect("nothing interrupts");
        }
        ControlFlow::Continue(())
    })
    .expect("nothing interrupts");
    assert_eq!(slow.started.load(Ordering::SeqCst), 1000);
}
