//! Several globs, types, depth and links of `glob`.

use std::collections::HashMap;
use std::fs;
use std::sync::LazyLock;

use cairn_cancel::CancelToken;
use cairn_pool::Pool;
use cairn_search::{GlobOptions, Scope, SearchContext, glob};
use cairn_walk::{Kind, Policy, ScanCache};
use tempfile::TempDir;

static POOL: LazyLock<Pool> = LazyLock::new(|| Pool::new(2));

fn tree(files: &[&str]) -> TempDir {
    let tree = tempfile::tempdir().expect("a temporary directory");
    for file in files {
        let path = tree.path().join(file);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        fs::write(path, "").expect("a file");
    }
    tree
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}

/// The paths of a glob, which are the same with and without the cache.
fn paths(options: &GlobOptions) -> Vec<String> {
    let found = [false, true].map(|use_cache| {
        let cache = ScanCache::new(Policy::default());
        let options = GlobOptions { scope: Scope { use_cache, ..options.scope.clone() }, ..options.clone() };
        let context = SearchContext::new(&cache, &POOL);
        let outcome = glob(context, &options, &CancelToken::new()).expect("a result");
        let Some(snapshot) = outcome.snapshot else { return Vec::new() };
        let path = |entry: u32| String::from_utf8_lossy(snapshot.path(entry as usize)).into_owned();
        outcome.hits.iter().map(|hit| path(hit.entry)).collect()
    });
    let [uncached, cached] = found;
    assert_eq!(uncached, cached, "the cache does not show");
    uncached
}

#[test]
fn the_last_glob_that_matches_decides() {
    let tree = tree(&["a.md", "a.rs", "docs/a.md", "docs/b.rs", "é.md"]);
    for (patterns, expected) in [
        (vec!["!*.md"], vec!["a.rs", "docs", "docs/b.rs"]),
        (vec!["*.md", "*.rs"], vec!["a.md", "a.rs", "docs/a.md", "docs/b.rs", "é.md"]),
        (vec!["*", "!docs"], vec!["a.md", "a.rs", "é.md"]),
        (vec!["!docs", "*"], vec!["a.md", "a.rs", "docs", "docs/a.md", "docs/b.rs", "é.md"]),
        (vec!["*", "!docs/"], vec!["a.md", "a.rs", "é.md"]),
        (vec!["docs/**", "!*.md"], vec!["docs/b.rs"]),
        (vec!["*.md", "!a*", "docs/a.md"], vec!["docs/a.md", "é.md"]),
        (vec!["e\u{301}*", "!a*"], vec!["é.md"]),
        (vec![], vec!["a.md", "a.rs", "docs", "docs/a.md", "docs/b.rs", "é.md"]),
    ] {
        let options = GlobOptions { patterns: texts(&patterns), ..GlobOptions::new("", tree.path()) };
        assert_eq!(paths(&options), expected, "{patterns:?}");
    }
}

#[test]
fn types_depth_and_kind_restrict_together() {
    let tree = tree(&["a.rs", "b.py", "dir.rs/c.rs", "dir.rs/sub/d.rs", "e.odd"]);
    let base = || GlobOptions::new("*", tree.path());
    for (options, expected) in [
        (GlobOptions { file_types: texts(&["rust"]), ..base() }, vec!["a.rs", "dir.rs/c.rs", "dir.rs/sub/d.rs"]),
        (GlobOptions { file_types: texts(&["rust"]), max_depth: Some(2), ..base() }, vec!["a.rs", "dir.rs/c.rs"]),
        (GlobOptions { excluded_types: texts(&["rust", "odd"]), ..base() }, vec!["b.py", "dir.rs", "dir.rs/sub"]),
        (GlobOptions { max_depth: Some(1), ..base() }, vec!["a.rs", "b.py", "dir.rs", "e.odd"]),
        (GlobOptions { max_depth: Some(0), ..base() }, vec![]),
        (GlobOptions { max_depth: Some(2), kind: Some(Kind::Dir), ..base() }, vec!["dir.rs", "dir.rs/sub"]),
    ] {
        assert_eq!(paths(&options), expected, "{options:?}");
    }
}

#[test]
fn invalid_globs_and_types_are_refused() {
    let tree = tree(&["a.rs"]);
    let base = || GlobOptions::new("*", tree.path());
    for (options, part) in [
        (GlobOptions::new("{a", tree.path()), r"\{"),
        (GlobOptions { patterns: texts(&["*.rs", "!{a"]), ..base() }, r"\{"),
        (GlobOptions { patterns: texts(&["*.rs", "!*"]), ..base() }, "every file"),
        (GlobOptions { patterns: texts(&["!!a"]), ..base() }, "one !"),
        (GlobOptions { file_types: texts(&["nosuch"]), ..base() }, "nosuch"),
        (GlobOptions { excluded_types: texts(&["nosuch"]), ..base() }, "nosuch"),
    ] {
        for use_cache in [false, true] {
            let (cache, pool) = (ScanCache::new(Policy::default()), Pool::new(1));
            let options = GlobOptions { scope: Scope { use_cache, ..options.scope.clone() }, ..options.clone() };
            let error = glob(SearchContext::new(&cache, &pool), &options, &CancelToken::new());
            assert!(error.as_ref().is_err_and(|error| error.to_string().contains(part)), "{options:?}: {error:?}");
        }
    }
}

