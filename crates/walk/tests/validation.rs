//! An expired snapshot is validated, and the result equals the result of a full scan.
//!
//! `PROPTEST_CASES` sets the number of random edit sequences; 60 by default.

#![cfg(target_os = "linux")]

mod support;

use std::fs::{self, File, FileTimes};
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, UNIX_EPOCH};

use cairn_cancel::CancelToken;
use cairn_pool::Pool;
use cairn_walk::{CacheStats, Detail, Policy, Scan, ScanCache, ScanOptions, ScanRequest};
use proptest::prelude::*;
use support::{Scanner, assert_same_entries, isolate, listed};
use tempfile::TempDir;

/// A root in a private directory, and a cache with a clock that the test sets.
///
/// The root is `sandbox/top/root`. Edits stay below `top`, so a link to `..` leads to `sandbox` at most, and no scan and no
/// edit leaves what the test made.
struct Rig {
    _sandbox: TempDir,
    top: PathBuf,
    cache: ScanCache,
    pool: Pool,
    clock: Arc<Mutex<Instant>>,
}

impl Rig {
    fn new() -> Self {
        let clock = Arc::new(Mutex::new(Instant::now()));
        let reader = Arc::clone(&clock);
        let now = Arc::new(move || *reader.lock().expect("no test panics with it"));
        isolate();
        let sandbox = tempfile::tempdir().expect("a temporary directory");
        let top = sandbox.path().canonicalize().expect("it exists").join("top");
        fs::create_dir_all(top.join("root")).expect("a root");
        Self { _sandbox: sandbox, top, cache: ScanCache::with_clock(Policy::default(), now), pool: Pool::new(2), clock }
    }

    fn with(entries: &[&str]) -> Self {
        let rig = Self::new();
        for entry in entries {
            let (path, contents) = entry.split_once(": ").unwrap_or((entry, ""));
            rig.write(path, contents);
        }
        rig.settle();
        rig
    }

    fn root(&self) -> PathBuf {
        self.top.join("root")
    }

    fn path(&self, relative: &str) -> PathBuf {
        self.root().join(relative)
    }

    fn write(&self, relative: &str, contents: &str) {
        let path = self.path(relative);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        fs::write(path, contents).expect("a file");
    }

    /// Writes a file next to the root.
    fn write_above(&self, relative: &str, contents: &str) {
        self.write(&format!("../{relative}"), contents);
    }

    /// Replaces an empty `.git` directory by a file that points to the repository next to the root.
    fn point_to_repository(&self, git: &str) {
        fs::remove_dir(self.path(git)).expect("an empty directory");
        let to = self.top.join("repository");
        fs::write(self.path(git), format!("gitdir: {}", to.display())).expect("a file");
    }

    /// Waits until the stamps of everything written so far are settled.
    fn settle(&self) {
        let probe = self.top.join("probe");
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

    /// Lets every cached snapshot expire.
    fn expire(&self) {
        *self.clock.lock().expect("a clock") += Duration::from_secs(2);
    }

    /// Returns the snapshot after the previous one has expired.
    fn expired(&self, options: ScanOptions) -> Scan {
        self.expire();
        self.get(options)
    }

    fn get(&self, options: ScanOptions) -> Scan {
        let root = self.root();
        let asked = *self.clock.lock().expect("a clock");
        let request = ScanRequest { root: &root, options, asked, validate: false, partial_on_timeout: false };
        self.cache.get_or_scan(&request, &self.pool, &CancelToken::new()).expect("a scan")
    }

    /// Validates the snapshot, compares the result with a full scan, and returns the work that validation took.
    fn validate(&self, options: ScanOptions) -> Work {
        self.expire();
        self.compare(options)
    }

    /// Compares the snapshot with a full scan, and returns the work that it took.
    fn compare(&self, options: ScanOptions) -> Work {
        let before = self.cache.stats();
        let validated = self.get(options).snapshot;
        let after = self.cache.stats();
        let fresh = Scanner::threads(1).fresh(&self.root(), options).expect("a scan");
        assert_same_entries(&listed(&validated), &listed(&fresh));
        assert_eq!(validated.unreadable(), fresh.unreadable());
        assert_eq!(validated.unreadable_paths(), fresh.unreadable_paths());
        assert_eq!(validated.skipped_node_modules(), fresh.skipped_node_modules());
        Work::between(&before, &after)
    }
}

impl Rig {
    /// Asks for every part of what is cached, and compares it with a full scan.
    fn compare_views(&self) {
        for bits in 0..16 {
            let is_set = |bit: u32| bits >> bit & 1 != 0;
            let wanted = ScanOptions {
                include_hidden: is_set(0),
                use_gitignore: is_set(1),
                skip_node_modules: is_set(2),
                follow_links: is_set(3),
                ..DEFAULT
            };
            let root = self.root();
            let asked = *self.clock.lock().expect("a clock");
            let request =
                ScanRequest { root: &root, options: wanted, asked, validate: false, partial_on_timeout: false };
            let got = self.cache.get_or_scan(&request, &self.pool, &CancelToken::new()).expect("a scan").snapshot;
            let fresh = Scanner::threads(1).fresh(&root, wanted).expect("a scan");
            assert_same_entries(&listed(&got), &listed(&fresh));
            assert_eq!((got.options(), got.unreadable()), (wanted, fresh.unreadable()));
            assert_eq!(got.skipped_node_modules(), fresh.skipped_node_modules());
        }
    }
}

impl Rig {
    /// The entries of a full scan.
    fn fresh(&self, options: ScanOptions) -> Vec<String> {
        listed(&Scanner::threads(1).fresh(&self.root(), options).expect("a scan"))
    }

