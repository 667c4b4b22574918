use std::fs;
use std::sync::LazyLock;
use std::sync::atomic::AtomicU32;

use cairn_cancel::Stopped;
use cairn_fuzzy::{Line, Query, Search};
use cairn_pool::Pool;
use cairn_walk::{Policy, ScanCache};
use proptest::prelude::*;
use tempfile::TempDir;

use super::derived::derive;
use super::evaluation::{MARK_EVERY, mark};
use super::recent::Entries;
use super::scoring::{Matching, Prepared, Scoring};
use super::*;

static POOL: LazyLock<Pool> = LazyLock::new(|| Pool::new(2));

/// A tree, and a cache that keeps it for the whole test.
struct Tree {
    root: TempDir,
    cache: ScanCache,
}

impl Tree {
    fn new<'a>(files: impl IntoIterator<Item = &'a str>) -> Self {
        let root = tempfile::tempdir().expect("a directory");
        for file in files {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().expect("below the root")).expect("directories");
            fs::write(path, "").expect("a file");
        }
        let policy = Policy { ttl: std::time::Duration::from_secs(86_400), ..Policy::default() };
        Self { root, cache: ScanCache::new(policy) }
    }

    fn find(&self, query: &str, use_cache: bool, max_results: usize) -> FindOutcome {
        let mut options = FindOptions::new(query, self.root.path());
        options.scope.use_cache = use_cache;
        options.max_results = max_results;
        options.include_positions = true;
        find(SearchContext::new(&self.cache, &POOL), &options, &CancelToken::new()).expect("an outcome")
    }

    fn found(&self, query: &str, max_results: usize) -> Vec<String> {
        let outcome = self.find(query, false, max_results);
        let snapshot = outcome.snapshot.as_ref().expect("a snapshot");
        outcome.hits.iter().map(|hit| String::from_utf8_lossy(snapshot.path(hit.entry)).into_owned()).collect()
    }
}

fn names(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("src/file{number}.c")).collect()
}

#[test]
fn the_rest_of_a_name_counts_in_fifths_of_the_query() {
    for (reason, query, ranked) in [
        ("extensions say nothing", "repaper", ["a/repaper.txt", "b/c/repaper.c"]),
        ("nor does less than a fifth", "sysfs-firmware-d", ["a/sysfs-firmware-dmi", "b/c/sysfs-firmware-d1"]),
        ("a fifth does", "tunnel", ["b/c/tunnel_a.c", "a/tunnel_ab.c"]),
        ("the whole stem comes first", "kernel", ["b/c/kernel.c", "a/kernels.c"]),
    ] {
        assert_eq!(Tree::new(ranked).found(query, 10), ranked, "{reason}: {query}");
    }
}

#[test]
fn a_query_that_extends_another_compares_only_its_matches() {
    let files = names(300);
    let tree = Tree::new(files.iter().map(String::as_str).chain(["src/finder.c", "src/other.rs"]));
    let compared = |query| tree.find(query, true, 10).compared;
    assert_eq!(compared("f"), 303, "everything at first");
    assert_eq!(compared("fi"), 301, "what has an f");
    assert_eq!(compared("fin"), 301);
    assert_eq!(compared("find"), 1 + 302, "from four letters on typos in names are accepted");
    assert!(compared("finde") < 20, "then among what they left");
    assert_eq!(compared("x"), 303, "nothing to do with it");
    assert_eq!(compared("fin"), 1, "asked before");
    assert_eq!(compared("s fi"), 301, "another word");
}

#[test]
fn callers_that_type_at_the_same_time_do_not_disturb_one_another() {
    let files = names(100);
    let tree = Tree::new(files.iter().map(String::as_str).chain(["a/zebra", "a/zoo"]));
    tree.find("f", true, 10);
    tree.find("z", true, 10);
    assert_eq!(tree.find("fi", true, 10).compared, 100);
    assert_eq!(tree.find("ze", true, 10).compared, 2);
}

