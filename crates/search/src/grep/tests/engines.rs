//! PCRE2, and how it agrees with the engine of Rust.

use super::*;

#[test]
fn pcre2_is_used_when_the_caller_asks() {
    let tree = tree(&[("a", "foo(x\nab\n")]);
    for (pattern, engine, total) in
        [("a(b)", RegexEngine::Pcre2, 1), ("foo(", RegexEngine::Regex, 1), ("*.x", RegexEngine::Literal, 0)]
    {
        let outcome = run(&GrepOptions { pcre2: true, ..GrepOptions::new(pattern, tree.path()) });
        assert_eq!((outcome.engine, outcome.total), (engine, total), "{pattern}");
    }
    let (cache, pool) = (ScanCache::new(Policy::default()), cairn_pool::Pool::new(1));
    let only_rust = GrepOptions { pcre2: true, ..GrepOptions::new(r"\b{start}a(?R:b)", tree.path()) };
    let error = grep(SearchContext::new(&cache, &pool), &only_rust, &CancelToken::new());
    assert!(matches!(error, Err(SearchError::InvalidRegex { .. })), "{error:?}");
}

#[test]
fn n66_look_around_and_back_references_run_on_pcre2_in_every_mode() {
    let tree = tree(&[
        ("a", "foobar\nfoobaz\nbar\n"),
        ("b", "the the\nthe thing\n"),
        ("c", "\u{FEFF}foobar\r\nfoo\r\n"),
        ("d", "foobar"),
        ("e", "none\n"),
        ("f", "foobar\n\0foobar\n"),
    ]);
    for (reason, pattern, multiline, expected) in [
        ("look-ahead", "foo(?=bar)", false, vec!["a:1:foobar", "c:1:foobar\r", "d:1:foobar"]),
        ("negative look-ahead", "foo(?!bar)", false, vec!["a:2:foobaz", "c:2:foo\r"]),
        ("look-behind", "(?<=^foo)ba", false, vec!["a:1:foobar", "a:2:foobaz", "c:1:foobar\r", "d:1:foobar"]),
        ("a back-reference", r"\b(\w+) \1\b", false, vec!["b:1:the the"]),
        ("a back-reference over lines", r"(\w)\n\1", true, vec![]),
        ("look-ahead over lines", r"bar(?=\nfoo)", true, vec!["a:1:foobar"]),
    ] {
        let options = GrepOptions { multiline, ..GrepOptions::new(pattern, tree.path()) };
        let content = run(&options);
        assert_eq!(lines(&content), expected, "{reason}");
        assert_eq!((content.engine, content.stop_reason), (RegexEngine::Pcre2, None), "{reason}");
        let count = run(&GrepOptions { mode: GrepMode::Count, ..options.clone() });
        let counted: u64 = count.matches.iter().filter_map(|found| found.match_count).sum();
        assert_eq!((counted, count.total), (expected.len() as u64, expected.len() as u64), "{reason}");
        let files = run(&GrepOptions { mode: GrepMode::FilesWithMatches, ..options });
        assert_eq!((&files.paths, &count.paths), (&content.paths, &content.paths), "{reason}");
        assert_eq!(content.skipped, Skipped { binary: 1, ..Skipped::default() }, "{reason}");
        assert_eq!(count.skipped, content.skipped, "{reason}");
    }
}

#[test]
fn n66_submatches_limits_context_and_columns_work_with_pcre2() {
    let tree = tree(&[("a", "0123456789foobar0123456789 foobar\n-\nfoobar\n"), ("b", "foobar\nfoobar\n")]);
    let options = GrepOptions {
        max_columns: Some(8),
        max_count: Some(2),
        offset: 1,
        context_before: 1,
        context_after: 1,
        max_count_per_file: Some(1),
        ..GrepOptions::new("foo(?=bar)", tree.path())
    };
    let outcome = run(&options);
    assert_eq!(lines(&outcome), ["b:1:foobar"]);
    assert_eq!((outcome.files_cut, outcome.limit_reached), (2, false));
    let outcome = run(&GrepOptions { offset: 0, max_count_per_file: None, ..options });
    assert_eq!(lines(&outcome), ["a:1:89foobar", "a:3:foobar"]);
    assert_eq!(outcome.matches[0].submatches, [Submatch { start: 2, end: 5 }]);
    assert_eq!(
        outcome.matches[0].after,
        [ContextLine { line_number: 2, line: b"-".to_vec(), ..ContextLine::default() }]
    );
    assert!(outcome.limit_reached && outcome.matches[0].truncated);
}

#[test]
fn n66_a_line_that_exceeds_the_limit_of_pcre2_is_reported() {
    let costly = format!("{}!", "a".repeat(40));
    let tree = tree(&[("a", &format!("aab\n{costly}\naab\n")), ("b", "aab\n")]);
    // Ten million steps are long without optimization: once is enough.
    let outcome = run_on(1, &GrepOptions::new(r"(?=x?)^(a+)+[bc]", tree.path()));
    assert_eq!(lines(&outcome), ["a:1:aab", "b:1:aab"]);
    assert_eq!(outcome.skipped, Skipped { too_costly: 1, ..Skipped::default() });
    assert_eq!((outcome.files_searched, outcome.stop_reason), (2, None));
}

