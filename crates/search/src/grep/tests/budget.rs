//! The budget of a result.

use super::*;

#[test]
fn n70_a_result_over_its_budget_keeps_what_fits_and_reports_it() {
    const BUDGET: usize = 100_000;
    let short = "x\n".repeat(4000);
    let places = format!("{}\n", "x".repeat(100)).repeat(100);
    let wide = format!("x{}\n", "\u{6F22}".repeat(300)).repeat(200);
    let before = format!("{}x\n", "-\n".repeat(10_000));
    for (reason, files, options) in [
        ("one file of short lines", vec![("a", short.as_str())], GrepOptions::new("x", ".")),
        ("submatches", vec![("a", places.as_str())], GrepOptions::new(".", ".")),
        ("submatches over lines", vec![("a", &places)], GrepOptions { multiline: true, ..GrepOptions::new(".", ".") }),
        ("empty submatches", vec![("a", &places)], GrepOptions::new("y*", ".")),
        ("text outside of Latin-1", vec![("a", &wide)], GrepOptions::new("x", ".")),
        ("several files", vec![("a", "x\n"), ("b", &short), ("c", &short)], GrepOptions::new("x", ".")),
        ("context before", vec![("a", &before)], GrepOptions { context_before: 1 << 40, ..GrepOptions::new("x", ".") }),
        (
            "context after",
            vec![("a", "x\n"), ("b", &format!("x\n{before}"))],
            GrepOptions { context_after: 1 << 40, ..GrepOptions::new("x", ".") },
        ),
        (
            "context on both sides",
            vec![("a", &format!("{}x\n{}", "-\n".repeat(3), before))],
            GrepOptions { context_before: 9, context_after: 9, ..GrepOptions::new("-|x", ".") },
        ),
        ("a long line", vec![("a", &"x".repeat(1 << 20))], GrepOptions::new("x+", ".")),
        ("PCRE2", vec![("a", &places)], GrepOptions::new(".(?=)", ".")),
    ] {
        let tree = tree(&files);
        let options = GrepOptions { scope: Scope { path: tree.path().into(), ..options.scope.clone() }, ..options };
        let (outcome, cost) = run_within(BUDGET, options.clone());
        assert!(cost <= BUDGET, "{reason}: {cost} bytes");
        assert!(!outcome.matches.is_empty(), "{reason}: it keeps what fits");
        let is_cut = outcome.matches.iter().any(|found| found.truncated);
        assert!(outcome.stop_reason == Some(StopReason::Budget) || is_cut, "{reason}");
        assert_eq!(outcome.total, outcome.matches.len() as u64, "{reason}");
        let whole = run(&options);
        assert_eq!(whole.stop_reason, None, "{reason}");
        for (found, expected) in outcome.matches.iter().zip(&whole.matches) {
            assert_eq!((found.file, found.line_number), (expected.file, expected.line_number), "{reason}");
        }
        if reason.starts_with("one file") || reason.starts_with("submatches") {
            assert!(cost > BUDGET / 2, "{reason}: only {cost} bytes");
        }
    }
}

#[test]
fn n70_files_and_counts_have_a_budget_too() {
    let files: Vec<(String, &str)> = (0..2000).map(|number| (format!("f{number:04}"), "x\n")).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, contents)| (path.as_str(), *contents)).collect();
    let tree = tree(&files);
    for mode in [GrepMode::Count, GrepMode::FilesWithMatches] {
        let (outcome, _) = run_within(100_000, GrepOptions { mode, ..options(&tree) });
        assert_eq!(outcome.stop_reason, Some(StopReason::Budget));
        assert!((200..1000).contains(&outcome.matches.len()), "{}", outcome.matches.len());
    }
}

#[test]
fn n70_pages_reach_every_match_of_a_file_that_exceeds_the_budget() {
    let text: String = (0..5000).flat_map(|number| [format!("x{number}\n"), "-\n".to_owned()]).collect();
    for files in [vec![("a", text.as_str())], vec![("a", "x\n"), ("b", &text), ("c", "x\n")]] {
        let tree = tree(&files);
        let all = run(&options(&tree));
        let mut seen = Vec::new();
        // Each page has at least one match.
        for _ in 0..=all.total {
            let page = GrepOptions { offset: seen.len() as u64, context_before: 1, ..options(&tree) };
            let (page, _) = run_within(100_000, page);
            assert_eq!(page.total, (seen.len() + page.matches.len()) as u64);
            assert!(page.matches.iter().all(|found| found.before.len() <= 1));
            seen.extend(lines(&page));
            if page.stop_reason.is_none() {
                break;
            }
        }
        assert!(seen == lines(&all), "{} of {}", seen.len(), all.total);
    }
}

#[test]
fn n70_results_that_wait_share_a_budget() {
    let short = "x\n".repeat(2000);
    let files: Vec<(String, &str)> = (0..200).map(|number| (format!("f{number:03}"), short.as_str())).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, contents)| (path.as_str(), *contents)).collect();
    let tree = tree(&files);
    let options = options(&tree);
    let compiled = Compiled::new(&options, &CancelToken::new()).expect("a pattern");
    let held = AtomicUsize::new(MAX_RESULT_BYTES);
    let crowded = Room { held: Some(Held { bytes: &held, max_bytes: MAX_RESULT_BYTES }), ..room() };
    let file = Target { root: tree.path(), name: b"f000", alone: false };
    let mut searcher = FileSearcher::new(&compiled, &options);
    let result = searcher.search(file, crowded, &|| Ok(())).expect("nothing stops it");
    assert!(result.crowded_out && result.matches.len() < 2000, "{}", result.matches.len());
    assert_eq!(held.load(Ordering::Relaxed), MAX_RESULT_BYTES + result.held);
    let missing = Page::new(&options, None).missing(&result).expect("it must be searched again");
    let again = searcher.search(file, missing, &|| Ok(())).expect("nothing stops it");
    assert_eq!((again.crowded_out, again.matches.len()), (false, 2000));
    let last = run_within(1_000_000, GrepOptions { offset: 2000 * 199, max_count: Some(5), ..options }).0;
    let expected: Vec<String> = (1..=5).map(|number| format!("f199:{number}:x")).collect();
    assert_eq!(lines(&last), expected);
}
