use std::cell::Cell;
use std::cmp::Ordering;
use std::fs;

use super::listing::compare_steps;
use super::plan::CHECK_INTERVAL;
use super::*;
use crate::options::{ScanOptions, Subtree};

fn walk_over(files: usize) -> (tempfile::TempDir, Arc<Walk>) {
    let tree = tempfile::tempdir().expect("a temporary directory");
    for number in 0..files {
        fs::write(tree.path().join(format!("f{number}")), "").expect("a file");
    }
    let root = tree.path().canonicalize().expect("the tree exists");
    let walk = Walk::new(WalkPlan {
        root,
        options: ScanOptions::default(),
        subtree: Subtree::default(),
        max_entries: usize::MAX,
        record_fingerprint: false,
        base: None,
    })
    .expect("a root");
    (tree, walk)
}

#[test]
fn a_visitor_checks_its_token_every_128_entries() {
    let (_tree, walk) = walk_over(1000);
    let checks = Cell::new(0);
    let Some(Task::List(task)) = lock(&walk.state).ready.pop() else { panic!("the root") };
    let visit = walk.visitor().visit(&task, &|| {
        checks.set(checks.get() + 1);
        Ok(())
    });
    assert_eq!(visit.expect("nothing stops it").listing.entries.len(), 1000);
    // Once per 128 while listing, and once per 128 while filtering.
    assert_eq!(checks.get(), 2 * (1000 / CHECK_INTERVAL));
}

#[test]
fn a_stopped_visitor_visits_no_further_entry() {
    let (_tree, walk) = walk_over(1000);
    let Some(Task::List(task)) = lock(&walk.state).ready.pop() else { panic!("the root") };
    let checks = Cell::new(0);
    let visit = walk.visitor().visit(&task, &|| {
        checks.set(checks.get() + 1);
        if checks.get() == 3 { Err(Stopped::Cancelled) } else { Ok(()) }
    });
    assert!(visit.is_err());
    assert_eq!(checks.get(), 3, "the error goes straight up");
}

#[test]
fn a_directory_that_a_cancelled_visitor_left_is_listed_by_the_next_one() {
    let (_tree, walk) = walk_over(300);
    let cancelled = CancelToken::new();
    cancelled.cancel();
    let pool = Pool::new(1);
    assert!(walk.run(&pool, &cancelled).is_err_and(|error| error.is_stopped()));
    let snapshot = walk.run(&pool, &CancelToken::new()).expect("a scan");
    assert_eq!((snapshot.len(), snapshot.cut()), (300, None));
}

#[test]
fn steps_compare_like_their_paths() {
    let names = [&b"a"[..], b"a.", b"a-", b"a0", b"ab", b"b", b"\xFF"];
    for left in names {
        for right in names {
            for (left_subtree, right_subtree) in [(false, false), (true, false), (false, true), (true, true)] {
                let path = |name: &[u8], subtree: bool| if subtree { [name, b"/"].concat() } else { name.to_vec() };
                assert_eq!(
                    compare_steps(left, left_subtree, right, right_subtree) == Ordering::Less,
                    path(left, left_subtree) < path(right, right_subtree),
                    "{left:?} {left_subtree} {right:?} {right_subtree}"
                );
            }
        }
    }
}
