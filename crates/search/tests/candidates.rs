//! Grep takes its files as an argument: a whole snapshot, or the part of it that something else has selected.

use std::fs;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use cairn_cancel::CancelToken;
use cairn_pool::Pool;
use cairn_search::{Candidates, Exclude, Excluded, GrepOptions, GrepOutcome, SearchContext, grep, grep_candidates};
use cairn_walk::{Detail, Policy, ScanCache, ScanOptions, ScanRequest, Snapshot};
use tempfile::TempDir;

/// Excludes files by their names, as an index does by their contents, and keeps the names it was asked for.
struct ByName {
    excluded: fn(&str) -> Option<Excluded>,
    asked: Mutex<Vec<String>>,
}

impl Exclude for ByName {
    fn exclude(&self, snapshot: &Snapshot, entry: usize) -> Option<Excluded> {
        let name = String::from_utf8_lossy(snapshot.path(entry)).into_owned();
        let excluded = (self.excluded)(&name);
        self.asked.lock().expect("no test panics with it").push(name);
        excluded
    }
}

struct Rig {
    tree: TempDir,
    cache: ScanCache,
    pool: Pool,
}

impl Rig {
    fn new(files: &[(&str, &str)]) -> Self {
        let tree = tempfile::tempdir().expect("a temporary directory");
        for (path, content) in files {
            let path = tree.path().join(path);
            fs::create_dir_all(path.parent().expect("below the root")).expect("a directory");
            fs::write(path, content).expect("a file");
        }
        Self { tree, cache: ScanCache::new(Policy::default()), pool: Pool::new(2) }
    }

    fn options(&self) -> GrepOptions {
        GrepOptions::new("needle", self.tree.path())
    }

    fn context(&self) -> SearchContext<'_> {
        SearchContext { cache: &self.cache, pool: &self.pool }
    }

    fn snapshot(&self) -> Arc<Snapshot> {
        let root = self.tree.path().canonicalize().expect("the tree exists");
        let options = ScanOptions {
            include_hidden: true,
            use_gitignore: true,
            skip_node_modules: false,
            record_excluded: false,
            follow_links: false,
            detail: Detail::Minimal,
        };
        let request =
            ScanRequest { root: &root, options, asked: Instant::now(), validate: false, partial_on_timeout: false };
        self.cache.force_rescan(&request, false, &self.pool, &CancelToken::new()).expect("a scan").snapshot
    }

    fn search(&self, candidates: &Candidates, options: &GrepOptions) -> GrepOutcome {
        grep_candidates(self.context(), options, candidates, &CancelToken::new()).expect("a search")
    }
}

const FILES: [(&str, &str); 5] = [
    ("a.txt", "needle 1\n"),
    ("b.txt", "nothing\n"),
    ("c/d.txt", "needle 2\nneedle 3\n"),
    ("c/e.bin", "nothing\0\n"),
    ("f.txt", "nothing either\n"),
];

fn paths(outcome: &GrepOutcome) -> Vec<String> {
    outcome.paths.iter().map(|path| String::from_utf8_lossy(path).into_owned()).collect()
}

#[test]
fn the_whole_snapshot_gives_what_a_search_of_its_root_gives() {
    let rig = Rig::new(&FILES);
    let of_root = grep(rig.context(), &rig.options(), &CancelToken::new()).expect("a search");
    let of_list = rig.search(&Candidates::of(rig.snapshot()), &rig.options());
    assert_eq!(format!("{of_root:?}"), format!("{of_list:?}"));
    assert_eq!((of_list.files_opened, of_list.files_excluded), (5, 0));
}

#[test]
fn only_the_files_of_a_subset_are_opened_and_the_result_is_the_same() {
    let rig = Rig::new(&FILES);
    let exclude = Arc::new(ByName {
        excluded: |name| match name {
            "b.txt" | "f.txt" => Some(Excluded::default()),
            "c/e.bin" => Some(Excluded { binary: true }),
            _ => None,
        },
        asked: Mutex::default(),
    });
    let all = rig.search(&Candidates::of(rig.snapshot()), &rig.options());
    let some = rig.search(&Candidates::of(rig.snapshot()).excluding(exclude.clone()), &rig.options());
    assert_eq!(paths(&some), ["a.txt", "c/d.txt"]);
    assert_eq!((some.files_searched, some.files_excluded, some.files_opened), (5, 3, 2));
    assert_eq!(some.bytes_read, (FILES[0].1.len() + FILES[2].1.len()) as u64, "no other file was read");
    let costs = GrepOutcome { files_excluded: 0, files_opened: 5, bytes_read: all.bytes_read, ..some };
    assert_eq!(format!("{costs:?}"), format!("{all:?}"), "they differ in nothing but their cost");
    let mut asked = exclude.asked.lock().expect("no test panics with it").clone();
    asked.sort();
    assert_eq!(asked, FILES.map(|(name, _)| name), "each file once, and no directory");
}

