//! Limits, paging and bookkeeping. The whole-product tests compare the matches with ripgrep.

mod budget;
mod engines;
mod limits;

use std::fs;
use std::path::Path;

use cairn_walk::{Policy, ScanCache};
use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::context::Scope;
use crate::cost::{Cost, MAX_RESULT_BYTES};

pub(super) fn run_on(threads: usize, options: &GrepOptions) -> GrepOutcome {
    let (cache, pool) = (ScanCache::new(Policy::default()), cairn_pool::Pool::new(threads));
    grep(SearchContext::new(&cache, &pool), options, &CancelToken::new()).expect("a search")
}

/// The same search on several numbers of threads, which must not show.
fn run(options: &GrepOptions) -> GrepOutcome {
    let outcomes = [1, 2, 4].map(|threads| run_on(threads, options));
    let [first, rest @ ..] = outcomes;
    for other in rest {
        assert_eq!(format!("{first:?}"), format!("{other:?}"), "the same on every number of threads");
    }
    first
}

pub(super) fn tree(files: &[(&str, &str)]) -> TempDir {
    let tree = tempfile::tempdir().expect("a temporary directory");
    for (path, contents) in files {
        let path = tree.path().join(path);
        fs::create_dir_all(path.parent().expect("below the root")).expect("a directory");
        fs::write(path, contents).expect("a file");
    }
    tree
}

/// The file `a`.
fn target(tree: &TempDir) -> Target<'_> {
    Target { root: tree.path(), name: b"a", alone: false }
}

fn room() -> Room<'static> {
    Room { skip: 0, max_lines: u64::MAX, max_bytes: MAX_RESULT_BYTES, held: None, live: None }
}

fn texts<'a>(texts: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    texts.into_iter().map(ToOwned::to_owned).collect()
}

pub(super) fn options(tree: &TempDir) -> GrepOptions {
    GrepOptions::new("x", tree.path())
}

/// `path:number:line` of each match, in order.
pub(super) fn lines(outcome: &GrepOutcome) -> Vec<String> {
    let path = |file: usize| String::from_utf8_lossy(&outcome.paths[file]).into_owned();
    outcome
        .matches
        .iter()
        .map(|found| format!("{}:{}:{}", path(found.file), found.line_number, String::from_utf8_lossy(&found.line)))
        .collect()
}

/// A search with a small budget, and the cost of its result.
fn run_within(max_result_bytes: usize, options: GrepOptions) -> (GrepOutcome, usize) {
    let scope = Scope { max_result_bytes, ..options.scope };
    let outcome = run(&GrepOptions { scope, ..options });
    let cost = outcome.matches.iter().fold(Cost::default(), |cost, found| cost.plus(found.cost()));
    (outcome, cost.bytes())
}

fn three_files() -> TempDir {
    tree(&[("a", "x1\nx2\n-\nx3\n"), ("b/c", "-\n"), ("b/d", "x4\n"), ("e", "x5\nx6\n")])
}

#[test]
fn files_that_are_not_searched_are_counted() {
    let tree = tree(&[("big", &"x\n".repeat(100)), ("binary", "x\0x\n"), ("quiet", "a\0b"), ("text", "x\n")]);
    let outcome = run(&GrepOptions { max_file_size: Some(50), ..options(&tree) });
    assert_eq!(lines(&outcome), ["text:1:x"]);
    assert_eq!(outcome.skipped, Skipped { oversized: 1, binary: 2, ..Skipped::default() });
    assert_eq!(outcome.files_searched, 3);
}

#[test]
fn a_file_as_root_is_searched_even_if_the_filters_exclude_it() {
    let tree = tree(&[(".gitignore", "*"), ("dir/.hidden.txt", "x\n")]);
    let outcome = run(&GrepOptions {
        globs: texts(["*.rs"]),
        file_types: texts(["rust"]),
        ..GrepOptions::new("x", tree.path().join("dir/.hidden.txt"))
    });
    assert_eq!(lines(&outcome), [".hidden.txt:1:x"]);
}

#[test]
fn glob_and_type_both_have_to_match() {
    let tree = tree(&[("a.rs", "x\n"), ("src/b.rs", "x\n"), ("src/c.py", "x\n"), ("src/d.odd", "x\n")]);
    for (glob, file_type, expected) in [
        (Some("*.rs"), None, vec!["a.rs:1:x", "src/b.rs:1:x"]),
        (Some("src/*"), None, vec!["src/b.rs:1:x", "src/c.py:1:x", "src/d.odd:1:x"]),
        (Some("src/*"), Some("rust"), vec!["src/b.rs:1:x"]),
        (None, Some("odd"), vec!["src/d.odd:1:x"]),
        (Some("src/"), None, vec![]),
    ] {
        let outcome = run(&GrepOptions { globs: texts(glob), file_types: texts(file_type), ..options(&tree) });
        assert_eq!(lines(&outcome), expected, "{glob:?} {file_type:?}");
    }
}

