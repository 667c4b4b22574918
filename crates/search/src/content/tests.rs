use std::fs;

use cairn_cancel::CancelToken;
use cairn_walk::{Policy, ScanCache};

use super::*;
use crate::context::SearchContext;
use crate::grep::{GrepOptions, grep};
use crate::open::STATS;

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_is_left_out_costs_one_state_or_nothing() {
    let tree = tempfile::tempdir().expect("a temporary directory");
    for number in 0..200 {
        fs::create_dir_all(tree.path().join(format!("d{}", number % 7))).expect("a directory");
        fs::write(tree.path().join(format!("d{}/f{number}", number % 7)), "text\n").expect("a file");
    }
    stamp::wait_until_settled(&tree.path().join("d3/f199"));
    let (cache, pool) = (ScanCache::new(Policy::default()), Pool::new(1));
    let contents =
        ContentIndexes::new(IndexPolicy { min_files: 0, settle: Some(Duration::ZERO), ..IndexPolicy::default() });
    let mut options = GrepOptions::new("absent", tree.path());
    options.scope.use_cache = true;
    let states_of = |options: &GrepOptions| {
        let before = STATS.get();
        let context = SearchContext { contents: Some(&contents), ..SearchContext::new(&cache, &pool) };
        let mut options = options.clone();
        options.scope.asked = Instant::now();
        let outcome = grep(context, &options, &CancelToken::new()).expect("an outcome");
        contents.wait();
        (STATS.get() - before, outcome.files_excluded)
    };
    // The second search begins the index.
    assert_eq!([states_of(&options), states_of(&options)], [(0, 0), (0, 0)]);
    assert_eq!(states_of(&options), (200, 200));
    options.globs = vec!["d3/**".to_owned()];
    assert_eq!(states_of(&options), (29, 29));
    options.globs.clear();
    options.scope.watch = true;
    states_of(&options);
    assert_eq!(states_of(&options), (0, 200));
}

#[cfg(target_os = "linux")]
#[test]
fn what_was_trusted_of_an_index_counts_for_no_other_index() {
    let tree = tempfile::tempdir().expect("a temporary directory");
    fs::write(tree.path().join("file"), "text\n").expect("a file");
    stamp::wait_until_settled(&tree.path().join("file"));
    let (cache, pool) = (ScanCache::new(Policy::default()), Pool::new(1));
    let contents =
        ContentIndexes::new(IndexPolicy { min_files: 0, settle: Some(Duration::ZERO), ..IndexPolicy::default() });
    let search = |times: usize| {
        for _ in 0..times {
            let mut options = GrepOptions::new("absent", tree.path());
            (options.scope.use_cache, options.scope.watch) = (true, true);
            let context = SearchContext { contents: Some(&contents), ..SearchContext::new(&cache, &pool) };
            grep(context, &options, &CancelToken::new()).expect("an outcome");
            contents.wait();
        }
    };
    search(5);
    let root = tree.path().canonicalize().expect("the tree");
    let scan = ScanOptions { include_hidden: true, skip_node_modules: true, ..ScanOptions::default() };
    let watching = contents.begin(&root, scan).expect("an index");
    let snapshot = watching.tree.clone().expect("a trusted list of files");
    let freshness = || {
        let query = |_| Query::Or([].into());
        let reading = Reading { nul: Nul::Plain, multiline: false };
        let exclusion = contents.exclusion(&snapshot, 0..snapshot.len(), query, reading, Some(&watching));
        exclusion.expect("an index").freshness()
    };
    assert_eq!(freshness(), Freshness::Watched);
    contents.0.lock().get_mut(&root).expect("the tree").state = State::New;
    search(2);
    assert_eq!(freshness(), Freshness::Validated);
}
