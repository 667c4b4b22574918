//! The work that a summary takes: which directories are listed, what is built again, and when it stops.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use cairn_cancel::{CancelToken, Stopped};
use cairn_pool::Pool;
use cairn_search::{
    GlobOptions, SearchContext, SearchError, TreeChange, TreeOptions, TreeOutcome, TreeState, glob, tree_summary,
};
use cairn_walk::{Policy, ScanCache};
use tempfile::TempDir;

struct Rig {
    tree: TempDir,
    cache: ScanCache,
    pool: Pool,
    clock: Arc<Mutex<Instant>>,
}

impl Rig {
    fn new(policy: Policy) -> Self {
        let tree = tempfile::tempdir().expect("a temporary directory");
        for directory in ["a/b", "a/c", "d/e", ".hidden", "dist"] {
            fs::create_dir_all(tree.path().join(directory)).expect("a directory");
            fs::write(tree.path().join(directory).join("file"), "").expect("a file");
        }
        let clock = Arc::new(Mutex::new(Instant::now()));
        let reader = Arc::clone(&clock);
        let cache = ScanCache::with_clock(policy, Arc::new(move || *reader.lock().expect("a clock")));
        let rig = Self { tree, cache, pool: Pool::new(2), clock };
        rig.settle();
        rig
    }

