//! The checks of the fuzz targets. Each takes bytes, makes an input of them and panics when a rule is broken.

mod glob_oracle;
mod input;

use cairn_fuzzy::fuzzing::{best_alignment, score_of};
use cairn_fuzzy::{FzfQuery, Index, Line, Query, Search, TypoSearch, Verdict};
use cairn_search::fuzzing::{glob_matches, is_valid, repaired};
use cairn_walk::fuzzing::{hides, hides_by_every_rule};

use input::Input;

/// The rules of an ignore file never panic, and the tests that rule most of them out change no answer.
pub fn gitignore(data: &[u8]) {
    let mut input = Input::new(data);
    let path = input.text(b"abAB.c/", 12);
    let path = path.trim_matches('/').replace("//", "/");
    let flags = input.byte();
    let (is_dir, ignore_case) = (flags & 1 == 0, flags & 2 == 0);
    let rules = input.mixed(b"abAB.c*?[]!/\\^-: \n\n", 200);
    if path.is_empty() {
        return;
    }
    let expected = hides_by_every_rule(&rules, path.as_bytes(), is_dir, ignore_case);
    let found = hides(&rules, path.as_bytes(), is_dir, ignore_case);
    assert_eq!(
        found,
        expected,
        "{path:?}, directory: {is_dir}, any case: {ignore_case}, rules: {:?}",
        String::from_utf8_lossy(&rules)
    );
}

/// Compares compiled globs with a slow matcher: both match the same paths and reject the same globs.
pub fn glob(data: &[u8]) {
    let mut input = Input::new(data);
    let path = input.text(b"abc.-/", 10);
    let glob = input.text(b"abc.-*?[]{},/!^\\:(|)@~", 14);
    // Names in classes are too rare otherwise.
    let glob = glob.replace("[:", ["[[:alpha:]", "[[:punct:]", "[[:a:]", "[:"][usize::from(input.byte() % 4)]);
    let path = path.trim_matches('/').replace("//", "/");
    if path.is_empty() {
        return;
    }
    assert_eq!(glob_matches(&glob, &path), glob_oracle::glob_matches(&glob, &path), "{glob:?} and {path:?}");
}

/// A query over any paths never panics, marks every match as plausible, and spells its positions in order.
pub fn fuzzy(data: &[u8]) {
    let mut input = Input::new(data);
    let typed = input.mixed(b"abcAB./_- ", 24);
    let query = Query::parse(&String::from_utf8_lossy(&typed));
    let paths = input.paths(b"abcAB._-", 20);
    let mut index = Index::with_capacity(paths.len());
    for path in &paths {
        let name_start = path.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1);
        index.push(path, name_start, false);
    }
    let index = index.finish();
    let Ok(search) = Search::new::<()>(&query, &index, &|| Ok(())) else { unreachable!("nothing stops it") };
    let names = TypoSearch::in_names(&query, &search);
    let everywhere = TypoSearch::in_paths(&query, &search, &index);
    for (entry, path) in paths.iter().enumerate() {
        let is_plausible = search.plausible(&index, entry..entry + 1) & 1 == 1;
        let verdict = search.score(&index, entry, || path, 0);
        if !matches!(verdict, Verdict::Miss) {
            assert!(is_plausible, "{typed:?} matches {path:?}, which was ruled out");
            let positions = search.positions(&index, entry, path);
            assert!(positions.windows(2).all(|pair| pair[0] < pair[1]), "{positions:?}");
            assert!(positions.iter().all(|&at| at < path.len()), "{positions:?}");
        }
        for typos in names.iter().chain(&everywhere) {
            let _ = typos.score(&search, &index, entry, || path);
        }
    }
    signs(&mut input, &index, &paths);
}

