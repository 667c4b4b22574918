//! What a fixed scenario costs, counted rather than timed: directories listed, things checked, allocations and their
//! bytes. A slowdown shows as a number that changed.
//!
//! Calls run on the thread of the test alone, so the counts are the same on every machine. Counts of work are pinned
//! exactly, allocations from above, just over what was counted; their bytes have some room for long paths of temporary
//! directories. When a pin fails, the message has all counts of the
//! scenario: find out why they grew, and raise the pin only when the cost is wanted. When they shrink, lower it.

#![cfg(target_os = "linux")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use cairn_cancel::CancelToken;
use cairn_pool::Pool;
use cairn_search::{
    ContentIndexes, FindOptions, GlobOptions, GrepOptions, GrepOutcome, IndexPolicy, Scope, SearchContext, find, glob,
    grep,
};
use cairn_walk::{Policy, ScanCache};
use tempfile::TempDir;

struct Counting;

thread_local! {
    /// Of this thread: tests that run concurrently do not see one another.
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
    static ALLOCATED_BYTES: Cell<u64> = const { Cell::new(0) };
}

fn count(bytes: usize) {
    ALLOCATIONS.set(ALLOCATIONS.get() + 1);
    ALLOCATED_BYTES.set(ALLOCATED_BYTES.get() + bytes as u64);
}

