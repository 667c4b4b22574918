//! Behaviour of the cache. Time is a counter that the tests turn; nothing sleeps.

use std::fs;
use std::os::unix::fs::symlink;

use tempfile::TempDir;

use super::*;
use crate::options::Detail;
use crate::snapshot::Cut;

struct Rig {
    cache: ScanCache,
    pool: Pool,
    clock: Arc<Mutex<Instant>>,
    tree: TempDir,
}

impl Rig {
    fn new(policy: Policy) -> Self {
        let clock = Arc::new(Mutex::new(Instant::now()));
        let reader = Arc::clone(&clock);
        let cache = ScanCache::with_clock(policy, Arc::new(move || *lock(&reader)));
        let tree = tempfile::tempdir().expect("a temporary directory");
        fs::write(tree.path().join("first"), "").expect("a file");
        Self { cache, pool: Pool::new(2), clock, tree }
    }

    fn pass(&self, milliseconds: u64) {
        *lock(&self.clock) += Duration::from_millis(milliseconds);
    }

    fn root(&self) -> PathBuf {
        self.tree.path().canonicalize().expect("the tree exists")
    }

    fn request<'a>(&self, root: &'a Path) -> ScanRequest<'a> {
        ScanRequest { root, options: ScanOptions::default(), asked: *lock(&self.clock), partial_on_timeout: false }
    }

    fn get(&self, root: &Path) -> Scan {
        self.cache.get_or_scan(&self.request(root), &self.pool, &CancelToken::new()).expect("a scan")
    }

    fn get_with(&self, root: &Path, options: ScanOptions) -> Scan {
        let request = ScanRequest { options, ..self.request(root) };
        self.cache.get_or_scan(&request, &self.pool, &CancelToken::new()).expect("a scan")
    }

    fn force(&self, root: &Path, store: bool) -> Scan {
        self.cache.force_rescan(&self.request(root), store, &self.pool, &CancelToken::new()).expect("a scan")
    }

    fn kept(&self) -> usize {
        self.cache.stats().snapshots.len()
    }

    fn directory(&self, name: &str) -> PathBuf {
        let path = self.root().join(name);
        fs::create_dir_all(&path).expect("a directory");
        path
    }
}

fn same(left: &Scan, right: &Scan) -> bool {
    Arc::ptr_eq(&left.snapshot, &right.snapshot)
}

#[test]
fn a_hit_shares_the_snapshot_and_tells_its_age() {
    let rig = Rig::new(Policy::default());
    let first = rig.get(&rig.root());
    assert_eq!(first.age, Duration::ZERO);
    fs::write(rig.root().join("second"), "").expect("a file");
    rig.pass(999);
    let second = rig.get(&rig.root());
    assert!(same(&first, &second), "a hit copies nothing and looks at nothing");
    assert_eq!(second.age, Duration::from_millis(999));
    let stats = rig.cache.stats();
    assert_eq!((stats.hits, stats.misses, stats.rescans), (1, 1, 0));
}

#[test]
fn an_expired_snapshot_is_validated() {
    let rig = Rig::new(Policy::default());
    let first = rig.get(&rig.root());
    fs::write(rig.root().join("second"), "").expect("a file");
    rig.pass(1000);
    let second = rig.get(&rig.root());
    assert_eq!((first.snapshot.len(), second.snapshot.len()), (1, 2));
    assert_eq!(second.age, Duration::ZERO);
    let stats = rig.cache.stats();
    assert_eq!((stats.validations, stats.rescans), (1, 0));
}

#[test]
fn the_time_to_live_starts_when_the_scan_is_published() {
    let rig = Rig::new(Policy::default());
    let root = rig.root();
    let request = rig.request(&root);
    let Ok(Boarding::Flight(flight, false)) = rig.cache.board(&request.key(), &request, true, Join::Any) else {
        panic!("the first call begins a scan")
    };
    let snapshot = flight.walk.run(&rig.pool, &CancelToken::new()).expect("a scan");
    rig.pass(5000);
    rig.cache.land(&request.key(), &flight, &Land::Publish(Arc::clone(&snapshot)));
    rig.pass(500);
    let hit = rig.get(&root);
    assert!(Arc::ptr_eq(&hit.snapshot, &snapshot), "a scan longer than the time to live still gives hits");
    assert_eq!(hit.age, Duration::from_millis(500));
}

