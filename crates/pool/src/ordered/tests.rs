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