// SAFETY: everything is the system allocator's; counting touches only constant-initialised cells without a destructor,
// which neither allocate nor end before the thread.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        count(new_size.saturating_sub(layout.size()));
        // SAFETY: the caller's promise is passed on.
        unsafe { System.realloc(block, layout, new_size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What a call cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Cost {
    directories_listed: u64,
    /// Directories and ignore files that were checked to validate a snapshot.
    checks: u64,
    allocations: u64,
    allocated_bytes: u64,
}

#[track_caller]
fn assert_cost(scenario: &str, cost: Cost, pin: Cost) {
    let is_within = cost.directories_listed == pin.directories_listed
        && cost.checks == pin.checks
        && cost.allocations <= pin.allocations
        && cost.allocated_bytes <= pin.allocated_bytes;
    assert!(is_within, "{scenario}\n   cost: {cost:?}\n    pin: {pin:?}");
}

/// In each directory of a [`Rig`], a quarter of them ignored.
const FILES: usize = 20;
const LISTED_FILES: usize = 15;
const CONTENT: &str = "one line\nanother line\n";
/// The one below, and the one that the clock probe writes.
const EMPTY_FILES: usize = 2;
/// A file in one of them with a name of its own.
const UNLIKE_OTHERS: &str = "unmistakable.rs";

/// A tree of directories with [`FILES`] files each and one ignore file at the top, and a cache whose clock the test
/// turns.
struct Rig {
    tree: TempDir,
    cache: ScanCache,
    pool: Pool,
    clock: Arc<Mutex<Instant>>,
}

impl Rig {
    fn new(directories: usize) -> Self {
        let tree = tempfile::tempdir().expect("a temporary directory");
        fs::write(tree.path().join(".gitignore"), "*.log\n/target/\n").expect("an ignore file");
        for directory in 0..directories {
            let path = tree.path().join(format!("directory{directory:03}"));
            fs::create_dir(&path).expect("a directory");
            for file in 0..FILES {
                let extension = ["rs", "toml", "md", "log"][file % 4];
                fs::write(path.join(format!("file{file:02}.{extension}")), CONTENT).expect("a file");
            }
        }
        fs::write(tree.path().join("directory007").join(UNLIKE_OTHERS), "").expect("a file");
        let clock = Arc::new(Mutex::new(Instant::now()));
        let reader = Arc::clone(&clock);
        let now = Arc::new(move || *reader.lock().expect("no test panics with it"));
        // One worker, which never gets anything to do: the caller works alone.
        let rig = Self { tree, cache: ScanCache::with_clock(Policy::default(), now), pool: Pool::new(1), clock };
        rig.settle();
        rig
    }

    /// Waits until the file system's clock has ticked so often that no directory could have changed unseen.
    fn settle(&self) {
        let probe = self.root().join("directory000/file00.rs");
        let changed = || {
            fs::write(&probe, "").expect("a probe");
            let metadata = probe.metadata().expect("a probe");
            Duration::new(metadata.ctime().unsigned_abs(), metadata.ctime_nsec().unsigned_abs() as u32)
        };
        let began = changed();
        while changed() < began + Duration::from_millis(30) {
            std::thread::yield_now();
        }
    }

    fn expire(&self) {
        *self.clock.lock().expect("a clock") += Duration::from_secs(2);
    }

    fn root(&self) -> PathBuf {
        self.tree.path().canonicalize().expect("the tree exists")
    }

    fn scope(&self) -> Scope {
        Scope { use_cache: true, ..Scope::new(self.root()) }
    }

    fn cost_of(&self, call: impl FnOnce(SearchContext<'_>)) -> Cost {
        let before = self.cache.stats();
        let (allocations, allocated_bytes) = (ALLOCATIONS.get(), ALLOCATED_BYTES.get());
        call(SearchContext::new(&self.cache, &self.pool));
        let (allocations, allocated_bytes) = (ALLOCATIONS.get() - allocations, ALLOCATED_BYTES.get() - allocated_bytes);
        let after = self.cache.stats();
        Cost {
            directories_listed: after.directories_listed - before.directories_listed,
            checks: after.checks - before.checks,
            allocations,
            allocated_bytes,
        }
    }

    fn glob(&self, pattern: &str, hits: usize) -> Cost {
        let options = GlobOptions { scope: self.scope(), ..GlobOptions::new(pattern, "") };
        self.cost_of(|context| {
            let outcome = glob(context, &options, &CancelToken::new()).expect("a result");
            assert_eq!(outcome.hits.len(), hits, "{pattern}");
        })
    }

    fn find(&self, query: &str, hits: usize) -> Cost {
        let options = FindOptions { scope: self.scope(), ..FindOptions::new(query, "") };
        self.cost_of(|context| {
            let outcome = find(context, &options, &CancelToken::new()).expect("a result");
            assert_eq!(outcome.hits.len(), hits, "{query}");
        })
    }

    fn grep(&self, pattern: &str, files: usize) -> Cost {
        let options = GrepOptions { scope: self.scope(), ..GrepOptions::new(pattern, "") };
        self.cost_of(|context| {
            let outcome = grep(context, &options, &CancelToken::new()).expect("a result");
            assert_eq!((outcome.files_searched, outcome.matches.len()), (files as u64, 0), "{pattern}");
            // Each once, from its beginning to its end, and nothing again.
            let bytes = (files - EMPTY_FILES) * CONTENT.len();
            assert_eq!((outcome.files_opened, outcome.bytes_read), (files as u64, bytes as u64), "{pattern}");
        })
    }
}

const ONE_DIRECTORY: &str = "directory007/*.rs";
const HITS: usize = 6;

/// How much more a call costs on a tree of 80 directories than on one of 20: what both need, and what depends on where
/// temporary directories are, is not in it.
fn cost_of_60_directories(measure: impl Fn(&Rig) -> Cost) -> Cost {
    let [small, large] = [20, 80].map(|directories| measure(&Rig::new(directories)));
    Cost {
        directories_listed: large.directories_listed - small.directories_listed,
        checks: large.checks - small.checks,
        allocations: large.allocations - small.allocations,
        allocated_bytes: large.allocated_bytes - small.allocated_bytes,
    }
}

#[test]
fn a_scan_lists_each_directory_once() {
    let cost = cost_of_60_directories(|rig| rig.glob(ONE_DIRECTORY, HITS));
    let pin = Cost { directories_listed: 60, allocations: 1_091, allocated_bytes: 140_000, ..Cost::default() };
    assert_cost("a scan of 60 directories with 1200 files", cost, pin);
}

#[test]
fn validation_of_an_unchanged_tree_checks_each_directory_once_and_lists_none() {
    let cost = cost_of_60_directories(|rig| {
        rig.glob(ONE_DIRECTORY, HITS);
        rig.expire();
        rig.glob(ONE_DIRECTORY, HITS)
    });
    let pin = Cost { checks: 60, allocations: 2, allocated_bytes: 200, ..Cost::default() };
    assert_cost("60 directories, none changed", cost, pin);
}

#[test]
fn validation_lists_only_the_directory_that_changed() {
    let rig = Rig::new(80);
    rig.glob(ONE_DIRECTORY, HITS);
    fs::write(rig.root().join("directory007/new.rs"), "").expect("a file");
    rig.expire();
    assert_eq!(rig.glob(ONE_DIRECTORY, HITS + 1).directories_listed, 1);
}

#[test]
fn a_hit_in_the_cache_costs_the_same_for_a_tree_of_any_size() {
    for directories in [20, 80] {
        let rig = Rig::new(directories);
        rig.glob(ONE_DIRECTORY, HITS);
        let cost = rig.glob(ONE_DIRECTORY, HITS);
        let pin = Cost { allocations: 20, allocated_bytes: 3_000, ..Cost::default() };
        assert_cost(&format!("a glob on a kept scan of {directories} directories"), cost, pin);
    }
}

#[test]
fn a_keystroke_allocates_once_per_directory_and_nothing_per_file() {
    let cost = cost_of_60_directories(|rig| {
        rig.find("file", 100);
        rig.find("unmistakable", 1)
    });
    let pin = Cost { allocations: 60, allocated_bytes: 10_000, ..Cost::default() };
    assert_cost("a keystroke on 60 directories", cost, pin);
}

/// Where an index shows that no file has a match, a chunk of files has one result.
#[test]
fn a_grep_without_a_candidate_allocates_nothing_per_file() {
    let rig = Rig::new(60);
    let policy = IndexPolicy { min_files: 0, settle: Some(Duration::ZERO), ..IndexPolicy::default() };
    let contents = ContentIndexes::new(policy);
    let grep = |pool: &Pool| {
        let mut options = GrepOptions::new("no such text", rig.root());
        options.scope = rig.scope();
        let context = SearchContext { contents: Some(&contents), ..SearchContext::new(&rig.cache, pool) };
        grep(context, &options, &CancelToken::new()).expect("an outcome")
    };
    for _ in 0..3 {
        grep(&rig.pool);
        contents.wait();
    }
    rig.expire();
    let mut outcome = GrepOutcome::default();
    let cost = rig.cost_of(|_| outcome = grep(&rig.pool));
    assert_eq!((outcome.files_excluded, outcome.files_opened), (outcome.files_searched, 0));
    // The buffers of a searcher are most of it.
    let pin = Cost { checks: 71, allocations: 360, allocated_bytes: 380_000, ..Cost::default() };
    assert_cost("900 files without a candidate", cost, pin);
}

#[test]
fn a_grep_without_a_match_costs_little_per_file() {
    let cost = cost_of_60_directories(|rig| {
        let directories = fs::read_dir(rig.root()).expect("the tree").count() - 1;
        let files = directories * LISTED_FILES + 1;
        rig.glob(ONE_DIRECTORY, HITS);
        rig.grep("no such text", files)
    });
    let pin = Cost { allocations: 75, allocated_bytes: 90_000, ..Cost::default() };
    assert_cost("900 files that do not match", cost, pin);
}