#[test]
fn a_time_to_live_of_zero_bypasses_the_cache() {
    let rig = Rig::new(Policy { ttl: Duration::ZERO, ..Policy::default() });
    let (first, second) = (rig.get(&rig.root()), rig.get(&rig.root()));
    assert!(!same(&first, &second));
    assert_eq!((second.age, rig.kept()), (Duration::ZERO, 0));
    rig.force(&rig.root(), true);
    assert_eq!(rig.kept(), 0, "nor does a forced scan store");
}

#[test]
fn forced_scans_drop_the_key_and_only_store_when_told() {
    let rig = Rig::new(Policy::default());
    rig.get(&rig.root());
    rig.force(&rig.root(), false);
    assert_eq!(rig.kept(), 0);
    let stored = rig.force(&rig.root(), true);
    assert!(same(&stored, &rig.get(&rig.root())));
}

#[test]
fn every_option_is_part_of_the_key() {
    let rig = Rig::new(Policy::default());
    let base = ScanOptions::default();
    let all = [
        base,
        ScanOptions { include_hidden: true, ..base },
        ScanOptions { use_gitignore: false, ..base },
        ScanOptions { skip_node_modules: true, ..base },
        ScanOptions { follow_links: true, ..base },
        ScanOptions { detail: Detail::Full, ..base },
    ];
    let first: Vec<Scan> = all.iter().map(|options| rig.get_with(&rig.root(), *options)).collect();
    for (options, scan) in all.iter().zip(&first) {
        assert!(same(scan, &rig.get_with(&rig.root(), *options)), "{options:?}");
    }
    assert_eq!((rig.kept(), rig.cache.stats().misses), (all.len(), all.len() as u64));
}

#[test]
fn a_scan_that_began_before_an_invalidation_is_not_stored() {
    for (reason, target, stored) in [
        ("the root", "", false),
        ("a file in it", "first", false),
        ("a missing file in it", "new/deep", false),
        ("its ignore files", "../.gitignore", false),
        ("something beside it", "../other", true),
    ] {
        let rig = Rig::new(Policy::default());
        let root = rig.directory("root");
        let request = rig.request(&root);
        let Ok(Boarding::Flight(flight, _)) = rig.cache.board(&request.key(), &request, true, Join::Any) else {
            panic!("the first call begins a scan")
        };
        rig.cache.invalidate(Some(&root.join(target)));
        let snapshot = flight.walk.run(&rig.pool, &CancelToken::new()).expect("the caller still gets its scan");
        rig.cache.land(&request.key(), &flight, &Land::Publish(Arc::clone(&snapshot)));
        assert_eq!(rig.kept(), usize::from(stored), "{reason}");
    }
}

#[test]
fn a_call_after_an_invalidation_does_not_join_an_earlier_scan() {
    let rig = Rig::new(Policy::default());
    let root = rig.root();
    let request = rig.request(&root);
    let Ok(Boarding::Flight(..)) = rig.cache.board(&request.key(), &request, true, Join::Any) else {
        panic!("the first call begins a scan")
    };
    rig.cache.invalidate(None);
    let again = rig.cache.board(&request.key(), &request, true, Join::Any);
    assert!(matches!(again, Ok(Boarding::Flight(_, false))));
}

#[test]
fn identical_calls_share_one_scan_and_a_cancelled_one_leaves_the_others_alone() {
    let rig = Rig::new(Policy::default());
    let root = rig.root();
    let request = rig.request(&root);
    let board = || match rig.cache.board(&request.key(), &request, true, Join::Any) {
        Ok(Boarding::Flight(flight, joined)) => (flight, joined),
        _ => panic!("a scan is under way"),
    };
    let ((first, began), (second, joined)) = (board(), board());
    assert!(Arc::ptr_eq(&first, &second) && !began && joined);
    let cancelled = CancelToken::new();
    cancelled.cancel();
    let result = first.walk.run(&rig.pool, &cancelled);
    assert!(result.is_err_and(|error| error.is_stopped()));
    rig.cache.land(&request.key(), &first, &Land::Leave);
    let snapshot = second.walk.run(&rig.pool, &CancelToken::new()).expect("the other call goes on");
    rig.cache.land(&request.key(), &second, &Land::Publish(Arc::clone(&snapshot)));
    assert!(Arc::ptr_eq(&rig.get(&root).snapshot, &snapshot));
    assert_eq!(rig.cache.stats().joins, 1);
}

