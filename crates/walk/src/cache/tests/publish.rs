//! Entries that enter the cache, and what is rejected.

use super::*;

#[test]
fn the_time_to_live_starts_when_the_scan_is_published() {
    let rig = Rig::new(Policy::default());
    let root = rig.root();
    let request = rig.request(&root);
    let Ok(Joined::Started(scan)) = rig.cache.state.join(&request.key(), &request, true, Freshness::Any) else {
        panic!("the first call starts a scan")
    };
    let snapshot = scan.walk.run(&rig.pool, &CancelToken::new(), false).expect("a scan");
    rig.pass(5000);
    rig.cache.state.leave(&request.key(), &scan, &ScanEnd::Finished(Arc::clone(&snapshot)));
    rig.pass(500);
    let hit = rig.get(&root);
    assert!(Arc::ptr_eq(&hit.snapshot, &snapshot), "a scan longer than the time to live still gives hits");
    assert_eq!(hit.age, Duration::from_millis(500));
}

#[test]
fn a_scan_that_began_before_an_invalidation_is_not_stored() {
    for (reason, target, stored) in [
        ("the root", "", false),
        ("a file in it", "first", false),
        ("a missing file in it", "new/deep", false),
        ("its ignore files", "../.gitignore", false),
        ("something next to it", "../other", true),
    ] {
        let rig = Rig::new(Policy::default());
        let root = rig.directory("root");
        let request = rig.request(&root);
        let Ok(Joined::Started(scan)) = rig.cache.state.join(&request.key(), &request, true, Freshness::Any) else {
            panic!("the first call starts a scan")
        };
        rig.cache.invalidate(Some(&root.join(target)));
        let snapshot = scan.walk.run(&rig.pool, &CancelToken::new(), false).expect("the caller still gets its scan");
        rig.cache.state.leave(&request.key(), &scan, &ScanEnd::Finished(Arc::clone(&snapshot)));
        assert_eq!(rig.cached(), usize::from(stored), "{reason}");
    }
}

impl Rig {
    /// Scans the whole tree next to the cache, as a producer such as a file watcher would.
    fn produce(&self, root: &Path) -> Arc<Snapshot> {
        self.produce_subtree(root, Subtree::default())
    }

    fn produce_subtree(&self, root: &Path, subtree: Subtree) -> Arc<Snapshot> {
        let cancel = CancelToken::new();
        self.cache.scan_subtree(&self.request(root), subtree, &self.pool, &cancel).expect("a scan")
    }

    fn base(&self, root: &Path) -> Base {
        self.cache.base(root, ScanOptions::default())
    }
}

#[test]
fn a_published_snapshot_replaces_the_cached_one_and_its_generation_rises() {
    let rig = Rig::new(Policy::default());
    let root = rig.root();
    let first = rig.get(&root).snapshot;
    fs::write(root.join("second"), "").expect("a file");
    let base = rig.base(&root);
    assert!(base.snapshot().is_some_and(|snapshot| Arc::ptr_eq(snapshot, &first)));
    let second = rig.produce(&root);
    assert!(second.generation() > first.generation());
    rig.pass(700);
    assert_eq!(rig.cache.publish(base, &second), Ok(()));
    rig.pass(999);
    let hit = rig.get(&root);
    assert!(Arc::ptr_eq(&hit.snapshot, &second));
    assert_eq!(hit.age, Duration::from_millis(999), "counted from the publication");
    assert_eq!((rig.cached(), rig.cache.stats().misses), (1, 1));
}

#[test]
fn the_first_snapshot_of_a_root_can_be_published() {
    let rig = Rig::new(Policy::default());
    let base = rig.base(&rig.root());
    assert!(base.snapshot().is_none());
    let snapshot = rig.produce(&rig.root());
    assert_eq!(rig.cache.publish(base, &snapshot), Ok(()));
    assert!(Arc::ptr_eq(&rig.get(&rig.root()).snapshot, &snapshot));
}

