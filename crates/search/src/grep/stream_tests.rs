//! Streaming gives the result of a search in parts.

use std::cell::{Cell, RefCell};

use cairn_walk::{Policy, ScanCache, Subtree};
use tempfile::TempDir;

use super::stream::MAX_HELD_BYTES;
use super::tests::{lines, options, run_on, tree};
use super::*;
use crate::context::Scope;
use crate::cost::MAX_RESULT_BYTES;

/// Keeps the batches. It is ready each time after `period` questions.
struct Parts {
    period: u64,
    asked: Cell<u64>,
    taken: RefCell<Vec<GrepBatch>>,
}

impl Parts {
    fn new(period: u64) -> Self {
        Self { period, asked: Cell::new(0), taken: RefCell::default() }
    }
}

impl BatchSink for Parts {
    fn is_ready(&self) -> bool {
        self.asked.set(self.asked.get() + 1);
        self.asked.get().is_multiple_of(self.period)
    }

    fn take(&self, batch: GrepBatch, check: &dyn Fn() -> Result<(), Stopped>) -> Result<(), Stopped> {
        check()?;
        self.taken.borrow_mut().push(batch);
        Ok(())
    }
}

/// The outcome with the matches of all batches, and the number of batches.
fn stream_from(
    sink: &Parts,
    search: impl FnOnce(Streaming<'_>) -> Result<GrepOutcome, SearchError>,
) -> (GrepOutcome, usize) {
    let mut outcome = search(Streaming { sink, keeps_all: false }).expect("a search");
    let mut whole = GrepOutcome::default();
    let parts = sink.taken.take();
    let count = parts.len();
    let last = GrepBatch { paths: outcome.paths, matches: outcome.matches };
    for part in parts.into_iter().chain([last]) {
        for found in part.matches {
            let path = &part.paths[found.file];
            if whole.paths.last() != Some(path) {
                whole.paths.push(path.clone());
            }
            whole.matches.push(LineMatch { file: whole.paths.len() - 1, ..found });
        }
    }
    (outcome.paths, outcome.matches) = (whole.paths, whole.matches);
    (outcome, count)
}

fn stream_on(threads: usize, period: u64, options: &GrepOptions) -> (GrepOutcome, usize) {
    let (cache, pool) = (ScanCache::new(Policy::default()), cairn_pool::Pool::new(threads));
    let context = SearchContext::new(&cache, &pool);
    stream_from(&Parts::new(period), |streaming| grep_stream(context, options, streaming, &CancelToken::new()))
}

/// The outcome without the counts of work.
fn facts(outcome: GrepOutcome) -> String {
    format!("{:?}", GrepOutcome { files_opened: 0, bytes_read: 0, ..outcome })
}

/// More directories than the head of a tree has.
fn wide_tree() -> TempDir {
    let files: Vec<(String, String)> = (0..300)
        .flat_map(|number| {
            [
                (format!("d{number:03}/a.rs"), format!("x{number}\n-\n-\nx again\n")),
                (format!("d{number:03}/b/c.txt"), "-\nx\n".to_owned()),
                (format!("d{number:03}.x"), "x\n".to_owned()),
            ]
        })
        .collect();
    tree(&files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect::<Vec<_>>())
}

#[test]
fn the_batches_are_the_result_in_parts() {
    let tree = wide_tree();
    let base = options(&tree);
    let cases = [
        base.clone(),
        GrepOptions { mode: GrepMode::Count, ..base.clone() },
        GrepOptions { mode: GrepMode::FilesWithMatches, max_count: Some(400), ..base.clone() },
        GrepOptions { context_before: 1, context_after: 2, ..base.clone() },
        GrepOptions { max_count: Some(7), offset: 3, ..base.clone() },
        GrepOptions { max_count: Some(500), offset: 499, ..base.clone() },
        GrepOptions { max_count_per_file: Some(1), ..base.clone() },
        GrepOptions { globs: vec!["d2*/**".to_owned()], ..base.clone() },
        GrepOptions { globs: vec!["*.x".to_owned()], ..base.clone() },
        GrepOptions { file_types: vec!["rust".to_owned()], ..base.clone() },
        GrepOptions { patterns: vec!["nowhere(".to_owned()], ..base },
    ];
    for options in cases {
        let whole = facts(run_on(2, &options));
        for (threads, period) in [(1, 1), (2, 1), (2, 5), (4, 1000)] {
            let (outcome, _) = stream_on(threads, period, &options);
            assert_eq!(facts(outcome), whole, "{threads} threads, ready every {period}: {options:?}");
        }
    }
}

#[test]
fn a_search_that_ends_in_the_first_directories_lists_and_opens_no_more() {
    let tree = wide_tree();
    let (cache, pool) = (ScanCache::new(Policy::default()), cairn_pool::Pool::new(2));
    let options = GrepOptions { max_count: Some(1), ..options(&tree) };
    let context = SearchContext::new(&cache, &pool);
    let search = |streaming: Streaming<'_>| grep_stream(context, &options, streaming, &CancelToken::new());
    let (outcome, _) = stream_from(&Parts::new(1), search);
    assert_eq!(lines(&outcome), ["d000.x:1:x"]);
    assert!(cache.stats().directories_listed <= 128, "{}", cache.stats().directories_listed);
    // The file of the match, and the one that shows that there are more.
    assert_eq!(outcome.files_opened, 2);
}

#[test]
fn results_that_wait_for_earlier_files_have_a_bound() {
    let tree = wide_tree();
    let options = options(&tree);
    let sink = Parts::new(1);
    let max_held = |keeps_all| Page::new(&options, Some(Streaming { sink: &sink, keeps_all })).max_held();
    assert_eq!([true, false].map(max_held), [MAX_RESULT_BYTES, MAX_HELD_BYTES]);
    assert_eq!(Page::new(&options, None).max_held(), MAX_RESULT_BYTES);

    let cache = ScanCache::new(Policy::default());
    let root = options.scope.root().expect("a root");
    let request = options.scope.request(&root, ScanOptions::default());
    let pool = cairn_pool::Pool::new(1);
    let snapshot = cache.scan_subtree(&request, Subtree::default(), &pool, &CancelToken::new()).expect("a scan");
    let work = Searching {
        candidates: Candidates::of(snapshot),
        compiled: compile(&options, &CancelToken::new()).expect("a pattern").expect("no timeout"),
        options: options.clone(),
        is_live: false,
        held: AtomicUsize::new(0),
        max_held: 1,
    };
    let results = work.chunk(&mut work.state(), 0..work.candidates.len(), &|| Ok(())).expect("nothing stops it");
    let (first, rest) = results.split_first().expect("files");
    assert!(rest.iter().all(|(_, result)| result.crowded_out && !result.opened && result.held == 0));
    assert!(first.1.held > 0);
    assert_eq!(work.waiting_bytes(), first.1.held);
}

#[test]
fn a_file_whose_matches_exceed_the_budget_comes_in_several_batches() {
    let text: String = "x and more\n".repeat(5000);
    let tree = tree(&[("a", "x\n"), ("b", &text), ("c", "x\n")]);
    for path in [tree.path().to_owned(), tree.path().join("b")] {
        for (context_before, context_after) in [(0, 0), (2, 3)] {
            let whole = GrepOptions { context_before, context_after, ..options(&tree) };
            let whole = GrepOptions { scope: Scope { path: path.clone(), ..whole.scope.clone() }, ..whole };
            let scope = Scope { max_result_bytes: 100_000, ..whole.scope.clone() };
            let small = GrepOptions { scope, ..whole.clone() };
            assert_eq!(run_on(2, &small).stop_reason, Some(StopReason::Budget), "it does not fit one result");
            let (outcome, batches) = stream_on(2, 3, &small);
            assert_eq!(facts(outcome), facts(run_on(2, &whole)));
            assert!(batches > 2, "{batches}");
        }
    }
}

#[test]
fn matches_that_the_caller_keeps_must_fit_the_budget_together() {
    let text: String = "x and more\n".repeat(5000);
    let tree = tree(&[("a", "x\n"), ("b", &text), ("c", "x\n")]);
    let base = options(&tree);
    let options = GrepOptions { scope: Scope { max_result_bytes: 100_000, ..base.scope.clone() }, ..base };
    let expected = run_on(2, &options);
    let (cache, pool) = (ScanCache::new(Policy::default()), cairn_pool::Pool::new(2));
    let context = SearchContext::new(&cache, &pool);
    let sink = Parts::new(1);
    let (outcome, _) = stream_from(&sink, |streaming| {
        grep_stream(context, &options, Streaming { keeps_all: true, ..streaming }, &CancelToken::new())
    });
    assert_eq!(facts(outcome), facts(expected));
}

/// Gives a string in small pieces.
struct Pieces<'a>(&'a [u8], usize);

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let length = self.0.len().min(self.1).min(buffer.len());
        buffer[..length].copy_from_slice(&self.0[..length]);
        self.0 = &self.0[length..];
        Ok(length)
    }
}