#[test]
fn a_line_matches_if_one_of_several_patterns_does() {
    let tree = tree(&[("a", "one foo(\ntwo ab bar\nthree aa\nfour baz\n"), ("b", "none\n")]);
    for (reason, patterns, engine, expected, places) in [
        ("two expressions", vec!["f.o", "baz"], RegexEngine::Regex, vec![1, 4], vec![(4, 7), (5, 8)]),
        ("one with a text that is nowhere", vec!["f.o", "nowhere.*x"], RegexEngine::Regex, vec![1], vec![(4, 7)]),
        ("one of them repaired", vec!["foo(", "ba[r]"], RegexEngine::Regex, vec![1, 2], vec![(4, 8), (7, 10)]),
        ("one that needs PCRE2", vec![r"(a)\1", "b.r"], RegexEngine::Pcre2, vec![2, 3], vec![(7, 10), (6, 8)]),
        ("each has its own references", vec![r"(z)\1", r"(a)\1"], RegexEngine::Pcre2, vec![3], vec![(6, 8)]),
        (
            "groups of the same name",
            vec!["(?<n>ab)", "(?<n>baz)"],
            RegexEngine::Regex,
            vec![2, 4],
            vec![(4, 6), (5, 8)],
        ),
        ("the first match wins", vec!["bar", "ab (?=b)"], RegexEngine::Pcre2, vec![2], vec![(4, 7), (7, 10)]),
        ("the first pattern wins at one place", vec!["(?=t)two", "tw"], RegexEngine::Pcre2, vec![2], vec![(0, 3)]),
        ("an anchor of the text", vec![r"\Aone", "baz"], RegexEngine::Regex, vec![1, 4], vec![(0, 3), (5, 8)]),
        ("no pattern", vec![], RegexEngine::Regex, vec![], vec![]),
    ] {
        for multiline in [false, true] {
            let given = GrepOptions { patterns: texts(patterns.iter().copied()), multiline, ..options(&tree) };
            let outcome = run(&given);
            // `\A` is the beginning of a file then.
            let found: Vec<u64> = outcome.matches.iter().map(|found| found.line_number).collect();
            assert_eq!((found, outcome.engine), (expected.clone(), engine), "{reason} {multiline}");
            let submatches = outcome.matches.iter().flat_map(|found| &found.submatches);
            let submatches: Vec<_> = submatches.map(|place| (place.start, place.end)).collect();
            assert_eq!(submatches, places, "{reason} {multiline}");
        }
    }
    let outcome = run(&GrepOptions { patterns: texts(["foo(", "*.ts", "x"]), ..options(&tree) });
    let changed = outcome.searched_patterns.iter().map(|one| (one.pattern.as_str(), one.searched.as_str()));
    assert_eq!(changed.collect::<Vec<_>>(), [("foo(", r"foo\("), ("*.ts", r"\*\.ts")]);
    assert_eq!(outcome.searched_pattern, None);
    let refused = GrepOptions { patterns: texts(["x", "[z-a]"]), ..options(&tree) };
    let (cache, pool) = (ScanCache::new(Policy::default()), cairn_pool::Pool::new(1));
    let error = grep(SearchContext::new(&cache, &pool), &refused, &CancelToken::new());
    assert!(error.is_err_and(|error| error.to_string().contains("[z-a]")));
}