    /// Gets the snapshot. Returns the part that only a full scan has.
    fn compare_places(&self, announced: &[&str]) -> Vec<String> {
        let got = listed(&self.get(DEFAULT).snapshot);
        let fresh = self.fresh(DEFAULT);
        assert!(got.iter().all(|entry| fresh.contains(entry)), "{announced:?}: {got:?}");
        fresh.into_iter().filter(|entry| !got.contains(entry)).collect()
    }

    /// Announces the path of an edit: as it is named, and where that was before the edit.
    fn announce(&self, edit: &Edit, before: &[PathBuf]) {
        before.iter().chain(&self.changed_by(edit)).for_each(|path| self.cache.invalidate(Some(path)));
    }

    /// The paths that an edit changes.
    fn changed_by(&self, edit: &Edit) -> Vec<PathBuf> {
        let named = match edit {
            Edit::Write(path) | Edit::Replace(path) | Edit::Rules(path, _) | Edit::MakeDirectory(path) => {
                vec![path.clone()]
            }
            Edit::Remove(path) | Edit::Link(path, _) | Edit::SetBack(path) => vec![path.clone()],
            Edit::Rename(from, to) => vec![from.clone(), to.clone()],
            Edit::ChangeCase(path) => vec![path.clone(), in_upper_case(path)],
            Edit::WriteOutside(path) => vec![format!("../outside/{path}")],
            Edit::RulesAbove(_) => vec!["../.ignore".to_owned()],
            Edit::ReplaceRoot => vec![String::new()],
            Edit::Settle | Edit::Validate => vec![],
        };
        let named = named.into_iter().map(|path| self.path(&path));
        named.flat_map(|path| [self.in_real_directory(&path), path]).collect()
    }

    /// The path with the directories that exist resolved.
    fn in_real_directory(&self, path: &Path) -> PathBuf {
        let real = path.ancestors().skip(1).find_map(|above| Some((above.canonicalize().ok()?, above)));
        real.map_or_else(|| self.root(), |(real, above)| real.join(path.strip_prefix(above).expect("an ancestor")))
    }
}

/// A path with its last name in upper case.
fn in_upper_case(path: &str) -> String {
    match path.rsplit_once('/') {
        Some((directory, name)) => format!("{directory}/{}", name.to_uppercase()),
        None => path.to_uppercase(),
    }
}

/// The work of one call.
#[derive(Debug, PartialEq, Eq)]
struct Work {
    validations: u64,
    rescans: u64,
    directories_listed: u64,
}

impl Work {
    fn between(before: &CacheStats, after: &CacheStats) -> Self {
        Self {
            validations: after.validations - before.validations,
            rescans: after.rescans - before.rescans,
            directories_listed: after.directories_listed - before.directories_listed,
        }
    }

