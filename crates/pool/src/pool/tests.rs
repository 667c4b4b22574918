use super::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

/// Counts down from a number, one step at a time, on any number of threads.
struct Countdown {
    left: AtomicUsize,
    helped: AtomicUsize,
}

impl Shared for Countdown {
    fn help(&self, should_leave: &dyn Fn() -> bool) -> HelpEnd {
        self.helped.fetch_add(1, Ordering::SeqCst);
        loop {
            if self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_err() {
                return HelpEnd::Done;
            }
            if should_leave() {
                return HelpEnd::Left;
            }
        }
    }
}

#[test]
fn a_panicking_call_does_not_end_its_worker() {
    let pool = Pool::new(1);
    let (sender, receiver) = mpsc::channel();
    pool.spawn(|| panic!("expected in this test"));
    pool.spawn(move || sender.send(7).expect("the test still listens"));
    assert_eq!(receiver.recv(), Ok(7));
}

#[test]
fn an_idle_worker_helps_with_offered_work() {
    let pool = Pool::new(2);
    let work = Arc::new(Countdown { left: AtomicUsize::new(1), helped: AtomicUsize::new(0) });
    let shared: Arc<dyn Shared> = work.clone();
    pool.offer(&shared);
    while work.left.load(Ordering::SeqCst) > 0 {
        thread::yield_now();
    }
    assert_eq!(work.helped.load(Ordering::SeqCst), 1);
}

#[test]
fn a_helper_leaves_for_a_waiting_call_and_returns() {
    struct UntilCalled {
        began: AtomicUsize,
        leave_seen: AtomicUsize,
        finish: AtomicUsize,
    }
    impl Shared for UntilCalled {
        fn help(&self, should_leave: &dyn Fn() -> bool) -> HelpEnd {
            self.began.fetch_add(1, Ordering::SeqCst);
            loop {
                if self.finish.load(Ordering::SeqCst) == 1 {
                    return HelpEnd::Done;
                }
                if should_leave() {
                    self.leave_seen.fetch_add(1, Ordering::SeqCst);
                    return HelpEnd::Left;
                }
                thread::yield_now();
            }
        }
    }
    let pool = Pool::new(2);
    let (blocked_sender, blocked_receiver) = mpsc::channel::<()>();
    // One worker is held by a call that waits for us; the other one helps.
    pool.spawn(move || blocked_receiver.recv().expect("the test releases the call"));
    let work = Arc::new(UntilCalled {
        began: AtomicUsize::new(0),
        leave_seen: AtomicUsize::new(0),
        finish: AtomicUsize::new(0),
    });
    let shared: Arc<dyn Shared> = work.clone();
    pool.offer(&shared);
    while work.began.load(Ordering::SeqCst) == 0 {
        thread::yield_now();
    }
    let (sender, receiver) = mpsc::channel();
    pool.spawn(move || sender.send(()).expect("the test still listens"));
    receiver.recv().expect("the short call runs although a helper was busy");
    assert!(work.leave_seen.load(Ordering::SeqCst) >= 1);
    work.finish.store(1, Ordering::SeqCst);
    blocked_sender.send(()).expect("the held call still listens");
}

#[test]
fn withdrawn_offers_are_not_accepted() {
    let pool = Pool::new(2);
    let (sender, receiver) = mpsc::channel::<()>();
    let (held, all_held) = mpsc::channel();
    let receiver = Arc::new(Mutex::new(receiver));
    for _ in 0..2 {
        let (held, receiver) = (held.clone(), Arc::clone(&receiver));
        pool.spawn(move || {
            held.send(()).expect("the test still listens");
            let _ = receiver.lock().expect("no holder panics").recv();
        });
    }
    for _ in 0..2 {
        all_held.recv().expect("both workers are held");
    }
    let work = Arc::new(Countdown { left: AtomicUsize::new(1), helped: AtomicUsize::new(0) });
    let shared: Arc<dyn Shared> = work.clone();
    pool.offer(&shared);
    pool.withdraw(&shared);
    drop(sender);
    let (done, finished) = mpsc::channel();
    pool.spawn(move || done.send(()).expect("the test still listens"));
    finished.recv().expect("the workers are free again");
    assert_eq!(work.helped.load(Ordering::SeqCst), 0);
}

#[test]
fn invalid_thread_counts_mean_the_default() {
    for (text, expected) in
        [("4", Some(4)), (" 2 ", Some(2)), ("0", None), ("257", None), ("-1", None), ("two", None), ("", None)]
    {
        assert_eq!(parse_thread_count(text), expected, "FS_SCAN_THREADS={text:?}");
    }
}
