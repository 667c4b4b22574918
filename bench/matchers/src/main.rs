//! `cairn-bench-matchers <nucleo|frizbee>`: reads paths until an empty line, then queries, one a line. For each query
//! it writes how many paths match, and the indexes of the best, best first.
//!
//! Both matchers leave the order of equals to the program around them. As the pickers that use them, this one puts the
//! shorter path first.
use std::io::{self, BufRead, Write};
use std::thread;

use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str, Utf32String};

/// As many as the other peers are asked for.
const SHOWN: usize = 100;

/// How many paths match, and the positions of the best in the list of paths.
type Ranked = (usize, Vec<usize>);

/// Words that match in any order, as in Helix, which uses this matcher. All processors, as Helix does through the crate
/// `nucleo`.
fn nucleo(paths: &[String]) -> impl Fn(&str) -> Ranked {
    let paths: Vec<Utf32String> = paths.iter().map(|path| path.as_str().into()).collect();
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let chunk = paths.len().div_ceil(threads).max(1);
    move |query| {
        let pattern = Pattern::new(query, CaseMatching::Smart, Normalization::Smart, AtomKind::Fuzzy);
        let score_chunk = |first: usize, paths: &[Utf32String]| -> Vec<(u32, usize)> {
            let mut matcher = Matcher::new(Config::DEFAULT.match_paths());
            let score = |path: &Utf32String| {
                let text: Utf32Str = path.slice(..);
                pattern.score(text, &mut matcher)
            };
            let scores = paths.iter().map(score).enumerate();
            scores.filter_map(|(index, score)| Some((score?, first + index))).collect()
        };
        let mut found: Vec<(u32, usize)> = thread::scope(|scope| {
            let score_chunk = &score_chunk;
            let chunks = paths.chunks(chunk).enumerate();
            let running: Vec<_> =
                chunks.map(|(number, part)| scope.spawn(move || score_chunk(number * chunk, part))).collect();
            let parts = running.into_iter().flat_map(|part| part.join().unwrap());
            parts.collect()
        });
        found.sort_unstable_by_key(|&(score, index)| (u32::MAX - score, index));
        let best = found.iter().take(SHOWN).map(|&(_, index)| index).collect();
        (found.len(), best)
    }
}

/// Words that match in any order, each with one typo in every four letters, as its guide shows.
fn frizbee(paths: Vec<String>) -> impl Fn(&str) -> Ranked {
    move |query| {
        let words = query.split_whitespace().map(|word| {
            let typos = u16::try_from(word.len() / 4).unwrap_or(u16::MAX);
            frizbee::Pattern::from(word).max_typos(Some(typos))
        });
        let words: Vec<_> = words.collect();
        let mut matcher = frizbee::Matcher::from_patterns(&words, &frizbee::Config::default());
        let found = matcher.match_list_parallel(&paths, 0);
        let best = found.iter().take(SHOWN).map(|one| one.index as usize);
        (found.len(), best.collect())
    }
}

fn main() -> io::Result<()> {
    let mut lines = io::stdin().lock().lines();
    let mut numbered: Vec<(usize, String)> = Vec::new();
    for line in lines.by_ref() {
        let line = line?;
        if line.is_empty() {
            break;
        }
        numbered.push((numbered.len(), line));
    }
    numbered.sort_by_key(|(_, path)| path.len());
    let (numbers, paths): (Vec<usize>, Vec<String>) = numbered.into_iter().unzip();
    let rank: Box<dyn Fn(&str) -> Ranked> = match std::env::args().nth(1).as_deref() {
        Some("nucleo") => Box::new(nucleo(&paths)),
        Some("frizbee") => Box::new(frizbee(paths)),
        other => return Err(io::Error::other(format!("unknown matcher {other:?}: use nucleo or frizbee"))),
    };
    let mut out = io::stdout().lock();
    for query in lines {
        let (count, best) = rank(&query?);
        write!(out, "{count}")?;
        for index in best {
            write!(out, " {}", numbers[index])?;
        }
        writeln!(out)?;
        out.flush()?;
    }
    Ok(())
}