#[test]
fn typos_are_accepted_where_they_can_change_the_result() {
    let files = names(20);
    let tree = Tree::new(files.iter().map(String::as_str).chain(["src/flie.c"]));
    let clean = tree.find("file", false, 10);
    assert_eq!((clean.hits.len(), clean.total, clean.stop_reason), (10, 20, Some(StopReason::Limit)));
    let exactly = tree.find("file", false, 20);
    assert_eq!((exactly.hits.len(), exactly.total, exactly.stop_reason), (20, 21, Some(StopReason::Limit)));
    let all = tree.find("file", false, 100);
    assert_eq!((all.hits.len(), all.total, all.stop_reason), (21, 21, None));
    assert_eq!(tree.found("file", 100).last().map(String::as_str), Some("src/flie.c"), "below every clean match");
}

#[test]
fn typos_in_directories_are_accepted_while_few_entries_match_otherwise() {
    for (reason, clean, in_names, in_directories) in [
        ("nothing else matches", 0, 0, 1),
        ("few match with typos in their names, the directory among them", 0, 8, 1),
        ("ten match with typos in their names", 0, 9, 0),
        ("one matches as typed", 1, 0, 0),
        ("typos in names are found all the same", 12, 3, 0),
    ] {
        let clean_files = (0..clean).map(|number| format!("a/file{number}.c"));
        let files_with_typos = (0..in_names).map(|number| format!("a/flie{number}.c"));
        let files: Vec<String> = clean_files.chain(files_with_typos).chain(["flie/x.c".to_owned()]).collect();
        let tree = Tree::new(files.iter().map(String::as_str));
        let found = tree.found("file", 100);
        let count = |start: &str| found.iter().filter(|path| path.starts_with(start)).count();
        assert_eq!((count("a/file"), count("a/flie")), (clean, in_names), "{reason}");
        assert_eq!(count("flie/x.c"), in_directories, "{reason}: {found:?}");
    }
}

#[test]
fn letters_scattered_over_a_path_do_not_hide_a_typo() {
    let tree = Tree::new(["drivers/hid/hid-primax.c", "xi/hxd/xprimxax.c"]);
    assert_eq!(tree.found("ihd-primax", 10), ["drivers/hid/hid-primax.c", "xi/hxd/xprimxax.c"]);
}

#[test]
fn a_query_that_is_too_long_is_refused() {
    let tree = Tree::new(["a/e.c"]);
    let context = SearchContext::new(&tree.cache, &POOL);
    for query in ["e ".repeat(1500), "e/".repeat(33), "e".repeat(1025)] {
        let outcome = find(context, &FindOptions::new(query, tree.root.path()), &CancelToken::new());
        assert!(matches!(outcome, Err(SearchError::QueryTooLong)), "{outcome:?}");
    }
}

#[test]
fn marking_can_be_cancelled() {
    let hit = |entry| FindHit { entry, is_directory: false, score: 1, guess: None, positions: Vec::new() };
    for (reason, stopped, expected, kept) in [
        ("no one stops", usize::MAX, Ok(()), 1000),
        ("stopped at the 200th", 200, Err(Stopped::Cancelled), 2 * MARK_EVERY),
    ] {
        let cancel = CancelToken::new();
        let mut hits: Vec<FindHit> = (0..1000).map(hit).collect();
        let result = mark(&mut hits, &cancel, |hit| {
            if hit.entry == stopped {
                cancel.cancel();
            }
            hit.positions = vec![hit.entry];
        });
        assert_eq!((result, hits.len()), (expected, kept), "{reason}");
        assert!(hits.iter().all(|hit| hit.positions == [hit.entry]), "{reason}");
    }
}

/// What someone types: letters, and now and then a step back.
fn typed() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::vec(
        prop_oneof![8 => "[a-d]", 1 => "[A-D]", 2 => "[éÉ漢KİIß]", 1 => "[ /._]", 1 => Just("\u{8}".to_owned())],
        1..14,
    )
    .prop_map(|keys| {
        let mut text = String::new();
        keys.iter()
            .map(|key| {
                if key == "\u{8}" {
                    text.pop();
                } else {
                    text.push_str(key);
                }
                text.clone()
            })
            .collect()
    })
}

