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