#[test]
fn words_lines_and_lines_without_a_match() {
    let tree = tree(&[("a", "foo bar\nfoobar\nfoo\n-2 x\n"), ("b", "foo\0bar\n")]);
    let base = |pattern: &str| GrepOptions::new(pattern, tree.path().join("a"));
    for (reason, given, expected) in [
        ("a word", GrepOptions { whole_word: true, ..base("foo|bar") }, vec![1, 3]),
        ("a word of signs", GrepOptions { whole_word: true, ..base("-2") }, vec![4]),
        ("a word for PCRE2", GrepOptions { whole_word: true, ..base("foo(?!x)") }, vec![1, 3]),
        ("a word for PCRE2 before a comment", GrepOptions { whole_word: true, ..base("(?x)(?!x)foo # )") }, vec![1, 3]),
        ("a word for PCRE2, quoted", GrepOptions { whole_word: true, ..base(r"\Qfoo") }, vec![1, 3]),
        ("a line", GrepOptions { whole_line: true, ..base("foo|bar") }, vec![3]),
        ("a line for PCRE2", GrepOptions { whole_line: true, ..base("foo(?!x)|bar") }, vec![3]),
        ("a line before a word", GrepOptions { whole_line: true, whole_word: true, ..base("foo") }, vec![3]),
        ("a literal line", GrepOptions { whole_line: true, literal: true, ..base("-2 x") }, vec![4]),
        ("no match", GrepOptions { invert: true, ..base("foo") }, vec![4]),
        ("no match of PCRE2", GrepOptions { invert: true, ..base("foo(?!b)") }, vec![2, 4]),
        ("no match of a word", GrepOptions { invert: true, whole_word: true, ..base("foo") }, vec![2, 4]),
        ("no match in single lines", GrepOptions { invert: true, multiline: true, ..base("foobar\nfoo") }, vec![1, 4]),
        ("no pattern", GrepOptions { invert: true, patterns: Vec::new(), ..base("") }, vec![1, 2, 3, 4]),
        ("a limit", GrepOptions { invert: true, max_count: Some(1), ..base("foo bar") }, vec![2]),
        ("an offset", GrepOptions { invert: true, offset: 1, ..base("foo bar") }, vec![3, 4]),
    ] {
        let outcome = run(&given);
        let found: Vec<u64> = outcome.matches.iter().map(|found| found.line_number).collect();
        assert_eq!(found, expected, "{reason}");
        assert!(!given.invert || outcome.matches.iter().all(|found| found.submatches.is_empty()), "{reason}");
    }
    let outcome = run(&GrepOptions { invert: true, ..GrepOptions::new(".*", tree.path().join("a")) });
    assert_eq!((outcome.total, outcome.as_typed, outcome.hint), (0, None, None), "nothing to say about the pattern");
}

#[test]
fn smart_case_is_that_of_ripgrep() {
    let tree = tree(&[("a", "foo\nFoo\nFOO\n")]);
    for (patterns, literal, expected) in [
        (vec!["foo"], false, 3),
        (vec!["Foo"], false, 1),
        (vec!["fo[O-P]"], false, 0),
        (vec![r"fo\p{Lu}"], false, 3),
        (vec![r"\p{Ll}+"], false, 2),
        (vec![r"\Bo\S"], false, 3),
        (vec!["foo", "FOO"], false, 2),
        (vec!["foo(?!x)"], false, 3),
        (vec!["Foo(?!x)"], false, 1),
        (vec!["Fo"], true, 1),
        (vec!["fo"], true, 3),
    ] {
        let given =
            GrepOptions { patterns: texts(patterns.iter().copied()), literal, smart_case: true, ..options(&tree) };
        assert_eq!(run(&given).total, expected, "{patterns:?}");
    }
}

#[test]
fn the_last_glob_that_matches_decides() {
    let files = ["a.md", "a.rs", "docs/a.md", "docs/keep/a.md", "src/a.rs", "src/b.md"];
    let tree = tree(&files.map(|file| (file, "x\n")));
    for (globs, expected) in [
        (vec!["!*.md"], vec!["a.rs", "src/a.rs"]),
        (vec!["!*.md", "b.md"], vec!["src/b.md"]),
        (vec!["b.md", "!*.md"], vec![]),
        (vec!["*.md", "!docs"], vec!["a.md", "src/b.md"]),
        (vec!["!docs", "*.md"], vec!["a.md", "src/b.md"]),
        (vec!["!docs", "docs", "*.md"], vec!["a.md", "docs/a.md", "docs/keep/a.md", "src/b.md"]),
        (vec!["*.rs", "a.md"], vec!["a.md", "a.rs", "docs/a.md", "docs/keep/a.md", "src/a.rs"]),
        (vec!["!b.md,*.md"], vec!["a.md", "docs/a.md", "docs/keep/a.md"]),
        (vec!["!*", "*.rs"], vec!["a.rs"]),
        (vec!["src/**", "!src/*.md"], vec!["src/a.rs"]),
    ] {
        let outcome = run(&GrepOptions { globs: texts(globs.iter().copied()), ..options(&tree) });
        let paths: Vec<_> = outcome.paths.iter().map(|path| String::from_utf8_lossy(path)).collect();
        assert_eq!(paths, expected, "{globs:?}");
    }
}

