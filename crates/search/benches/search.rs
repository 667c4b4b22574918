//! The searches on a tree of 20,000 files in 1,000 directories, with the threads of the machine.

use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;

use cairn_cancel::CancelToken;
use cairn_pool::Pool;
use cairn_search::{FindOptions, GlobOptions, GrepOptions, Scope, SearchContext, find, glob, grep};
use cairn_walk::{Policy, ScanCache};
use divan::Bencher;
use tempfile::TempDir;

const DIRECTORIES: usize = 1_000;
const FILES: usize = 20;

/// A tree and a cache that keeps its scan for as long as this takes.
struct Fixture {
    tree: TempDir,
    cache: ScanCache,
}

static FIXTURE: LazyLock<Fixture> = LazyLock::new(|| {
    let tree = tempfile::tempdir().expect("a temporary directory");
    for directory in 0..DIRECTORIES {
        let path = tree.path().join(format!("part{}/module{directory}", directory % 37));
        fs::create_dir_all(&path).expect("a directory");
        for file in 0..FILES {
            let extension = ["rs", "toml", "md", "json"][file % 4];
            let line = format!("fn handle_{directory}_{file}() -> usize {{ {file} }}\n");
            fs::write(path.join(format!("handler_{file}.{extension}")), line.repeat(40)).expect("a file");
        }
    }
    let ttl = Duration::from_secs(3600);
    Fixture { tree, cache: ScanCache::new(Policy { ttl, empty_recheck: ttl, ..Policy::default() }) }
});

impl Fixture {
    fn context(&self) -> SearchContext<'_> {
        SearchContext::new(&self.cache, Pool::global())
    }

    fn root(&self) -> &Path {
        self.tree.path()
    }

    fn kept(&self) -> Scope {
        Scope { use_cache: true, ..Scope::new(self.root()) }
    }
}

#[divan::bench(args = ["**/*.rs", "part7/**/*.rs", "part7/module7/*.rs"])]
fn glob_on_a_kept_scan(bencher: Bencher<'_, '_>, pattern: &str) {
    let options = GlobOptions { scope: FIXTURE.kept(), ..GlobOptions::new(pattern, "") };
    bencher.bench(|| glob(FIXTURE.context(), black_box(&options), &CancelToken::new()));
}

#[divan::bench(args = ["h", "handler7", "part7/mod/han"])]
fn keystroke(bencher: Bencher<'_, '_>, query: &str) {
    let ask = |query: &str| {
        let options = FindOptions { scope: FIXTURE.kept(), ..FindOptions::new(query, "") };
        find(FIXTURE.context(), &options, &CancelToken::new())
    };
    // Another query in between, with results that cannot be reused.
    bencher.with_inputs(|| ask("zqx")).bench_values(|_| ask(black_box(query)));
}

#[divan::bench(sample_count = 20, args = ["handle_999_19", "handle_", r"usize \{ 1\d", "no such text"])]
fn grep_on_a_kept_scan(bencher: Bencher<'_, '_>, pattern: &str) {
    let options = GrepOptions { scope: FIXTURE.kept(), ..GrepOptions::new(pattern, "") };
    bencher.bench(|| grep(FIXTURE.context(), black_box(&options), &CancelToken::new()));
}

fn main() {
    // Before the first measurement.
    LazyLock::force(&FIXTURE);
    divan::main();
    // A static is never dropped.
    fs::remove_dir_all(FIXTURE.root()).expect("the tree is ours");
}