#[test]
#[cfg(unix)]
fn links_are_followed_when_the_caller_asks() {
    let (tree, outside) = (tree(&["a.rs"]), tree(&["b.rs", "sub/c.rs"]));
    std::os::unix::fs::symlink(outside.path(), tree.path().join("out")).expect("a link");
    let options = |pattern: &str, follow_links| GlobOptions { follow_links, ..GlobOptions::new(pattern, tree.path()) };
    assert_eq!(paths(&options("*", false)), ["a.rs", "out"]);
    assert_eq!(paths(&options("*", true)), ["a.rs", "out", "out/b.rs", "out/sub", "out/sub/c.rs"]);
    assert_eq!(paths(&options("out/**/*.rs", true)), ["out/b.rs", "out/sub/c.rs"]);
}

#[test]
fn a_result_that_the_options_make_empty_has_a_hint() {
    let tree = tree(&["a.rs", "b.py", "src/c.rs", "src/deep/d.rs", "e.odd"]);
    let base = || GlobOptions::new("*", tree.path());
    let with = |patterns: &[&str]| GlobOptions { patterns: texts(patterns), ..base() };
    let typed = |included: &[&str], excluded: &[&str]| GlobOptions {
        file_types: texts(included),
        excluded_types: texts(excluded),
        ..base()
    };
    for (options, part) in [
        (GlobOptions { max_depth: Some(0), ..base() }, Some("maxDepth 0")),
        (GlobOptions { max_depth: Some(1), ..with(&["src/*.rs"]) }, Some("from depth 2")),
        (GlobOptions { max_depth: Some(2), ..with(&["src/deep/**", "!*.py"]) }, Some("from depth 3")),
        (GlobOptions { max_depth: Some(1), ..with(&["src/*.rs", "*.odd"]) }, None),
        (GlobOptions { max_depth: Some(1), ..with(&["**/d.rs"]) }, None),
        (GlobOptions { kind: Some(Kind::Dir), ..typed(&["rust"], &[]) }, Some("type selects only files")),
        (typed(&["rust", "odd"], &["rs", ".odd"]), Some("typeNot leaves out")),
        (typed(&["ts"], &["typescript"]), Some("typeNot leaves out")),
        (typed(&["md"], &["markdown"]), Some("typeNot leaves out")),
        (typed(&["ts"], &["js"]), None),
        (with(&["*.rs", "!*.rs"]), Some("!*.rs excludes \"a.rs\"")),
        (with(&["src/**", "!src"]), Some("!src excludes \"src/c.rs\"")),
        (with(&["!?*"]), Some("!?* excludes \"a.rs\"")),
        (with(&["*.rs", "!*.py", "!src"]), None),
        (with(&["*.js", "!*.rs"]), None),
        (GlobOptions { kind: Some(Kind::Dir), ..with(&["*.rs", "!*.rs"]) }, None),
        (GlobOptions { max_depth: Some(1), ..with(&["d.rs", "!deep"]) }, None),
    ] {
        for use_cache in [false, true] {
            let (cache, pool) = (ScanCache::new(Policy::default()), Pool::new(1));
            let options = GlobOptions { scope: Scope { use_cache, ..options.scope.clone() }, ..options.clone() };
            let outcome = glob(SearchContext::new(&cache, &pool), &options, &CancelToken::new());
            let hint = outcome.expect("a result").hint;
            match part {
                Some(part) => assert!(hint.as_ref().is_some_and(|hint| hint.contains(part)), "{options:?}: {hint:?}"),
                None => assert_eq!(hint, None, "{options:?}"),
            }
        }
    }
}

/// The paths that a list selects, by a slow model: the last glob that matches a path decides, and what is below a directory
/// that a glob excludes is excluded. `found` has what each glob matches by itself; `**` is everything.
fn modelled(list: &[&str], found: &HashMap<&str, Vec<String>>) -> Vec<String> {
    let excludes = |glob: &&&str| glob.starts_with('!');
    let decision = |path: &str| {
        let matches = |glob: &&&str| found[glob.trim_start_matches('!')].iter().any(|other| other == path);
        list.iter().rev().find(matches).map(|glob| excludes(&glob))
    };
    let selects_by_default = list.iter().all(|glob| excludes(&glob));
    let is_selected = |path: &&String| {
        let mut above = path.match_indices('/').map(|(slash, _)| &path[..slash]);
        !decision(path).unwrap_or(!selects_by_default) && above.all(|directory| decision(directory) != Some(true))
    };
    found["**"].iter().filter(is_selected).cloned().collect()
}

#[test]
fn a_list_selects_what_its_globs_select_one_by_one() {
    let tree =
        tree(&["a", "b/a", "b/c.md", "c.md/a", "c.md/b/c.md", "d.rs", "sub/b", "sub/deep/a.rs", "sub/deep/b/x.md"]);
    let globs = ["a", "b/", "*.md", "c.md/", "sub/**", "sub/deep/*", "*", "**/b", "*.rs", "b/*"];
    let single = |glob| (glob, paths(&GlobOptions::new(glob, tree.path())));
    let found: HashMap<_, _> = globs.into_iter().chain(["sub/deep", "x", "**"]).map(single).collect();
    let mut lists = 0;
    for one in globs {
        for other in globs {
            for third in ["!a", "!b/", "!*.md", "!sub/deep", "x"] {
                let not = format!("!{other}");
                for list in [[one, &not, third], [one, third, other], [third, &not, one]] {
                    // A list that ends with it excludes everything, and is rejected.
                    if list.iter().rposition(|glob| *glob == "!*")
                        > list.iter().rposition(|glob| !glob.starts_with('!'))
                    {
                        continue;
                    }
                    let options = GlobOptions { patterns: texts(&list), ..GlobOptions::new("", tree.path()) };
                    assert_eq!(paths(&options), modelled(&list, &found), "{list:?}");
                    lists += 1;
                }
            }
        }
    }
    assert!(lists > 1000);
}
