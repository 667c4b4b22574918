//! Single flight: joining, leaving and failing scans.

use super::*;

#[test]
fn a_call_after_an_invalidation_does_not_join_an_earlier_scan() {
    let rig = Rig::new(Policy::default());
    let root = rig.root();
    let request = rig.request(&root);
    let Ok(Joined::Started(_)) = rig.cache.state.join(&request.key(), &request, true, Freshness::Any) else {
        panic!("the first call starts a scan")
    };
    rig.cache.invalidate(None);
    let again = rig.cache.state.join(&request.key(), &request, true, Freshness::Any);
    assert!(matches!(again, Ok(Joined::Started(_))));
}

#[test]
fn identical_calls_share_one_scan_and_a_cancelled_call_does_not_stop_the_others() {
    let rig = Rig::new(Policy::default());
    let root = rig.root();
    let request = rig.request(&root);
    let join = || match rig.cache.state.join(&request.key(), &request, true, Freshness::Any) {
        Ok(Joined::Started(scan)) => (scan, false),
        Ok(Joined::Running(scan)) => (scan, true),
        _ => panic!("a scan is running"),
    };
    let ((first, first_joined), (second, second_joined)) = (join(), join());
    assert!(Arc::ptr_eq(&first, &second) && !first_joined && second_joined);
    let cancelled = CancelToken::new();
    cancelled.cancel();
    let result = first.walk.run(&rig.pool, &cancelled, false);
    assert!(result.is_err_and(|error| error.is_stopped()));
    rig.cache.state.leave(&request.key(), &first, &ScanEnd::Stopped);
    let snapshot = second.walk.run(&rig.pool, &CancelToken::new(), false).expect("the other call goes on");
    rig.cache.state.leave(&request.key(), &second, &ScanEnd::Finished(Arc::clone(&snapshot)));
    assert!(Arc::ptr_eq(&rig.get(&root).snapshot, &snapshot));
    assert_eq!(rig.cache.stats().joins, 1);
}

#[test]
fn a_scan_without_callers_is_abandoned_and_forgotten() {
    let rig = Rig::new(Policy::default());
    let root = rig.root();
    let cancelled = CancelToken::new();
    cancelled.cancel();
    let result = rig.cache.get_or_scan(&rig.request(&root), &rig.pool, &cancelled);
    assert!(result.is_err_and(|error| error.is_stopped()));
    assert_eq!((rig.cached(), rig.cache.state.lock().scans.len()), (0, 0));
}

#[test]
fn a_fresh_scan_is_shared_only_with_calls_made_before_it_began() {
    let rig = Rig::new(Policy::default());
    let root = rig.root();
    let early = rig.request(&root);
    rig.pass(10);
    let Ok(Joined::Started(_)) = rig.cache.state.join(&early.key(), &early, false, Freshness::SinceAsked) else {
        panic!("the first call starts a scan")
    };
    rig.pass(10);
    let late = rig.request(&root);
    let joined = |request| match rig.cache.state.join(&early.key(), request, false, Freshness::SinceAsked) {
        Ok(Joined::Started(_)) => false,
        Ok(Joined::Running(_)) => true,
        _ => panic!("nothing is cached"),
    };
    assert!(joined(&early), "asked before the scan began");
    assert!(!joined(&late), "a change that the caller made in the meantime may be missing");
}

#[test]
fn a_removed_or_replaced_root_is_not_served_from_the_old_directory() {
    let rig = Rig::new(Policy::default());
    let root = rig.directory("root");
    fs::write(root.join("old"), "").expect("a file");
    let request = rig.request(&root);
    let start = || match rig.cache.state.join(&request.key(), &request, true, Freshness::Any) {
        Ok(Joined::Started(scan)) => scan,
        _ => panic!("a scan starts"),
    };
    let scan = start();
    fs::rename(&root, rig.root().join("moved")).expect("a rename");
    assert!(scan.walk.root_was_replaced().is_err_and(|error| error.is_not_found()), "deleted while it is scanned");
    fs::create_dir(&root).expect("another directory");
    fs::write(root.join("new"), "").expect("a file");
    assert!(matches!(scan.walk.root_was_replaced(), Ok(true)), "replaced while it is scanned");
    rig.cache.state.leave(&request.key(), &scan, &ScanEnd::Failed);
    let scan = rig.get(&root);
    assert_eq!(scan.snapshot.path(0), b"new");
}

#[test]
fn a_caller_without_time_left_can_take_a_partial_result() {
    // Without another worker, which could finish the scan first.
    let rig = Rig { pool: Pool::new(1), ..Rig::new(Policy::default()) };
    let root = rig.root();
    let timed_out = CancelToken::new().with_timeout(Duration::ZERO);
    let strict = rig.request(&root);
    let result = rig.cache.get_or_scan(&strict, &rig.pool, &timed_out);
    assert!(matches!(result, Err(WalkError::Stopped(Stopped::TimedOut))));
    let partial = ScanRequest { partial_on_timeout: true, ..strict };
    let scan = rig.cache.get_or_scan(&partial, &rig.pool, &timed_out).expect("a partial result");
    assert_eq!(scan.snapshot.cut(), Some(Cut::Timeout));
    assert_eq!(rig.cached(), 0, "a partial snapshot is not cached");
}

#[test]
fn a_scan_that_failed_is_not_joined_again() {
    let rig = Rig::new(Policy::default());
    let root = rig.root();
    let request = rig.request(&root);
    let Ok(Joined::Started(scan)) = rig.cache.state.join(&request.key(), &request, true, Freshness::Any) else {
        panic!("the first call starts a scan")
    };
    let key = request.key();
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let _guard = JoinGuard { state: &rig.cache.state, key: &key, scan: &scan, end: ScanEnd::Failed };
        panic!("expected in this test");
    }));
    assert!(panicked.is_err());
    assert_eq!(rig.get(&root).snapshot.len(), 1, "the next call scans for itself");
    assert_eq!(rig.cache.stats().joins, 0);
}

#[test]
fn joined_calls_all_see_the_whole_tree() {
    let rig = Rig { pool: Pool::new(4), ..Rig::new(Policy::default()) };
    let root = rig.root();
    (0..4).for_each(|number| fs::write(root.join(format!("f{number}")), "").expect("a file"));
    // Many short scans, each shared by four callers: the last caller must still get its result.
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..5_000 {
                    assert_eq!(rig.get(&root).snapshot.len(), 5);
                    rig.cache.invalidate(None);
                }
            });
        }
    });
}

#[test]
fn a_finished_scan_is_not_joined_even_while_another_call_works_on_it() {
    let rig = Rig::new(Policy::default());
    let root = rig.root();
    let request = rig.request(&root);
    let join = || match rig.cache.state.join(&request.key(), &request, true, Freshness::Any) {
        Ok(Joined::Started(scan)) => (scan, false),
        Ok(Joined::Running(scan)) => (scan, true),
        _ => panic!("nothing fresh is cached"),
    };
    let ((first, _), (second, joined)) = (join(), join());
    assert!(joined);
    let snapshot = first.walk.run(&rig.pool, &CancelToken::new(), false).expect("a scan");
    rig.cache.state.leave(&request.key(), &first, &ScanEnd::Finished(snapshot));
    rig.pass(2000);
    let (third, joined) = join();
    assert!(!joined && !Arc::ptr_eq(&second, &third), "its snapshot has expired");
}
