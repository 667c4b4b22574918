//! Splits the letters of a word into runs that begin words of a path: `fsnamei` is `fs` and `namei` in `fs/namei.c`.
//!
//! The last runs are in the base name, the first of these at its start. A cost says how well a split explains the path: few
//! runs, whole segments, few letters of the name that were not typed, no directories between the runs. The costs after a
//! directory hold for everything in it.

use std::sync::OnceLock;

use crate::abbreviation::typos_at;
use crate::fold::character_mask;
use crate::index::Index;
use crate::initials;
use crate::name::{begins_word, is_transparent, is_word, stands_for_directory};
use crate::query::Word;
use crate::rest::Rest;
use crate::score::{POINT, TIER_SPAN};

/// Longer words are not split.
const MAX_LETTERS: usize = 32;
const IMPOSSIBLE: u32 = u32::MAX / 2;

/// The cost of a run, of a directory before the first run, and of one between two runs.
const RUN: u32 = 20 * POINT;
const ABOVE: u32 = 3 * POINT;
const BETWEEN: u32 = 12 * POINT;
/// The cost of a run in the extension, if no punctuation was typed.
const IN_EXTENSION: u32 = 90 * POINT;
/// The cost of letters of a word that were left out between two letters, and of vowels only.
const GAP: u32 = 200 * POINT;
const VOWELS: u32 = 70 * POINT;
/// The cost of a typo.
const TYPO: u32 = 60 * POINT;
/// The minimal number of letters of a run with a typo.
const MIN_LETTERS_WITH_TYPO: usize = 3;
/// The cost of a run that begins in a segment, but not at its start.
const INSIDE: u32 = 10 * POINT;
/// The cost if the runs end in the directory for which the base name stands, such as the directory of `index.ts`.
const STANDS_FOR: u32 = 40 * POINT;

/// For each number of typos and of letters, the least cost of runs with these letters.
type Costs<const N: usize> = [[u32; MAX_LETTERS + 1]; N];

/// A word that may be split.
#[derive(Debug)]
pub(crate) struct Runs {
    letters: Vec<u8>,
    /// The mask of the letters from each letter to the end.
    needs: Vec<u64>,
    /// A bit for each letter before which punctuation was typed, so that a word begins there.
    breaks: u64,
    /// For each directory, computed on first use.
    directories: OnceLock<Box<[OnceLock<Box<Costs<1>>>]>>,
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
        let directory = index.directory(entry);
        let cost = self.cost(index, directory, text, name, &mut Vec::new());
        let of_initials = match self.breaks {
            0 => initials::quality(&self.letters, index, directory, text, name),
            _ => None,
        };
        quality(cost).max(of_initials)
    }

    /// The quality of the best split over an entry's path with one typo, after the first letter of a run.
    pub(crate) fn quality_with_typo(&self, index: &Index, entry: usize, text: &[u8], name: &[u8]) -> Option<u32> {
        let above = self.costs_with_typo(index, index.directory(entry));
        let mut costs = [[IMPOSSIBLE; MAX_LETTERS + 1]; 2];
        self.read(&above, &Segment::of_name(text, name), &mut costs, &mut Vec::new());
        quality(costs[1][self.letters.len()])
    }

    fn costs_with_typo(&self, index: &Index, directory: usize) -> Costs<2> {
        if directory == 0 {
            return start();
        }
        self.enter(index, directory, &self.costs_with_typo(index, index.parent(directory)))
    }

    /// The least cost of a split over a path. Appends the runs of the base name to `runs`.
    fn cost(&self, index: &Index, directory: usize, text: &[u8], name: &[u8], runs: &mut Vec<Run>) -> u32 {
        let length = self.letters.len();
        let above = self.costs(index, directory);
        let mut costs = [[IMPOSSIBLE; MAX_LETTERS + 1]];
        if stands_for_directory(name) {
            costs[0][length] = above[0][length] + STANDS_FOR;
        }
        self.read(above, &Segment::of_name(text, name), &mut costs, runs);
        costs[0][length]
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
            cost = self.costs(index, directory)[0][count];
            (text, folded) = index.segment(directory);
            directory = index.parent(directory);
            at -= folded.len() + 1;
            runs.clear();
            let segment = Segment::of_directory(text, folded);
            self.read(self.costs(index, directory), &segment, &mut [[IMPOSSIBLE; MAX_LETTERS + 1]], &mut runs);
        }
    }

    fn costs(&self, index: &Index, directory: usize) -> &Costs<1> {
        let empty = || std::iter::repeat_with(OnceLock::new).take(index.directories()).collect();
        self.directories.get_or_init(empty)[directory].get_or_init(|| match directory {
            0 => Box::new(start()),
            _ => Box::new(self.enter(index, directory, self.costs(index, index.parent(directory)))),
        })
    }

    /// The costs after a directory, from those after its parent.
    fn enter<const N: usize>(&self, index: &Index, directory: usize, above: &Costs<N>) -> Costs<N> {
        let (text, folded) = index.segment(directory);
        let between = if is_transparent(folded) { ABOVE } else { BETWEEN };
        let mut costs = above.map(|above| above.map(|cost| IMPOSSIBLE.min(cost + between)));
        costs[0][0] = above[0][0] + ABOVE;
        self.read(above, &Segment::of_directory(text, folded), &mut costs, &mut Vec::new());
        costs
    }

    /// Continues splits over a segment, and appends the runs in it.
    fn read<const N: usize>(&self, above: &Costs<N>, segment: &Segment<'_>, costs: &mut Costs<N>, runs: &mut Vec<Run>) {
        let Segment { text, folded, ref rest } = *segment;
        let length = self.letters.len();
        let is_plausible = |count: usize| {
            above.iter().any(|above| above[count] < IMPOSSIBLE) && memchr::memchr(self.letters[count], folded).is_some()
        };
        if !(0..length).any(is_plausible) {
            return;
        }
        let mut is_first = true;
        for (start, &first) in folded.iter().enumerate() {
            if !begins_word(text, start) {
                continue;
            }
            for (typos, above) in above.iter().enumerate() {
                for (count, &above) in above[..length].iter().enumerate() {
                    if self.letters[count] != first {
                        continue;
                    }
                    let may_enter = is_first || !rest.is_name;
                    let entered = if may_enter { above.saturating_add(rest.whole) } else { IMPOSSIBLE };
                    let before =
                        runs.iter().filter(|run| run.reached == count && run.end <= start && run.typos == typos);
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
                    let before = entered.min(before);
                    let cost = before + RUN + inside;
                    let run =
                        Run { start, end: start, count, reached: count, typos, before, enters, cost, closed: cost };
                    let (run, at) = self.extend(run, segment, costs, runs);
                    if typos + 1 < N {
                        self.extend_with_typo(run, at, segment, costs, runs);
                    }
                }
            }
            is_first = false;
        }
    }

    /// Appends the run with each number of letters that follow. Returns the run before the first letter that does not, and
    /// the offset of that letter.
    fn extend<const N: usize>(
        &self,
        mut run: Run,
        segment: &Segment<'_>,
        costs: &mut Costs<N>,
        runs: &mut Vec<Run>,
    ) -> (Run, usize) {
        let Segment { text, folded, ref rest } = *segment;
        let (mut in_gap, mut gap, mut at) = (false, 0, run.end);
        let mut stopped = None;
        while let (Some(&byte), Some(&wanted)) = (folded.get(at), self.letters.get(run.reached)) {
            at += 1;
            if byte != wanted {
                // Letters of a word may be left out: `tpl` is `template`.
                if if is_word(byte) { self.breaks != 0 || begins_word(text, at - 1) } else { in_gap } {
                    stopped.get_or_insert((run, at - 1));
                    break;
                }
                if is_word(byte) {
                    stopped.get_or_insert((run, at - 1));
                    gap = if in_gap { gap } else { VOWELS };
                    gap = if is_vowel(byte) { gap } else { GAP };
                }
                in_gap = is_word(byte);
                continue;
            }
            if in_gap {
                if begins_word(text, at - 1) {
                    break;
                }
                in_gap = false;
                run.cost += gap;
            }
            if run.reached > run.count && self.breaks >> run.reached & 1 == 1 && !begins_word(text, at - 1) {
                stopped.get_or_insert((run, at - 1));
                break;
            }
            (run.end, run.reached) = (at, run.reached + 1);
            if at <= rest.until {
                run.cost -= rest.letter;
            }
            run.close(rest, costs, runs);
        }
        stopped.unwrap_or((run, at))
    }

    /// Continues a run with a typo at `at`.
    fn extend_with_typo<const N: usize>(
        &self,
        run: Run,
        at: usize,
        segment: &Segment<'_>,
        costs: &mut Costs<N>,
        runs: &mut Vec<Run>,
    ) {
        let Segment { text, folded, ref rest } = *segment;
        for (letters, bytes) in typos_at(&self.letters[run.reached..], text, folded, at) {
            let mut run = Run { end: at + bytes, reached: run.reached + letters, typos: run.typos + 1, ..run };
            run.cost += TYPO;
            run.cost -= rest.letter * (at..run.end).filter(|&at| at < rest.until).count() as u32;
            if letters > 0 {
                run.close(rest, costs, runs);
            }
            self.extend(run, segment, costs, runs);
        }
    }
}