#[test]
fn a_nul_byte_ends_the_search_or_a_line_or_is_a_character() {
    let late = format!("x early\n{}\0 x\nx late\n", "-\n".repeat(200_000));
    let tree = tree(&[("a", "x\n"), ("b", "-\0\nx\n"), ("c", "-\0-\n"), ("d", &late), ("e", "-\0x\n")]);
    let search = |binary, pattern: &str, context_before| {
        let outcome = run(&GrepOptions { binary, context_before, ..GrepOptions::new(pattern, tree.path()) });
        let name = |file: usize| String::from_utf8_lossy(&outcome.paths[file]).into_owned();
        let found = |found: &LineMatch| {
            let line = String::from_utf8_lossy(&found.line).into_owned();
            (name(found.file), if found.binary { "binary".to_owned() } else { format!("{}:{line}", found.line_number) })
        };
        let found: Vec<_> = outcome.matches.iter().map(found).map(|(name, line)| format!("{name} {line}")).collect();
        (found, outcome.skipped.binary, outcome.files_with_matches)
    };
    for context in [0, 1] {
        let (found, binary, files) = search(Binary::Skip, "x", context);
        assert_eq!((found, binary, files), (texts(["a 1:x", "d 1:x early"]), 4, 2), "context {context}");
        let (found, binary, files) = search(Binary::Search, "x", context);
        assert_eq!(found, ["a 1:x", "b binary", "d 1:x early", "d binary", "e binary"], "context {context}");
        assert_eq!((binary, files), (0, 4));
        let (found, binary, _) = search(Binary::Search, "^x$", context);
        assert_eq!((found, binary), (texts(["a 1:x", "b binary", "e binary"]), 0), "a NUL ends a line");
        let (found, binary, _) = search(Binary::Text, "x$", context);
        assert_eq!((found, binary), (texts(["a 1:x", "b 2:x", "d 200002:\0 x", "e 1:-\0x"]), 0));
        let (found, ..) = search(Binary::Text, r"-\x00-", context);
        assert_eq!(found, ["c 1:-\0-"]);
    }
    for (mode, expected) in [(GrepMode::Count, vec![1, 1, 3, 1]), (GrepMode::FilesWithMatches, vec![0, 0, 0, 0])] {
        let outcome = run(&GrepOptions { binary: Binary::Search, mode, ..options(&tree) });
        let counts: Vec<u64> = outcome.matches.iter().map(|found| found.match_count.unwrap_or(0)).collect();
        assert_eq!(counts, expected);
    }
    let page = GrepOptions { binary: Binary::Search, max_count: Some(2), offset: 2, ..options(&tree) };
    let outcome = run(&page);
    assert_eq!(outcome.matches.iter().map(|found| found.binary).collect::<Vec<_>>(), [false, true]);
    assert!(outcome.limit_reached);
}

#[test]
fn a_replacement_refers_to_groups() {
    let tree = tree(&[("a", "one two\nab aa\nfoo\nbar\n")]);
    let search = |patterns: &[&str], replacement: &str| GrepOptions {
        patterns: texts(patterns.iter().copied()),
        replacement: Some(replacement.to_owned()),
        ..options(&tree)
    };
    let replaced = |options: &GrepOptions| -> Vec<String> {
        let texts = run(options).matches.into_iter().flat_map(|found| {
            assert_eq!(found.replacements.len(), found.submatches.len());
            found.replacements
        });
        texts.map(|text| text.map_or("(continued)".to_owned(), |text| String::from_utf8(text).unwrap())).collect()
    };
    for (reason, options, expected) in [
        ("a number", search(&[r"(\w+) (two)"], "$2 $1!"), vec!["two one!"]),
        ("a name", search(&["(?<n>two)"], "<${n}>$$1"), vec!["<two>$1"]),
        ("the match, and a group that is unknown", search(&["two"], "$0-$9-$none"), vec!["two--"]),
        ("nothing", search(&["o"], ""), vec!["", "", "", ""]),
        ("groups of several patterns", search(&["(one)", "(two)"], "[$1|$2]"), vec!["[one|]", "[|two]"]),
        ("PCRE2", search(&[r"(?<n>a)\1"], "$1-$n-$0"), vec!["a-a-aa"]),
        ("PCRE2 with a match that begins later", search(&[r"one \K(tw)o"], "$0$1"), vec!["twotw"]),
        ("two engines", search(&["(one)", r"(a)\1", "(t)(wo)"], "[$1$2$3$4]"), vec!["[one]", "[two]", "[a]"]),
        ("groups of the same name", search(&["(?<n>one)", "(?<n>two)"], "<$n>"), vec!["<one>", "<two>"]),
        ("a group that does not match", search(&["(x)?two(?=$)"], "[$1]"), vec!["[]"]),
        ("a word", GrepOptions { whole_word: true, ..search(&["(a)."], "$1") }, vec!["a", "a"]),
        ("a literal text", GrepOptions { literal: true, ..search(&["two"], "$0$0") }, vec!["twotwo"]),
        ("over lines", GrepOptions { multiline: true, ..search(&["(oo)\n(b)"], "$2$1") }, vec!["boo", "(continued)"]),
        ("of a line that is cut", GrepOptions { max_columns: Some(3), ..search(&["t"], "${0}x") }, vec!["tx"]),
        ("without lines", GrepOptions { invert: true, ..search(&["o"], "x") }, vec![]),
    ] {
        assert_eq!(replaced(&options), expected, "{reason}");
    }
    let expensive = GrepOptions { patterns: texts(["b*"]), ..search(&[], &"x".repeat(1 << 12)) };
    let (outcome, cost) = run_within(30_000, expensive);
    assert_eq!(outcome.stop_reason, Some(StopReason::Budget));
    assert!(cost <= 30_000, "{cost}");
}

