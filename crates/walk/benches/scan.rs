//! Scans of a tree of 20,000 files in 1,000 directories, with the threads of the machine.
//!
//! `CAIRN_BENCH_TREE=<directory>` scans that directory instead; docs/design/walking.md has numbers for the Linux sources.

use std::env;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::sync::{LazyLock, mpsc};
use std::time::{Duration, Instant};

use cairn_cancel::CancelToken;
use cairn_pool::Pool;
use cairn_walk::{Detail, Policy, Scan, ScanCache, ScanOptions, ScanRequest, WalkError};
use divan::Bencher;
use ignore::{WalkBuilder, WalkState};
use tempfile::TempDir;

const DIRECTORIES: usize = 1_000;
const FILES: usize = 20;

static TREE: LazyLock<TempDir> = LazyLock::new(|| {
    let tree = tempfile::tempdir().expect("a temporary directory");
    fs::write(tree.path().join(".gitignore"), "*.log\n/target/\nbuild-*/\n").expect("an ignore file");
    for directory in 0..DIRECTORIES {
        let path = tree.path().join(format!("part{}/module{directory}", directory % 37));
        fs::create_dir_all(&path).expect("a directory");
        for file in 0..FILES {
            let extension = ["rs", "toml", "md", "log"][file % 4];
            fs::write(path.join(format!("handler_{file}.{extension}")), "").expect("a file");
        }
    }
    tree
});

/// The directory to scan instead of the generated tree.
static GIVEN: LazyLock<Option<PathBuf>> = LazyLock::new(|| env::var_os("CAIRN_BENCH_TREE").map(PathBuf::from));

fn root() -> PathBuf {
    let root = GIVEN.as_deref().unwrap_or_else(|| TREE.path());
    root.canonicalize().expect("the tree exists")
}

fn scan(cache: &ScanCache, options: ScanOptions) -> Result<Scan, WalkError> {
    let request =
        ScanRequest { root: &root(), options, asked: Instant::now(), validate: false, partial_on_timeout: false };
    cache.get_or_scan(&request, Pool::global(), &CancelToken::new())
}

fn kept_for(ttl: Duration) -> ScanCache {
    ScanCache::new(Policy { ttl, ..Policy::default() })
}

#[divan::bench(args = [Detail::Minimal, Detail::Full])]
fn of_everything(bencher: Bencher<'_, '_>, detail: Detail) {
    bencher
        .with_inputs(|| kept_for(Duration::ZERO))
        .bench_refs(|cache| scan(cache, ScanOptions { detail, ..ScanOptions::default() }));
}

#[divan::bench]
fn without_ignore_rules(bencher: Bencher<'_, '_>) {
    bencher
        .with_inputs(|| kept_for(Duration::ZERO))
        .bench_refs(|cache| scan(cache, ScanOptions { use_gitignore: false, ..ScanOptions::default() }));
}

#[divan::bench]
fn hit_in_the_cache(bencher: Bencher<'_, '_>) {
    let cache = kept_for(Duration::from_secs(3600));
    bencher.bench(|| scan(&cache, ScanOptions::default()));
}

#[divan::bench]
fn validation_of_an_unchanged_tree(bencher: Bencher<'_, '_>) {
    let cache = kept_for(Duration::from_nanos(1));
    bencher.bench(|| scan(&cache, ScanOptions::default()));
}

/// The same entries from `ignore::WalkBuilder`, as path bytes in the same order, with as many threads.
#[divan::bench]
fn walk_builder_with_a_sort(bencher: Bencher<'_, '_>) {
    bencher.bench(|| {
        let root = root();
        let (sender, receiver) = mpsc::channel();
        let walk = WalkBuilder::new(&root).require_git(false).threads(Pool::global().threads()).build_parallel();
        walk.run(|| {
            // One message per thread, because one per entry would measure the channel.
            let mut batch = Batch { paths: Vec::new(), sender: sender.clone() };
            let root = &root;
            Box::new(move |entry| {
                if let Ok(entry) = entry
                    && let Some(kind) = entry.file_type()
                    && entry.depth() > 0
                {
                    let path = entry.into_path();
                    let relative = path.strip_prefix(root).expect("an entry is in the root").to_owned();
                    batch.paths.push((relative.into_os_string().into_vec(), kind.is_dir()));
                }
                WalkState::Continue
            })
        });
        drop(sender);
        let mut paths: Vec<(Vec<u8>, bool)> = receiver.into_iter().flatten().collect();
        paths.sort_unstable();
        paths
    });
}

/// The entries that one thread of `ignore` has seen; sent when the thread ends.
struct Batch {
    paths: Vec<(Vec<u8>, bool)>,
    sender: mpsc::Sender<Vec<(Vec<u8>, bool)>>,
}

impl Drop for Batch {
    fn drop(&mut self) {
        let _ = self.sender.send(std::mem::take(&mut self.paths));
    }
}

fn main() {
    if GIVEN.is_none() {
        // Not part of any measurement.
        LazyLock::force(&TREE);
    }
    divan::main();
    if GIVEN.is_none() {
        // Statics are never dropped.
        fs::remove_dir_all(TREE.path()).expect("the tree is ours");
    }
}