#[test]
fn a_scan_nobody_waits_for_any_more_is_given_up_and_forgotten() {
    let rig = Rig::new(Policy::default());
    let root = rig.root();
    let cancelled = CancelToken::new();
    cancelled.cancel();
    let result = rig.cache.get_or_scan(&rig.request(&root), &rig.pool, &cancelled);
    assert!(result.is_err_and(|error| error.is_stopped()));
    assert_eq!((rig.kept(), lock(&rig.cache.flights).len()), (0, 0));
}

#[test]
fn a_fresh_scan_is_shared_only_with_calls_made_before_it_began() {
    let rig = Rig::new(Policy::default());
    let root = rig.root();
    let early = rig.request(&root);
    rig.pass(10);
    let Ok(Boarding::Flight(..)) = rig.cache.board(&early.key(), &early, false, Join::BegunSinceAsked) else {
        panic!("the first call begins a scan")
    };
    rig.pass(10);
    let late = rig.request(&root);
    let joined = |request| match rig.cache.board(&early.key(), request, false, Join::BegunSinceAsked) {
        Ok(Boarding::Flight(_, joined)) => joined,
        _ => panic!("nothing is kept"),
    };
    assert!(joined(&early), "asked before the scan began");
    assert!(!joined(&late), "what the caller did meanwhile may be missing");
}

#[test]
fn the_oldest_leave_first_when_there_are_too_many() {
    let rig = Rig::new(Policy { max_snapshots: 2, ..Policy::default() });
    let roots = ["a", "b", "c"].map(|name| rig.directory(name));
    for root in &roots {
        rig.get(root);
        rig.pass(1);
    }
    let kept: Vec<PathBuf> = rig.cache.stats().snapshots.iter().map(|kept| kept.snapshot.root().to_owned()).collect();
    assert_eq!(kept, &roots[1..]);
    assert_eq!(rig.cache.stats().evictions, 1);
}

#[test]
fn the_bytes_of_all_snapshots_are_bounded() {
    let small = Rig::new(Policy::default());
    let bytes = small.get(&small.directory("a")).snapshot.bytes();
    let rig = Rig::new(Policy { max_bytes: bytes * 2 + 8, ..Policy::default() });
    for name in ["a", "b", "c"] {
        rig.get(&rig.directory(name));
        rig.pass(1);
    }
    assert_eq!(rig.kept(), 2);
    let rig = Rig::new(Policy { max_bytes: 1, ..Policy::default() });
    assert_eq!(rig.get(&rig.root()).snapshot.len(), 1, "what does not fit is still returned");
    assert_eq!(rig.kept(), 0);
}