#[test]
fn a_search_that_ends_early_asks_for_no_proof_beyond_its_chunks() {
    let files: Vec<(String, &str)> = (0..1000).map(|number| (format!("{number:04}"), "needle\n")).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, content)| (name.as_str(), *content)).collect();
    let rig = Rig { pool: Pool::new(1), ..Rig::new(&files) };
    let exclude = Arc::new(ByName { excluded: |_| None, asked: Mutex::default() });
    let options = GrepOptions { max_count: Some(1), ..rig.options() };
    let outcome = rig.search(&Candidates::of(rig.snapshot()).excluding(exclude.clone()), &options);
    assert!(outcome.limit_reached);
    let asked = exclude.asked.lock().expect("no test panics with it").len();
    assert!(asked < 500, "{asked} of 1000 files");
}

#[test]
fn a_list_may_be_one_file_or_empty() {
    let rig = Rig::new(&FILES);
    let outcome = rig.search(&Candidates::of_file(&rig.tree.path().join("a.txt")), &rig.options());
    assert_eq!((paths(&outcome), outcome.total), (vec!["a.txt".to_owned()], 1));
    let outcome = rig.search(&Candidates::empty(), &rig.options());
    assert_eq!((outcome.files_searched, outcome.stop_reason), (0, None));
}

#[cfg(target_os = "linux")]
#[test]
fn a_directory_that_became_a_link_after_it_was_listed_is_not_searched() {
    let rig = Rig::new(&[("root/directory/inner/file.txt", "nothing\n"), ("outside/inner/file.txt", "needle\n")]);
    let root = rig.tree.path().canonicalize().expect("the tree exists").join("root");
    let options = ScanOptions { include_hidden: true, ..ScanOptions::default() };
    let request =
        ScanRequest { root: &root, options, asked: Instant::now(), validate: false, partial_on_timeout: false };
    let scan = rig.cache.force_rescan(&request, false, &rig.pool, &CancelToken::new()).expect("a scan");
    fs::rename(root.join("directory"), root.join("old")).expect("a move");
    std::os::unix::fs::symlink("../outside", root.join("directory")).expect("a link");
    let outcome = rig.search(&Candidates::of(scan.snapshot), &rig.options());
    assert_eq!(outcome.total, 0);
}

#[cfg(unix)]
#[test]
fn a_link_in_a_path_that_should_be_canonical_is_an_error() {
    let rig = Rig::new(&[("outside/file.txt", "needle\n")]);
    let tree = rig.tree.path().canonicalize().expect("the tree exists");
    std::os::unix::fs::symlink("outside", tree.join("link")).expect("a link");
    let total = |path: &str, resolve_links: bool| {
        let mut options = GrepOptions::new("needle", tree.join(path));
        options.scope.resolve_links = resolve_links;
        grep(rig.context(), &options, &CancelToken::new()).map(|outcome| outcome.total).ok()
    };
    assert_eq!((total("link", true), total("link/file.txt", true)), (Some(1), Some(1)));
    assert_eq!((total("link", false), total("link/file.txt", false)), (None, None));
    assert_eq!((total("outside", false), total("outside/file.txt", false)), (Some(1), Some(1)));
}

/// The first scan has no file of the type, and a newer one has.
#[test]
fn an_extension_is_searched_for_in_a_newer_scan_before_it_is_refused() {
    let policy = Policy { ttl: Duration::from_secs(3600), empty_recheck: Duration::ZERO, ..Policy::default() };
    let rig = Rig { cache: ScanCache::new(policy), ..Rig::new(&[("a.txt", "needle\n")]) };
    let mut options = rig.options();
    options.scope.use_cache = true;
    options.file_types = vec!["foo".to_owned()];
    let search = || grep(rig.context(), &options, &CancelToken::new());
    assert!(search().is_err_and(|error| error.to_string().contains("foo")));
    fs::write(rig.tree.path().join("b.foo"), "needle\n").expect("a file");
    assert_eq!(search().expect("a type of a file").total, 1);
}
