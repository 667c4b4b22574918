//! Scores of 20,000 paths, on one thread.

use std::hint::black_box;

use cairn_fuzzy::{Candidate, Matcher, Query, fold_into};
use divan::Bencher;

/// A path, the same folded, and where its base name begins.
fn paths() -> Vec<(Vec<u8>, Vec<u8>, usize)> {
    let words = ["core", "sched", "driver", "usb", "hub", "probe", "kernel", "clock", "timer", "queue", "net"];
    let word = |number: usize| words[number % words.len()];
    let make = |number: usize| {
        let directory = format!("{}/{}_{}/", word(number / 400), word(number / 20), number / 20);
        let path = format!("{directory}{}_{}{number}.c", word(number * 7), word(number / 3)).into_bytes();
        let mut folded = Vec::new();
        fold_into(&path, &mut folded);
        (path, folded, directory.len())
    };
    (0..20_000).map(make).collect()
}

#[divan::bench(args = ["s", "schedcore", "kernel/sched/cor", "usbcorehub", "nothing like it"])]
fn of_20_000_paths(bencher: Bencher<'_, '_>, query: &str) {
    let paths = paths();
    let query = Query::parse(query);
    let mut matcher = Matcher::new();
    bencher.bench_local(|| {
        let score = |(path, folded, name_start): &(Vec<u8>, Vec<u8>, usize)| {
            let candidate = Candidate { path, folded, name_start: *name_start, is_directory: false };
            matcher.score(black_box(&query), candidate)
        };
        paths.iter().filter_map(score).max()
    });
}

fn main() {
    divan::main();
}