#[test]
fn scoring_checks_its_token_every_thousand_entries() {
    let files: Vec<String> = (0..3000).map(|number| format!("file{number}")).collect();
    let tree = Tree::new(files.iter().map(String::as_str));
    let snapshot = tree.find("file", true, 1).snapshot.expect("a snapshot");
    let context = SearchContext::new(&tree.cache, &POOL);
    let derived = derive(context, &snapshot, &CancelToken::new()).expect("an index");
    let query = Query::parse("file7");
    let search = Search::new(&query, &derived.index, &|| Ok::<_, Stopped>(())).expect("no stop");
    let work = Scoring {
        among: Entries::all(snapshot.len()),
        snapshot,
        matching: Matching::AsTyped(Prepared { derived, search: Arc::new(search) }),
        filter: None,
        bonus: 0,
        max_hits: 10,
        settled: 0,
        floor: AtomicU32::new(0),
    };
    let checks = std::cell::Cell::new(0);
    let found = cairn_pool::Ordered::chunk(&work, &mut Line::default(), 0..3000, &|| {
        checks.set(checks.get() + 1);
        Ok(())
    });
    assert!(found.is_ok_and(|chunk| chunk.matched.count() > 300));
    assert_eq!(checks.get(), 3);
}

#[test]
fn names_are_found_in_either_form_and_marked_where_they_are_stored() {
    let tree = Tree::new(["ae\u{301}b/x", "aéb.txt", "other"]);
    for query in ["aéb", "ae\u{301}b"] {
        let outcome = tree.find(query, true, 10);
        let snapshot = outcome.snapshot.expect("a snapshot");
        let mut hits: Vec<(&[u8], &[usize])> =
            outcome.hits.iter().map(|hit| (snapshot.path(hit.entry), &hit.positions[..])).collect();
        hits.sort_unstable();
        let marked: [(&[u8], &[usize]); 3] = [
            ("ae\u{301}b".as_bytes(), &[0, 1, 2, 3, 4]),
            ("ae\u{301}b/x".as_bytes(), &[0, 1, 2, 3, 4]),
            ("aéb.txt".as_bytes(), &[0, 1, 2, 3]),
        ];
        assert_eq!(hits, marked, "{query:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]
    #[test]
    fn a_typed_query_finds_the_same_as_a_pasted_one(
        files in proptest::collection::btree_set("[a-dA-Dé漢KİIß_.]{0,3}[a-dé]{1,6}(/[a-dÉ]{1,4}[._]?[a-dA-D漢ß]{1,4}){0,2}", 1..70),
        queries in typed(),
        others in typed(),
        max_results in prop_oneof![1_usize..8, Just(100)],
    ) {
        // A name cannot be a file and a directory at once.
        let files: Vec<String> = files.into_iter().map(|file| format!("{file}.x")).collect();
        let tree = Tree::new(files.iter().map(String::as_str));
        let everybody = queries.iter().zip(others.iter().chain(queries.iter())).flat_map(|(one, other)| [one, other]);
        for query in everybody {
            let (narrowed, fresh) = (tree.find(query, true, max_results), tree.find(query, false, max_results));
            prop_assert_eq!(&narrowed.hits, &fresh.hits, "{:?}", query);
            prop_assert_eq!((narrowed.total, narrowed.stop_reason), (fresh.total, fresh.stop_reason), "{:?}", query);
            prop_assert!(narrowed.compared <= fresh.compared);
        }
    }

    #[test]
    fn the_best_few_are_the_first_of_all(
        files in proptest::collection::btree_set("[a-d]{1,6}(/[a-d_]{1,6}){0,2}", 1..70),
        query in "[a-d]{1,6}(/[a-d]{1,3})?",
        few in 1_usize..10,
    ) {
        let files: Vec<String> = files.into_iter().map(|file| format!("{file}.x")).collect();
        let tree = Tree::new(files.iter().map(String::as_str));
        let (few, all) = (tree.found(&query, few), tree.found(&query, 1000));
        prop_assert_eq!(&few[..], &all[..few.len()]);
    }
}
