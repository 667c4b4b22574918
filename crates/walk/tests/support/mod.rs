//! Trees to scan, short ways to scan them, and bounded comparisons of the results.

#![allow(dead_code, unreachable_pub, reason = "each test file uses its part")]

use std::collections::HashSet;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Once};
use std::time::Instant;

use cairn_cancel::CancelToken;
use cairn_pool::Pool;
use cairn_walk::{Policy, Scan, ScanCache, ScanOptions, ScanRequest, Snapshot, WalkError, resolve_root};
use tempfile::TempDir;

/// A directory that is removed when dropped.
pub struct Tree {
    directory: TempDir,
}

impl Tree {
    /// Each entry is a path: `dir/`, `link -> target`, or a file, with its contents after `: `.
    pub fn new(entries: &[&str]) -> Self {
        isolate();
        let tree = Self { directory: tempfile::tempdir().expect("a temporary directory") };
        for entry in entries {
            tree.add(entry);
        }
        tree
    }

    pub fn root(&self) -> PathBuf {
        self.directory.path().canonicalize().expect("the tree exists")
    }

    pub fn path(&self, relative: &str) -> PathBuf {
        self.root().join(relative)
    }

    pub fn add(&self, entry: &str) {
        self.try_add(entry).unwrap_or_else(|error| panic!("{entry}: {error}"));
    }

    /// Adds an entry. Fails when another entry is in its way.
    pub fn try_add(&self, entry: &str) -> io::Result<()> {
        if let Some((link, target)) = entry.split_once(" -> ") {
            let link = self.path(link);
            create_parent(&link)?;
            symlink(target.replace("ROOT", &self.root().to_string_lossy()), link)
        } else if let Some((path, contents)) = entry.split_once(": ") {
            let path = self.path(path);
            create_parent(&path)?;
            fs::write(path, contents.replace("\\n", "\n"))
        } else if let Some(directory) = entry.strip_suffix('/') {
            fs::create_dir_all(self.path(directory))
        } else {
            let path = self.path(entry);
            create_parent(&path)?;
            fs::write(path, "")
        }
    }

    pub fn remove(&self, relative: &str) {
        let path = self.path(relative);
        if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.expect("something to remove");
    }
}

fn create_parent(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)
}

/// Hides the user's own git configuration and excludes file from the tests of this process.
pub fn isolate() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: `std` guards the environment with a lock, and nothing else in these tests reads it.
        unsafe {
            // No file can be below it.
            std::env::set_var("HOME", "/dev/null");
            std::env::set_var("XDG_CONFIG_HOME", "/dev/null");
            std::env::set_var("GIT_CONFIG_NOSYSTEM", "1");
            std::env::remove_var("GIT_CONFIG_GLOBAL");
        }
    });
}

/// A cache with its own pool and policy.
pub struct Scanner {
    pub cache: ScanCache,
    pub pool: Pool,
}

impl Scanner {
    pub fn new(policy: Policy) -> Self {
        Self { cache: ScanCache::new(policy), pool: Pool::new(2) }
    }

    pub fn threads(threads: usize) -> Self {
        Self { cache: ScanCache::new(Policy::default()), pool: Pool::new(threads) }
    }

    pub fn fresh(&self, root: &Path, options: ScanOptions) -> Result<Arc<Snapshot>, WalkError> {
        let root = resolve_root(root)?;
        let request = request(&root, options);
        Ok(self.cache.force_rescan(&request, false, &self.pool, &CancelToken::new())?.snapshot)
    }

    pub fn cached(&self, root: &Path, options: ScanOptions) -> Scan {
        let root = resolve_root(root).expect("a root");
        let request = request(&root, options);
        self.cache.get_or_scan(&request, &self.pool, &CancelToken::new()).expect("a scan")
    }
}

pub fn request(root: &Path, options: ScanOptions) -> ScanRequest<'_> {
    ScanRequest { root, options, asked: Instant::now(), validate: false, partial_on_timeout: false }
}

/// Returns the paths of a snapshot, directories with a `/`, links with an `@`, excluded ones with a `!`.
pub fn listed(snapshot: &Snapshot) -> Vec<String> {
    (0..snapshot.len())
        .map(|entry| {
            let mark = ["", "/", "@"][snapshot.kind(entry) as usize - 1];
            let excluded = if snapshot.is_excluded(entry) { "!" } else { "" };
            format!("{}{mark}{excluded}", String::from_utf8_lossy(snapshot.path(entry)))
        })
        .collect()
}

/// Returns the entries of a fresh scan of `tree`, which are the same for any number of threads.
pub fn scan(tree: &Tree, options: ScanOptions) -> Vec<String> {
    let all: Vec<Vec<String>> = [1, 2, 4]
        .map(|threads| listed(&Scanner::threads(threads).fresh(&tree.root(), options).expect("a scan")))
        .into();
    all.windows(2).for_each(|pair| assert_same_entries(&pair[0], &pair[1]));
    all.into_iter().next().expect("three scans")
}

/// Compares two sorted lists of entries. The message has at most 20 differences, whatever the size of the lists.
pub fn assert_same_entries(left: &[String], right: &[String]) {
    const MAX_SHOWN: usize = 20;
    if left == right {
        return;
    }
    let only = |these: &[String], others: &[String]| -> Vec<String> {
        let others: HashSet<&String> = others.iter().collect();
        these.iter().filter(|entry| !others.contains(entry)).take(MAX_SHOWN / 2).cloned().collect()
    };
    panic!(
        "{} entries on the left, {} on the right; only left: {:?}; only right: {:?}; first difference at {:?}",
        left.len(),
        right.len(),
        only(left, right),
        only(right, left),
        left.iter().zip(right).position(|(left, right)| left != right)
    );
}