/// A path that meets the conditions of a query with signs, and matches its words, matches a query that ranks it.
fn signs(input: &mut Input<'_>, index: &Index, paths: &[Vec<u8>]) {
    let typed = input.mixed(b"abcAB./_- \\!^$'|", 24);
    let query = FzfQuery::parse(&String::from_utf8_lossy(&typed));
    let search = |query: &Query| match Search::new::<()>(query, index, &|| Ok(())) {
        Ok(search) => search,
        Err(()) => unreachable!("nothing stops it"),
    };
    let matches = |search: &Search, entry: usize| search.score(index, entry, || &paths[entry], 0) != Verdict::Miss;
    let rankings: Vec<Search> = query.rankings.iter().map(search).collect();
    let words = search(&query.words);
    let mut line = Line::default();
    for (entry, path) in paths.iter().enumerate() {
        line.read(path, false);
        let is_match = query.terms.are_met(&line) && (query.words.is_empty() || matches(&words, entry));
        if is_match && !query.has_unranked {
            assert!(rankings.iter().any(|search| matches(search, entry)), "{typed:?} loses {path:?}");
        }
    }
}

/// No alignment beats the best one by more than the algorithm may lose: like fzf's, it remembers one beginning of a run,
/// which can cost 4 for each further letter. The positions belong to an alignment that scores at least as much.
pub fn alignment(data: &[u8]) {
    let mut input = Input::new(data);
    let letters = input.text(b"ab/", 4);
    let text = input.text(b"abAB1/_.", 12);
    if letters.is_empty() {
        return;
    }
    let folded = text.to_ascii_lowercase();
    let mut all = Vec::new();
    place(letters.as_bytes(), folded.as_bytes(), &mut Vec::new(), &mut all);
    let best = best_alignment(letters.as_bytes(), text.as_bytes());
    assert_eq!(all.is_empty(), best.is_none(), "{letters:?} in {text:?}");
    let (Some(best), Some(optimum)) = (best, all.iter().map(|positions| score_of(positions, text.as_bytes())).max())
    else {
        return;
    };
    let shown = score_of(&best.positions, text.as_bytes());
    let lost = 4 * (letters.len() as i32 - 1);
    assert!(best.score <= shown && shown <= optimum, "{letters:?} in {text:?}: {best:?}, shown {shown} of {optimum}");
    assert!(optimum - best.score <= lost, "{letters:?} in {text:?}: {best:?} of {optimum}");
}

/// Appends every alignment of `letters` with `text`.
fn place(letters: &[u8], text: &[u8], placed: &mut Vec<usize>, all: &mut Vec<Vec<usize>>) {
    let Some((letter, rest)) = letters.split_first() else {
        all.push(placed.clone());
        return;
    };
    for at in placed.last().map_or(0, |last| last + 1)..text.len() {
        if text[at] == *letter {
            placed.push(at);
            place(rest, text, placed, all);
            placed.pop();
        }
    }
}

/// Any pattern is accepted, repaired or rejected; a repaired one needs no further repair. Line breaks are left out: only
/// PCRE2 accepts some of them.
pub fn grep_repair(data: &[u8]) {
    let pattern = Input::new(data).mixed(b"ab(){}[]|?+*.\\^$:=!<>,123pxk", 40);
    let pattern = String::from_utf8_lossy(&pattern).replace('\n', " ");
    if let Some(repaired) = repaired(&pattern) {
        assert!(is_valid(&repaired), "{pattern:?} became {repaired:?}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a check on a fixed series of random inputs.
    fn run(check: fn(&[u8]), cases: u32) {
        // Xorshift: the series is the same everywhere.
        let mut state = 0x2545_F491_4F6C_DD1D_u64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        for _ in 0..cases {
            let length = next() % 256;
            let data: Vec<u8> = (0..length).map(|_| (next() >> 32) as u8).collect();
            check(&data);
        }
    }

    #[test]
    fn gitignore_holds_on_random_input() {
        run(gitignore, 20_000);
    }

    #[test]
    fn glob_holds_on_random_input() {
        run(glob, 20_000);
    }

    #[test]
    fn fuzzy_holds_on_random_input() {
        run(fuzzy, 10_000);
    }

    #[test]
    fn alignment_holds_on_random_input() {
        run(alignment, 50_000);
    }

    #[test]
    fn grep_repair_holds_on_random_input() {
        run(grep_repair, 2_000);
    }
}
