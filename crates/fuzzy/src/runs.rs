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
/// The cost of letters of a word that were left out between two letters, and of vowels only.
const GAP: u32 = 200 * POINT;
const VOWELS: u32 = 70 * POINT;
/// The cost of a typo.
const TYPO: u32 = 60 * POINT;
/// The minimal number of letters of a run with a typo.
const MIN_LETTERS_WITH_TYPO: usize = 3;
/// The cost of initials, of each segment that they stand for, and of each letter of the stem.
const INITIALS: u32 = 60 * POINT;
const INITIALS_OF_SEGMENT: u32 = 30 * POINT;
const INITIALS_STEM_LETTER: u32 = POINT;
/// More letters are no initials.
const MAX_INITIALS: usize = 8;
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
        quality(cost.min(self.cost_of_initials(index, directory, text, name)))
    }

    /// The quality of the best split over an entry's path with one typo, after the first letter of a run.
    pub(crate) fn quality_with_typo(&self, index: &Index, entry: usize, text: &[u8], name: &[u8]) -> Option<u32> {
        let above = self.costs_with_typo(index, index.directory(entry));
        let mut costs = [[IMPOSSIBLE; MAX_LETTERS + 1]; 2];
        self.read(&above, text, name, &Rest::of_name(name), &mut costs, &mut Vec::new());
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
        self.read(above, text, name, &Rest::of_name(name), &mut costs, runs);
        costs[0][length]
    }

    /// The cost if the letters are the initials of all words of the stem, and of the segments above as far as there are letters.
    fn cost_of_initials(&self, index: &Index, mut directory: usize, text: &[u8], name: &[u8]) -> u32 {
        if self.letters.len() > MAX_INITIALS || self.breaks != 0 {
            return IMPOSSIBLE;
        }
        let stem = stem_length(name);
        let Some(mut rest) = without_initials(&self.letters, &text[..stem], &name[..stem]) else { return IMPOSSIBLE };
        let mut cost = INITIALS + INITIALS_OF_SEGMENT + stem as u32 * INITIALS_STEM_LETTER;
        while !rest.is_empty() && directory > 0 {
            let (text, folded) = index.segment(directory);
            directory = index.parent(directory);
            match without_initials(rest, text, folded) {
                Some(before) => (rest, cost) = (before, cost + INITIALS_OF_SEGMENT),
                None if is_transparent(folded) => {}
                None => return IMPOSSIBLE,
            }
        }
        if rest.is_empty() { cost + index.depth(directory) as u32 * ABOVE } else { IMPOSSIBLE }
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
            let rest = Rest::of_directory(folded);
            self.read(
                self.costs(index, directory),
                text,
                folded,
                &rest,
                &mut [[IMPOSSIBLE; MAX_LETTERS + 1]],
                &mut runs,
            );
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
        self.read(above, text, folded, &Rest::of_directory(folded), &mut costs, &mut Vec::new());
        costs
    }

    /// Continues splits over a segment, and appends the runs in it.
    fn read<const N: usize>(
        &self,
        above: &Costs<N>,
        text: &[u8],
        folded: &[u8],
        rest: &Rest,
        costs: &mut Costs<N>,
        runs: &mut Vec<Run>,
    ) {
        let length = self.letters.len();
        let is_plausible = |count: usize| {
            above.iter().any(|above| above[count] < IMPOSSIBLE) && memchr::memchr(self.letters[count], folded).is_some()
        };
        if !(0..length).any(is_plausible) {
            return;
        }
        let mut is_first = true;
        for start in 0..folded.len() {
            if !begins_word(text, start) {
                continue;
            }
            for (typos, above) in above.iter().enumerate() {
                for (count, &above) in above[..length].iter().enumerate() {
                    if self.letters[count] != folded[start] {
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
                    let (run, at) = self.extend(run, text, folded, rest, costs, runs);
                    if typos + 1 < N {
                        self.extend_with_typo(run, at, text, folded, rest, costs, runs);
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
        text: &[u8],
        folded: &[u8],
        rest: &Rest,
        costs: &mut Costs<N>,
        runs: &mut Vec<Run>,
    ) -> (Run, usize) {
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
        text: &[u8],
        folded: &[u8],
        rest: &Rest,
        costs: &mut Costs<N>,
        runs: &mut Vec<Run>,
    ) {
        for (letters, bytes) in typos_at(&self.letters[run.reached..], text, folded, at) {
            let mut run = Run { end: at + bytes, reached: run.reached + letters, typos: run.typos + 1, ..run };
            run.cost += TYPO;
            run.cost -= rest.letter * (at..run.end).filter(|&at| at < rest.until).count() as u32;
            if letters > 0 {
                run.close(rest, costs, runs);
            }
            self.extend(run, text, folded, rest, costs, runs);
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

const fn is_vowel(byte: u8) -> bool {
    matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u')
}

/// What is left of letters before the initials of all words of a text. `None` if they do not end with these.
fn without_initials<'l>(letters: &'l [u8], text: &[u8], folded: &[u8]) -> Option<&'l [u8]> {
    let mut rest = letters;
    for at in (0..folded.len()).rev().filter(|&at| is_word(folded[at]) && begins_word(text, at)) {
        rest = rest.strip_suffix(&folded[at..=at])?;
    }
    (rest.len() < letters.len()).then_some(rest)
}

/// The typos that may be at `at` if `letters` should continue there: how many letters and bytes each takes. A letter missing,
/// wrong, too many, or swapped with the next one.
pub(crate) fn typos_at(
    letters: &[u8],
    text: &[u8],
    folded: &[u8],
    at: usize,
) -> impl Iterator<Item = (usize, usize)> + use<> {
    let in_word = |at: usize| folded.get(at).is_some_and(|&byte| is_word(byte)) && !begins_word(text, at);
    let (here, next) = (in_word(at), in_word(at) && in_word(at + 1));
    let is_swapped = next && letters.len() > 1 && letters[0] == folded[at + 1] && letters[1] == folded[at];
    let is_left = !letters.is_empty();
    let typos = [(0, 1, here && is_left), (1, 1, here && is_left), (1, 0, is_left), (2, 2, is_swapped)];
    typos.into_iter().filter(|typo| typo.2).map(|(letters, bytes, _)| (letters, bytes))
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

/// The bits of the places of letters with a typo, from the beginning of a word of a name on.
pub(crate) fn with_typo(letters: &[u8], text: &[u8], name: &[u8]) -> Option<u128> {
    let starts = (0..name.len()).filter(|&start| letters.first() == Some(&name[start]) && begins_word(text, start));
    for start in starts {
        let same = letters.iter().zip(&name[start..]).take_while(|(letter, byte)| letter == byte).count();
        for (typed, bytes) in typos_at(&letters[same..], text, name, start + same) {
            let (rest, end) = (&letters[same + typed..], start + same + bytes);
            if name[end..].starts_with(rest) {
                return Some(bits(start, end + rest.len() - start));
            }
        }
    }
    None
}

/// The bits of `length` bytes from `at`, as far as there are bits.
pub(crate) fn bits(at: usize, length: usize) -> u128 {
    let below = |end: usize| if end >= 128 { u128::MAX } else { (1 << end) - 1 };
    below(at + length) & !below(at)
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