    /// A validation that listed N directories again.
    fn listing(directories_listed: u64) -> Self {
        Self { validations: 1, rescans: 0, directories_listed }
    }
}

const DEFAULT: ScanOptions = ScanOptions {
    include_hidden: false,
    use_gitignore: true,
    skip_node_modules: false,
    record_excluded: false,
    follow_links: false,
    detail: Detail::Minimal,
};
const FOLLOWING: ScanOptions = ScanOptions { follow_links: true, ..DEFAULT };

#[test]
fn an_unchanged_tree_is_compared_and_not_listed() {
    let rig = Rig::with(&["a/b/c", "a/d", "e/.gitignore: x", "e/x"]);
    let first = rig.expired(DEFAULT);
    let checks = rig.cache.stats().checks;
    assert_eq!(rig.validate(DEFAULT), Work::listing(0));
    let second = rig.expired(DEFAULT);
    assert!(Arc::ptr_eq(&first.snapshot, &second.snapshot), "the same snapshot, with its derived structure");
    assert_eq!(second.age, Duration::ZERO, "as new as a scan");
    // The root, three directories and the ignore file. From the root up: `.git` of each directory, and above it `.ignore`.
    // git's configuration: the system's file, the two of the user, and the excludes file.
    let above = rig.root().ancestors().count() as u64;
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let of_system = u64::from(!is_set("GIT_CONFIG_NOSYSTEM"));
    let of_user = 2 * u64::from(is_set("HOME") || is_set("XDG_CONFIG_HOME")) + u64::from(is_set("HOME"));
    assert_eq!((rig.cache.stats().checks - checks) / 2, 5 + above + (above - 1) + of_system + of_user);
}

#[test]
fn a_changed_directory_is_listed_alone() {
    let rig = Rig::with(&["a/b/c", "a/d", "e/f"]);
    rig.expired(DEFAULT);
    rig.write("a/b/new", "");
    assert_eq!(rig.validate(DEFAULT), Work::listing(1));
    rig.settle();
    // A directory that was listed within a clock tick of its change may have changed again with the same stamp.
    assert_eq!(rig.validate(DEFAULT), Work::listing(1));
    assert_eq!(rig.validate(DEFAULT), Work::listing(0));
}

#[test]
fn a_new_directory_is_scanned_with_its_subtree() {
    let rig = Rig::with(&["a/b", ".gitignore: *.o"]);
    rig.expired(DEFAULT);
    rig.write("a/new/deep/file", "");
    rig.write("a/new/deep/file.o", "");
    // `a` and the two new directories.
    assert_eq!(rig.validate(DEFAULT), Work::listing(3));
}

#[test]
fn after_an_invalidation_only_what_changed_is_listed() {
    let rig = Rig::with(&["a/b/c", "a/d", "e/f"]);
    rig.expired(DEFAULT);
    rig.write("a/new", "");
    rig.cache.invalidate(Some(&rig.path("a/new")));
    assert_eq!((rig.cache.stats().snapshots.len(), rig.cache.stats().invalidations), (0, 1));
    rig.cache.invalidate(Some(&rig.path("a/new")));
    assert_eq!(rig.cache.stats().invalidations, 1, "it is dropped only once");
    // A miss, but only one directory was listed.
    assert_eq!(rig.validate(DEFAULT), Work::listing(1));
    assert_eq!(rig.cache.stats().misses, 2);
    rig.cache.invalidate(None);
    assert_eq!(rig.validate(DEFAULT).directories_listed, 4, "without a path, everything is forgotten");
}

#[test]
fn within_the_time_to_live_only_announced_places_are_checked() {
    let rig = Rig::with(&["a/b/c", "a/b/.gitignore: x", "a/d/e", "a/d/.gitignore: x", "f/g", "h"]);
    rig.expired(DEFAULT);
    rig.write("f/later", "");
    let above = {
        let before = rig.cache.stats().checks;
        rig.cache.invalidate(Some(&rig.path("h")));
        assert_eq!(rig.compare_places(&["h"]), ["f/later"]);
        rig.cache.stats().checks - before - 1
    };
    for (reason, path, states, listed) in [
        ("a new file: the root, `a`, `a/b` and the rules in it", "a/b/new", 4, 1),
        ("a new directory, announced by a file in it", "a/d/new/deep/file", 4, 3),
        ("a file in the root", "new", 1, 1),
        ("nothing changed", "a/b/c", 4, 0),
    ] {
        if path != "a/b/c" {
            rig.write(path, "");
        }
        rig.settle();
        let before = rig.cache.stats();
        rig.cache.invalidate(Some(&rig.path(path)));
        assert_eq!(rig.compare_places(&[path]), ["f/later"], "{reason}");
        let after = rig.cache.stats();
        let work = Work::between(&before, &after);
        assert_eq!((after.checks - before.checks - above, work), (states, Work::listing(listed)), "{reason}");
        // A directory that was listed within a clock tick of its change is listed again.
        rig.settle();
        rig.cache.invalidate(Some(&rig.path(path)));
        rig.compare_places(&[path]);
    }
    assert_eq!(rig.validate(DEFAULT).rescans, 0, "the rest is validated when it expires");
}

#[test]
fn several_announced_places_are_checked_and_no_other() {
    let rig = Rig::with(&["a/b", "c/d", "e/f"]);
    rig.expired(DEFAULT);
    for path in ["a/new", "c/new", "e/new"] {
        rig.write(path, "");
    }
    rig.cache.invalidate(Some(&rig.path("a/new")));
    rig.cache.invalidate(Some(&rig.path("c/new")));
    assert_eq!(rig.compare_places(&["a/new", "c/new"]), ["e/new"]);
}

#[test]
fn a_change_outside_of_the_root_is_noticed_after_a_validation_listed_directories_again() {
    let rig =
        Rig::with(&[".git/HEAD: ref: refs/heads/main", ".git/config: [core]\nexcludesFile = ../x-excludes", "x", "y"]);
    rig.write_above("x-excludes", "x");
    rig.settle();
    rig.expired(DEFAULT);
    rig.write("new", "");
    assert_eq!(rig.validate(DEFAULT), Work::listing(1));
    rig.write_above("x-excludes", "y");
    rig.cache.invalidate(Some(&rig.top.join("x-excludes")));
    assert_eq!(rig.compare(DEFAULT).rescans, 1);
}

#[test]
fn an_announced_change_does_not_make_the_rest_of_a_snapshot_younger() {
    let rig = Rig::with(&["a/b", "c/d"]);
    rig.expired(DEFAULT);
    rig.write("c/unannounced", "");
    for number in 0..4_u32 {
        *rig.clock.lock().expect("a clock") += Duration::from_millis(300);
        rig.write(&format!("a/{number}"), "");
        rig.cache.invalidate(Some(&rig.path("a")));
        let scan = rig.get(DEFAULT);
        let sees_all = scan.snapshot.find(b"c/unannounced").is_some();
        let age = Duration::from_millis(300 * u64::from(number + 1));
        assert_eq!((sees_all, scan.age), if number < 3 { (false, age) } else { (true, Duration::ZERO) });
    }
}

#[test]
fn an_announced_change_is_seen_wherever_it_matters() {
    type Edit = fn(&Rig) -> Vec<&'static str>;
    let edits: [(&str, Edit); 10] = [
        ("a removed directory", |rig| {
            fs::remove_dir_all(rig.path("a")).expect("a directory");
            vec!["a"]
        }),
        ("a removed directory, announced by a file in it", |rig| {
            fs::remove_dir_all(rig.path("a")).expect("a directory");
            vec!["a/b/c"]
        }),
        ("a moved directory", |rig| {
            fs::rename(rig.path("a/b"), rig.path("e/moved")).expect("a move");
            vec!["a/b", "e/moved"]
        }),
        ("a name in another case", |rig| {
            fs::rename(rig.path("a/b"), rig.path("a/B")).expect("a move");
            vec!["a/b", "a/B"]
        }),
        ("a file in place of a directory", |rig| {
            fs::remove_dir_all(rig.path("a/b")).expect("a directory");
            rig.write("a/b", "");
            vec!["a/b"]
        }),
        ("rules for a whole directory", |rig| {
            rig.write("a/.gitignore", "c\n*.x");
            vec!["a/.gitignore"]
        }),
        ("rules that are no more", |rig| {
            fs::remove_file(rig.path(".gitignore")).expect("a file");
            vec![".gitignore"]
        }),
        ("a new repository", |rig| {
            rig.write("a/.git/info/exclude", "c");
            vec!["a/.git/info/exclude"]
        }),
        ("a path through a link", |rig| {
            rig.write("link/new", "");
            vec!["link/new"]
        }),
        ("a link on the way to the target of others", |rig| {
            fs::remove_file(rig.path("way")).expect("a link");
            symlink("two", rig.path("way")).expect("a link");
            vec!["way"]
        }),
    ];
    for (reason, edit) in edits {
        let rig = Rig::with(&[
            "a/b/c",
            "a/d.x",
            "e/f",
            "e/g",
            ".gitignore: *.x",
            "one/in/rules: f",
            "two/in/rules: g",
            "two/in/h",
        ]);
        for (target, path) in [("a/b", "link"), ("one", "way"), ("way/in", "through"), ("../way/in/rules", "e/.ignore")]
        {
            symlink(target, rig.path(path)).expect("a link");
        }
        rig.settle();
        for options in [DEFAULT, FOLLOWING, ScanOptions { record_excluded: true, ..DEFAULT }] {
            rig.expired(options);
        }
        for path in edit(&rig) {
            rig.cache.invalidate(Some(&rig.path(path)));
        }
        for options in [DEFAULT, FOLLOWING, ScanOptions { record_excluded: true, ..DEFAULT }] {
            assert_eq!(listed(&rig.get(options).snapshot), rig.fresh(options), "{reason}: {options:?}");
        }
    }
}

#[test]
fn a_view_that_follows_links_is_not_made_of_a_scan_that_decided_about_them_otherwise() {
    for (reason, rules, edit, known) in [
        ("the rules show directories only", "*\n!*/", "", DEFAULT),
        ("marked entries", "*\n!*/", "", ScanOptions { include_hidden: true, record_excluded: true, ..DEFAULT }),
        ("hidden names are in the scan", "*\n!*/", "", ScanOptions { include_hidden: true, ..DEFAULT }),
        ("a link that came later, and changes no entry", "*\n!*/", "later", DEFAULT),
        ("the rules hide links as anything", "F", "", DEFAULT),
    ] {
        let rig = Rig::with(&["a/b", &format!(".ignore: {rules}")]);
        let link = || symlink("a", rig.path("F")).expect("a link");
        if edit.is_empty() {
            link();
            rig.settle();
        }
        rig.expired(known);
        if !edit.is_empty() {
            rig.get(FOLLOWING);
            link();
            rig.cache.invalidate(Some(&rig.path("F")));
            rig.get(known);
        }
        assert_eq!(listed(&rig.get(FOLLOWING).snapshot), rig.fresh(FOLLOWING), "{reason}");
    }
}

#[test]
fn a_removed_or_moved_directory_takes_its_subtree_along() {
    let rig = Rig::with(&["a/b/c/d", "e/f"]);
    rig.expired(DEFAULT);
    fs::rename(rig.path("a/b"), rig.path("e/moved")).expect("a move");
    assert_eq!(rig.validate(DEFAULT).rescans, 0);
    rig.settle();
    fs::remove_dir_all(rig.path("e")).expect("a removal");
    assert_eq!(rig.validate(DEFAULT).rescans, 0);
}

#[test]
fn a_modification_time_that_is_set_back_hides_no_change() {
    let rig = Rig::with(&["a/b"]);
    let before = rig.path("a").metadata().expect("a directory").modified().expect("a time");
    rig.expired(DEFAULT);
    rig.write("a/new", "");
    File::open(rig.path("a")).and_then(|a| a.set_times(FileTimes::new().set_modified(before))).expect("set back");
    assert_eq!(rig.validate(DEFAULT), Work::listing(1));
}

#[test]
fn a_change_of_rules_scans_everything() {
    type Edit = fn(&Rig);
    let edits: [(&str, Edit); 6] = [
        ("an edited file", |rig| rig.write("a/.gitignore", "y")),
        ("a new file", |rig| rig.write("e/.gitignore", "f")),
        ("a removed file", |rig| fs::remove_file(rig.path("a/.gitignore")).expect("a file")),
        ("a file above", |rig| fs::write(rig.root().parent().expect("above").join(".ignore"), "f").expect("a file")),
        ("a new repository", |rig| rig.write(".git/info/exclude", "f")),
        ("a new repository above", |rig| {
            let above = rig.root().parent().expect("above").to_owned();
            fs::create_dir(above.join(".git")).expect("a directory");
            fs::write(above.join(".gitignore"), "f").expect("a file");
        }),
    ];
    for (reason, edit) in edits {
        let rig = Rig::with(&["a/.gitignore: x", "a/x", "a/y", "e/f"]);
        rig.expired(DEFAULT);
        edit(&rig);
        assert_eq!(rig.validate(DEFAULT).rescans, 1, "{reason}");
    }
}

#[test]
fn a_change_of_gits_configuration_is_noticed_by_a_validation_and_an_invalidation() {
    type Edit = fn(&Rig);
    let config = |excludes: &str| format!("[core]\nexcludesFile = {excludes}\n");
    let cases: [(&str, &str, Edit); 8] = [
        ("the excludes file", "repository/x-excludes", |rig| rig.write_above("repository/x-excludes", "y")),
        ("the configuration", "repository/.git/config", |rig| rig.write_above("repository/.git/config", "")),
        ("an included file", "repository/.git/included", |rig| {
            rig.write_above("repository/.git/included", "[core]\nignoreCase");
        }),
        ("a file included there", "repository/.git/more", |rig| {
            rig.write_above("repository/.git/more", "[core]\nexcludesFile=");
        }),
        ("the directory of the configuration", "repository/.git", |rig| rig.write_above("repository/.git/config", "")),
        ("the private excludes", "repository/.git/info/exclude", |rig| {
            rig.write_above("repository/.git/info/exclude", "y");
        }),
        ("the directory of the private excludes", "repository/.git/info/", |rig| {
            rig.write_above("repository/.git/info/exclude", "y");
        }),
        ("a repository nearer to the root", "repository/near/.git/config", |rig| {
            rig.write_above("repository/near/.git/config", "");
        }),
    ];
    for (reason, changed, edit) in cases {
        for announced in [false, true] {
            let rig = Rig::with(&[]);
            rig.write_above("repository/x-excludes", "x");
            rig.write_above("repository/.git/config", &(config("x-excludes") + "[include]\npath = included\n"));
            rig.write_above("repository/.git/included", "[include]\npath = more");
            let root = rig.top.join("repository/near/root");
            for name in ["x", "X", "y"] {
                rig.write_above(&format!("repository/near/root/{name}"), "");
            }
            rig.settle();
            let request = |cache: &ScanCache, pool: &Pool| {
                let request = support::request(&root, DEFAULT);
                listed(&cache.get_or_scan(&request, pool, &CancelToken::new()).expect("a scan").snapshot)
            };
            let before = request(&rig.cache, &rig.pool);
            assert_eq!(before, ["X", "y"], "{reason}");
            edit(&rig);
            if announced {
                rig.cache.invalidate(Some(&rig.top.join(changed)));
            } else {
                assert_eq!(request(&rig.cache, &rig.pool), before, "{reason}: within the time to live");
                rig.expire();
            }
            let fresh = ScanCache::new(Policy::default());
            let now = request(&fresh, &rig.pool);
            assert_ne!(now, before, "{reason}");
            assert_eq!(request(&rig.cache, &rig.pool), now, "{reason}, announced: {announced}");
        }
    }
}

#[test]
fn the_type_of_git_in_a_directory_decides_where_rules_are() {
    type Edit = fn(&Rig);
    let cases: [(&str, &str, Edit, Edit); 4] = [
        (
            "a directory becomes a file",
            "sub",
            |rig| fs::create_dir(rig.path("sub/.git")).expect("a directory"),
            |rig| rig.point_to_repository("sub/.git"),
        ),
        (
            "the same at the root",
            "",
            |rig| fs::create_dir(rig.path(".git")).expect("a directory"),
            |rig| rig.point_to_repository(".git"),
        ),
        (
            "the same above",
            "",
            |rig| fs::create_dir(rig.path("../.git")).expect("a directory"),
            |rig| rig.point_to_repository("../.git"),
        ),
        (
            "a broken link",
            "sub",
            |rig| symlink(rig.top.join("later"), rig.path("sub/.git")).expect("a link"),
            |rig| {
                fs::create_dir_all(rig.top.join("later/info")).expect("a directory");
                fs::write(rig.top.join("later/info/exclude"), "x").expect("a file");
            },
        ),
    ];
    for (reason, directory, before, edit) in cases {
        let rig = Rig::with(&["sub/x", "sub/y", "x", "y"]);
        fs::create_dir_all(rig.top.join("repository/info")).expect("a directory");
        fs::write(rig.top.join("repository/info/exclude"), "x").expect("a file");
        before(&rig);
        rig.settle();
        rig.expired(DEFAULT);
        edit(&rig);
        rig.validate(DEFAULT);
        let hidden = [directory, "x"].join("/");
        let now = rig.expired(DEFAULT).snapshot;
        assert_eq!(now.find(hidden.trim_start_matches('/').as_bytes()), None, "{reason}");
    }
}

#[test]
fn a_rule_file_that_cannot_be_read_is_counted_and_tried_again() {
    let rig = Rig::with(&["x", "y"]);
    // Larger than git reads.
    let file = File::create(rig.path(".gitignore")).expect("a file");
    file.set_len(101 << 20).expect("a hole");
    rig.settle();
    assert_eq!(rig.expired(DEFAULT).snapshot.unreadable(), 1);
    assert_eq!(rig.validate(DEFAULT).rescans, 1);
}

#[test]
fn a_rule_file_above_the_root_that_cannot_be_read_is_counted() {
    let rig = Rig::with(&["x"]);
    assert_eq!(rig.get(DEFAULT).snapshot.unreadable(), 0);
    let file = File::create(rig.top.join(".ignore")).expect("a file");
    file.set_len(101 << 20).expect("a hole");
    rig.settle();
    assert_eq!(rig.expired(DEFAULT).snapshot.unreadable(), 1);
}

#[test]
fn a_fifo_in_place_of_git_or_rules_does_not_block_a_scan() {
    let rig = Rig::with(&["sub/x"]);
    for name in [".git", "sub/.git", "sub/.gitignore", ".ignore"] {
        let made = std::process::Command::new("mkfifo").arg(rig.path(name)).status().expect("mkfifo runs");
        assert!(made.success());
    }
    assert_eq!(listed(&rig.expired(DEFAULT).snapshot), ["sub/", "sub/x"]);
}

#[test]
fn a_configuration_that_includes_itself_is_read_to_an_end() {
    let config = "[include]\npath = config\n[core]\nexcludesFile = ../x-excludes";
    let rig = Rig::with(&[".git/HEAD: ref: refs/heads/main", &format!(".git/config: {config}"), "x", "y"]);
    rig.write_above("x-excludes", "x");
    assert_eq!(listed(&rig.get(DEFAULT).snapshot), ["y"]);
}

#[test]
fn the_private_excludes_of_a_repository_apply() {
    let rig = Rig::with(&[".git/info/exclude: x", "x", "y"]);
    rig.expired(DEFAULT);
    assert_eq!(rig.validate(DEFAULT), Work::listing(0));
    rig.write(".git/info/exclude", "y");
    assert_eq!(rig.validate(DEFAULT).rescans, 1);
}

#[test]
fn a_replaced_root_is_scanned() {
    let rig = Rig::with(&["a"]);
    rig.expired(DEFAULT);
    fs::rename(rig.root(), rig.top.join("old")).expect("a move");
    rig.write("b", "");
    assert_eq!(rig.validate(DEFAULT).rescans, 1);
}

#[test]
fn a_change_at_the_target_of_a_followed_link_is_noticed() {
    let rig = Rig::with(&["a/b", "c/d"]);
    symlink("gone", rig.path("link")).expect("a link");
    symlink("../c", rig.path("a/to-c")).expect("a link");
    rig.settle();
    rig.expired(FOLLOWING);
    assert_eq!(rig.validate(FOLLOWING), Work::listing(0));
    // A new file in a directory with two paths does not change which path lists it.
    rig.write("c/new", "");
    assert_eq!(rig.validate(FOLLOWING), Work::listing(1));
    rig.write("gone", "");
    assert_eq!(rig.validate(FOLLOWING).rescans, 1);
    rig.settle();
    // Which of two paths lists a directory depends on both.
    fs::rename(rig.path("c"), rig.path("e")).expect("a move");
    assert_eq!(rig.validate(FOLLOWING).rescans, 1);
}

#[test]
fn a_change_at_the_target_of_a_link_out_of_the_tree_is_noticed() {
    let rig = Rig::with(&["a"]);
    let outside = rig.top.join("outside");
    symlink(&outside, rig.path("link")).expect("a link");
    rig.settle();
    rig.expired(FOLLOWING);
    fs::write(&outside, "").expect("a file");
    assert_eq!(rig.validate(FOLLOWING).rescans, 1, "the link was broken");
    rig.settle();
    rig.expired(FOLLOWING);
    fs::remove_file(&outside).expect("a file");
    fs::create_dir(&outside).expect("a directory");
    assert_eq!(rig.validate(FOLLOWING).rescans, 1, "the target was a file");
    rig.settle();
    rig.expired(FOLLOWING);
    fs::write(outside.join("file"), "").expect("a file");
    assert_eq!(rig.validate(FOLLOWING), Work::listing(1), "a directory like any other");
}

#[test]
fn a_link_in_a_new_directory_is_followed() {
    let rig = Rig::with(&["a"]);
    fs::create_dir(rig.top.join("outside")).expect("a directory");
    fs::write(rig.top.join("outside/file"), "").expect("a file");
    rig.settle();
    rig.expired(FOLLOWING);
    fs::create_dir(rig.path("new")).expect("a directory");
    symlink(rig.top.join("outside"), rig.path("new/link")).expect("a link");
    assert_eq!(rig.validate(FOLLOWING).rescans, 1);
}

#[test]
fn full_details_and_other_file_systems_are_scanned_again() {
    let rig = Rig::with(&["a/b"]);
    let full = ScanOptions { detail: Detail::Full, ..DEFAULT };
    rig.expired(full);
    fs::write(rig.path("a/b"), "longer").expect("a file");
    assert_eq!(rig.validate(full).rescans, 1);
    let entry = rig.expired(full).snapshot;
    assert_eq!(entry.size(entry.find(b"a/b").expect("the file")), Some(6));
    // That file system has no reliable times.
    let proc = fs::canonicalize("/proc/self/fdinfo").expect("a directory");
    let request = ScanRequest {
        root: &proc,
        options: DEFAULT,
        asked: Instant::now(),
        validate: false,
        partial_on_timeout: false,
    };
    for _ in 0..2 {
        *rig.clock.lock().expect("a clock") += Duration::from_secs(2);
        rig.cache.get_or_scan(&request, &rig.pool, &CancelToken::new()).expect("a scan");
    }
    assert_eq!(rig.cache.stats().validations, 0);
}

/// One change of a tree. Paths consist of a few names, so that edits hit the same files.
#[derive(Clone, Debug)]
enum Edit {
    Write(String),
    Replace(String),
    Rules(String, String),
    RulesAbove(String),
    MakeDirectory(String),
    Remove(String),
    Rename(String, String),
    ChangeCase(String),
    Link(String, String),
    /// Writes a file in the directory next to the root that links point to.
    WriteOutside(String),
    SetBack(String),
    ReplaceRoot,
    Settle,
    Validate,
}

fn path() -> impl Strategy<Value = String> {
    let name = prop_oneof![4 => "[abc]", 1 => Just(".h".to_owned()), 1 => Just("a.x".to_owned()), 1 => Just("node_modules".to_owned())];
    proptest::collection::vec(name, 1..4).prop_map(|names| names.join("/"))
}

fn rules() -> impl Strategy<Value = String> {
    let rule = prop_oneof![
        "!?[abc]/?",
        Just("*".to_owned()),
        Just("!*/".to_owned()),
        Just("*/".to_owned()),
        Just("*.x".to_owned()),
        Just("a/b".to_owned()),
        Just("/c".to_owned())
    ];
    proptest::collection::vec(rule, 0..3).prop_map(|rules| rules.join("\n"))
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        5 => path().prop_map(Edit::Write),
        2 => path().prop_map(Edit::Replace),
        2 => (prop_oneof![3 => path().prop_map(|path| format!("{path}/.gitignore")), 1 => Just(".gitignore".to_owned()),
             1 => path().prop_map(|path| format!("{path}/.ignore")), 1 => Just(".git/info/exclude".to_owned())], rules())
            .prop_map(|(path, rules)| Edit::Rules(path, rules)),
        1 => rules().prop_map(Edit::RulesAbove),
        2 => path().prop_map(Edit::MakeDirectory),
        4 => path().prop_map(Edit::Remove),
        4 => (path(), path()).prop_map(|(from, to)| Edit::Rename(from, to)),
        1 => path().prop_map(Edit::ChangeCase),
        3 => (path(), prop_oneof![2 => path().prop_map(|path| format!("ROOT/{path}")), 1 => Just("..".to_owned()), 2 => Just("ROOT/../outside".to_owned()), 1 => Just(".".to_owned())])
            .prop_map(|(link, target)| Edit::Link(link, target)),
        1 => path().prop_map(Edit::WriteOutside),
        1 => path().prop_map(Edit::SetBack),
        1 => Just(Edit::ReplaceRoot),
        2 => Just(Edit::Settle),
        8 => Just(Edit::Validate),
    ]
}

