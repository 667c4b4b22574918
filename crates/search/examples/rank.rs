//! Measures the ranking of [`cairn_search::find`] on queries whose wanted file is known.
//!
//!     cargo run --release -p cairn-search --example rank -- <directory> <queries> [all]
//!
//! Each line of the file of queries is `query<TAB>wanted path`; lines that begin with `#` are left out. Prints the queries that
//! do not find their file first (with `all`, every query) with the path that is there, then MRR@10 and the share at rank 1, among files
//! only and among files and directories.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program that prints a report")]

use std::process::ExitCode;

use cairn_cancel::CancelToken;
use cairn_pool::Pool;
use cairn_search::{FindOptions, SearchContext, find};
use cairn_walk::{Policy, ScanCache};

/// How far down a list people read.
const SHOWN: usize = 10;

#[derive(Default)]
struct Quality {
    reciprocal: f64,
    first: u32,
    count: u32,
}

impl Quality {
    fn add(&mut self, rank: Option<usize>) {
        self.count += 1;
        self.reciprocal += rank.filter(|&at| at < SHOWN).map_or(0.0, |at| 1.0 / (at + 1) as f64);
        self.first += u32::from(rank == Some(0));
    }

    fn print(&self, of: &str) {
        let count = f64::from(self.count);
        println!(
            "{of}: MRR@{SHOWN} {:.3}, first {:.3}, {count} queries",
            self.reciprocal / count,
            f64::from(self.first) / count
        );
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [directory, queries, rest @ ..] = arguments.as_slice() else {
        eprintln!("usage: rank <directory> <queries> [all]");
        return ExitCode::FAILURE;
    };
    let Ok(queries) = std::fs::read_to_string(queries) else {
        eprintln!("cannot read {queries}");
        return ExitCode::FAILURE;
    };
    let pool = Pool::new(2);
    let cache = ScanCache::new(Policy { ttl: std::time::Duration::from_secs(86_400), ..Policy::default() });
    let (mut among_files, mut among_all) = (Quality::default(), Quality::default());
    for line in queries.lines().filter(|line| !line.starts_with('#')) {
        let Some((query, wanted)) = line.split_once('\t') else { continue };
        let mut options = FindOptions::new(query, directory);
        options.scope.use_cache = true;
        options.scope.use_gitignore = false;
        options.scope.include_hidden = true;
        let outcome = match find(SearchContext::new(&cache, &pool), &options, &CancelToken::new()) {
            Ok(outcome) => outcome,
            Err(error) => {
                eprintln!("{query}: {error}");
                return ExitCode::FAILURE;
            }
        };
        let hits: Vec<(String, bool, u32)> = outcome.snapshot.as_ref().map_or_else(Vec::new, |snapshot| {
            let path = |entry| String::from_utf8_lossy(snapshot.path(entry)).into_owned();
            outcome.hits.iter().map(|hit| (path(hit.entry), hit.is_directory, hit.score)).collect()
        });
        let among = |with_directories: bool| {
            let mut seen = hits.iter().filter(|hit| with_directories || !hit.1);
            seen.position(|hit| hit.0 == wanted)
        };
        among_files.add(among(false));
        among_all.add(among(true));
        if among(true) != Some(0) || rest.iter().any(|word| word == "all") {
            println!("{query} -> {wanted}: {:?}", among(true).map(|at| at + 1));
            for (at, (path, is_directory, score)) in hits.iter().enumerate() {
                if at < 3 || path == wanted {
                    println!("    {:>3} {score:>6} {path}{}", at + 1, if *is_directory { "/" } else { "" });
                }
            }
        }
    }
    among_files.print("files");
    among_all.print("files and directories");
    ExitCode::SUCCESS
}
