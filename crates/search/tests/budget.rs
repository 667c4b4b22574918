//! The budget of a result of glob and fuzzy find. The budget of grep is in its own tests.

use std::fs;

use cairn_cancel::CancelToken;
use cairn_pool::Pool;
use cairn_search::{FindOptions, GlobOptions, Scope, SearchContext, StopReason, find, glob};
use cairn_walk::{Policy, ScanCache};
use tempfile::TempDir;

const FILES: usize = 1000;

fn tree(prefix: &str) -> TempDir {
    let tree = tempfile::tempdir().expect("a temporary directory");
    for number in 0..FILES {
        fs::write(tree.path().join(format!("{prefix}{number:03}")), "").expect("a file");
    }
    tree
}

/// How many hits a call has within a budget, and why there are no more.
fn hits(call: &str, tree: &TempDir, max_result_bytes: usize) -> (usize, Option<StopReason>) {
    let (cache, pool) = (ScanCache::new(Policy::default()), Pool::new(2));
    let context = SearchContext::new(&cache, &pool);
    let (cancel, scope) = (CancelToken::new(), Scope { max_result_bytes, ..Scope::new(tree.path()) });
    if let Some(sort) = call.strip_prefix("glob") {
        let base = GlobOptions::new("*", tree.path());
        let options = GlobOptions { scope, sort_by_mtime: sort == " by time", ..base };
        let outcome = glob(context, &options, &cancel).expect("an outcome");
        assert!(outcome.details.is_empty() || outcome.details.len() == outcome.hits.len());
        return (outcome.hits.len(), outcome.stop_reason);
    }
    let query = if call == "listing" { "" } else { "f" };
    let base = FindOptions::new(query, tree.path());
    let options = FindOptions { scope, max_results: usize::MAX, include_positions: call == "with positions", ..base };
    let outcome = find(context, &options, &cancel).expect("an outcome");
    (outcome.hits.len(), outcome.stop_reason)
}

#[test]
fn n70_what_exceeds_the_budget_is_left_out_and_reported() {
    let (plain, wide) = (tree("f"), tree("f\u{6F22}\u{5B57}"));
    for call in ["glob", "glob by time", "find", "with positions", "listing"] {
        assert_eq!(hits(call, &plain, 1 << 20), (FILES, None), "{call}");
        let (some, reason) = hits(call, &plain, 20_000);
        assert!((50..FILES).contains(&some), "{call}: {some}");
        assert_eq!(reason, Some(StopReason::Budget), "{call}");
        let (fewer, reason) = hits(call, &wide, 20_000);
        assert!(fewer < some, "{call}: {fewer} of {some}");
        assert_eq!(reason, Some(StopReason::Budget), "{call}");
    }
}
