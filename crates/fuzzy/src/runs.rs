//! Splits the letters of a word into runs that begin words of a path: `fsnamei` is `fs` and `namei` in `fs/namei.c`.
//!
//! The last runs are in the base name, the first of these at its start. A cost says how well a split explains the path: few
//! runs, whole segments, few letters of the name that were not typed, no directories between the runs. The costs after a
//! directory hold for everything in it.

use std::sync::OnceLock;

use crate::fold::character_mask;
use crate::index::Index;
use crate::name::{begins_camel_word, is_boundary, is_word, stem_length};
use crate::query::Word;
use crate::score::TIER_SPAN;

/// Longer words are not split.
const MAX_LETTERS: usize = 32;
const IMPOSSIBLE: u32 = u32::MAX / 2;

/// Costs are in fractions of a point of quality.
const POINT: u32 = 16;
/// The cost of a run, of a directory before the first run, and of one between two runs.
const RUN: u32 = 20 * POINT;
const ABOVE: u32 = 3 * POINT;
const BETWEEN: u32 = 12 * POINT;
/// The cost of a run in the extension, if no punctuation was typed.
const IN_EXTENSION: u32 = 90 * POINT;
/// The cost of letters of a word that were left out between two letters.
const GAP: u32 = 200 * POINT;
/// The cost of a segment of a directory of which no letter was typed; each typed letter gives its share back.
const SEGMENT: u32 = 48 * POINT;
/// The extra cost of a segment, and of a stem, that was not typed to its end.
const OPEN_SEGMENT: u32 = 8 * POINT;
const OPEN_STEM: u32 = 20 * POINT;
/// The same for the stem of the base name, and the cost of each of its letters.
const STEM: u32 = 150 * POINT;
const STEM_LETTER: u32 = 6 * POINT;
/// The cost of a run that begins in a segment, but not at its start.
const INSIDE: u32 = 10 * POINT;
/// The cost if the runs end in the directory for which the base name stands, such as that of `index.ts`.
const STANDS_FOR: u32 = 40 * POINT;

/// For each number of letters, the least cost of runs with these letters.
type Costs = [u32; MAX_LETTERS + 1];

/// A word that may be split.
#[derive(Debug)]
pub(crate) struct Runs {
    letters: Vec<u8>,
    /// The mask of the letters from each letter to the end.
    needs: Vec<u64>,
    /// A bit for each letter before which punctuation was typed, so that a word begins there.
    breaks: u64,
    /// For each directory, computed on first use.
    directories: OnceLock<Box<[OnceLock<Box<Costs>>]>>,
}

impl Runs {
    /// `None` if the word cannot be split: it is a path, or too short or too long.
    pub(crate) fn new(word: &Word) -> Option<Self> {
        if word.is_path() || word.letters.len() < 2 || word.letters.len() > MAX_LETTERS {
            return None;
        }
        let (mut breaks, mut at, mut in_word) = (0, 0, true);
        for &byte in &word.folded {
            if is_word(byte) {
                breaks |= u64::from(!in_word) << at;
                at += 1;
            }
            in_word = is_word(byte);
        }
        let needs = (0..word.letters.len()).map(|at| character_mask(&word.letters[at..])).collect();
        Some(Self { letters: word.letters.clone(), needs, breaks, directories: OnceLock::new() })
    }

    /// The quality of the best split over an entry's path.
    pub(crate) fn quality(&self, index: &Index, entry: usize, text: &[u8], name: &[u8]) -> Option<u32> {
        let mask = index.mask(entry);
        let may_end = |count: usize| name.first() == Some(&self.letters[count]) && self.needs[count] & !mask == 0;
        if !(0..self.letters.len()).any(may_end) && !stands_for_directory(name) {
            return None;
        }
        let cost = self.cost(index, index.directory(entry), text, name, &mut Vec::new());
        (cost < IMPOSSIBLE).then(|| (TIER_SPAN - 1).saturating_sub(cost / POINT).max(1))
    }