    fn context(&self) -> SearchContext<'_> {
        SearchContext::new(&self.cache, &self.pool)
    }

    fn options(&self) -> TreeOptions {
        let mut options = TreeOptions::new(self.tree.path());
        options.scope.use_cache = true;
        options.exclude = vec!["dist".to_owned()];
        options
    }

    fn summary(&self) -> TreeOutcome {
        tree_summary(self.context(), &self.options(), &CancelToken::new()).expect("a summary")
    }

    fn write(&self, path: &str) {
        let path = self.tree.path().join(path);
        fs::write(&path, "").expect("a file");
        self.cache.invalidate(Some(&path));
    }

    fn listed(&self) -> u64 {
        self.cache.stats().directories_listed
    }

    /// Waits until a change gives every directory another time.
    fn settle(&self) {
        let probe = self.tree.path().with_extension("probe");
        let now = || {
            fs::write(&probe, "").expect("a probe");
            probe.metadata().and_then(|metadata| metadata.modified()).expect("a time")
        };
        let began = now();
        while now() < began + Duration::from_millis(50) {
            std::thread::yield_now();
        }
        fs::remove_file(&probe).expect("a probe");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn after_one_write_one_directory_is_listed() {
    let rig = Rig::new(Policy::default());
    let first = rig.summary();
    assert_eq!(rig.listed(), 8, "each directory, also hidden and excluded ones");
    let again = rig.summary();
    assert_eq!((rig.listed(), again.generation()), (8, first.generation()));
    rig.write("a/b/new");
    let after = rig.summary();
    assert_eq!(rig.listed(), 9, "the one that was written to");
    assert_eq!((first.total(), after.total()), (8, 9));
    assert!(after.generation() > first.generation());
}

#[test]
#[cfg(target_os = "linux")]
fn a_tree_after_an_announced_write_checks_the_directories_on_the_way_and_the_rules_above_them() {
    let rig = Rig::new(Policy::default());
    fs::write(rig.tree.path().join("a/.gitignore"), "x").expect("a file");
    fs::write(rig.tree.path().join("d/.gitignore"), "x").expect("a file");
    rig.settle();
    rig.summary();
    let checks_for = |path: &str| {
        rig.write(path);
        let (checks, listed) = (rig.cache.stats().checks, rig.listed());
        rig.summary();
        (rig.cache.stats().checks - checks, rig.listed() - listed)
    };
    // The root, and the rule files that are outside the tree: how many there are depends on the machine.
    let (root, _) = checks_for("new");
    for (reason, path, states, listed) in [
        ("`a`, its rule file and `a/b`", "a/b/new", 3, 1),
        ("`d` and its rule file", "d/new", 2, 1),
        ("a directory that is not shown", "dist/new", 1, 1),
    ] {
        rig.settle();
        rig.write("new");
        rig.summary();
        assert_eq!(checks_for(path), (root + states, listed), "{reason}");
    }
    fs::write(rig.tree.path().join("outside"), "").expect("a file");
    let total = rig.summary().total();
    *rig.clock.lock().expect("a clock") += Policy::default().ttl;
    let checks = rig.cache.stats().checks;
    assert_eq!(rig.summary().total(), total + 1);
    assert_eq!(rig.cache.stats().checks - checks, root + 9, "all of it: 7 more directories and the 2 rule files");
}

#[test]
#[cfg(target_os = "linux")]
fn searches_after_a_summary_and_a_write_list_no_more() {
    let rig = Rig::new(Policy::default());
    rig.summary();
    rig.write("d/new");
    let mut options = GlobOptions::new("**", rig.tree.path());
    options.scope.use_cache = true;
    let found = glob(rig.context(), &options, &CancelToken::new()).expect("a result");
    assert_eq!((found.total, rig.listed()), (11, 9));
    rig.summary();
    assert_eq!(rig.listed(), 9);
}

#[test]
fn an_outside_write_shows_after_the_time_to_live() {
    let rig = Rig::new(Policy::default());
    let first = rig.summary();
    fs::write(rig.tree.path().join("outside"), "").expect("a file");
    assert_eq!(rig.summary().total(), first.total());
    *rig.clock.lock().expect("a clock") += Policy::default().ttl;
    assert_eq!(rig.summary().total(), first.total() + 1);
}

#[test]
fn a_tree_counts_towards_the_bound_of_the_cache_and_few_are_kept() {
    let rig = Rig::new(Policy::default());
    rig.summary();
    let with_one = rig.cache.stats().bytes;
    let bytes = |excluded: usize| {
        let mut options = rig.options();
        options.exclude = vec![format!("other{excluded}")];
        tree_summary(rig.context(), &options, &CancelToken::new()).expect("a summary");
        rig.cache.stats().bytes
    };
    let with_two = bytes(0);
    assert!(with_two > with_one);
    let last = (1..10).map(bytes).last().expect("some");
    assert!(last < with_one + 5 * (with_two - with_one), "no more than four");
}

#[test]
fn a_new_generation_is_equal_only_for_an_equal_tree() {
    let rig = Rig::new(Policy::default());
    let uncached = |exclude: &[&str]| {
        let mut options = rig.options();
        options.scope.use_cache = false;
        options.exclude = exclude.iter().map(|&name| name.to_owned()).collect();
        tree_summary(rig.context(), &options, &CancelToken::new()).expect("a summary").generation()
    };
    let (first, again, other) = (uncached(&["dist"]), uncached(&["dist"]), uncached(&["a"]));
    assert_eq!(first, again, "two scans of the same tree");
    assert!(other > first);
    fs::rename(rig.tree.path().join("d"), rig.tree.path().join("f")).expect("a new name");
    let renamed = uncached(&["dist"]);
    fs::rename(rig.tree.path().join("f"), rig.tree.path().join("d")).expect("the old name");
    let back = uncached(&["dist"]);
    assert!(renamed > other && back > renamed, "never an old number, even for the old tree");
}

#[test]
#[cfg(target_os = "linux")]
fn a_replaced_file_changes_no_tree_and_a_replaced_link_its_target() {
    let rig = Rig::new(Policy::default());
    let link = rig.tree.path().join("a/link");
    std::os::unix::fs::symlink("one", &link).expect("a link");
    rig.settle();
    let first = rig.summary();
    let replace = |make: &dyn Fn(&Path), path: &Path| {
        let temporary = rig.tree.path().with_extension("temporary");
        make(&temporary);
        fs::rename(&temporary, path).expect("a new file");
        rig.cache.invalidate(Some(path));
    };
    replace(&|path| fs::write(path, "new").expect("a file"), &rig.tree.path().join("a/b/file"));
    let second = rig.summary();
    assert!(second.snapshot.generation() > first.snapshot.generation(), "its directory has other times");
    assert!(std::ptr::eq(first.snapshot.arena(), second.snapshot.arena()), "the entries are shared");
    assert_eq!(second.generation(), first.generation());
    replace(&|path| std::os::unix::fs::symlink("two", path).expect("a link"), &link);
    let third = rig.summary();
    let targets: Vec<&[u8]> = third.entries().filter_map(|entry| entry.target).collect();
    assert_eq!(targets, [b"two"]);
    assert!(third.generation() > second.generation());
}

#[test]
#[cfg(unix)]
fn a_link_is_judged_again_when_another_place_changes_where_it_leads() {
    use std::os::unix::fs::symlink;
    // Every call validates the snapshot, which stays the same: nothing in the tree changes.
    let rig = Rig::new(Policy { ttl: Duration::from_nanos(1), ..Policy::default() });
    let outside = tempfile::tempdir().expect("a directory");
    let between = outside.path().join("between");
    fs::write(outside.path().join("plain"), "").expect("a file");
    fs::write(outside.path().join("key"), "").expect("a file");
    symlink("plain", &between).expect("a link");
    symlink(&between, rig.tree.path().join("link")).expect("a link");
    rig.settle();
    let summary = || {
        *rig.clock.lock().expect("a clock") += Duration::from_secs(1);
        let options = TreeOptions { secrets: vec!["key".to_owned()], ..rig.options() };
        tree_summary(rig.context(), &options, &CancelToken::new()).expect("a summary")
    };
    let first = summary();
    assert_eq!((first.secrets(), summary().generation()), (0, first.generation()));
    fs::remove_file(&between).expect("a link");
    symlink("key", &between).expect("a link");
    let second = summary();
    assert_eq!((second.secrets(), second.snapshot.generation()), (1, first.snapshot.generation()));
    assert!(second.generation() > first.generation());
}

#[test]
#[cfg(unix)]
fn a_link_is_judged_again_when_a_change_of_another_place_is_announced() {
    use std::os::unix::fs::symlink;
    let rig = Rig::new(Policy::default());
    let outside = tempfile::tempdir().expect("a directory");
    let between = outside.path().join("between");
    symlink("plain", &between).expect("a link");
    symlink(&between, rig.tree.path().join("link")).expect("a link");
    fs::write(outside.path().join("plain"), "").expect("a file");
    fs::write(outside.path().join("key"), "").expect("a file");
    let secrets = || {
        let options = TreeOptions { secrets: vec!["key".to_owned()], ..rig.options() };
        tree_summary(rig.context(), &options, &CancelToken::new()).expect("a summary").secrets()
    };
    assert_eq!(secrets(), 0);
    fs::remove_file(&between).expect("a link");
    symlink("key", &between).expect("a link");
    assert_eq!(secrets(), 0, "within the time to live");
    rig.cache.invalidate(Some(&between));
    assert_eq!(secrets(), 1);
}

#[test]
fn a_stopped_call_fails_and_leaves_a_tree_for_the_next() {
    let rig = Rig::new(Policy::default());
    let cancelled = CancelToken::new();
    cancelled.cancel();
    let stopped = |cancel: &CancelToken| {
        tree_summary(rig.context(), &rig.options(), cancel).map(|_| ()).expect_err("it is stopped").stopped()
    };
    assert_eq!(stopped(&cancelled), Some(Stopped::Cancelled));
    assert_eq!(stopped(&CancelToken::new().with_timeout(Duration::ZERO)), Some(Stopped::TimedOut));
    assert_eq!(rig.summary().total(), 8);
    let missing = TreeOptions::new(Path::new("/nowhere/at/all"));
    assert!(matches!(tree_summary(rig.context(), &missing, &CancelToken::new()), Err(SearchError::Walk(_))));
}

#[test]
fn changes_name_what_came_and_went() {
    let rig = Rig::new(Policy::default());
    let root = rig.tree.path();
    std::os::unix::fs::symlink("a", root.join("link")).expect("a link");
    fs::write(root.join(".gitignore"), "*.log\n").expect("a file");
    let state = || {
        rig.cache.invalidate(Some(root));
        rig.summary().state()
    };
    let first = state();
    let write = |path: &str| fs::write(root.join(path), "").expect("a file");
    let lines = |before: &TreeState, after: &TreeState, max: usize| -> Vec<String> {
        let line = |change: &TreeChange| {
            let path = String::from_utf8_lossy(&change.path).into_owned();
            let target = change.target.as_deref().map_or(String::new(), |to| format!(" -> {}", to.escape_ascii()));
            format!("{}{path}{target}", if change.appeared { '+' } else { '-' })
        };
        before.changes_until(after, max).listed.iter().map(line).collect()
    };
    assert_eq!(lines(&first, &state(), 9), [""; 0]);
    write("a/x.log");
    write("a/b/file");
    assert_eq!(lines(&first, &state(), 9), [""; 0], "ignored, and changed in place");
    fs::remove_dir_all(root.join("a/c")).expect("a directory");
    write("a/c");
    write("a/new");
    fs::rename(root.join("d"), root.join("a-d")).expect("a directory");
    fs::remove_file(root.join("link")).expect("a link");
    std::os::unix::fs::symlink("b", root.join("link")).expect("a link");
    let second = state();
    let expected = ["-a/c", "+a/c", "+a/new", "+a-d", "+a-d/e", "+a-d/e/file", "-d", "-link", "+link -> b"];
    assert_eq!(lines(&first, &second, 99), expected);
    assert_eq!(lines(&first, &second, 2), expected[..2]);
    assert_eq!(first.changes_until(&second, 2).total, 9);
    let back = ["-a/c", "+a/c", "+a/c/file", "-a/new", "-a-d", "+d", "+d/e", "+d/e/file", "-link", "+link -> a"];
    assert_eq!(lines(&second, &first, 99), back, "what is in a directory that went is not listed");
    assert_eq!(lines(&second, &state(), 9), [""; 0]);
}

#[test]
fn a_summary_that_validates_is_not_older_than_the_call() {
    let rig = Rig::new(Policy { ttl: Duration::from_secs(3600), ..Policy::default() });
    let first = rig.summary();
    *rig.clock.lock().expect("a clock") += Duration::from_millis(1);
    fs::write(rig.tree.path().join("new"), "").expect("a file");
    assert_eq!(rig.summary().total(), first.total());
    let mut options = rig.options();
    options.scope.validate = true;
    options.scope.asked = *rig.clock.lock().expect("a clock");
    let validated = tree_summary(rig.context(), &options, &CancelToken::new()).expect("a summary");
    assert_eq!(validated.total(), first.total() + 1);
    assert_eq!(rig.cache.stats().misses, 1);
}