#[test]
fn n66_a_line_keeps_the_submatches_found_before_pcre2_reached_its_limit() {
    let text = format!("needle {}!\nneedle\nfoo\n", "a".repeat(60));
    let tree = tree(&[("a", &text), ("b", "needle\n")]);
    let options = GrepOptions::new("needle(?=)|(a+)+[bc](?=)", tree.path());
    // Ten million steps are long without optimization: once is enough.
    let outcome = run_on(1, &options);
    let found: Vec<_> = outcome.matches.iter().map(|line| (line.file, line.line_number, line.truncated)).collect();
    assert_eq!(found, [(0, 1, true), (0, 2, false), (1, 1, false)]);
    assert!(outcome.matches.iter().all(|line| line.submatches == [Submatch { start: 0, end: 6 }]));
    assert_eq!((outcome.skipped, outcome.stop_reason), (Skipped::default(), None));
    let count = run_on(1, &GrepOptions { mode: GrepMode::Count, ..options });
    assert_eq!((count.total, count.skipped), (outcome.total, outcome.skipped));
}

#[test]
fn n64_submatches_are_those_of_the_whole_text_for_any_look_around() {
    let far = "-\n".repeat(200);
    let tree = tree(&[
        ("a", &format!("0123456789needle\n{far}END\n")),
        ("b", &format!("xy\n{far}")),
        ("c", &format!("xy\n{}", "-".repeat(500))),
    ]);
    let multiline = |pattern: &str, max_columns| {
        run(&GrepOptions { multiline: true, max_columns, ..GrepOptions::new(pattern, tree.path()) })
    };
    let outcome = multiline("needle(?=(?s:.*)END)", Some(8));
    assert_eq!(lines(&outcome), ["a:1:89needle"]);
    assert_eq!(outcome.matches[0].submatches, [Submatch { start: 2, end: 8 }]);
    for pattern in [r"x(?!(?s:.{150}))|y(?=\n)", r"x(?s:.{130})\z|y$"] {
        let outcome = multiline(pattern, None);
        assert_eq!(lines(&outcome), ["b:1:xy", "c:1:xy"], "{pattern}");
        for line in &outcome.matches {
            assert_eq!(line.submatches, [Submatch { start: 1, end: 2 }], "{pattern}");
        }
    }
}

#[test]
fn n66_a_match_that_would_take_years_can_be_cancelled() {
    // Nothing of this counts for PCRE2's own limit.
    let line = "a".repeat(200_000);
    let tree = tree(&[("a", &line)]);
    for (reason, pattern) in [
        ("single characters", "(?=x?)a*a*a*a*[bc]"),
        ("alternatives", &format!("(?=x?){}[bc]", "(?:a|aa)".repeat(60))),
        ("a subroutine", &format!("(a|aa){}[bc]", "(?1)".repeat(60))),
        ("options", &format!("(?=x?){}[bc]", "a?".repeat(60))),
    ] {
        let options = GrepOptions::new(pattern, tree.path());
        let compiled = Compiled::new(&options, &CancelToken::new()).expect("a pattern");
        assert_eq!(compiled.engine(), RegexEngine::Pcre2, "{reason}");
        let checks = std::cell::Cell::new(0);
        let check = || {
            checks.set(checks.get() + 1);
            if checks.get() > 100 { Err(Stopped::TimedOut) } else { Ok(()) }
        };
        let result = FileSearcher::new(&compiled, &options).search(target(&tree), room(), &check);
        assert_eq!(result.err(), Some(Stopped::TimedOut), "{reason}");
    }
}

#[test]
fn n66_matches_on_short_lines_end_without_cancellation() {
    let tree = tree(&[("a", &format!("{}\n", "a".repeat(30)).repeat(3))]);
    for (reason, pattern) in [
        ("alternatives", format!("(?=x?){}[bc]", "(?:a|aa)".repeat(25))),
        ("repetitions", format!("(?=x?){}[bc]", "a*".repeat(12))),
        ("a subroutine", format!("(a|aa){}[bc]", "(?1)".repeat(20))),
    ] {
        let options = GrepOptions::new(pattern, tree.path());
        let compiled = Compiled::new(&options, &CancelToken::new()).expect("a pattern");
        let checks = std::cell::Cell::new(0);
        let check = || {
            checks.set(checks.get() + 1);
            if checks.get() > 50 { Err(Stopped::Cancelled) } else { Ok(()) }
        };
        let result = FileSearcher::new(&compiled, &options).search(target(&tree), room(), &check);
        assert_eq!(result.err(), Some(Stopped::Cancelled), "{reason}: {} checks", checks.get());
    }
}
