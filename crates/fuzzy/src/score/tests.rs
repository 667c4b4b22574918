use super::*;
use crate::fold::fold_into;
use proptest::prelude::*;

fn candidate<'a>(path: &'a str, folded: &'a mut Vec<u8>) -> Candidate<'a> {
    let is_directory = path.ends_with('/');
    let path = path.trim_end_matches('/');
    folded.clear();
    fold_into(path.as_bytes(), folded);
    let name_start = path.rfind('/').map_or(0, |slash| slash + 1);
    Candidate { path: path.as_bytes(), folded, name_start, is_directory }
}

fn score(query: &str, path: &str) -> Option<u32> {
    Matcher::new().score(&Query::parse(query), candidate(path, &mut Vec::new()))
}

fn marked(query: &str, path: &str) -> String {
    let positions = Matcher::new().positions(&Query::parse(query), candidate(path, &mut Vec::new()));
    positions.iter().map(|&at| path.as_bytes()[at] as char).collect()
}

/// Each list is in the order in which its query ranks it.
#[test]
fn better_matches_rank_higher() {
    for (reason, query, ranked) in [
        (
            "the tiers in order",
            "core",
            vec!["a/core", "a/core.c", "a/sched_core.c", "a/encore.c", "a/cold_store.c", "core/x.c", "cab/obo/rare"],
        ),
        ("an ancestor never outranks a base name", "net", vec!["a/b/c/d/planet.c", "net/x.c"]),
        ("shorter names first among prefixes", "core", vec!["x/core.c", "x/core_sched.c", "x/core_scheduling.c"]),
        ("camel case begins a word", "bar", vec!["fooBar.ts", "foobar.ts"]),
        (
            "the exact path",
            "kernel/sched/core.c",
            vec!["kernel/sched/core.c", "a/kernel/sched/core.c", "kernel/sched/core.c.orig"],
        ),
        (
            "a path prefix before abbreviations",
            "kernel/sched/cor",
            vec!["kernel/sched/core.c", "kernel/rt_sched/cor_x.c"],
        ),
        ("adjacent segments before distant ones", "ker/cor", vec!["kernel/core.c", "kernel/a/core.c"]),
        ("words in any order, both in the name first", "core sched", vec!["a/sched_core.c", "sched/core.c"]),
        ("the typed case", "README", vec!["README", "readme"]),
        ("the typed case among parts", "Bar", vec!["fooBar.ts", "foo_bar.ts"]),
    ] {
        let scores: Vec<Option<u32>> = ranked.iter().map(|path| score(query, path)).collect();
        assert!(scores.iter().all(Option::is_some), "{reason}: {query} matches all of {ranked:?}: {scores:?}");
        assert!(scores.windows(2).all(|pair| pair[0] > pair[1]), "{reason}: {query} over {ranked:?} gave {scores:?}");
    }
}

#[test]
fn a_query_matches_or_not() {
    for (reason, query, path, matches) in [
        ("abbreviated segments", "ker/sch/cor", "kernel/sched/core.c", true),
        ("segments out of order", "sch/ker", "kernel/sched/core.c", false),
        ("letters without separators", "schedcore", "kernel/sched_core.c", true),
        ("letters across segments", "usbcorehub", "drivers/usb/core/hub.c", true),
        ("letters far apart", "ab", "axxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxb", true),
        ("a separator typed otherwise", "sched-core", "sched_core.c", true),
        ("every word", "core zebra", "kernel/core.c", false),
        ("case does not matter", "CORE", "core.c", true),
        ("accents fold", "ÉCOLE", "école.txt", true),
        ("a trailing slash wants a directory", "sched/", "kernel/sched.c", false),
        ("and finds one", "sched/", "kernel/sched/", true),
        ("a leading ./ is no part", "./core", "core.c", true),
        ("nothing typed matches nothing", "--", "--", false),
    ] {
        assert_eq!(score(query, path).is_some(), matches, "{reason}: {query} against {path}");
    }
}

#[test]
fn positions_show_what_matched() {
    for (query, path, expected) in [
        ("core", "core/score_core.c", "core"),
        ("schedcore", "kernel/sched_core.c", "schedcore"),
        ("ker/cor", "kernel/x/core.c", "kercor"),
        ("kernel/cor", "kernel/core.c", "kernel/cor"),
        ("sched core", "sched/core.c", "schedcore"),
    ] {
        assert_eq!(marked(query, path), expected, "{query} in {path}");
    }
    assert_eq!(
        Matcher::new().positions(&Query::parse("core"), candidate("core/score_core.c", &mut Vec::new())),
        [11, 12, 13, 14],
        "the word in the base name, not the directory"
    );
}

proptest! {
    #[test]
    fn whatever_matches_is_covered_by_its_mask(query in "[a-c/_. ]{1,6}", path in "[a-cA-C/_.]{1,20}") {
        let query = Query::parse(&query);
        let mut folded = Vec::new();
        let candidate = candidate(&path, &mut folded);
        if Matcher::new().score(&query, candidate).is_some() {
            prop_assert_eq!(query.mask() & !crate::fold::character_mask(candidate.folded), 0);
        }
    }

    #[test]
    fn a_path_finds_itself_by_its_whole_name(path in "[a-z]{1,8}(/[a-z_.]{0,3}[a-z]{1,8}){0,4}") {
        let score = score(&path, &path);
        prop_assert!(score.is_some_and(|score| score >= Tier::Exact as u32 * TIER_SPAN), "{:?}", score);
    }

    #[test]
    fn positions_ascend_and_lie_in_the_path(query in "[a-c/ ]{1,6}", path in "[a-cA-C/_.]{1,20}") {
        let mut folded = Vec::new();
        let candidate = candidate(&path, &mut folded);
        let positions = Matcher::new().positions(&Query::parse(&query), candidate);
        prop_assert!(positions.windows(2).all(|pair| pair[0] < pair[1]));
        prop_assert!(positions.last().is_none_or(|&last| last < candidate.path.len()));
    }
}