#[test]
fn the_depth_of_files_has_a_limit() {
    let tree = tree(&["a", "b/c", "b/d/e"].map(|file| (file, "x\n")));
    let found = |max_depth, globs: &[&str], use_cache| {
        let scope = Scope { use_cache, ..options(&tree).scope };
        let outcome = run(&GrepOptions {
            max_depth: Some(max_depth),
            globs: texts(globs.iter().copied()),
            scope,
            ..options(&tree)
        });
        outcome.paths.iter().map(|path| String::from_utf8_lossy(path).into_owned()).collect::<Vec<_>>()
    };
    for use_cache in [false, true] {
        assert_eq!(found(0, &[], use_cache), [""; 0]);
        assert_eq!(found(1, &[], use_cache), ["a"]);
        assert_eq!(found(2, &[], use_cache), ["a", "b/c"]);
        assert_eq!(found(3, &["b/**"], use_cache), ["b/c", "b/d/e"]);
        assert_eq!(found(2, &["b/**"], use_cache), ["b/c"]);
    }
    let file = run(&GrepOptions { max_depth: Some(0), ..GrepOptions::new("x", tree.path().join("b/d/e")) });
    assert_eq!(file.total, 1, "a file by its path has no depth");
}

#[test]
#[cfg(unix)]
fn links_are_followed_when_the_caller_asks() {
    let (tree, outside) = (tree(&[("a", "x\n"), ("dir/b", "x\n")]), tree(&[("c", "x\n"), ("sub/d", "x\n")]));
    let link =
        |target: &std::path::Path, name: &str| std::os::unix::fs::symlink(target, tree.path().join(name)).unwrap();
    link(outside.path(), "out");
    link(&outside.path().join("c"), "file");
    link(tree.path(), "dir/loop");
    link(&tree.path().join("missing"), "broken");
    let found = |follow_links| {
        let outcome = run(&GrepOptions { follow_links, ..options(&tree) });
        assert_eq!(outcome.skipped, Skipped::default());
        outcome.paths.iter().map(|path| String::from_utf8_lossy(path).into_owned()).collect::<Vec<_>>()
    };
    assert_eq!(found(false), ["a", "dir/b"]);
    assert_eq!(found(true), ["a", "dir/b", "file", "out/c", "out/sub/d"]);
}

#[test]
fn types_select_and_exclude() {
    let tree = tree(&["a.py", "b.rs", "c.ts", "d.odd"].map(|file| (file, "x\n")));
    for (types, excluded, expected) in [
        (vec!["rust", "py"], vec![], vec!["a.py", "b.rs"]),
        (vec![], vec!["rust", "odd"], vec!["a.py", "c.ts"]),
        (vec!["rust", "py"], vec!["rust"], vec!["a.py"]),
        (vec!["all"], vec![], vec!["a.py", "b.rs", "c.ts"]),
    ] {
        let (file_types, excluded_types) = (texts(types), texts(excluded));
        let outcome = run(&GrepOptions { file_types, excluded_types, ..options(&tree) });
        let paths: Vec<_> = outcome.paths.iter().map(|path| String::from_utf8_lossy(path)).collect();
        assert_eq!(paths, expected);
    }
    let (cache, pool) = (ScanCache::new(Policy::default()), cairn_pool::Pool::new(1));
    let refused = GrepOptions { excluded_types: texts(["rusty"]), ..options(&tree) };
    let error = grep(SearchContext::new(&cache, &pool), &refused, &CancelToken::new());
    assert!(error.is_err_and(|error| error.to_string().contains("typeNot")));
}

