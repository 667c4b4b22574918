//! Limits, paging, counts and context.

use super::*;

#[test]
fn limits_count_in_the_unit_of_the_mode_and_in_path_order() {
    let tree = three_files();
    for (reason, mode, max_count, offset, expected, total, limited) in [
        ("lines", GrepMode::Content, Some(4), 0, vec!["a:1:x1", "a:2:x2", "a:4:x3", "b/d:1:x4"], 4, true),
        ("lines skipped", GrepMode::Content, Some(2), 3, vec!["b/d:1:x4", "e:1:x5"], 5, true),
        (
            "exactly all",
            GrepMode::Content,
            Some(6),
            0,
            vec!["a:1:x1", "a:2:x2", "a:4:x3", "b/d:1:x4", "e:1:x5", "e:2:x6"],
            6,
            false,
        ),
        ("none", GrepMode::Content, Some(0), 0, vec![], 0, true),
        ("beyond the end", GrepMode::Content, Some(2), 9, vec![], 6, false),
        ("files", GrepMode::FilesWithMatches, Some(2), 0, vec!["a:0:", "b/d:0:"], 2, true),
        ("files skipped", GrepMode::FilesWithMatches, Some(2), 1, vec!["b/d:0:", "e:0:"], 3, false),
    ] {
        let outcome = run(&GrepOptions { mode, max_count, offset, ..options(&tree) });
        assert_eq!(lines(&outcome), expected, "{reason}");
        assert_eq!((outcome.total, outcome.limit_reached), (total, limited), "{reason}");
        assert_eq!(outcome.stop_reason, limited.then_some(StopReason::Limit), "{reason}");
    }
}

#[test]
fn count_mode_counts_matched_lines_and_its_limit_counts_them_too() {
    let tree = three_files();
    let counts = |max_count, offset| {
        let outcome = run(&GrepOptions { mode: GrepMode::Count, max_count, offset, ..options(&tree) });
        let counts: Vec<u64> = outcome.matches.iter().filter_map(|found| found.match_count).collect();
        (counts, outcome.limit_reached)
    };
    assert_eq!(counts(None, 0), (vec![3, 1, 2], false));
    assert_eq!(counts(Some(5), 0), (vec![3, 1, 1], true));
    assert_eq!(counts(Some(3), 2), (vec![1, 1, 1], true));
}

#[test]
fn a_reached_limit_ends_the_search() {
    let files: Vec<(String, &str)> = (0..200).map(|number| (format!("f{number:03}"), "x\n")).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, contents)| (path.as_str(), *contents)).collect();
    let outcome = run(&GrepOptions { max_count: Some(3), ..options(&tree(&files)) });
    assert_eq!((outcome.total, outcome.files_searched, outcome.files_with_matches), (3, 4, 3));
}

#[test]
fn one_hot_file_does_not_starve_the_rest() {
    let hot = "x\n".repeat(1000);
    let tree = tree(&[("a", &hot), ("b", "x\n"), ("c", "x\nx\n")]);
    let outcome = run(&GrepOptions { max_count_per_file: Some(2), ..options(&tree) });
    assert_eq!(lines(&outcome), ["a:1:x", "a:2:x", "b:1:x", "c:1:x", "c:2:x"]);
    assert_eq!((outcome.files_cut, outcome.limit_reached, outcome.stop_reason), (1, false, Some(StopReason::Limit)));
}

#[test]
fn context_repeats_no_line() {
    let tree = tree(&[("a", "1\n2\nx3\n4\nx5\n6\n7\n8\nx9\nx10\n")]);
    let outcome = run(&GrepOptions { context_before: 2, context_after: 2, ..options(&tree) });
    let shown: Vec<(Vec<u64>, u64, Vec<u64>)> = outcome
        .matches
        .iter()
        .map(|found| {
            let numbers = |lines: &[ContextLine]| lines.iter().map(|line| line.line_number).collect();
            (numbers(&found.before), found.line_number, numbers(&found.after))
        })
        .collect();
    assert_eq!(shown, [(vec![1, 2], 3, vec![4]), (vec![], 5, vec![6, 7]), (vec![8], 9, vec![]), (vec![], 10, vec![])]);
    let limited = run(&GrepOptions { context_after: 2, max_count: Some(1), ..options(&tree) });
    assert_eq!(
        limited.matches[0].after.iter().map(|line| line.line_number).collect::<Vec<_>>(),
        [4],
        "up to the next match"
    );
    let limited = run(&GrepOptions { context_after: 2, max_count: Some(2), ..options(&tree) });
    assert_eq!(limited.matches[1].after.iter().map(|line| line.line_number).collect::<Vec<_>>(), [6, 7], "all of it");
}