impl Rig {
    /// Returns the path that an edit changes. Returns `None` when links on the way lead out of `top`.
    fn editable(&self, relative: &str) -> Option<PathBuf> {
        let path = self.path(relative);
        let existing = path.parent()?.ancestors().find_map(|ancestor| ancestor.canonicalize().ok())?;
        existing.starts_with(&self.top).then_some(path)
    }

    /// Does an edit as far as possible. Returns whether it was possible.
    fn edit(&self, edit: &Edit) -> bool {
        let make_parent = |path: &Path| path.parent().is_some_and(|parent| fs::create_dir_all(parent).is_ok());
        let write = |path: PathBuf, contents: &str| make_parent(&path) && fs::write(path, contents).is_ok();
        match edit {
            Edit::Write(path) => self.editable(path).is_some_and(|path| write(path, "")),
            Edit::Replace(path) => {
                let temporary = self.root().join("temporary");
                let replace = |path| fs::write(&temporary, "").is_ok() && fs::rename(&temporary, path).is_ok();
                let replaced = self.editable(path).is_some_and(replace);
                let _ = fs::remove_file(temporary);
                replaced
            }
            Edit::Rules(path, rules) => self.editable(path).is_some_and(|path| write(path, rules)),
            Edit::RulesAbove(rules) => write(self.top.join(".ignore"), rules),
            Edit::MakeDirectory(path) => self.editable(path).is_some_and(|path| fs::create_dir_all(path).is_ok()),
            Edit::Remove(path) => {
                let remove = |path| fs::remove_file(&path).is_ok() || fs::remove_dir_all(&path).is_ok();
                self.editable(path).is_some_and(remove)
            }
            Edit::Rename(from, to) => self.rename(from, to),
            Edit::ChangeCase(path) => self.rename(path, &in_upper_case(path)),
            Edit::Link(link, target) => {
                let target = target.replace("ROOT", &self.root().to_string_lossy());
                self.editable(link).is_some_and(|link| make_parent(&link) && symlink(target, link).is_ok())
            }
            Edit::WriteOutside(path) => {
                self.editable(&format!("../outside/{path}")).is_some_and(|path| write(path, ""))
            }
            Edit::SetBack(path) => {
                let times = FileTimes::new().set_modified(UNIX_EPOCH + Duration::from_secs(1_000_000_000));
                let set = |path| File::open(path).and_then(|file| file.set_times(times)).is_ok();
                self.editable(path).is_some_and(set)
            }
            Edit::ReplaceRoot => {
                let old = self.top.join("old");
                let _ = fs::remove_dir_all(&old);
                fs::rename(self.root(), &old).expect("a move");
                fs::create_dir(self.root()).expect("a root");
                fs::write(self.root().join("a"), "").is_ok()
            }
            Edit::Settle => {
                self.settle();
                true
            }
            Edit::Validate => true,
        }
    }