#[test]
fn an_invalidation_drops_what_the_change_may_concern() {
    let outside = tempfile::tempdir().expect("a temporary directory");
    let linked = outside.path().canonicalize().expect("it exists");
    for (reason, target, dropped) in [
        ("no target", None, vec!["a/b", "a/bc", "follow"]),
        ("a root itself", Some("a/b"), vec!["a/b"]),
        ("something in a root", Some("a/b/x/y"), vec!["a/b"]),
        ("a sibling with the same beginning", Some("a/bc/x"), vec!["a/bc"]),
        ("a sibling file", Some("a/other"), vec![]),
        ("a directory above", Some("a"), vec!["a/b", "a/bc"]),
        ("an ignore file above", Some("a/.gitignore"), vec!["a/b", "a/bc"]),
        ("the other one", Some(".ignore"), vec!["a/b", "a/bc", "follow"]),
        ("a repository's excludes", Some("a/.git/info/exclude"), vec!["a/b", "a/bc"]),
        ("a repository that is made", Some("a/.git"), vec!["a/b", "a/bc"]),
        ("a file behind a followed link", Some("OUTSIDE/x"), vec!["follow"]),
        ("the link itself", Some("follow/link"), vec!["follow"]),
        ("a path with dots", Some("a/b/../b/x"), vec!["a/b"]),
    ] {
        let rig = Rig::new(Policy::default());
        let roots = ["a/b", "a/bc", "follow"].map(|name| (name, rig.directory(name)));
        rig.directory("a/b/x");
        symlink(&linked, rig.root().join("follow/link")).expect("a link");
        for (name, root) in &roots {
            rig.get_with(root, ScanOptions { follow_links: *name == "follow", ..ScanOptions::default() });
        }
        let target = target.map(|target: &str| match target.strip_prefix("OUTSIDE/") {
            Some(rest) => linked.join(rest),
            None => rig.root().join(target),
        });
        rig.cache.invalidate(target.as_deref());
        let kept: Vec<PathBuf> =
            rig.cache.stats().snapshots.iter().map(|kept| kept.snapshot.root().to_owned()).collect();
        let gone: Vec<&str> = roots.iter().filter(|(_, root)| !kept.contains(root)).map(|(name, _)| *name).collect();
        assert_eq!(gone, dropped, "{reason}: {target:?}");
        assert_eq!(rig.cache.stats().invalidations, dropped.len() as u64, "{reason}");
    }
}

#[test]
fn an_ignore_file_that_is_a_link_is_known_by_its_target() {
    let rig = Rig::new(Policy::default());
    let root = rig.directory("root");
    fs::write(rig.root().join("shared-rules"), "x").expect("a file");
    symlink(rig.root().join("shared-rules"), root.join(".ignore")).expect("a link");
    rig.get(&root);
    rig.cache.invalidate(Some(&rig.root().join("shared-rules")));
    assert_eq!(rig.kept(), 0);
}

#[test]
fn a_root_that_is_gone_or_replaced_is_not_answered_from_the_old_directory() {
    let rig = Rig::new(Policy::default());
    let root = rig.directory("root");
    fs::write(root.join("old"), "").expect("a file");
    let request = rig.request(&root);
    let fly = || match rig.cache.board(&request.key(), &request, true, Join::Any) {
        Ok(Boarding::Flight(flight, _)) => flight,
        _ => panic!("a scan begins"),
    };
    let flight = fly();
    fs::rename(&root, rig.root().join("moved")).expect("a rename");
    assert!(flight.walk.root_was_replaced().is_err_and(|error| error.is_not_found()), "deleted while it is scanned");
    fs::create_dir(&root).expect("another directory");
    fs::write(root.join("new"), "").expect("a file");
    assert!(matches!(flight.walk.root_was_replaced(), Ok(true)), "replaced while it is scanned");
    rig.cache.land(&request.key(), &flight, &Land::Discard);
    let scan = rig.get(&root);
    assert_eq!(scan.snapshot.path(0), b"new");
}

#[test]
fn a_caller_out_of_time_may_take_what_there_is() {
    // No other worker, which might finish the scan for it.
    let rig = Rig { pool: Pool::new(1), ..Rig::new(Policy::default()) };
    let root = rig.root();
    let timed_out = CancelToken::new().with_timeout(Duration::ZERO);
    let strict = rig.request(&root);
    let result = rig.cache.get_or_scan(&strict, &rig.pool, &timed_out);
    assert!(matches!(result, Err(WalkError::Stopped(Stopped::TimedOut))));
    let partial = ScanRequest { partial_on_timeout: true, ..strict };
    let scan = rig.cache.get_or_scan(&partial, &rig.pool, &timed_out).expect("what there is");
    assert_eq!(scan.snapshot.cut(), Some(Cut::Timeout));
    assert_eq!(rig.kept(), 0, "nothing half-built is kept");
}