#[test]
fn files_that_change_during_a_search_do_no_harm() {
    let tree = tree(&[]);
    let path = |number: usize| tree.path().join(format!("f{number}"));
    let contents = "x and more\n".repeat(100_000);
    (0..4).for_each(|number| fs::write(path(number), &contents).expect("a file"));
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                for number in 0..4 {
                    let file = fs::OpenOptions::new().write(true).open(path(number)).expect("a file");
                    file.set_len(10).expect("truncated");
                    file.set_len(1_000_000).expect("grown");
                }
            }
        });
        for _ in 0..20 {
            let outcome = run_on(2, &options(&tree));
            assert!(outcome.matches.iter().all(|found| found.line.starts_with(b"x")));
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
    });
}

#[test]
fn a_file_that_was_deleted_or_replaced_is_skipped() {
    let tree = tree(&[("gone", "x\n"), ("kept", "x\n"), ("now-a-directory", "x\n")]);
    let (cache, pool) = (ScanCache::new(Policy::default()), cairn_pool::Pool::new(2));
    let context = SearchContext::new(&cache, &pool);
    let mut options = options(&tree);
    options.scope.use_cache = true;
    let outcome = grep(context, &options, &CancelToken::new()).expect("a search");
    assert_eq!(outcome.total, 3);
    fs::remove_file(tree.path().join("gone")).expect("removed");
    fs::remove_file(tree.path().join("now-a-directory")).expect("removed");
    fs::create_dir(tree.path().join("now-a-directory")).expect("a directory");
    let outcome = grep(context, &options, &CancelToken::new()).expect("a search");
    assert_eq!(lines(&outcome), ["kept:1:x"]);
    assert_eq!((outcome.files_searched, outcome.skipped), (1, Skipped::default()));
}

#[test]
fn a_cancelled_search_stops_in_the_middle_of_a_file() {
    let tree = tree(&[("a", &"y\n".repeat(2_000_000))]);
    let compiled = Compiled::new(&GrepOptions::new("y", tree.path()), &CancelToken::new()).expect("a pattern");
    let mut searcher = FileSearcher::new(&compiled, &GrepOptions::new("y", tree.path()));
    let checks = std::cell::Cell::new(0);
    let result = searcher.search(target(&tree), room(), &|| {
        checks.set(checks.get() + 1);
        if checks.get() > 5 { Err(Stopped::Cancelled) } else { Ok(()) }
    });
    assert!(result.is_err(), "stopped after {} checks", checks.get());
}

#[test]
fn a_root_that_is_neither_a_directory_nor_a_file_gives_an_empty_result() {
    let outcome = run(&GrepOptions::new("x", Path::new("/dev/null")));
    assert_eq!((outcome.total, outcome.files_searched, outcome.stop_reason), (0, 0, None));
}

#[test]
fn a_search_that_times_out_before_the_first_file_reports_the_timeout() {
    let tree = three_files();
    let (cache, pool) = (ScanCache::new(Policy::default()), cairn_pool::Pool::new(1));
    let context = SearchContext::new(&cache, &pool);
    let mut options = options(&tree);
    options.scope.use_cache = true;
    grep(context, &options, &CancelToken::new()).expect("a scan to be cached");
    options.scope.partial_on_timeout = true;
    let timed_out = CancelToken::new().with_timeout(std::time::Duration::ZERO);
    let snapshot = cache.stats().snapshots[0].snapshot.clone();
    let files = Candidates::of(snapshot);
    let compiled = Compiled::new(&options, &CancelToken::new()).expect("a pattern");
    let call =
        Call { context, options: &options, compiled: &compiled, streaming: None, cancel: &timed_out, watching: None };
    let (outcome, files) = call.search(&files).expect("what there is");
    assert_eq!(files, 0);
    assert_eq!(outcome.stop_reason, Some(StopReason::Timeout));
}

#[test]
fn anchors_to_the_whole_text_hold_line_by_line_in_files_of_any_size() {
    let large = format!("bar\nxy\n{}", "more text\n".repeat(40_000));
    let tree = tree(&[("large", &large), ("small", "bar\nxy\n")]);
    for pattern in [r"y\z", r"\Ax"] {
        let outcome = run(&GrepOptions::new(pattern, tree.path()));
        assert_eq!(lines(&outcome), ["large:2:xy", "small:2:xy"], "{pattern}");
    }
}

