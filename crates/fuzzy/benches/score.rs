//! Scores of 20,000 paths, on one thread.

use std::convert::Infallible;
use std::hint::black_box;

use cairn_fuzzy::{Index, Query, Search, Verdict};
use divan::Bencher;

fn paths() -> Vec<Vec<u8>> {
    let words = ["core", "sched", "driver", "usb", "hub", "probe", "kernel", "clock", "timer", "queue", "net"];
    let word = |number: usize| words[number % words.len()];
    let make = |number: usize| {
        let directory = format!("{}/{}_{}/", word(number / 400), word(number / 20), number / 20);
        format!("{directory}{}_{}{number}.c", word(number * 7), word(number / 3)).into_bytes()
    };
    let mut paths: Vec<Vec<u8>> = (0..20_000).map(make).collect();
    paths.sort_unstable();
    paths
}

#[divan::bench(args = ["s", "schedcore", "kernel/sched/cor", "usbcorehub", "nothing like it"])]
fn of_20_000_paths(bencher: Bencher<'_, '_>, query: &str) {
    let paths = paths();
    let mut index = Index::with_capacity(paths.len());
    for path in &paths {
        let name_len = path.iter().rev().take_while(|&&byte| byte != b'/').count();
        index.push(path, path.len() - name_len, false);
    }
    let index = index.finish();
    let query = Query::parse(query);
    bencher.bench_local(|| {
        let Ok(search) = Search::new(black_box(&query), &index, &|| Ok::<(), Infallible>(()));
        let matches = |&entry: &usize| search.score(&index, entry, || &paths[entry], 0) != Verdict::Miss;
        (0..paths.len()).filter(matches).count()
    });
}

fn main() {
    divan::main();
}