fn start<const N: usize>() -> Costs<N> {
    let mut costs = [[IMPOSSIBLE; MAX_LETTERS + 1]; N];
    costs[0][0] = 0;
    costs
}

fn quality(cost: u32) -> Option<u32> {
    (cost < IMPOSSIBLE).then(|| (TIER_SPAN - 1).saturating_sub(cost / POINT).max(1))
}

/// A segment of a path.
struct Segment<'t> {
    text: &'t [u8],
    folded: &'t [u8],
    rest: Rest,
}

impl<'t> Segment<'t> {
    fn of_name(text: &'t [u8], folded: &'t [u8]) -> Self {
        Self { text, folded, rest: Rest::of_name(folded) }
    }

    fn of_directory(text: &'t [u8], folded: &'t [u8]) -> Self {
        Self { text, folded, rest: Rest::of_directory(folded) }
    }
}

/// Letters that were found together, from the beginning of a word.
#[derive(Clone, Copy)]
struct Run {
    /// Where it is in the segment.
    start: usize,
    end: usize,
    /// How many letters were found before it and after it.
    count: usize,
    reached: usize,
    /// How many typos there are up to here.
    typos: usize,
    /// The cost before it, and whether that is the cost of the directories above.
    before: u32,
    enters: bool,
    /// The cost after it, and the cost if no other run in the segment follows.
    cost: u32,
    closed: u32,
}

impl Run {
    /// Adds it to the runs and their costs.
    fn close<const N: usize>(&mut self, rest: &Rest, costs: &mut Costs<N>, runs: &mut Vec<Self>) {
        if self.typos > 0 && self.reached - self.count < MIN_LETTERS_WITH_TYPO {
            return;
        }
        self.closed = self.cost + if self.end < rest.until { rest.open } else { 0 };
        let cost = &mut costs[self.typos][self.reached];
        *cost = self.closed.min(*cost);
        runs.push(*self);
    }
}

const fn is_vowel(byte: u8) -> bool {
    matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u')
}