#[test]
fn matches_before_a_line_that_is_too_long_for_memory_are_kept() {
    let tree = tree(&[("a", &format!("x1\n{}\nx2\n", "a".repeat(1 << 20)))]);
    let options = options(&tree);
    let compiled = Compiled::new(&options, &CancelToken::new()).expect("a pattern");
    let mut searcher = FileSearcher::with_heap_limit(&compiled, &options, 100_000);
    let result = searcher.search(target(&tree), room(), &|| Ok(())).expect("nothing stops it");
    assert!(result.oversized);
    assert_eq!(result.matches.iter().map(|found| found.line_number).collect::<Vec<_>>(), [1]);
    let mut page = Page::new(&options, None);
    assert!(page.add(b"a", result).is_continue());
    let outcome = page.finish();
    assert_eq!((outcome.total, outcome.skipped.oversized, outcome.files_searched), (1, 1, 1));
}

#[test]
#[cfg(unix)]
fn a_link_that_replaced_a_file_is_not_followed() {
    let outside = tree(&[("secret", "x\n")]);
    let tree = tree(&[("a", "x\n"), ("b", "x\n")]);
    let (cache, pool) = (ScanCache::new(Policy::default()), cairn_pool::Pool::new(1));
    let context = SearchContext::new(&cache, &pool);
    let mut options = options(&tree);
    options.scope.use_cache = true;
    grep(context, &options, &CancelToken::new()).expect("a scan to be cached");
    fs::remove_file(tree.path().join("a")).expect("removed");
    std::os::unix::fs::symlink(outside.path().join("secret"), tree.path().join("a")).expect("a link");
    let outcome = grep(context, &options, &CancelToken::new()).expect("a search");
    assert_eq!(lines(&outcome), ["b:1:x"]);
}

#[test]
fn a_partial_search_reads_no_file_after_its_time() {
    let tree = three_files();
    let (cache, pool) = (ScanCache::new(Policy::default()), cairn_pool::Pool::new(1));
    let mut options = options(&tree);
    options.scope.partial_on_timeout = true;
    let timed_out = CancelToken::new().with_timeout(std::time::Duration::ZERO);
    let outcome = grep(SearchContext::new(&cache, &pool), &options, &timed_out).expect("what there is");
    assert_eq!((outcome.files_searched, outcome.stop_reason), (0, Some(StopReason::Timeout)));
}

#[test]
fn a_partial_search_reports_a_timeout_while_the_pattern_is_compiled() {
    let tree = three_files();
    let (cache, pool) = (ScanCache::new(Policy::default()), cairn_pool::Pool::new(1));
    let context = SearchContext::new(&cache, &pool);
    let mut options = GrepOptions::new("x(?=1)", tree.path());
    let timed_out = CancelToken::new().with_timeout(std::time::Duration::ZERO);
    let error = grep(context, &options, &timed_out).err();
    assert_eq!(error.and_then(|error| error.stopped()), Some(Stopped::TimedOut));
    options.scope.partial_on_timeout = true;
    let outcome = grep(context, &options, &timed_out).expect("what there is");
    assert_eq!((outcome.files_searched, outcome.stop_reason), (0, Some(StopReason::Timeout)));
}

#[test]
fn n60_a_match_far_into_a_large_file_is_found_after_any_text() {
    let filler = format!("{}\n", ".".repeat(999));
    let front = filler.repeat(600);
    let long_line = ".".repeat(600_000);
    for (reason, text, expected, binary) in [
        ("after the first piece", format!("{front}x\n{front}"), vec![601], 0),
        ("no match", front.clone(), vec![], 0),
        ("at the end, without a line break", format!("{front}x"), vec![601], 0),
        ("across the end of a piece", format!("{}{}x\n{front}", filler.repeat(262), ".".repeat(143)), vec![263], 0),
        ("in a line longer than a piece", format!("{front}{long_line}x\nx\n"), vec![601, 602], 0),
        ("a NUL before it", format!("{front}\0\n{front}x\n"), vec![], 1),
        ("a NUL after it", format!("x\n{front}{front}\0\n"), vec![1], 1),
        ("after a byte order mark", format!("\u{FEFF}{front}x\n"), vec![601], 0),
    ] {
        let outcome = run(&options(&tree(&[("a", &text)])));
        let numbers: Vec<u64> = outcome.matches.iter().map(|found| found.line_number).collect();
        assert_eq!((numbers, outcome.skipped.binary), (expected, binary), "{reason}");
        let anchored = run(&GrepOptions::new(r"x\z", tree(&[("a", &text)]).path()));
        assert_eq!((anchored.total, anchored.skipped), (outcome.total, outcome.skipped), "{reason}, line by line");
    }
}