#[test]
fn a_scan_that_failed_is_not_joined_again() {
    let rig = Rig::new(Policy::default());
    let root = rig.root();
    let request = rig.request(&root);
    let Ok(Boarding::Flight(flight, _)) = rig.cache.board(&request.key(), &request, true, Join::Any) else {
        panic!("the first call begins a scan")
    };
    let key = request.key();
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let _landing = Landing { cache: &rig.cache, key: &key, flight: &flight, how: Land::Discard };
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
    // Many short scans, each shared by four callers: whoever comes last must not find the outputs gone.
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
fn an_invalidation_while_the_rules_above_are_read_is_not_lost() {
    let rig = Rig::new(Policy::default());
    let root = rig.root();
    let request = rig.request(&root);
    // The clock is asked right before the rules are read: the place where the invalidation has to be noticed.
    let cache = Arc::new(OnceLock::<ScanCache>::new());
    let (inner, calls) = (Arc::clone(&cache), AtomicUsize::new(0));
    let clock: Clock = Arc::new(move || {
        if calls.fetch_add(1, Ordering::Relaxed) == 0 {
            inner.get().expect("the cache is there").invalidate(Some(Path::new("/somewhere/else")));
        }
        Instant::now()
    });
    let cache = cache.get_or_init(|| ScanCache::with_clock(Policy::default(), clock));
    let before = cache.invalidated.load(Ordering::Relaxed);
    assert!(matches!(cache.board(&request.key(), &request, true, Join::Any), Ok(Boarding::Flight(_, false))));
    assert_eq!(cache.invalidated.load(Ordering::Relaxed), before + 1, "it happened, and the rules were read again");
}

#[test]
fn every_link_on_the_way_to_a_followed_directory_counts() {
    let rig = Rig::new(Policy::default());
    let root = rig.directory("root");
    for name in ["c", "d"] {
        rig.directory(name);
        fs::write(rig.root().join(name).join(format!("in-{name}")), "").expect("a file");
    }
    symlink("c", rig.root().join("b")).expect("a link");
    symlink("../b", root.join("a")).expect("a link");
    let follow = ScanOptions { follow_links: true, ..ScanOptions::default() };
    assert!(rig.get_with(&root, follow).snapshot.find(b"a/in-c").is_some());
    fs::remove_file(rig.root().join("b")).expect("removed");
    symlink("d", rig.root().join("b")).expect("a link");
    rig.cache.invalidate(Some(&rig.root().join("b")));
    assert!(rig.get_with(&root, follow).snapshot.find(b"a/in-d").is_some());
}

#[test]
fn excludes_behind_a_linked_git_directory_are_known_by_both_names() {
    for name in ["repo/.git/info/exclude", "real-git/info/exclude"] {
        let rig = Rig::new(Policy::default());
        let root = rig.directory("repo");
        rig.directory("real-git/info");
        fs::write(rig.root().join("real-git/info/exclude"), "x").expect("a file");
        symlink("../real-git", root.join(".git")).expect("a link");
        let sub = rig.directory("repo/sub");
        rig.get(&root);
        rig.get(&sub);
        rig.cache.invalidate(Some(&rig.root().join(name)));
        assert_eq!(rig.kept(), 0, "{name}");
    }
}

#[test]
fn what_is_derived_from_a_snapshot_counts_against_the_bound() {
    let rig = Rig::new(Policy { max_bytes: 10_000, ..Policy::default() });
    let scan = rig.get(&rig.root());
    assert_eq!(rig.kept(), 1);
    let built = scan.snapshot.derived(|_| Ok::<_, Stopped>((0_u8, 20_000)));
    assert!(built.is_ok());
    rig.cache.enforce_bounds();
    assert_eq!(rig.kept(), 0);
}

#[test]
fn a_scan_that_is_done_is_not_joined_although_another_call_is_still_attached() {
    let rig = Rig::new(Policy::default());
    let root = rig.root();
    let request = rig.request(&root);
    let board = || match rig.cache.board(&request.key(), &request, true, Join::Any) {
        Ok(Boarding::Flight(flight, joined)) => (flight, joined),
        _ => panic!("nothing fresh is kept"),
    };
    let ((first, _), (second, joined)) = (board(), board());
    assert!(joined);
    let snapshot = first.walk.run(&rig.pool, &CancelToken::new()).expect("a scan");
    rig.cache.land(&request.key(), &first, &Land::Publish(snapshot));
    rig.pass(2000);
    let (third, joined) = board();
    assert!(!joined && !Arc::ptr_eq(&second, &third), "what it found has expired");
}