#[test]
fn a_text_that_arrives_in_pieces_has_the_matches_of_a_file() {
    let text: String = (0..3000).map(|number| if number % 3 == 0 { "x\n" } else { "-\n" }).collect();
    let tree = tree(&[("<stdin>", &text)]);
    let base = options(&tree);
    let base = GrepOptions { scope: Scope { path: tree.path().join("<stdin>"), ..base.scope.clone() }, ..base };
    for options in [
        base.clone(),
        GrepOptions { context_before: 1, context_after: 1, ..base.clone() },
        GrepOptions { max_count: Some(10), offset: 90, ..base.clone() },
        GrepOptions { mode: GrepMode::Count, ..base.clone() },
        GrepOptions { mode: GrepMode::FilesWithMatches, ..base.clone() },
        GrepOptions { multiline: true, ..base },
    ] {
        let whole = facts(run_on(1, &options));
        for size in [1, 7, 100_000] {
            let search = |streaming: Streaming<'_>| {
                grep_reader(&options, Pieces(text.as_bytes(), size), streaming, &CancelToken::new())
            };
            assert_eq!(facts(stream_from(&Parts::new(3), search).0), whole, "{size}: {options:?}");
        }
    }
}

#[test]
fn a_line_of_an_endless_text_is_passed_on_before_the_next_arrives() {
    struct Endless<'a>(&'a Parts, usize);
    impl Read for Endless<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let passed = self.0.taken.borrow().len();
            assert!(self.1 / 2 <= passed + 1, "{} lines, {passed} of them passed on", self.1 / 2);
            buffer[0] = b"x\n"[self.1 % 2];
            self.1 += 1;
            Ok(1)
        }
    }
    let tree = tree(&[]);
    let options = GrepOptions { max_count: Some(20), ..options(&tree) };
    let sink = Parts::new(1);
    let streaming = Streaming { sink: &sink, keeps_all: false };
    let outcome = grep_reader(&options, Endless(&sink, 0), streaming, &CancelToken::new()).expect("an end");
    assert_eq!((outcome.total, outcome.limit_reached), (20, true));
}
