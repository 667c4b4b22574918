//! Which files a grep of a directory reads when the tree changes after it was listed.

#![cfg(unix)]

use std::fs;
use std::time::Duration;

use cairn_cancel::CancelToken;
use cairn_pool::Pool;
use cairn_search::{GrepOptions, GrepOutcome, SearchContext, SearchError, grep};
use cairn_walk::{Policy, ScanCache};
use tempfile::TempDir;

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
        let policy = Policy { ttl: Duration::from_secs(3600), empty_recheck: Duration::MAX, ..Policy::default() };
        Self { tree, cache: ScanCache::new(policy), pool: Pool::new(2) }
    }

    fn search(&self, options: &GrepOptions) -> Result<GrepOutcome, SearchError> {
        grep(SearchContext::new(&self.cache, &self.pool), options, &CancelToken::new())
    }

    fn cached(&self, path: &str) -> GrepOptions {
        let mut options = GrepOptions::new("needle", self.tree.path().join(path));
        options.scope.use_cache = true;
        options
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_directory_that_became_a_link_after_it_was_listed_is_not_searched() {
    let rig = Rig::new(&[("root/directory/inner/file.txt", "needle\n"), ("outside/inner/file.txt", "needle\n")]);
    let options = rig.cached("root");
    assert_eq!(rig.search(&options).expect("a search").total, 1);
    let root = rig.tree.path().join("root");
    fs::rename(root.join("directory"), root.join("old")).expect("a move");
    std::os::unix::fs::symlink("../outside", root.join("directory")).expect("a link");
    assert_eq!(rig.search(&options).expect("a search").total, 0);
}

#[test]
fn a_link_in_a_path_that_should_be_canonical_is_an_error() {
    let rig = Rig::new(&[("outside/file.txt", "needle\n")]);
    let tree = rig.tree.path().canonicalize().expect("the tree exists");
    std::os::unix::fs::symlink("outside", tree.join("link")).expect("a link");
    let total = |path: &str, resolve_links: bool| {
        let mut options = GrepOptions::new("needle", tree.join(path));
        options.scope.resolve_links = resolve_links;
        rig.search(&options).map(|outcome| outcome.total).ok()
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
    let options = GrepOptions { file_types: vec!["foo".to_owned()], ..rig.cached("") };
    assert!(rig.search(&options).is_err_and(|error| error.to_string().contains("foo")));
    fs::write(rig.tree.path().join("b.foo"), "needle\n").expect("a file");
    assert_eq!(rig.search(&options).expect("a type of a file").total, 1);
}