    /// The least cost of a split over a path. Appends the runs of the base name to `runs`.
    fn cost(&self, index: &Index, directory: usize, text: &[u8], name: &[u8], runs: &mut Vec<Run>) -> u32 {
        let length = self.letters.len();
        let above = self.costs(index, directory);
        let mut costs = [IMPOSSIBLE; MAX_LETTERS + 1];
        if stands_for_directory(name) {
            costs[length] = above[length] + STANDS_FOR;
        }
        self.read(above, text, name, &Rest::of_name(name), &mut costs, runs);
        costs[length]
    }

    /// Appends the offsets of the letters in the path of the best split.
    pub(crate) fn trace(&self, index: &Index, entry: usize, path: &[u8], name: &[u8], positions: &mut Vec<usize>) {
        let (mut directory, mut at) = (index.directory(entry), path.len() - name.len());
        let (mut text, mut folded) = (&path[at..], name);
        let mut runs = Vec::new();
        let mut cost = self.cost(index, directory, text, folded, &mut runs);
        let mut count = self.letters.len();
        if cost >= IMPOSSIBLE {
            return;
        }
        loop {
            // The last run in this segment, and those before it.
            let mut is_last = true;
            while let Some(run) = runs
                .iter()
                .find(|run| run.reached == count && if is_last { run.closed == cost } else { run.cost == cost })
            {
                let mut letters = self.letters[run.count..run.reached].iter().peekable();
                for (offset, &byte) in folded.iter().enumerate().take(run.end).skip(run.start) {
                    if letters.next_if_eq(&&byte).is_some() {
                        positions.push(at + offset);
                    }
                }
                (count, cost, is_last) = (run.count, run.before, false);
                if run.enters {
                    break;
                }
            }
            if count == 0 || directory == 0 {
                return;
            }
            cost = self.costs(index, directory)[count];
            (text, folded) = index.segment(directory);
            directory = index.parent(directory);
            at -= folded.len() + 1;
            runs.clear();
            let rest = Rest::of_directory(folded);
            self.read(self.costs(index, directory), text, folded, &rest, &mut [IMPOSSIBLE; MAX_LETTERS + 1], &mut runs);
        }
    }

    fn costs(&self, index: &Index, directory: usize) -> &Costs {
        let empty = || std::iter::repeat_with(OnceLock::new).take(index.directories()).collect();
        self.directories.get_or_init(empty)[directory].get_or_init(|| {
            let mut costs = Box::new([IMPOSSIBLE; MAX_LETTERS + 1]);
            if directory == 0 {
                costs[0] = 0;
                return costs;
            }
            let above = self.costs(index, index.parent(directory));
            let (text, folded) = index.segment(directory);
            costs[0] = above[0] + ABOVE;
            let length = self.letters.len();
            for (cost, above) in costs[1..=length].iter_mut().zip(&above[1..]) {
                *cost = IMPOSSIBLE.min(above + if is_transparent(folded) { ABOVE } else { BETWEEN });
            }
            self.read(above, text, folded, &Rest::of_directory(folded), &mut costs, &mut Vec::new());
            costs
        })
    }

    /// Continues splits over a segment, and appends the runs in it.
    fn read(&self, above: &Costs, text: &[u8], folded: &[u8], rest: &Rest, costs: &mut Costs, runs: &mut Vec<Run>) {
        let length = self.letters.len();
        let is_plausible =
            |count: usize| above[count] < IMPOSSIBLE && memchr::memchr(self.letters[count], folded).is_some();
        if !(0..length).any(is_plausible) {
            return;
        }
        let mut is_first = true;
        for start in 0..folded.len() {
            if !begins_word(text, start) {
                continue;
            }
            for (count, &above) in above[..length].iter().enumerate() {
                if self.letters[count] != folded[start] {
                    continue;
                }
                let may_enter = is_first || !rest.is_name;
                let entered = if may_enter { above.saturating_add(rest.whole) } else { IMPOSSIBLE };
                let before = runs.iter().filter(|run| run.reached == count && run.end <= start);
                let before = before.map(|run| run.cost).min().unwrap_or(IMPOSSIBLE);
                if entered.min(before) >= IMPOSSIBLE {
                    continue;
                }
                let enters = entered <= before;
                let inside = match is_first {
                    true => 0,
                    false if start >= rest.until && self.breaks == 0 => IN_EXTENSION,
                    false => INSIDE,
                };
                let (mut end, mut reached, mut cost) = (start, count, entered.min(before) + RUN + inside);
                let mut in_gap = false;
                while let (Some(&byte), Some(&wanted)) = (folded.get(end), self.letters.get(reached)) {
                    end += 1;
                    if byte != wanted {
                        // Letters of a word may be left out: `tpl` is `template`.
                        if if is_word(byte) { self.breaks != 0 || begins_word(text, end - 1) } else { in_gap } {
                            break;
                        }
                        in_gap = is_word(byte);
                        continue;
                    }
                    if in_gap {
                        if begins_word(text, end - 1) {
                            break;
                        }
                        in_gap = false;
                        cost += GAP;
                    }
                    if reached > count && self.breaks >> reached & 1 == 1 && !begins_word(text, end - 1) {
                        break;
                    }
                    reached += 1;
                    if end <= rest.until {
                        cost -= rest.letter;
                    }
                    let closed = cost + if end < rest.until { rest.open } else { 0 };
                    costs[reached] = costs[reached].min(closed);
                    runs.push(Run { start, end, count, reached, before: entered.min(before), enters, cost, closed });
                }
            }
            is_first = false;
        }
    }
}

