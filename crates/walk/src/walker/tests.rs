use std::cell::Cell;
use std::cmp::Ordering;
use std::fs;

use super::listing::{Listing, SORTED_PER_CHECK, compare_steps};
use super::plan::CHECK_INTERVAL;
use super::*;
use crate::kind::Kind;
use crate::options::{ScanOptions, Subtree};

fn walk_over(files: usize) -> (tempfile::TempDir, Arc<Walk>) {
    let tree = tempfile::tempdir().expect("a temporary directory");
    for number in 0..files {
        fs::write(tree.path().join(format!("f{number}")), "").expect("a file");
    }
    let walk = Walk::new(plan_of(&tree)).expect("a root");
    (tree, walk)
}

fn plan_of(tree: &tempfile::TempDir) -> WalkPlan {
    WalkPlan {
        root: tree.path().canonicalize().expect("the tree exists"),
        options: ScanOptions::default(),
        subtree: Subtree::default(),
        only_head: false,
        max_entries: usize::MAX,
        record_fingerprint: false,
        base: None,
        places: None,
    }
}

fn scan_of(plan: WalkPlan) -> Arc<Snapshot> {
    let walk = Walk::new(plan).expect("a root");
    walk.run(&Pool::new(1), &CancelToken::new(), false).expect("a scan")
}

#[test]
fn a_scan_of_few_levels_lists_no_directory_below_them() {
    let tree = tempfile::tempdir().expect("a temporary directory");
    fs::create_dir_all(tree.path().join("a/b/c/d")).expect("directories");
    for (max_depth, paths) in [(1, vec!["a"]), (2, vec!["a", "a/b"]), (3, vec!["a", "a/b", "a/b/c"])] {
        let subtree = Subtree { max_depth: Some(max_depth), ..Subtree::default() };
        let snapshot = scan_of(WalkPlan { subtree, ..plan_of(&tree) });
        let listed: Vec<_> = (0..snapshot.len()).map(|entry| String::from_utf8_lossy(snapshot.path(entry))).collect();
        assert_eq!(listed, paths);
    }
}

#[test]
fn a_scan_under_rules_is_not_validated_under_the_configuration_of_another_user() {
    let (tree, _walk) = walk_over(1);
    for use_gitignore in [false, true] {
        let options = ScanOptions { use_gitignore, ..ScanOptions::default() };
        let snapshot = scan_of(WalkPlan { options, record_fingerprint: true, ..plan_of(&tree) });
        let fingerprint = snapshot.fingerprint().expect("a fingerprint");
        assert_eq!(fingerprint.environment.is_some(), use_gitignore);
    }
}

#[test]
fn names_that_follow_one_another_are_each_composed() {
    let (tree, _walk) = walk_over(0);
    for name in ["a", "e\u{301}", "e\u{301}x", "o\u{308}"] {
        fs::write(tree.path().join(name), "").expect("a file");
    }
    let snapshot = scan_of(plan_of(&tree));
    snapshot.decomposed(&|| Ok::<_, Stopped>(())).expect("nothing stops it");
    let composed = (0..snapshot.len()).map(|entry| String::from_utf8_lossy(snapshot.composed_path(entry)));
    assert_eq!(composed.collect::<Vec<_>>(), ["a", "\u{e9}", "\u{e9}x", "\u{f6}"]);
}

#[test]
fn a_file_is_no_root() {
    let (tree, _walk) = walk_over(1);
    let root = tree.path().canonicalize().expect("the tree exists").join("f0");
    let result = Walk::new(WalkPlan { root: root.clone(), ..plan_of(&tree) });
    assert!(matches!(result, Err(WalkError::NotADirectory { path }) if path == root));
}

#[test]
fn the_memory_of_a_fingerprint_grows_with_the_directories_and_their_rules() {
    let (tree, _walk) = walk_over(0);
    for number in 0..100 {
        let directory = tree.path().join(format!("directory-{number}"));
        fs::create_dir(&directory).expect("a directory");
        fs::write(directory.join(".gitignore"), "x".repeat(5000)).expect("rules");
    }
    let scan = |record_fingerprint, use_gitignore| {
        let options = ScanOptions { use_gitignore, ..ScanOptions::default() };
        scan_of(WalkPlan { options, record_fingerprint, ..plan_of(&tree) }).bytes()
    };
    let (none, directories, rules) = (scan(false, false), scan(true, false), scan(true, true));
    assert!((100 * 20..100 * 500).contains(&(directories - none)), "{directories} and {none}");
    assert!((100 * 5000..100 * 20_000).contains(&(rules - directories)), "{rules} and {directories}");
}