#[test]
fn publishing_the_snapshot_of_the_base_extends_its_life() {
    let rig = Rig::new(Policy::default());
    let first = rig.get(&rig.root());
    rig.pass(900);
    let base = rig.base(&rig.root());
    assert_eq!(rig.cache.publish(base, &first.snapshot), Ok(()));
    rig.pass(900);
    assert!(same(&first, &rig.get(&rig.root())));
}

#[test]
fn no_invalidation_since_the_base_is_lost() {
    type Change = fn(&Rig, &Path);
    let outside = tempfile::tempdir().expect("a temporary directory");
    let outside = outside.path().canonicalize().expect("it exists");
    let changes: [(&str, Change, bool); 7] = [
        ("everything", |rig, _| rig.cache.invalidate(None), false),
        ("a file in the root", |rig, _| rig.cache.invalidate(Some(&rig.root().join("root/new"))), false),
        ("an ignore file above", |rig, _| rig.cache.invalidate(Some(&rig.root().join(".ignore"))), false),
        // The base does not know this file: only the new snapshot follows the link to it.
        (
            "a file that only the new snapshot reaches",
            |rig, outside| rig.cache.invalidate(Some(&outside.join("x"))),
            false,
        ),
        ("a distrustful caller", |rig, _| _ = rig.force(&rig.root().join("root"), false), false),
        ("another directory", |rig, _| rig.cache.invalidate(Some(&rig.root().join("other/x"))), true),
        (
            "more changes than are remembered",
            |rig, _| {
                (0..300).for_each(|number| rig.cache.invalidate(Some(&rig.root().join(format!("other/{number}")))));
            },
            false,
        ),
    ];
    for (reason, change, published) in changes {
        let rig = Rig::new(Policy::default());
        let root = rig.directory("root");
        let follow = ScanOptions { follow_links: true, ..ScanOptions::default() };
        let options = if reason.contains("distrustful") { ScanOptions::default() } else { follow };
        rig.get_with(&root, options);
        symlink(&outside, root.join("link")).expect("a link");
        let base = rig.cache.base(&root, options);
        let request = ScanRequest { options, ..rig.request(&root) };
        let snapshot = rig.cache.scan_subtree(&request, Subtree::default(), &rig.pool, &CancelToken::new());
        change(&rig, &outside);
        let result = rig.cache.publish(base, &snapshot.expect("a scan"));
        let expected = if published { Ok(()) } else { Err(PublishError::Invalidated { root }) };
        assert_eq!(result, expected, "{reason}");
    }
}

#[test]
fn a_base_taken_after_an_invalidation_needs_a_new_scan() {
    let rig = Rig::new(Policy::default());
    let root = rig.root();
    let cached = rig.get(&root).snapshot;
    let too_early = rig.produce(&root);
    rig.cache.invalidate(Some(&root.join("first")));
    let base = rig.base(&root);
    assert!(base.snapshot().is_none(), "the cached snapshot may be wrong");
    assert_eq!(rig.cache.publish(base, &too_early), Err(PublishError::Outdated { root: root.clone() }));
    let outdated = Err(PublishError::Outdated { root: root.clone() });
    assert_eq!(rig.cache.publish(rig.base(&root), &cached), outdated, "the invalidated snapshot itself");
    let base = rig.base(&root);
    assert_eq!(rig.cache.publish(base, &rig.produce(&root)), Ok(()));
    assert_eq!(rig.cached(), 1);
}

#[test]
fn of_two_snapshots_with_one_base_the_first_is_published() {
    let rig = Rig::new(Policy::default());
    let root = rig.root();
    rig.get(&root);
    let (left, right) = (rig.base(&root), rig.base(&root));
    let (first, second) = (rig.produce(&root), rig.produce(&root));
    assert_eq!(rig.cache.publish(right, &second), Ok(()));
    assert_eq!(rig.cache.publish(left, &first), Err(PublishError::Superseded { root: root.clone() }));
    assert!(Arc::ptr_eq(&rig.get(&root).snapshot, &second));
}