/// Letters that were found together, from the beginning of a word.
struct Run {
    /// Where it is in the segment.
    start: usize,
    end: usize,
    /// How many letters were found before it and after it.
    count: usize,
    reached: usize,
    /// The cost before it, and whether that is the cost of the directories above.
    before: u32,
    enters: bool,
    /// The cost after it, and the cost if no other run in the segment follows.
    cost: u32,
    closed: u32,
}

/// What the letters of a segment cost that were not typed.
struct Rest {
    is_name: bool,
    /// The cost if none was typed.
    whole: u32,
    /// What each typed letter gives back.
    letter: u32,
    /// Letters from this offset on are free.
    until: usize,
    /// The extra cost of an end before that.
    open: u32,
}

impl Rest {
    fn of_name(name: &[u8]) -> Self {
        let until = stem_length(name);
        let letters = count_letters(&name[..until]);
        let letter = STEM / letters + STEM_LETTER;
        Self { is_name: true, whole: STEM + STEM_LETTER * letters, letter, until, open: OPEN_STEM }
    }

    fn of_directory(name: &[u8]) -> Self {
        let letter = SEGMENT / count_letters(name);
        Self { is_name: false, whole: SEGMENT, letter, until: name.len(), open: OPEN_SEGMENT }
    }
}

fn count_letters(text: &[u8]) -> u32 {
    text.iter().filter(|&&byte| is_word(byte)).count().max(1) as u32
}

/// The bits of the places of letters in one word of a name, from its beginning on, of which others are left out.
pub(crate) fn abbreviation(letters: &[u8], text: &[u8], name: &[u8]) -> Option<u128> {
    let starts = (0..name.len()).filter(|&start| letters.first() == Some(&name[start]) && begins_word(text, start));
    for start in starts {
        let (mut rest, mut places) = (letters, 0);
        for (at, &byte) in name.iter().enumerate().skip(start) {
            if at >= 128 || !is_word(byte) || (at > start && begins_word(text, at)) {
                break;
            }
            if rest.first() == Some(&byte) {
                places |= 1 << at;
                rest = &rest[1..];
            }
        }
        if rest.is_empty() {
            return Some(places);
        }
    }
    None
}

/// Whether a word begins at `at`: after a separator, with an upper-case letter, or with the first digit of a number.
fn begins_word(text: &[u8], at: usize) -> bool {
    is_boundary(text, at)
        || begins_camel_word(text, at)
        || (at > 0 && text[at].is_ascii_digit() && !text[at - 1].is_ascii_digit())
}

/// Whether a file of this name stands for its directory.
pub(crate) fn stands_for_directory(name: &[u8]) -> bool {
    matches!(&name[..stem_length(name)], b"index" | b"mod" | b"__init__")
}

/// Whether a directory of this name says nothing: all sources of a package are in it.
pub(crate) fn is_transparent(name: &[u8]) -> bool {
    matches!(name, b"src" | b"lib" | b"source")
}
