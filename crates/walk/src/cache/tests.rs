//! Behaviour of the cache. The tests set the clock; nothing sleeps.

mod bounds;
mod invalidation;
mod join;
mod publish;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::TempDir;

use super::*;
use crate::options::Detail;
use crate::snapshot::{Cut, Derived};

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
        ScanRequest {
            root,
            options: ScanOptions::default(),
            asked: *lock(&self.clock),
            validate: false,
            partial_on_timeout: false,
        }
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

    fn cached(&self) -> usize {
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

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn a_hit_shares_the_snapshot_and_reports_its_age() {
    let rig = Rig::new(Policy::default());
    let first = rig.get(&rig.root());
    assert_eq!(first.age, Duration::ZERO);
    fs::write(rig.root().join("second"), "").expect("a file");
    rig.pass(999);
    let second = rig.get(&rig.root());
    assert!(same(&first, &second), "a hit copies nothing and does not read the disk");
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
fn a_request_that_validates_sees_what_the_time_to_live_hides() {
    let rig = Rig::new(Policy::default());
    let root = rig.root();
    rig.get(&root);
    rig.pass(1);
    fs::write(root.join("second"), "").expect("a file");
    assert_eq!(rig.get(&root).snapshot.len(), 1, "within the time to live");
    let request = ScanRequest { validate: true, ..rig.request(&root) };
    let get = || rig.cache.get_or_scan(&request, &rig.pool, &CancelToken::new()).expect("a scan").snapshot;
    let validated = get();
    assert_eq!(validated.len(), 2);
    assert!(Arc::ptr_eq(&validated, &get()), "one comparison after the call is enough");
    assert!(Arc::ptr_eq(&validated, &rig.get(&root).snapshot), "others get what it found");
    let stats = rig.cache.stats();
    assert_eq!((stats.misses, stats.validations, stats.rescans), (1, 1, 0));
}

#[test]
fn a_view_of_a_request_that_validates_is_of_a_validated_snapshot() {
    let rig = Rig::new(Policy::default());
    let root = rig.root();
    rig.get_with(&root, ScanOptions { include_hidden: true, ..ScanOptions::default() });
    rig.pass(1);
    fs::write(root.join("second"), "").expect("a file");
    let request = ScanRequest { validate: true, ..rig.request(&root) };
    let scan = rig.cache.get_or_scan(&request, &rig.pool, &CancelToken::new()).expect("a scan");
    assert_eq!(scan.snapshot.len(), 2);
    assert_eq!((rig.cache.stats().misses, rig.cache.stats().validations), (1, 1));
}

#[test]
fn a_time_to_live_of_zero_bypasses_the_cache() {
    let rig = Rig::new(Policy { ttl: Duration::ZERO, ..Policy::default() });
    let (first, second) = (rig.get(&rig.root()), rig.get(&rig.root()));
    assert!(!same(&first, &second));
    assert_eq!((second.age, rig.cached()), (Duration::ZERO, 0));
    rig.force(&rig.root(), true);
    assert_eq!(rig.cached(), 0, "a forced scan does not store either");
}

#[test]
fn every_invalidation_raises_the_number_of_the_last_one() {
    let rig = Rig::new(Policy::default());
    let mut last = rig.cache.last_invalidation();
    for path in [Some(rig.root()), Some(rig.root().join("new")), None] {
        rig.cache.invalidate(path.as_deref());
        let now = rig.cache.last_invalidation();
        assert!(now > last, "{path:?}");
        last = now;
    }
}

#[test]
fn forced_scans_drop_the_cached_snapshot_and_store_only_on_request() {
    let rig = Rig::new(Policy::default());
    rig.get(&rig.root());
    rig.force(&rig.root(), false);
    assert_eq!(rig.cached(), 0);
    let stored = rig.force(&rig.root(), true);
    assert!(same(&stored, &rig.get(&rig.root())));
}

#[test]
fn every_option_is_part_of_the_key() {
    let rig = Rig::new(Policy::default());
    let base = ScanOptions::default();
    // Those with more entries last: a snapshot also serves requests for fewer.
    let all = [
        ScanOptions { skip_node_modules: true, ..base },
        ScanOptions { follow_links: true, ..base },
        base,
        ScanOptions { record_excluded: true, ..base },
        ScanOptions { include_hidden: true, ..base },
        ScanOptions { use_gitignore: false, ..base },
        ScanOptions { detail: Detail::Full, ..base },
    ];
    let first: Vec<Scan> = all.iter().map(|options| rig.get_with(&rig.root(), *options)).collect();
    for (options, scan) in all.iter().zip(&first) {
        assert!(same(scan, &rig.get_with(&rig.root(), *options)), "{options:?}");
    }
    assert_eq!((rig.cached(), rig.cache.stats().misses), (all.len(), all.len() as u64));
}

#[test]
fn a_snapshot_serves_requests_for_fewer_entries() {
    let rig = Rig::new(Policy::default());
    fs::create_dir_all(rig.root().join(".git/x")).expect("a directory");
    fs::create_dir_all(rig.root().join("node_modules/x")).expect("a directory");
    fs::create_dir_all(rig.root().join(".hidden/x")).expect("a directory");
    fs::write(rig.root().join(".gitignore"), "a\n").expect("a file");
    fs::write(rig.root().join("a"), "").expect("a file");
    let everything = ScanOptions { include_hidden: true, record_excluded: true, ..ScanOptions::default() };
    assert_eq!(rig.get_with(&rig.root(), everything).snapshot.len(), 8);
    let names = |options: ScanOptions| -> Vec<String> {
        let snapshot = rig.get_with(&rig.root(), options).snapshot;
        (0..snapshot.len()).map(|entry| String::from_utf8_lossy(snapshot.path(entry)).into_owned()).collect()
    };
    let plain = ScanOptions { skip_node_modules: true, ..ScanOptions::default() };
    let ask = || {
        assert_eq!(names(plain), ["first"]);
        assert_eq!(names(ScanOptions::default()), ["first", "node_modules", "node_modules/x"]);
        let hidden = [".gitignore", ".hidden", ".hidden/x", "first"];
        assert_eq!(names(ScanOptions { include_hidden: true, ..plain }), hidden);
        assert_eq!(names(ScanOptions { follow_links: true, ..plain }), ["first"]);
    };
    ask();
    let view = rig.get_with(&rig.root(), plain);
    assert!(same(&view, &rig.get_with(&rig.root(), plain)), "made once");
    let stats = rig.cache.stats();
    assert_eq!((stats.misses, stats.hits, rig.cached()), (1, 6, 1));
    assert!(stats.bytes > view.snapshot.bytes() * 5, "views count towards the bound");
    rig.cache.invalidate(Some(&rig.root().join("first")));
    ask();
    let after = rig.cache.stats();
    assert_eq!((after.misses, after.validations, rig.cached()), (2, 1, 1), "the larger snapshot is validated, once");
    let links = rig.root().join("link");
    symlink("first", &links).expect("a link");
    rig.cache.invalidate(Some(&links));
    assert_eq!(names(ScanOptions { follow_links: true, ..plain }), ["first", "link"]);
    assert_eq!((rig.cache.stats().validations, rig.cache.stats().misses), (2, 4), "links need a scan of their own");
}