#[test]
fn a_scan_does_not_replace_a_snapshot_published_while_it_ran() {
    let rig = Rig::new(Policy::default());
    let root = rig.root();
    let request = rig.request(&root);
    let Ok(Joined::Started(scan)) = rig.cache.state.join(&request.key(), &request, true, Freshness::Any) else {
        panic!("the first call starts a scan")
    };
    let base = rig.base(&root);
    let published = rig.produce(&root);
    assert_eq!(rig.cache.publish(base, &published), Ok(()));
    let scanned = scan.walk.run(&rig.pool, &CancelToken::new(), false).expect("the caller still gets its scan");
    rig.cache.state.leave(&request.key(), &scan, &ScanEnd::Finished(scanned));
    assert!(Arc::ptr_eq(&rig.get(&root).snapshot, &published));
}

#[test]
fn a_snapshot_that_alone_exceeds_the_bound_is_refused_and_evicts_nothing() {
    let small = Rig::new(Policy::default());
    let max_bytes = small.get(&small.directory("small")).snapshot.bytes() + 8;
    let rig = Rig::new(Policy { max_bytes, ..Policy::default() });
    rig.get(&rig.directory("small"));
    let large = rig.directory("large");
    for index in 0..1_000 {
        std::fs::write(large.join(format!("a file with a long name {index}")), "").expect("the file is written");
    }
    let (base, snapshot) = (rig.base(&large), rig.produce(&large));
    let bytes = snapshot.bytes();
    assert_eq!(rig.cache.publish(base, &snapshot), Err(PublishError::TooLarge { root: large, bytes, max_bytes }));
    assert_eq!((rig.cached(), rig.cache.stats().evictions), (1, 1), "the other snapshot stays");
}

#[test]
fn a_published_snapshot_is_of_the_whole_tree_of_its_base() {
    let rig = Rig::new(Policy::default());
    let (root, other) = (rig.directory("root"), rig.directory("other"));
    let shallow = Subtree { max_depth: Some(1), ..Subtree::default() };
    let (base, part) = (rig.base(&root), rig.produce_subtree(&root, shallow));
    assert_eq!(rig.cache.publish(base, &part), Err(PublishError::Incomplete { root: root.clone() }));
    let (base, foreign) = (rig.base(&root), rig.produce(&other));
    assert_eq!(rig.cache.publish(base, &foreign), Err(PublishError::Mismatch { root: other }));
    let off = Rig::new(Policy { ttl: Duration::ZERO, ..Policy::default() });
    let (base, snapshot) = (off.base(&off.root()), off.produce(&off.root()));
    assert_eq!(off.cache.publish(base, &snapshot), Err(PublishError::Disabled));
    let none = Rig::new(Policy { max_snapshots: 0, ..Policy::default() });
    let (base, snapshot) = (none.base(&none.root()), none.produce(&none.root()));
    assert_eq!(none.cache.publish(base, &snapshot), Err(PublishError::Disabled));
    assert_eq!((rig.cached(), off.cached(), none.cached()), (0, 0, 0));
}

#[test]
fn a_snapshot_without_a_change_is_never_served_after_its_invalidation() {
    let rig = Rig { pool: Pool::new(4), ..Rig::new(Policy::default()) };
    let root = rig.root();
    let written = AtomicUsize::new(0);
    // One thread changes the tree and invalidates it. Two publish without pause. Each reader must see every change that
    // was invalidated before its call.
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in 1..=200 {
                fs::write(root.join(format!("f{number}")), "").expect("a file");
                rig.cache.invalidate(Some(&root.join(format!("f{number}"))));
                written.store(number, Ordering::SeqCst);
            }
        });
        for _ in 0..2 {
            scope.spawn(|| {
                while written.load(Ordering::SeqCst) < 200 {
                    let base = rig.base(&root);
                    let _ = rig.cache.publish(base, &rig.produce(&root));
                }
            });
        }
        scope.spawn(|| {
            loop {
                let before = written.load(Ordering::SeqCst);
                let files = rig.get(&root).snapshot.len();
                assert!(files > before, "{files} files, although {before} were written next to the first");
                if before == 200 {
                    break;
                }
            }
        });
    });
}
