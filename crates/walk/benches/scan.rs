//! Scans of a tree of 20,000 files in 1,000 directories, with the threads of the machine.

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use cairn_cancel::CancelToken;
use cairn_pool::Pool;
use cairn_walk::{Detail, Policy, Scan, ScanCache, ScanOptions, ScanRequest, WalkError};
use divan::Bencher;
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

fn root() -> PathBuf {
    TREE.path().canonicalize().expect("the tree exists")
}

fn scan(cache: &ScanCache, options: ScanOptions) -> Result<Scan, WalkError> {
    let request = ScanRequest { root: &root(), options, asked: Instant::now(), partial_on_timeout: false };
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

fn main() {
    // Before anything is timed.
    LazyLock::force(&TREE);
    divan::main();
    // What is static is never dropped.
    fs::remove_dir_all(TREE.path()).expect("the tree is ours");
}
