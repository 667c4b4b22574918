//! Scores of 20,000 paths, on one thread.

use std::hint::black_box;

use cairn_fuzzy::{Index, Query, Search, Verdict};
use divan::Bencher;

const PATHS: usize = 20_000;

/// The path and where its base name begins.
fn path(number: usize) -> (Vec<u8>, usize) {
    let words = ["core", "sched", "driver", "usb", "hub", "probe", "kernel", "clock", "timer", "queue", "net"];
    let word = |number: usize| words[number % words.len()];
    let directory = format!("{}/{}_{}/", word(number / 400), word(number / 20), number / 20);
    let path = format!("{directory}{}_{}{number}.c", word(number * 7), word(number / 3));
    (path.into_bytes(), directory.len())
}

fn index_of(paths: &[(Vec<u8>, usize)]) -> Index {
    let mut index = Index::with_capacity(paths.len());
    for (path, name_start) in paths {
        index.push(path, *name_start, false);
    }
    index.finish()
}

#[divan::bench]
fn index_of_20_000_paths(bencher: Bencher<'_, '_>) {
    let paths: Vec<_> = (0..PATHS).map(path).collect();
    bencher.bench(|| index_of(black_box(&paths)));
}

#[divan::bench(args = ["s", "schedcore", "kernel/sched/cor", "usbcorehub", "nothing like it"])]
fn scores_of_20_000_paths(bencher: Bencher<'_, '_>, query: &str) {
    let paths: Vec<_> = (0..PATHS).map(path).collect();
    let index = index_of(&paths);
    let query = Query::parse(query);
    bencher.bench(|| {
        let search = Search::new(black_box(&query), &index);
        let matches = |entry: &usize| matches!(search.score(&index, *entry, || &paths[*entry].0, 0), Verdict::Score(_));
        (0..PATHS).filter(matches).count()
    });
}

fn main() {
    divan::main();
}