#[test]
fn a_visitor_checks_its_token_every_128_entries() {
    let (_tree, walk) = walk_over(1000);
    let checks = Cell::new(0);
    let Some(Task::List(task)) = lock(&walk.state).ready.pop() else { panic!("the root") };
    let visit = walk.visitor(&|| false).visit(&task, &|| {
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
    let visit = walk.visitor(&|| false).visit(&task, &|| {
        checks.set(checks.get() + 1);
        if checks.get() == 3 { Err(Stopped::Cancelled) } else { Ok(()) }
    });
    assert!(visit.is_err());
    assert_eq!(checks.get(), 3, "the error goes straight up");
}

#[test]
fn a_deadline_leaves_the_names_listed_so_far_sorted_and_under_every_rule() {
    let (tree, walk) = walk_over(1000);
    fs::write(tree.path().join(".gitignore"), "*7\n").expect("rules");
    let visit_until = |max_checks: usize| {
        let Some(Task::List(task)) = lock(&walk.state).ready.pop() else { panic!("the root") };
        let checks = Cell::new(0);
        let visit = walk.visitor(&|| true).visit(&task, &|| {
            checks.set(checks.get() + 1);
            if checks.get() >= max_checks { Err(Stopped::TimedOut) } else { Ok(()) }
        });
        lock(&walk.state).ready.push(Task::List(task));
        visit.expect("a deadline gives a part")
    };
    for (max_checks, seen, interrupted) in [(1, 128, true), (3, 3 * 128, true), (100, 1000, false)] {
        let visit = visit_until(max_checks);
        assert_eq!(visit.interrupted, interrupted);
        let names: Vec<&[u8]> = visit.listing.entries.iter().map(|&entry| visit.listing.name(entry)).collect();
        // `.`, `..` are not counted, `.gitignore` is.
        assert!(names.len() <= seen && names.len() + seen / 5 > seen, "{} of {seen}", names.len());
        assert!(names.iter().all(|name| !name.ends_with(b"7") && name.starts_with(b"f")));
        let order: Vec<&[u8]> = visit
            .listing
            .order
            .iter()
            .map(|step| visit.listing.name(visit.listing.entries[step.entry as usize]))
            .collect();
        assert!(order.is_sorted());
        assert_eq!(order.len(), names.len());
    }
}

#[test]
fn a_call_out_of_time_gets_what_a_helper_has_listed_and_other_calls_get_everything() {
    let (_tree, walk) = walk_over(300);
    let (listing, may_go_on) = (std::sync::Barrier::new(2), std::sync::Barrier::new(2));
    std::thread::scope(|scope| {
        let helper = scope.spawn(|| {
            let checks = Cell::new(0);
            let check = || {
                checks.set(checks.get() + 1);
                // The check before the task, and the first one inside of it.
                if checks.get() == 2 {
                    listing.wait();
                    may_go_on.wait();
                }
                Ok(())
            };
            assert!(matches!(walk.work(&check, &|| false), StopReason::Finished));
        });
        listing.wait();
        let caller = scope.spawn(|| walk.run(&Pool::new(1), &CancelToken::new().with_timeout(Duration::ZERO), true));
        while !walk.is_interrupted() {
            std::thread::yield_now();
        }
        may_go_on.wait();
        let partial = caller.join().expect("no panic").expect("a partial result");
        assert_eq!((partial.len(), partial.cut()), (127, Some(Cut::Timeout)));
        helper.join().expect("no panic");
    });
    let snapshot = walk.run(&Pool::new(1), &CancelToken::new(), false).expect("a scan");
    assert_eq!((snapshot.len(), snapshot.cut()), (300, None));
}

#[test]
fn a_sort_checks_its_token_every_few_thousand_entries() {
    for count in [0_usize, 1, 4095, 4096, 4097, 50_000] {
        let mut listing = Listing::default();
        for number in 0..count {
            // The first bytes of many names are equal, and some names begin with others.
            let name = format!("name-{}", (number * 7919) % 50_021);
            listing.push(name.as_bytes(), if number % 3 == 0 { Kind::Dir } else { Kind::File }, false);
        }
        let checks = Cell::new(0);
        let sorted = listing.sort(&|| {
            checks.set(checks.get() + 1);
            Ok(())
        });
        assert_eq!(sorted, Ok(()));
        let paths: Vec<Vec<u8>> = listing
            .order
            .iter()
            .map(|step| {
                let name = listing.name(listing.entries[step.entry as usize]);
                if step.subtree { [name, b"/"].concat() } else { name.to_vec() }
            })
            .collect();
        assert!(paths.is_sorted(), "{count} entries");
        assert_eq!(paths.len(), count + count.div_ceil(3));
        assert!(checks.get() >= paths.len() / SORTED_PER_CHECK, "{} checks for {count} entries", checks.get());
    }
}

#[test]
fn a_directory_that_a_cancelled_visitor_left_is_listed_by_the_next_one() {
    let (_tree, walk) = walk_over(300);
    let cancelled = CancelToken::new();
    cancelled.cancel();
    let pool = Pool::new(1);
    assert!(walk.run(&pool, &cancelled, false).is_err_and(|error| error.is_stopped()));
    let snapshot = walk.run(&pool, &CancelToken::new(), false).expect("a scan");
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