#[test]
fn a_cut_line_keeps_its_match() {
    for (reason, line, columns, expected, submatch) in [
        ("short enough", "abcx", 4, "abcx", 3..4),
        ("a match near the beginning", "abxdefgh", 5, "abxde", 2..3),
        ("a match near the end", "0123456789x", 5, "6789x", 4..5),
        ("a match in the middle", "0123456789x0123456789", 5, "89x01", 2..3),
        ("characters, not bytes", "ééééééééééxéé", 3, "éxé", 2..3),
        ("columns of one", "0123x", 1, "x", 0..1),
    ] {
        let outcome = run(&GrepOptions { max_columns: Some(columns), ..options(&tree(&[("a", line)])) });
        let found = &outcome.matches[0];
        assert_eq!(String::from_utf8_lossy(&found.line), expected, "{reason}");
        assert_eq!(found.truncated, expected.len() < line.len(), "{reason}");
        assert_eq!(found.submatches, [Submatch { start: submatch.start, end: submatch.end }], "{reason}");
    }
}

#[test]
fn multiline_matches_are_reported_line_by_line() {
    let tree = tree(&[("a", "-\nfoo\nbar\n-\nfoo bar\n")]);
    let outcome = run(&GrepOptions { multiline: true, ..GrepOptions::new(r"foo\s+bar", tree.path()) });
    assert_eq!(lines(&outcome), ["a:2:foo", "a:3:bar", "a:5:foo bar"]);
    let places: Vec<(usize, usize)> =
        outcome.matches.iter().flat_map(|found| &found.submatches).map(|place| (place.start, place.end)).collect();
    assert_eq!(places, [(0, 3), (0, 3), (0, 7)]);
}

#[test]
fn counts_are_of_lines_or_of_matches() {
    use CountUnit::{Lines, Matches, Spanning};
    let tree = tree(&[("a", "-\nfoo\nbar foo\nbar\nfoo bar foo bar\nfoo\n")]);
    for (reason, pattern, multiline, count_unit, invert, expected) in [
        ("lines", "foo|bar", false, Spanning, false, 5),
        ("the matches of lines", "foo|bar", false, Matches, false, 9),
        ("lines, because no match spans them", "foo|bar", true, Spanning, false, 5),
        ("lines of matches that span them", r"foo\s+bar", true, Lines, false, 4),
        ("matches that span lines", r"foo\s+bar|foo", true, Spanning, false, 5),
        ("empty matches", "^", true, Matches, false, 6),
        ("lines without a match", "foo", false, Matches, true, 2),
        ("lines without a match that spans them", r"foo\s+bar", true, Spanning, true, 3),
        ("matches of PCRE2", "(?<!x)foo", false, Matches, false, 5),
    ] {
        let base = GrepOptions { invert, multiline, count_unit, ..GrepOptions::new(pattern, tree.path()) };
        let outcome = run(&GrepOptions { mode: GrepMode::Count, ..base });
        assert_eq!((outcome.matches[0].match_count, outcome.total), (Some(expected), expected), "{reason}");
    }
}

#[test]
fn the_limit_of_a_file_counts_lines_in_which_a_match_begins() {
    let tree = tree(&[("a", "x1\n-\nfoo\nbar foo\nbar\nx\nfoo\nbar\n")]);
    let base = GrepOptions { multiline: true, ..GrepOptions::new(r"foo\s+bar|x\d", tree.path()) };
    for (limit, expected, cut) in [
        (0, vec![], 1),
        (1, vec!["a:1:x1"], 1),
        (2, vec!["a:1:x1", "a:3:foo", "a:4:bar foo"], 1),
        (3, vec!["a:1:x1", "a:3:foo", "a:4:bar foo", "a:5:bar"], 1),
        (4, vec!["a:1:x1", "a:3:foo", "a:4:bar foo", "a:5:bar", "a:7:foo", "a:8:bar"], 0),
    ] {
        for submatches in [true, false] {
            let limits = GrepOptions { max_count_per_file: Some(limit), submatches, ..base.clone() };
            let outcome = run(&limits);
            assert_eq!(lines(&outcome), expected, "{limit}");
            assert_eq!((outcome.total, outcome.files_cut), (expected.len() as u64, cut), "{limit}");
            let counted = run(&GrepOptions { mode: GrepMode::Count, count_unit: CountUnit::Matches, ..limits });
            assert_eq!((counted.total, counted.files_cut), (limit, cut), "{limit}");
        }
    }
    let files = GrepOptions { mode: GrepMode::FilesWithMatches, max_count_per_file: Some(0), ..base };
    assert_eq!(run(&files).total, 0);
}