#[test]
fn opened_files_and_read_bytes_are_counted() {
    let large = "-\n".repeat(300_000);
    let tree = tree(&[("a", "-\n"), ("b/c", "x\n"), ("b/d", &large), ("e.rs", "x\n")]);
    let cost = |options: GrepOptions| {
        let outcome = run(&options);
        (outcome.files_opened, outcome.bytes_read)
    };
    assert_eq!(cost(options(&tree)), (4, 6 + 600_000), "each file once, each byte once");
    assert_eq!(cost(GrepOptions { globs: texts(["*.rs"]), ..options(&tree) }), (1, 2));
    assert_eq!(cost(GrepOptions { max_file_size: Some(100), ..options(&tree) }), (4, 6));
    assert_eq!(
        cost(GrepOptions { max_count: Some(0), ..options(&tree) }).0,
        2,
        "up to the match that shows there are more"
    );
}

#[test]
fn n60_context_and_modes_do_not_change_what_matches_in_a_file_with_a_nul() {
    let front: String = (0..4000).flat_map(|number| [format!("x {number:0>30}\n"), "--\n".to_owned()]).collect();
    let other = "--\n".repeat(30_000);
    for (reason, text) in [
        ("a NUL after many lines", format!("{front}\0\n{front}")),
        ("a NUL in a matched line", format!("{front}{other}x\0\n{front}")),
        ("a NUL next to a matched line", format!("{front}x\n\0\nx\n{front}")),
        ("a NUL at the beginning", format!("\0\n{front}")),
        ("none", format!("{front}{other}{front}")),
    ] {
        let tree = tree(&[("a", &text)]);
        for multiline in [false, true] {
            let plain = run(&GrepOptions { multiline, ..options(&tree) });
            for context in [1, 3, 1000] {
                for mode in [GrepMode::Content, GrepMode::Count, GrepMode::FilesWithMatches] {
                    let (context_before, context_after) = (context, context / 2);
                    let options = GrepOptions { multiline, mode, context_before, context_after, ..options(&tree) };
                    let found = run_on(2, &options);
                    let name = format!("{reason}, {mode:?}, multiline {multiline}, context {context}");
                    // A file is known to match at its first match, often before the NUL.
                    if mode != GrepMode::FilesWithMatches {
                        assert_eq!(found.skipped, plain.skipped, "{name}");
                    }
                    match mode {
                        GrepMode::Content => assert!(lines(&found) == lines(&plain), "{name}"),
                        GrepMode::Count => assert_eq!(found.total, plain.total, "{name}"),
                        GrepMode::FilesWithMatches => assert_eq!(found.paths, plain.paths, "{name}"),
                    }
                }
            }
        }
    }
}

#[test]
fn n64_a_match_that_begins_inside_a_character_replaces_the_empty_match_before_it() {
    let tree = tree(&[("a", "\u{1F600}b\n")]);
    let outcome = run(&GrepOptions::new("^|(?-u:[\\x80-\\xBF])+", tree.path()));
    assert_eq!(outcome.matches[0].submatches, [Submatch { start: 0, end: 4 }]);
}

#[test]
fn n64_submatches_have_whole_characters_and_no_two_are_the_same() {
    let text = "a\u{E9}\u{6F22}\u{1F600}b\u{1F600}\n";
    let tree = tree(&[("a", text)]);
    let bytes: Vec<usize> = text.trim_end().char_indices().map(|(at, _)| at).chain([text.len() - 1]).collect();
    for pattern in ["x*", "(?=)", "()", r"\b|", r"(?-u:\B)", "(?-u:[\\x80-\\xFF])", "(?-u:[\\x90-\\xFF])+"] {
        for multiline in [false, true] {
            let outcome = run(&GrepOptions { multiline, ..GrepOptions::new(pattern, tree.path()) });
            let places = &outcome.matches[0].submatches;
            for place in places {
                assert!(bytes.contains(&place.start) && bytes.contains(&place.end), "{pattern}: {place:?}");
            }
            assert!(places.windows(2).all(|two| two[0].start < two[1].start), "{pattern}: {places:?}");
            if matches!(pattern, "x*" | "(?=)" | "()") {
                assert_eq!(places.len(), bytes.len(), "{pattern}");
            }
        }
    }
}

#[test]
fn no_pattern_matches_nothing_with_any_option() {
    let tree = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(tree.path().join("a"), "x\n\ny\n").expect("a file");
    for bits in 0..64 {
        let has = |bit: u32| bits >> bit & 1 == 1;
        let options = GrepOptions {
            patterns: Vec::new(),
            ignore_case: has(0),
            whole_word: has(1),
            whole_line: has(2),
            literal: has(3),
            multiline: has(4),
            crlf: has(5),
            ..GrepOptions::new("", tree.path())
        };
        assert_eq!(run(&options).total, 0, "{options:?}");
    }
}