    fn rename(&self, from: &str, to: &str) -> bool {
        let paths = self.editable(from).zip(self.editable(to));
        paths.is_some_and(|(from, to)| fs::rename(from, to).is_ok())
    }
}

#[test]
fn random_edits_stay_in_the_directory_of_the_test() {
    let rig = Rig::new();
    let link = |path: &str, target: &str| rig.edit(&Edit::Link(path.to_owned(), target.to_owned()));
    assert!(link("up", ".."), "to `top`");
    assert!(link("up/up", ".."), "made in `top`, to the sandbox");
    assert!(!link("up/up/up", ".."), "would be made in the sandbox, and lead to everybody's temporary directory");
    assert!(!rig.edit(&Edit::Write("up/up/a/b".to_owned())));
    assert!(!rig.edit(&Edit::Rename("up/up".to_owned(), "up/up/up".to_owned())));
    assert!(!rig.edit(&Edit::Remove("up/up/top".to_owned())));
    let mut seen = listed(&rig.expired(FOLLOWING).snapshot);
    seen.sort_unstable();
    assert_eq!(seen, ["up/", "up/root/", "up/up/", "up/up/top/"], "each directory once, and nothing else");
}

fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(60)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), max_shrink_iters: 400, ..ProptestConfig::default() })]

    #[test]
    fn a_validated_snapshot_equals_a_full_scan(
        before in proptest::collection::vec(edit(), 0..25),
        edits in proptest::collection::vec(edit(), 1..25),
        include_hidden in any::<bool>(),
        use_gitignore in prop_oneof![3 => Just(true), 1 => Just(false)],
        skip_node_modules in any::<bool>(),
        record_excluded in any::<bool>(),
        follow_links in any::<bool>(),
    ) {
        let detail = Detail::Minimal;
        let options =
            ScanOptions { include_hidden, use_gitignore, skip_node_modules, record_excluded, follow_links, detail };
        let rig = Rig::new();
        fs::create_dir_all(rig.top.join("outside/b")).expect("a directory");
        before.iter().filter(|edit| !matches!(edit, Edit::Settle)).for_each(|edit| _ = rig.edit(edit));
        rig.settle();
        rig.expired(options);
        for edit in &edits {
            rig.edit(edit);
            if matches!(edit, Edit::Validate) {
                rig.validate(options);
            }
        }
        rig.validate(options);
        rig.compare_views();
    }

    #[test]
    fn a_snapshot_equals_a_full_scan_while_every_change_is_announced(
        before in proptest::collection::vec(edit(), 0..25),
        edits in proptest::collection::vec(edit(), 1..25),
        include_hidden in any::<bool>(),
        use_gitignore in prop_oneof![3 => Just(true), 1 => Just(false)],
        skip_node_modules in any::<bool>(),
        record_excluded in any::<bool>(),
        follow_links in any::<bool>(),
    ) {
        let detail = Detail::Minimal;
        let options =
            ScanOptions { include_hidden, use_gitignore, skip_node_modules, record_excluded, follow_links, detail };
        let rig = Rig::new();
        fs::create_dir_all(rig.top.join("outside/b")).expect("a directory");
        before.iter().filter(|edit| !matches!(edit, Edit::Settle)).for_each(|edit| _ = rig.edit(edit));
        rig.expired(options);
        for edit in &edits {
            let before = rig.changed_by(edit);
            rig.edit(edit);
            rig.announce(edit, &before);
            if matches!(edit, Edit::Validate) {
                rig.compare(options);
            }
        }
        rig.compare(options);
        rig.compare_views();
    }
}