#[test]
fn a_matched_line_over_the_limit_of_its_file_is_context() {
    let text = "x1\n-\nx2\nx3 x\n-\nx4\n-\n-\n-\nx5\n";
    let tree = tree(&[("a", text), ("b", "-\nx\n-\n")]);
    let shown = |options: GrepOptions| {
        let outcome = run(&options);
        let line = |line: &ContextLine| {
            let places = line.submatches.len();
            format!("{}{}{}", line.line_number, if line.is_match { ':' } else { '-' }, "#".repeat(places))
        };
        let of_match = |found: &LineMatch| {
            let before: String = found.before.iter().map(line).collect();
            format!("{before} {} {}", found.line_number, found.after.iter().map(line).collect::<String>())
        };
        (outcome.matches.iter().map(of_match).collect::<Vec<_>>(), outcome.total)
    };
    let of_file =
        |max: u64, after: usize| GrepOptions { context_after: after, max_count_per_file: Some(max), ..options(&tree) };
    assert_eq!(shown(of_file(1, 0)), (vec![" 1 ".into(), " 2 ".into()], 2));
    assert_eq!(shown(of_file(1, 1)), (vec![" 1 2-".into(), " 2 3-".into()], 2));
    assert_eq!(shown(of_file(1, 3)), (vec![" 1 2-3:#4:##".into(), " 2 3-".into()], 2));
    assert_eq!(shown(of_file(1, 99)).0[0], " 1 2-3:#4:##5-6:#7-8-9-10:#");
    assert_eq!(shown(of_file(2, 2)).0[..2], [" 1 2-", " 3 4:##5-"]);
    let before = GrepOptions { context_before: 9, ..of_file(1, 2) };
    assert_eq!(shown(before).0, [" 1 2-3:#", "1- 2 3-"]);
    // A limit of all files ends the search, because the next page begins there.
    let page = GrepOptions { max_count: Some(1), ..of_file(9, 3) };
    assert_eq!(shown(page).0, [" 1 2-"]);
    let page = GrepOptions { offset: 1, ..of_file(1, 3) };
    assert_eq!(shown(page).0, [" 2 3-"]);
    let without = GrepOptions { invert: true, ..of_file(1, 3) };
    assert_eq!(shown(without).0[0], " 2 3-#4-##5:");
}

#[test]
fn context_has_the_replacements_of_its_matches() {
    let tree = tree(&[("a", "-\nx x\n-\n-x\n")]);
    let base = GrepOptions { replacement: Some("[$0]".into()), context_after: 9, ..options(&tree) };
    let replaced = |lines: &[ContextLine]| {
        let texts = lines.iter().flat_map(|line| line.replacements.iter().flatten());
        texts.map(|text| String::from_utf8_lossy(text).into_owned()).collect::<Vec<_>>()
    };
    let inverted = run(&GrepOptions { invert: true, ..base.clone() });
    assert_eq!(lines(&inverted), ["a:1:-", "a:3:-"]);
    assert_eq!(replaced(&inverted.matches[0].after), ["[x]", "[x]"]);
    assert_eq!(replaced(&inverted.matches[1].after), ["[x]"]);
    let limited = run(&GrepOptions { max_count_per_file: Some(1), ..base });
    assert_eq!(replaced(&limited.matches[0].after), ["[x]"]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn paging_neither_loses_nor_repeats_a_match(
        counts in proptest::collection::vec(0_usize..5, 1..8),
        page in 1_u64..5,
        mode in prop_oneof![Just(GrepMode::Content), Just(GrepMode::FilesWithMatches)],
    ) {
        let files: Vec<(String, String)> =
            counts.iter().enumerate().map(|(number, count)| (format!("f{number}"), "x\n".repeat(*count))).collect();
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let tree = tree(&files);
        let all = run_on(2, &GrepOptions { mode, ..options(&tree) });
        let mut paged = Vec::new();
        let mut offset = 0;
        // Every page but the last is full, so there are no more pages than matches and one.
        for _ in 0..=all.total {
            let outcome = run_on(2, &GrepOptions { mode, max_count: Some(page), offset, ..options(&tree) });
            paged.extend(lines(&outcome));
            if !outcome.limit_reached {
                break;
            }
            offset += page;
        }
        prop_assert_eq!(paged, lines(&all));
    }
}

#[test]
fn paging_ends_although_files_are_cut() {
    let tree = tree(&[("a", "x\nx\nx\n"), ("b", "x\n")]);
    let page = |offset| run(&GrepOptions { max_count_per_file: Some(2), max_count: Some(2), offset, ..options(&tree) });
    let (first, second) = (page(0), page(2));
    assert_eq!(lines(&first), ["a:1:x", "a:2:x"]);
    assert!(first.limit_reached);
    assert_eq!(lines(&second), ["b:1:x"]);
    assert_eq!((second.limit_reached, second.files_cut, second.stop_reason), (false, 1, Some(StopReason::Limit)));
}

#[test]
fn the_first_match_of_a_page_has_its_context() {
    let tree = tree(&[("a", "x\n2\n3\n4\nx\n")]);
    let outcome = run(&GrepOptions { context_before: 2, context_after: 2, offset: 1, ..options(&tree) });
    let before: Vec<u64> = outcome.matches[0].before.iter().map(|line| line.line_number).collect();
    assert_eq!(before, [3, 4]);
}

#[test]
fn n64_the_submatches_of_one_line_are_limited_and_the_cut_is_reported() {
    let most = "x".repeat(MAX_SUBMATCHES);
    let more = "x".repeat(MAX_SUBMATCHES + 1);
    let tree = tree(&[("a", &format!("{most}\n{more}\nx\n{more}"))]);
    for multiline in [false, true] {
        let outcome = run(&GrepOptions { multiline, ..options(&tree) });
        let seen: Vec<(usize, bool)> =
            outcome.matches.iter().map(|found| (found.submatches.len(), found.truncated)).collect();
        assert_eq!(seen, [(MAX_SUBMATCHES, false), (MAX_SUBMATCHES, true), (1, false), (MAX_SUBMATCHES, true)]);
    }
}
